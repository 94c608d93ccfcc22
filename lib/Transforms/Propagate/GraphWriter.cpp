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

#include "GraphBuilder.h"
#include "SpreadConstants.h"

#include "ShardIR/Analysis/Askers.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Reasons.h"
#include "ShardIR/Transforms/StageUtils.h"

using namespace mlir;
using namespace shardir;

using Graph = PropagationGraph;

/// Whether the user has said of a tensor that it is whole: no axis came from
/// anywhere, so that no other annotation decided it. What an earlier run left
/// whole looks the same, but then all is decided.
bool GraphBuilder::isAnnotatedWhole(const Graph::Node &node) const {
  return !allDecided && !node.isFixed && !node.closed.empty() &&
         llvm::all_of(node.closed, [](bool closed) { return closed; }) &&
         llvm::all_of(node.annotated,
                      [](const Splits &splits) { return splits.empty(); }) &&
         !node.partial;
}

/// The annotations that decided a node, each once (R7).
std::string GraphBuilder::reasonOf(int n,
                                   const PropagationResult &result) const {
  const Graph::Node &node = graph.nodes[n];
  if (isAnnotatedWhole(node))
    return node.annotation.empty() ? node.name : node.annotation;
  std::string reason;
  for (const std::string &origin : result.nodes[n].decidedBy)
    if (!origin.empty() && reason.find(origin) == std::string::npos)
      reason += (reason.empty() ? "" : "; ") + origin;
  return reason;
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
    // All that a tie's tensors have is one placement.
    if (!owner.empty())
      placements.resize(1);
    SmallVector<NamedAttribute> entry = {
        builder.getNamedAttr("bytes", builder.getI64IntegerAttr(each.bytes)),
        builder.getNamedAttr("placements", builder.getArrayAttr(placements))};
    if (!owner.empty())
      entry.push_back(
          builder.getNamedAttr(owner, builder.getI64IntegerAttr(index)));
    list.push_back(builder.getDictionaryAttr(entry));
  }
}

/// Regions run whole on each device.
void GraphBuilder::writeWhole(Operation *op, const Graph::Node &node) {
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
  std::string reason = reasonOf(n, result);
  // What an earlier run decided keeps the reason that it gave.
  if (!reason.empty() && !node.isFixed)
    op->setAttr(ShardIRDialect::kDecidedBy, StringAttr::get(context, reason));
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
  writeWhole(op, node);
}

/// What flows through regions: one placement per tie, the reasons together.
void GraphBuilder::writeTies(const PropagationResult &result) {
  llvm::MapVector<Operation *, SmallVector<int>> nodesOf;
  for (auto [n, origin] : llvm::enumerate(origins))
    if (origin.tie >= 0)
      nodesOf[origin.op].push_back(n);
  for (auto &[op, nodes] : nodesOf) {
    SmallVector<PlacementAttr> placements(nodes.size());
    SmallVector<Attribute> alternatives;
    SmallVector<std::string> reasons(nodes.size());
    for (int n : nodes) {
      addAlternatives(alternatives, "tie", origins[n].tie, n, result.nodes[n]);
      placements[origins[n].tie] =
          attr(graph.nodes[n], result.nodes[n].sharding->results.front());
      reasons[origins[n].tie] = graph.nodes[n].isFixed
                                    ? reasonOn(op, origins[n].tie)
                                    : reasonOf(n, result);
    }
    setTiePlacements(asShardableRegion(op), placements);
    // One for all, or one for each.
    SmallVector<StringRef> list(reasons.begin(), reasons.end());
    if (llvm::all_equal(list) && !list.front().empty())
      op->setAttr(ShardIRDialect::kDecidedBy,
                  StringAttr::get(op->getContext(), list.front()));
    else if (!llvm::all_equal(list))
      op->setAttr(ShardIRDialect::kDecidedBy,
                  Builder(op->getContext()).getStrArrayAttr(list));
    if (!alternatives.empty())
      op->setAttr(kAlternatives,
                  ArrayAttr::get(op->getContext(), alternatives));
  }
}

void GraphBuilder::write(const PropagationResult &result) {
  MLIRContext *context = function.getContext();
  SignatureAttrs signature(function);
  SmallVector<Attribute> alternatives;
  for (auto [i, n] : llvm::enumerate(argumentNodes)) {
    if (n < 0)
      continue;
    signature.setArgument(
        i, ShardIRDialect::kPlacement,
        attr(graph.nodes[n], result.nodes[n].sharding->results[0]));
    std::string reason = reasonOf(n, result);
    // What is placed as annotated names itself without being told.
    if (!reason.empty() &&
        (reason != graph.nodes[n].name || isAnnotatedWhole(graph.nodes[n])))
      signature.setArgument(i, ShardIRDialect::kDecidedBy,
                            StringAttr::get(context, reason));
    addAlternatives(alternatives, "argument", i, n, result.nodes[n]);
  }
  for (auto [i, n] : llvm::enumerate(resultNodes)) {
    if (n < 0)
      continue;
    signature.setResult(
        i, ShardIRDialect::kPlacement,
        attr(graph.nodes[n], result.nodes[n].sharding->operands[0]));
    // What is annotated names itself without being told, and what stays as it
    // was made has its maker's reason.
    std::string reason = reasonOf(n, result);
    const Graph::Value &value = graph.values[graph.nodes[n].operands[0]];
    bool isMoved =
        result.nodes[value.producer].sharding->results[value.resultIndex] !=
        result.nodes[n].sharding->operands[0];
    if (isAnnotatedWhole(graph.nodes[n]) ||
        (isMoved && !reason.empty() && reason != graph.nodes[n].name))
      signature.setResult(i, ShardIRDialect::kDecidedBy,
                          StringAttr::get(context, reason));
    addAlternatives(alternatives, "result", i, n, result.nodes[n]);
  }
  signature.write();
  if (result.deviceWeights.empty())
    function->removeAttr(ShardIRDialect::kDeviceWeights);
  else
    function->setAttr(ShardIRDialect::kDeviceWeights,
                      DenseF64ArrayAttr::get(context, result.deviceWeights));
  if (!alternatives.empty())
    function->setAttr(kAlternatives, ArrayAttr::get(context, alternatives));
  for (auto [n, origin] : llvm::enumerate(origins))
    if (origin.op && origin.tie < 0 &&
        !isa<collective::CollectiveOpInterface, RedistributeOp>(origin.op))
      writeOp(origin.op, n, result);
  for (auto [op, n] : repeated)
    writeOp(op, n, result);
  writeTies(result);
  fillSpreadConstants(function);
}
