//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to propagated. Requires sugar resolved and calls inlined.
// Builds the graph of Analysis/Propagation.h from the functions of the module
// and writes its answer back: every op with tensor results then carries
// `shardir.placements`, every argument and result of a function
// `shardir.placement`.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Propagation.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace shardir {
#define GEN_PASS_DEF_PROPAGATE
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

using Graph = PropagationGraph;

/// Builds the graph of one function.
class GraphBuilder {
public:
  GraphBuilder(func::FuncOp function, const MeshTable &meshes)
      : function(function), meshes(meshes) {
    graph.meshes = meshes.all();
  }

  const Graph &build();
  void write(const PropagationResult &result);

private:
  int addValue(Value value, int node, int result);
  void use(int node, Value value);
  Graph::Node &addBoundary(Type type, PlacementAttr placement, Twine name);
  void annotate(Graph::Node &node, const Placement &placement, int firstFactor);
  void annotateOp(Graph::Node &node, Operation *op, ArrayAttr own);
  void addOp(Operation *op);
  void addStep(Operation *op, PlacementAttr from, PlacementAttr to);
  PlacementAttr attr(const Graph::Node &node, const Placement &placement) {
    return PlacementAttr::get(function.getContext(),
                              graph.meshes[node.mesh].name, placement);
  }
  void inferMeshes();

  func::FuncOp function;
  const MeshTable &meshes;
  Graph graph;
  DenseMap<Value, int> valueIds;
  std::vector<Operation *> opOfNode; ///< null for arguments and results
  SmallVector<int> argumentNodes, resultNodes;
  std::vector<bool> meshKnown;
};

} // namespace

int GraphBuilder::addValue(Value value, int node, int result) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return -1;
  graph.values.push_back({shapeOf(type), elementBytes(type), node, result, {}});
  return valueIds[value] = graph.values.size() - 1;
}

void GraphBuilder::use(int node, Value value) {
  auto it = valueIds.find(value);
  int id = it == valueIds.end() ? -1 : it->second;
  std::vector<int> &operands = graph.nodes[node].operands;
  if (id >= 0)
    graph.values[id].uses.push_back({node, int(operands.size())});
  operands.push_back(id);
}

