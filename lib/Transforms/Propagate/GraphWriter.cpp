//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to propagated. Requires the graph that build() made of the
// function, and an answer for it. Guarantees that every op with tensor results
// carries its placements, and arguments and results theirs, with the reasons
// (R7) and what competed; changes nothing else but what fills constants.
//
//===----------------------------------------------------------------------===//

#include "BroadcastConstants.h"
#include "GraphBuilder.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Report/RedistributionUsers.h"
#include "ShardIR/Transforms/StageUtils.h"

using namespace mlir;
using namespace shardir;

using Graph = PropagationGraph;

/// True if the user has annotated a tensor as replicated, so that no other
/// annotation decided it. After an earlier run, which leaves such placements
/// too, all is decided.
bool GraphBuilder::isAnnotatedReplicated(const Graph::Node &node) const {
  return !allDecided && !node.isFixed && !node.closed.empty() &&
         llvm::all_of(node.closed, [](bool closed) { return closed; }) &&
         llvm::all_of(node.annotated,
                      [](const Splits &splits) { return splits.empty(); }) &&
         !node.partial;
}

SmallVector<ArrayAttr> GraphBuilder::findAnnotations() {
  SmallVector<ArrayAttr> found(graph.nodes.size());
  Builder builder(function.getContext());
  auto listOf = [&](ProvenanceAttr own) {
    return builder.getArrayAttr({Attribute(own)});
  };
  for (auto [i, n] : llvm::enumerate(argumentNodes))
    if (n >= 0)
      found[n] = listOf(ProvenanceAttr::ofArgument(function, i));
  for (auto [i, n] : llvm::enumerate(resultNodes))
    if (n >= 0)
      found[n] = listOf(ProvenanceAttr::ofResult(function, i));
  for (auto [n, origin] : llvm::enumerate(origins))
    if (origin.op)
      found[n] = annotationOf(
          origin.op, origin.group >= 0 ? std::optional<unsigned>(origin.group)
                                       : std::nullopt);
  return found;
}

/// The annotations that decided a node, each once (R7); null if none did.
ArrayAttr GraphBuilder::provenanceOfNode(int n,
                                         const PropagationResult &result) {
  if (isAnnotatedReplicated(graph.nodes[n]))
    return annotations[n];
  Builder builder(function.getContext());
  llvm::SetVector<Attribute> all;
  for (const Provenance &own : result.nodes[n].decidedBy) {
    if (own.origin < 0)
      continue;
    ArrayAttr origin = annotations[own.origin];
    if (own.through.empty()) {
      all.insert(origin.begin(), origin.end());
      continue;
    }
    SmallVector<StringAttr> names;
    for (int node : own.through)
      names.push_back(builder.getStringAttr(origins[node].op
                                                ? describeOp(origins[node].op)
                                                : graph.nodes[node].name));
    auto first = cast<ProvenanceAttr>(origin[0]);
    all.insert(ProvenanceAttr::get(first.getContext(), first.getKind(),
                                   first.getIndex(), first.getName(),
                                   first.getLoc(), names, own.omitted));
  }
  return all.empty() ? ArrayAttr() : builder.getArrayAttr(all.getArrayRef());
}

/// Appends what competed at a node; `owner` and `index` tell which tensor of an
/// op or function it is about, if that is needed.
void GraphBuilder::addAlternatives(SmallVectorImpl<Attribute> &list,
                                   StringRef owner, int index, int n,
                                   const PropagationResult::Node &decided) {
  Builder builder(function.getContext());
  for (const PropagationResult::Alternative &each : decided.alternatives) {
    SmallVector<Attribute> placements;
    for (const Placement &placement : each.placements)
      placements.push_back(attr(graph.nodes[n], placement));
    // The tensors of a group have one placement.
    if (!owner.empty() || graph.nodes[n].isConstraint)
      placements.resize(1);
    SmallVector<NamedAttribute> entry = {
        builder.getNamedAttr("bytes", builder.getI64IntegerAttr(each.bytes)),
        builder.getNamedAttr("placements", builder.getArrayAttr(placements))};
    if (each.seconds)
      entry.push_back(builder.getNamedAttr(
          "seconds", builder.getF64FloatAttr(*each.seconds)));
    if (!owner.empty())
      entry.push_back(
          builder.getNamedAttr(owner, builder.getI64IntegerAttr(index)));
    list.push_back(builder.getDictionaryAttr(entry));
  }
}

/// Regions run unsharded on each device.
void GraphBuilder::writeReplicated(Operation *op, const Graph::Node &node) {
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      if (!llvm::any_of(inner->getResultTypes(),
                        llvm::IsaPred<RankedTensorType>))
        return;
      SmallVector<Attribute> placements;
      for (Type type : inner->getResultTypes()) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        placements.push_back(
            tensor ? Attribute(attr(
                         node, Placement::replicatedOfRank(tensor.getRank())))
                   : UnitAttr::get(op->getContext()));
      }
      inner->setAttr(ShardIRDialect::kPlacements,
                     ArrayAttr::get(op->getContext(), placements));
    });
}

