//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to propagated. Requires what GraphBuilder.h says. Nodes are
// in an order in which producers come first, but for what a loop carries: its
// group comes before its body. Everything in a body, groups included, counts as
// often as the body runs; a change of placement on an edge happens as often as
// the end of it that runs less, for what does not change in a loop is hoisted.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "BroadcastConstants.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Interfaces/VerifyRule.h"
#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Report/RedistributionUsers.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

#include <limits>
#include <map>

using namespace mlir;
using namespace shardir;

using Graph = PropagationGraph;

int GraphBuilder::addValue(Value value, int node, int result) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return -1;
  graph.values.push_back({shapeOf(type), elementBytes(type), node, result, {}});
  if (auto made = dyn_cast<OpResult>(value); made && !hasOwnMemory(made))
    graph.values.back().aliveTogether = 0;
  return valueIds[value] = graph.values.size() - 1;
}

int GraphBuilder::addNode(Graph::Node node, Origin origin, bool meshIsKnown) {
  node.executions = executions;
  if (origin.op)
    if (auto loop = origin.op->getParentOfType<LoopLikeOpInterface>())
      node.loop = loopIds.try_emplace(loop, int(loopIds.size())).first->second;
  graph.nodes.push_back(std::move(node));
  origins.push_back(origin);
  meshKnown.push_back(meshIsKnown);
  return graph.nodes.size() - 1;
}

void GraphBuilder::use(int node, Value value) {
  auto it = valueIds.find(value);
  int id = it == valueIds.end() ? -1 : it->second;
  SmallVectorImpl<int> &operands = graph.nodes[node].operands;
  if (id >= 0)
    graph.values[id].uses.push_back({node, int(operands.size())});
  operands.push_back(id);
}

ArrayAttr GraphBuilder::annotationOf(Operation *op,
                                     std::optional<unsigned> group) {
  if (ArrayAttr earlier = provenanceOn(op, group))
    return earlier;
  ProvenanceAttr own =
      isa<ConstrainOp, RedistributeOp, collective::CollectiveOpInterface>(op)
          ? ProvenanceAttr::ofOp(op->getName().getIdentifier(), op->getLoc())
          : ProvenanceAttr::ofAnnotation(op);
  return ArrayAttr::get(op->getContext(), {Attribute(own)});
}

/// Adds what a placement says to factors `firstFactor`, … one per dim.
void GraphBuilder::annotate(Graph::Node &node, const Placement &placement,
                            int firstFactor) {
  size_t count = node.rule->factors.size();
  node.annotated.resize(count);
  node.closed.resize(count, false);
  node.priority.resize(count, Graph::kLastPriority);
  for (auto [dim, entry] : llvm::enumerate(placement.dims)) {
    node.annotated[firstFactor + dim] = entry.splits;
    node.closed[firstFactor + dim] = !entry.open;
    if (entry.priority)
      node.priority[firstFactor + dim] = *entry.priority;
  }
  node.forbidden = placement.replicated;
  node.partial = placement.partial;
  node.partialAxes = placement.partialAxes;
}

/// A node for a function's argument or result: one factor per dim.
int GraphBuilder::addBoundary(Type type, PlacementAttr placement, Twine name,
                              bool isResult) {
  Graph::Node node;
  node.name = name.str();
  // A program has many arguments of few types.
  auto [known, isNew] = boundaryRules[isResult].try_emplace(type);
  if (isNew) {
    ShardingRule rule;
    TensorFactors factors;
    for (int64_t extent : shapeOf(cast<RankedTensorType>(type)))
      factors.dims.push_back({rule.addFactor(extent)});
    (isResult ? rule.operands : rule.results).push_back(factors);
    known->second = std::move(rule);
  }
  node.rule = known->second;
  if (placement) {
    annotate(node, placement.getValue(), 0);
    node.mesh = meshes.indexOf(placement.getMesh().getValue());
  }
  return addNode(std::move(node), {}, bool(placement));
}