/// Adds what a placement says to factors `firstFactor`, … one per dim.
void GraphBuilder::annotate(Graph::Node &node, const Placement &placement,
                            int firstFactor) {
  size_t count = node.rule.factors.size();
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
Graph::Node &GraphBuilder::addBoundary(Type type, PlacementAttr placement,
                                       Twine name) {
  Graph::Node node;
  node.name = name.str();
  TensorFactors factors;
  for (int64_t extent : shapeOf(cast<RankedTensorType>(type)))
    factors.dims.push_back({node.rule.addFactor(extent)});
  node.rule.results.push_back(factors);
  if (placement) {
    annotate(node, placement.getValue(), 0);
    node.mesh = meshes.indexOf(placement.getMesh().getValue());
  }
  graph.nodes.push_back(std::move(node));
  opOfNode.push_back(nullptr);
  meshKnown.push_back(bool(placement));
  return graph.nodes.back();
}

/// A redistribution or collective: both sides are decided.
void GraphBuilder::addStep(Operation *op, PlacementAttr from,
                           PlacementAttr to) {
  Graph::Node node;
  node.name = op->getName().getStringRef().str();
  auto shape = shapeOf(cast<RankedTensorType>(op->getResult(0).getType()));
  TensorFactors operand, result;
  for (int64_t extent : shape)
    operand.dims.push_back({node.rule.addFactor(extent)});
  for (int64_t extent : shape)
    result.dims.push_back({node.rule.addFactor(extent)});
  annotate(node, to.getValue(), shape.size());
  annotate(node, from.getValue(), 0);
  node.rule.operands.push_back(operand);
  node.rule.results.push_back(result);
  node.isFixed = true;
  node.partial.reset();
  node.partialAxes.clear();
  node.fixedResults = {to.getValue()};
  node.mesh = meshes.indexOf(to.getMesh().getValue());
  graph.nodes.push_back(std::move(node));
  opOfNode.push_back(op);
  meshKnown.push_back(true);
  int n = graph.nodes.size() - 1;
  use(n, op->getOperand(0));
  graph.nodes[n].results.push_back(addValue(op->getResult(0), n, 0));
}

/// What `shardir.placements` says: closed entries have been decided, by the
/// user or by an earlier run; open ones are where propagation begins.
void GraphBuilder::annotateOp(Graph::Node &node, Operation *op, ArrayAttr own) {
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
  size_t count = node.rule.factors.size();
  node.annotated.resize(count);
  for (auto [factors, placement] : llvm::zip(node.rule.results, results)) {
    FactorSplits splits = projectTensor(node.rule, factors, placement, mesh);
    for (auto &&[all, one] : llvm::zip(node.annotated, splits))
      if (all.empty())
        all = one;
  }
  // What no sharding of the op gives is kept as it is, for later passes to say
  // so.
  for (const TensorFactors &factors :
       llvm::concat<TensorFactors>(node.rule.results, node.rule.operands))
    decided |= !composeTensor(node.rule, factors, node.annotated, mesh);
  if (decided) {
    node.isFixed = true;
    for (const Placement &placement : results)
      node.fixedResults.push_back(placement.closed());
    std::vector<std::optional<Placement>> operands(node.rule.operands.size());
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      PlacementAttr placement = getPlacement(operand);
      if (placement && placement.getMesh().getValue() == mesh.name)
        operands[i] = placement.getValue().closed();
    }
    // Results show the factors that they have; what they owe shows others.
    auto inferred = inferSharding(node.rule, node.fixedResults, operands, mesh);
    auto *sharding = std::get_if<OpSharding>(&inferred);
    node.annotated = sharding ? sharding->splits : FactorSplits(count);
    return;
  }
  node.closed.resize(count, false);
  node.priority.resize(count, Graph::kLastPriority);
  for (auto [factors, placement] : llvm::zip(node.rule.results, results)) {
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

void GraphBuilder::addOp(Operation *op) {
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op);
      step && op->getNumResults())
    return addStep(op, step.getFrom(), step.getTo());
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return addStep(op, redistribute.getFrom(), redistribute.getTo());
  Graph::Node node;
  node.name = op->getName().getStringRef().str();
  auto constrain = dyn_cast<ConstrainOp>(op);
  auto own = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements);
  if (constrain) {
    node.rule = ShardingRule::elementwise(op);
  } else {
    node.rule = getShardingRule(op);
    if (!node.rule.replicatedBecause.empty() && hasTensors(op))
      op->emitRemark() << node.rule.replicatedBecause;
    // What a region reads from outside must be whole.
    for (Value captured : capturedTensors(op)) {
      TensorFactors whole;
      whole.dims.resize(cast<RankedTensorType>(captured.getType()).getRank());
      node.rule.operands.push_back(whole);
    }
  }
  bool known = own && llvm::any_of(own, llvm::IsaPred<PlacementAttr>);
  if (known) {
    annotateOp(node, op, own);
  } else if (constrain) {
    annotate(node, constrain.getPlacement().getValue(), 0);
    node.mesh = meshes.indexOf(constrain.getPlacement().getMesh().getValue());
    known = true;
  }
  graph.nodes.push_back(std::move(node));
  opOfNode.push_back(op);
  meshKnown.push_back(known);
  int n = graph.nodes.size() - 1;
  for (Value operand : op->getOperands())
    use(n, operand);
  for (Value captured : capturedTensors(op))
    use(n, captured);
  for (OpResult result : op->getResults()) {
    int id = addValue(result, n, result.getResultNumber());
    graph.nodes[n].results.push_back(id);
  }
}