void GraphBuilder::writeOp(Operation *op, int n,
                           const PropagationResult &result) {
  const Graph::Node &node = graph.nodes[n];
  const PropagationResult::Node &decided = result.nodes[n];
  MLIRContext *context = function.getContext();
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>)) {
    SmallVector<Attribute> placements;
    for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
      placements.push_back(
          isa<RankedTensorType>(type)
              ? Attribute(attr(node, decided.sharding->results[i]))
              : UnitAttr::get(context));
    op->setAttr(ShardIRDialect::kPlacements,
                ArrayAttr::get(context, placements));
  }
  // An op that an earlier run decided keeps its provenance.
  ArrayAttr provenance = provenanceOfNode(n, result);
  if (provenance && !node.isFixed)
    op->setAttr(ShardIRDialect::kDecidedBy, provenance);
  if (decided.hasOtherOperands && !node.isFixed) {
    SmallVector<Attribute> operands;
    for (auto [value, placement] :
         llvm::zip(node.operands, decided.sharding->operands))
      operands.push_back(value < 0 ? Attribute(UnitAttr::get(context))
                                   : Attribute(attr(node, placement)));
    op->setAttr(kOperands, ArrayAttr::get(context, operands));
  }
  SmallVector<Attribute> alternatives;
  addAlternatives(alternatives, "", 0, n, decided);
  if (!alternatives.empty())
    op->setAttr(kAlternatives, ArrayAttr::get(context, alternatives));
  writeReplicated(op, node);
}

/// Tensors that flow through regions: one placement per group.
void GraphBuilder::writeGroups(const PropagationResult &result) {
  llvm::MapVector<Operation *, SmallVector<int>> nodesOf;
  for (auto [n, origin] : llvm::enumerate(origins))
    if (origin.group >= 0)
      nodesOf[origin.op].push_back(n);
  for (auto &[op, nodes] : nodesOf) {
    SmallVector<PlacementAttr> placements(nodes.size());
    SmallVector<Attribute> alternatives;
    // One provenance for each group; one list if they agree.
    SmallVector<Attribute> provenances(nodes.size(),
                                       ArrayAttr::get(op->getContext(), {}));
    for (int n : nodes) {
      addAlternatives(alternatives, "group", origins[n].group, n,
                      result.nodes[n]);
      placements[origins[n].group] =
          attr(graph.nodes[n], result.nodes[n].sharding->results.front());
      if (ArrayAttr own = graph.nodes[n].isFixed
                              ? provenanceOn(op, origins[n].group)
                              : provenanceOfNode(n, result))
        provenances[origins[n].group] = own;
    }
    setGroupPlacements(asShardableRegion(op), placements);
    if (!llvm::all_equal(provenances))
      op->setAttr(ShardIRDialect::kDecidedBy,
                  ArrayAttr::get(op->getContext(), provenances));
    else if (auto all = cast<ArrayAttr>(provenances.front()); !all.empty())
      op->setAttr(ShardIRDialect::kDecidedBy, all);
    if (!alternatives.empty())
      op->setAttr(kAlternatives,
                  ArrayAttr::get(op->getContext(), alternatives));
  }
}

void GraphBuilder::write(const PropagationResult &result) {
  MLIRContext *context = function.getContext();
  annotations = findAnnotations();
  SignatureAttrs signature(function);
  SmallVector<Attribute> alternatives;
  for (auto [i, n] : llvm::enumerate(argumentNodes)) {
    if (n < 0)
      continue;
    signature.setArgument(
        i, ShardIRDialect::kPlacement,
        attr(graph.nodes[n], result.nodes[n].sharding->results[0]));
    // An annotated argument needs no provenance.
    ArrayAttr provenance = provenanceOfNode(n, result);
    if (provenance &&
        (provenance != annotations[n] || isAnnotatedReplicated(graph.nodes[n])))
      signature.setArgument(i, ShardIRDialect::kDecidedBy, provenance);
    addAlternatives(alternatives, "argument", i, n, result.nodes[n]);
  }
  for (auto [i, n] : llvm::enumerate(resultNodes)) {
    if (n < 0)
      continue;
    signature.setResult(
        i, ShardIRDialect::kPlacement,
        attr(graph.nodes[n], result.nodes[n].sharding->operands[0]));
    // An annotated result needs no provenance, and one that is not
    // redistributed has that of its producer.
    ArrayAttr provenance = provenanceOfNode(n, result);
    const Graph::Value &value = graph.values[graph.nodes[n].operands[0]];
    bool isMoved =
        result.nodes[value.producer].sharding->results[value.resultIndex] !=
        result.nodes[n].sharding->operands[0];
    if (isAnnotatedReplicated(graph.nodes[n]) ||
        (isMoved && provenance && provenance != annotations[n]))
      signature.setResult(i, ShardIRDialect::kDecidedBy, provenance);
    addAlternatives(alternatives, "result", i, n, result.nodes[n]);
  }
  signature.write();
  if (!alternatives.empty())
    function->setAttr(kAlternatives, ArrayAttr::get(context, alternatives));
  for (auto [n, origin] : llvm::enumerate(origins))
    if (origin.op && origin.group < 0 &&
        !isa<collective::CollectiveOpInterface, RedistributeOp>(origin.op))
      writeOp(origin.op, n, result);
  for (auto [op, n] : repeated)
    writeOp(op, n, result);
  writeGroups(result);
  fillBroadcastConstants(function);
}