/// A redistribution or collective: both sides are decided.
void GraphBuilder::addStep(Operation *op, PlacementAttr from,
                           PlacementAttr to) {
  Graph::Node node;
  node.name = op->getName().getStringRef().str();
  node.annotation = describeProvenance(annotationOf(op));
  auto shape = shapeOf(cast<RankedTensorType>(op->getResult(0).getType()));
  ShardingRule rule;
  TensorFactors operand, result;
  for (int64_t extent : shape)
    operand.dims.push_back({rule.addFactor(extent)});
  for (int64_t extent : shape)
    result.dims.push_back({rule.addFactor(extent)});
  rule.operands.push_back(operand);
  rule.results.push_back(result);
  node.rule = std::move(rule);
  annotate(node, to.getValue(), shape.size());
  annotate(node, from.getValue(), 0);
  node.isFixed = true;
  node.partial.reset();
  node.partialAxes.clear();
  node.fixedResults = {to.getValue()};
  node.mesh = meshes.indexOf(to.getMesh().getValue());
  int n = addNode(std::move(node), {op}, /*meshIsKnown=*/true);
  use(n, op->getOperand(0));
  graph.nodes[n].results.push_back(addValue(op->getResult(0), n, 0));
}

/// Reads `shardir.placements`: closed entries have been decided, by the user or
/// by an earlier run; open ones are annotations that may grow.
void GraphBuilder::annotateDecided(Graph::Node &node, Operation *origin,
                                   ValueRange values, ArrayRef<Attribute> own) {
  bool decided = true;
  std::vector<Placement> results;
  for (Attribute entry : own) {
    auto placement = dyn_cast<PlacementAttr>(entry);
    results.push_back(placement ? placement.getValue() : Placement());
    for (const DimPlacement &dim : results.back().dims)
      decided &= !dim.open && !dim.priority;
    if (placement)
      node.mesh = meshes.indexOf(placement.getMesh().getValue());
  }
  const Mesh &mesh = graph.meshes[node.mesh];
  size_t count = node.rule->factors.size();
  node.annotated.resize(count);
  for (auto [factors, placement] : llvm::zip(node.rule->results, results)) {
    FactorSplits splits = projectTensor(node.rule, factors, placement, mesh);
    for (auto &&[all, one] : llvm::zip(node.annotated, splits))
      if (all.empty())
        all = one;
  }
  // A placement that no sharding of the op gives is kept, and later passes
  // report it.
  for (const TensorFactors &factors : llvm::concat<const TensorFactors>(
           node.rule->results, node.rule->operands))
    decided |= !composeTensor(node.rule, factors, node.annotated, mesh);
  if (decided) {
    node.isFixed = true;
    for (const Placement &placement : results)
      node.fixedResults.push_back(placement.closed());
    std::vector<std::optional<Placement>> operands(node.rule->operands.size());
    auto chosen = origin->getAttrOfType<ArrayAttr>(kOperands);
    for (auto [i, operand] : llvm::enumerate(values)) {
      PlacementAttr placement = getPlacement(operand);
      if (chosen && chosen.size() == values.size())
        if (auto own = dyn_cast<PlacementAttr>(chosen[i]))
          placement = own;
      if (placement && placement.getMesh().getValue() == mesh.name)
        operands[i] = placement.getValue().closed();
    }
    // Results show the factors that they have; their partial axes show others.
    auto inferred = inferSharding(node.rule, node.fixedResults, operands, mesh);
    auto *sharding = std::get_if<OpSharding>(&inferred);
    node.annotated = sharding ? sharding->splits : FactorSplits(count);
    return;
  }
  node.closed.resize(count, false);
  node.priority.resize(count, Graph::kLastPriority);
  for (auto [factors, placement] : llvm::zip(node.rule->results, results)) {
    for (auto [dim, entry] : llvm::enumerate(placement.dims))
      for (int f : factors.dims[dim]) {
        if (!entry.open)
          node.closed[f] = true;
        if (entry.priority)
          node.priority[f] = std::min(node.priority[f], *entry.priority);
      }
    llvm::append_range(node.forbidden, placement.replicated);
    if (placement.partial) {
      node.partial = placement.partial;
      node.partialAxes = placement.partialAxes;
    }
  }
}