/// A value's mesh is its annotation's, else its producer's, else its users'
/// (R10): known meshes flow forward, then backward. An op whose operands come
/// from several meshes waits for what its results say.
void GraphBuilder::inferMeshes() {
  auto take = [&](int n, int from) {
    if (meshKnown[n] || !meshKnown[from])
      return;
    graph.nodes[n].mesh = graph.nodes[from].mesh;
    meshKnown[n] = true;
  };
  auto producers = [&](int n) {
    SmallVector<int> result;
    for (int value : graph.nodes[n].operands)
      if (value >= 0)
        result.push_back(graph.values[value].producer);
    return result;
  };
  for (int n = 0, e = graph.nodes.size(); n < e; ++n) {
    SmallVector<int> meshesOfOperands;
    for (int producer : producers(n))
      if (meshKnown[producer] && !graph.nodes[producer].rule.isFresh &&
          !llvm::is_contained(meshesOfOperands, graph.nodes[producer].mesh))
        meshesOfOperands.push_back(graph.nodes[producer].mesh);
    if (meshesOfOperands.size() > 1)
      continue;
    if (meshesOfOperands.size() == 1 && !meshKnown[n]) {
      graph.nodes[n].mesh = meshesOfOperands.front();
      meshKnown[n] = true;
    }
    for (int producer : producers(n))
      take(n, producer);
  }
  // Of several the one that most users have; a constraint, which may be there
  // to move the value on, counts less than others.
  for (int n = graph.nodes.size() - 1; n >= 0; --n) {
    std::map<int, std::pair<int, int>> votes;
    for (int value : graph.nodes[n].results)
      if (value >= 0)
        for (auto [user, operand] : graph.values[value].uses)
          if (meshKnown[user]) {
            auto &[all, others] = votes[graph.nodes[user].mesh];
            ++all;
            others += !isa_and_nonnull<ConstrainOp>(opOfNode[user]);
          }
    if (meshKnown[n] || votes.empty())
      continue;
    auto best = std::max_element(
        votes.begin(), votes.end(),
        [](const auto &a, const auto &b) { return a.second < b.second; });
    graph.nodes[n].mesh = best->first;
    meshKnown[n] = true;
  }
  for (int n = 0, e = graph.nodes.size(); n < e; ++n)
    for (int producer : producers(n))
      take(n, producer);
  for (Graph::Node &node : graph.nodes)
    if (node.alias >= 0)
      node.mesh = graph.nodes[node.alias].mesh;
}

const Graph &GraphBuilder::build() {
  std::string owner = (" of @" + function.getSymName()).str();
  for (BlockArgument argument : function.getArguments()) {
    argumentNodes.push_back(-1);
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    unsigned i = argument.getArgNumber();
    addBoundary(
        argument.getType(),
        function.getArgAttrOfType<PlacementAttr>(i, ShardIRDialect::kPlacement),
        "argument " + Twine(i) + owner);
    int n = argumentNodes.back() = graph.nodes.size() - 1;
    graph.nodes[n].results = {addValue(argument, n, 0)};
  }
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator())
    addOp(&op);
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    resultNodes.push_back(-1);
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    addBoundary(value.getType(),
                dyn_cast_or_null<PlacementAttr>(
                    function.getResultAttr(i, ShardIRDialect::kPlacement)),
                "result " + Twine(i) + owner);
    int n = resultNodes.back() = graph.nodes.size() - 1;
    Graph::Node &node = graph.nodes[n];
    std::swap(node.rule.operands, node.rule.results);
    if (auto alias = dyn_cast_or_null<IntegerAttr>(
            function.getResultAttr(i, ShardIRDialect::kAlias)))
      node.alias = argumentNodes[alias.getInt()];
    use(n, value);
  }
  inferMeshes();
  return graph;
}