/// Annotates the border of a manual region with its axes that are not manual;
/// the others are pinned.
static void annotateBorder(PropagationGraph::Node &node,
                           const Placement &placement, ArrayAttr manual,
                           const TensorFactors &inside) {
  size_t count = node.rule->factors.size();
  node.annotated.resize(count);
  node.closed.resize(count, true);
  node.priority.resize(count, PropagationGraph::kLastPriority);
  Placement others = manualPart(placement, manual, /*isManual=*/false);
  for (auto [entry, factors] : llvm::zip(others.dims, inside.dims)) {
    node.annotated[factors.front()] = entry.splits;
    node.closed[factors.front()] = !entry.open;
    if (entry.priority)
      node.priority[factors.front()] = *entry.priority;
  }
  node.forbidden = placement.replicated;
  for (auto axis : manual.getAsRange<StringAttr>())
    node.forbidden.push_back({axis.str(), 1, 0});
}

/// Axes that always split a factor, and axes along which values vary that no
/// placement shows.
void GraphBuilder::pinManual(Graph::Node &node, const ManualAxes::Axes &axes) {
  for (auto [f, factor] : llvm::enumerate(node.rule->factors)) {
    if (factor.pinned.empty())
      continue;
    node.annotated.resize(node.rule->factors.size());
    node.annotated[f] = factor.pinned;
  }
  for (const std::string &axis : axes)
    node.forbidden.push_back({axis, 1, 0});
}

/// How often op would run if it stood as far in front of the loops around it as
/// what it reads allows; infinity where it stays.
double GraphBuilder::maxRedistributionsOf(Operation *op) {
  constexpr double kStays = std::numeric_limits<double>::infinity();
  if (executionsOfBlock.empty() || !isPure(op))
    return kStays;
  // As far as nothing but loops is around it.
  double most = executions;
  for (Operation *around = op->getParentOp();
       isa<LoopLikeOpInterface>(around) && asShardableRegion(around);
       around = around->getParentOp())
    most = executionsOfBlock.lookup_or(around->getBlock(), 1);
  auto read = [&](Value value) {
    auto it = executionsBefore.find(value);
    most = std::max(
        most, it != executionsBefore.end()
                  ? it->second
                  : executionsOfBlock.lookup_or(value.getParentBlock(), 1));
  };
  for (Value operand : op->getOperands())
    read(operand);
  llvm::SetVector<Value> inside;
  getUsedValuesDefinedAbove(op->getRegions(), inside);
  for (Value value : inside)
    read(value);
  if (most >= executions)
    return kStays;
  for (Value result : op->getResults())
    executionsBefore[result] = most;
  return most;
}

/// Adds a tensor to the node of its group, whose operands and results all have
/// the same factors. Operands come when their constraints do, as in a loop.
void GraphBuilder::addToGroup(ConstrainOp op) {
  auto [it, isNew] = nodeOfGroup.try_emplace(*op.getGroup(), -1);
  if (isNew) {
    int n = addBoundary(op.getType(), {}, "shardir.constrain",
                        /*isResult=*/false);
    it->second = n;
    origins[n] = {op};
    graph.nodes[n].isConstraint = true;
  } else {
    repeated.push_back({op, it->second});
  }
  int n = it->second;
  ShardingRule rule = *graph.nodes[n].rule;
  rule.moves = ShardingRule::Moves::Nothing;
  rule.operands.push_back(rule.results.front());
  rule.results.resize(rule.operands.size(), rule.results.front());
  rule.inits.resize(rule.results.size(), -1);
  graph.nodes[n].rule = std::move(rule);
  use(n, op.getInput());
  int id = addValue(op.getResult(), n, graph.nodes[n].results.size());
  graph.nodes[n].results.push_back(id);
}

void GraphBuilder::addOp(Operation *op) {
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op);
      step && op->getNumResults())
    return addStep(op, step.getFrom(), step.getTo());
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return addStep(op, redistribute.getFrom(), redistribute.getTo());
  if (auto region = asShardableRegion(op))
    return addRegions(region);
  auto constrain = dyn_cast<ConstrainOp>(op);
  auto own = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements);
  if (constrain && constrain.getGroup() && !own)
    return addToGroup(constrain);
  double maxRedistributions = maxRedistributionsOf(op);
  // Rematerializable values are made for each use, not shared (R5).
  Operation *first = equals.find(op);
  auto same = first ? nodeOfFirst.find(first) : nodeOfFirst.end();
  if (same != nodeOfFirst.end()) {
    repeated.push_back({op, same->second});
    for (auto [result, other] :
         llvm::zip(op->getResults(), first->getResults()))
      if (valueIds.contains(other)) {
        int id = valueIds[other];
        valueIds[result] = id;
      }
    // Its rematerializable operands take what the first one's do.
    SmallVector<Value> read(op->getOperands());
    llvm::append_range(read, capturedTensors(op));
    for (auto [i, value] : llvm::enumerate(read))
      if (auto it = valueIds.find(value);
          it != valueIds.end() && it->second >= 0 &&
          it->second != graph.nodes[same->second].operands[i])
        graph.values[it->second].uses.push_back({same->second, int(i)});
    return;
  }
  Graph::Node node;
  node.name = op->getName().getStringRef().str();
  SmallVector<Value> captured = capturedTensors(op);
  if (constrain) {
    ShardingRule rule = ShardingRule::elementwise(op);
    rule.moves = ShardingRule::Moves::Nothing;
    node.rule = std::move(rule);
    node.isConstraint = true;
    if (std::optional<StringRef> direction = constrain.getDirection()) {
      node.passesForward = *direction == "forward";
      node.passesBackward = *direction == "backward";
    }
  } else {
    node.rule = getShardingRule(op);
    if (!node.rule->replicatedBecause.empty() && hasTensors(op)) {
      InFlightDiagnostic remark = op->emitRemark()
                                  << node.rule->replicatedBecause;
      if (!hasShardingRule(op))
        remark << "; to shard it, write shardir.rule = #shardir.rule<...> on "
                  "it, or implement ShardingRuleOpInterface";
    }
    node.isBroadcastConstant = bool(broadcastConstant(op));
  }
  bool known = own && llvm::any_of(own, llvm::IsaPred<PlacementAttr>);
  if (known) {
    SmallVector<Value> read(op->getOperands());
    llvm::append_range(read, captured);
    annotateDecided(node, op, read, own.getValue());
    node.annotation = describeProvenance(annotationOf(op));
  } else if (constrain) {
    const Placement &placement = constrain.getPlacement().getValue();
    annotate(node, placement, 0);
    node.annotation = describeProvenance(annotationOf(op));
    node.mesh = meshes.indexOf(constrain.getPlacement().getMesh().getValue());
    // A barrier's mesh is that of the values around it.
    known = !constrain.getDirection() || !axesOf(placement).empty();
  } else if (auto in = dyn_cast<ManualInOp>(op)) {
    annotateBorder(node, in.getPlacement().getValue(), in.getAxes(),
                   node.rule->results[0]);
    node.annotation = describeProvenance(annotationOf(op));
    node.mesh = meshes.indexOf(in.getPlacement().getMesh().getValue());
    known = true;
  } else if (auto out = dyn_cast<ManualOutOp>(op)) {
    annotateBorder(node, out.getPlacement().getValue(), out.getAxes(),
                   node.rule->operands[0]);
    node.annotation = describeProvenance(annotationOf(op));
    node.mesh = meshes.indexOf(out.getPlacement().getMesh().getValue());
    known = true;
  } else if (auto step = dyn_cast<ManualCollectiveOp>(op)) {
    node.mesh = meshes.indexOf(step.getSource().getMesh().getValue());
    known = true;
  }
  if (varying.any()) {
    ManualAxes::Axes axes = varying.ofOperands(op);
    for (OpResult result : op->getResults())
      axes.insert(varying.of(result).begin(), varying.of(result).end());
    pinManual(node, axes);
  } else {
    pinManual(node, {});
  }
  node.maxRedistributions = maxRedistributions;
  bool isShared = !node.isCopied();
  int n = addNode(std::move(node), {op}, known);
  if (isShared)
    nodeOfFirst[op] = n;
  for (Value operand : op->getOperands())
    use(n, operand);
  for (Value value : captured)
    use(n, value);
  for (OpResult result : op->getResults()) {
    int id = addValue(result, n, result.getResultNumber());
    graph.nodes[n].results.push_back(id);
  }
}

void GraphBuilder::addOps(Block &block) {
  for (Operation &op : block.without_terminator())
    addOp(&op);
}