/// The annotations that decided a node, each once (R7).
static std::string decidedBy(const PropagationResult::Node &node) {
  std::string reason;
  for (const std::string &origin : node.decidedBy)
    if (!origin.empty() && reason.find(origin) == std::string::npos)
      reason += (reason.empty() ? "" : "; ") + origin;
  return reason;
}

void GraphBuilder::write(const PropagationResult &result) {
  MLIRContext *context = function.getContext();
  StringAttr placementName =
      StringAttr::get(context, ShardIRDialect::kPlacement);
  for (auto [i, n] : llvm::enumerate(argumentNodes)) {
    if (n < 0)
      continue;
    function.setArgAttr(i, placementName,
                        attr(graph.nodes[n], result.nodes[n].results[0]));
    std::string reason = decidedBy(result.nodes[n]);
    if (!reason.empty() && reason != graph.nodes[n].name)
      function.setArgAttr(i, ShardIRDialect::kDecidedBy,
                          StringAttr::get(context, reason));
  }
  for (auto [i, n] : llvm::enumerate(resultNodes))
    if (n >= 0)
      function.setResultAttr(i, placementName,
                             attr(graph.nodes[n], result.nodes[n].operands[0]));
  for (auto [n, op] : llvm::enumerate(opOfNode)) {
    if (!op || isa<collective::CollectiveOpInterface, RedistributeOp>(op))
      continue;
    const Graph::Node &node = graph.nodes[n];
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>)) {
      SmallVector<Attribute> placements;
      for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
        placements.push_back(
            isa<RankedTensorType>(type)
                ? Attribute(attr(node, result.nodes[n].results[i]))
                : UnitAttr::get(context));
      op->setAttr(ShardIRDialect::kPlacements,
                  ArrayAttr::get(context, placements));
    }
    std::string reason = decidedBy(result.nodes[n]);
    // What an earlier run decided keeps the reason that it gave.
    if (!reason.empty() && !node.isFixed)
      op->setAttr(ShardIRDialect::kDecidedBy, StringAttr::get(context, reason));
    // Regions run whole on each device.
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
                     : UnitAttr::get(context));
        }
        inner->setAttr(ShardIRDialect::kPlacements,
                       ArrayAttr::get(context, placements));
      });
  }
}

/// Sugar is for the step before; its dims would be taken for none.
static LogicalResult checkSugar(func::FuncOp function) {
  auto isSugar = [](Attribute attr) {
    auto placement = dyn_cast_or_null<PlacementAttr>(attr);
    return placement && placement.getValue().sugar;
  };
  bool found = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    found |= isSugar(function.getArgAttr(i, ShardIRDialect::kPlacement));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    found |= isSugar(function.getResultAttr(i, ShardIRDialect::kPlacement));
  function.walk([&](Operation *op) {
    if (auto constrain = dyn_cast<ConstrainOp>(op))
      found |= isSugar(constrain.getPlacement());
    if (auto own = op->getAttrOfType<ArrayAttr>(ShardIRDialect::kPlacements))
      found |= llvm::any_of(own, isSugar);
  });
  if (found)
    return function.emitOpError("has placements by mesh axis, `placements = "
                                "[...]`; run shardir-resolve-sugar first");
  return success();
}

namespace {

struct PropagatePass : shardir::impl::PropagateBase<PropagatePass> {
  using PropagateBase::PropagateBase;

  void runOnOperation() override {
    MeshTable meshes(getOperation());
    if (meshes.all().empty() || isLocalOrLater(getOperation()))
      return;
    if (failed(checkMeshes(getOperation())))
      return signalPassFailure();
    PropagationCost model;
    model.byBytes = cost == "bytes";
    if (cost != "bytes" && cost != "time") {
      getOperation().emitError()
          << "option cost is time or bytes, found '" << cost << "'";
      return signalPassFailure();
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      if (failed(checkSupported(function)) || failed(checkSugar(function)))
        return signalPassFailure();
      GraphBuilder builder(function, meshes);
      builder.write(propagate(builder.build(), model));
    }
  }
};

} // namespace