/// One tensor on its way through regions; its operands are added later, for
/// some of them are not there yet. The tensor is partial if all of them are
/// (R11).
int GraphBuilder::addGroup(Operation *op, const RegionValueGroup &group,
                           int index, PlacementAttr placement) {
  Graph::Node node;
  node.name = op->getName().getStringRef().str();
  ShardingRule rule;
  rule.moves = ShardingRule::Moves::Nothing;
  TensorFactors factors;
  for (int64_t extent :
       shapeOf(cast<RankedTensorType>(group.values.front().getType())))
    factors.dims.push_back({rule.addFactor(extent)});
  rule.operands.assign(group.operands.size(), factors);
  rule.results.assign(group.values.size(), factors);
  rule.inits.assign(group.values.size(), -1);
  PartialRule &partials = rule.partials.emplace_back();
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(group.operands)) {
    partials.operands.push_back(i);
    operands.push_back(operand->get());
  }
  node.rule = std::move(rule);
  if (placement) {
    annotateDecided(
        node, op, operands,
        SmallVector<Attribute>(group.values.size(), Attribute(placement)));
    node.annotation = describeProvenance(annotationOf(op, index));
  }
  pinManual(node, varying.of(group.values.front()));
  int n = addNode(std::move(node), {op, index}, bool(placement));
  for (auto [i, value] : llvm::enumerate(group.values))
    graph.nodes[n].results.push_back(addValue(value, n, i));
  return n;
}

void GraphBuilder::addRegions(ShardableRegionOpInterface op) {
  SmallVector<RegionValueGroup> groups = op.getValueGroups();
  SmallVector<PlacementAttr> placements = getGroupPlacements(op, groups);
  SmallVector<int> nodes(groups.size(), -1);
  double outside = executions;
  for (Region &region : op->getRegions()) {
    std::optional<int64_t> trips = op.getTripCount(region);
    executions = outside * double(trips.value_or(unknownTrips));
    for (auto [i, group] : llvm::enumerate(groups))
      if (llvm::any_of(group.values, [&, i = i](Value value) {
            return value.getParentRegion() == &region && nodes[i] < 0 &&
                   isa<BlockArgument>(value);
          }))
        nodes[i] = addGroup(op, group, i, placements[i]);
    if (region.empty())
      continue;
    executionsOfBlock[&region.front()] = executions;
    addOps(region.front());
  }
  executions = outside;
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (nodes[i] < 0)
      nodes[i] = addGroup(op, group, i, placements[i]);
    for (OpOperand *operand : group.operands)
      use(nodes[i], operand->get());
  }
}

const PropagationGraph &GraphBuilder::build() {
  std::string owner = (" of @" + function.getSymName()).str();
  // Nodes are large; regions have more of them.
  size_t count = function.getNumArguments() + function.getNumResults() +
                 function.getBody().front().getOperations().size();
  graph.nodes.reserve(count);
  graph.values.reserve(count);
  origins.reserve(count);
  valueIds.reserve(count);
  for (BlockArgument argument : function.getArguments()) {
    argumentNodes.push_back(-1);
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    unsigned i = argument.getArgNumber();
    int n = argumentNodes.back() = addBoundary(
        argument.getType(),
        function.getArgAttrOfType<PlacementAttr>(i, ShardIRDialect::kPlacement),
        "argument " + Twine(i) + owner, /*isResult=*/false);
    graph.nodes[n].results = {addValue(argument, n, 0)};
  }
  Block &body = function.getBody().front();
  addOps(body);
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    resultNodes.push_back(-1);
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    int n = resultNodes.back() =
        addBoundary(value.getType(),
                    dyn_cast_or_null<PlacementAttr>(
                        function.getResultAttr(i, ShardIRDialect::kPlacement)),
                    "result " + Twine(i) + owner, /*isResult=*/true);
    Graph::Node &node = graph.nodes[n];
    if (auto alias = dyn_cast_or_null<IntegerAttr>(
            function.getResultAttr(i, ShardIRDialect::kAlias)))
      node.alias = argumentNodes[alias.getInt()];
    use(n, value);
  }
  inferMeshes();
  auto computes = [](const Graph::Node &node) {
    return !node.operands.empty() && !node.isConstraint &&
           llvm::any_of(node.results, [](int value) { return value >= 0; });
  };
  allDecided = llvm::any_of(graph.nodes, computes) &&
               llvm::all_of(graph.nodes, [&](const Graph::Node &node) {
                 return node.isFixed || !computes(node);
               });
  return graph;
}
