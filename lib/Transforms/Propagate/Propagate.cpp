//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to propagated. Requires sugar resolved and calls inlined.
// A thin user of the algorithm of Analysis/Propagation.h: builds the graph of
// each function (GraphBuilder.h) and writes its answer back. Where bytes
// decide, the answers that the search starts from are planned beside its own,
// for it prices one move at a time and cannot see what redistributions become
// together.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "PlannedBytes.h"

#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace shardir {
#define GEN_PASS_DEF_PROPAGATE
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

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

/// A result in an argument's place has one annotation with it: the argument's,
/// or its own where that has none (R11). Two must agree (R1).
static LogicalResult mergeAliases(func::FuncOp function,
                                  const MeshTable &meshes) {
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto alias = dyn_cast_or_null<IntegerAttr>(
        function.getResultAttr(i, ShardIRDialect::kAlias));
    auto own = function.getResultAttrOfType<PlacementAttr>(
        i, ShardIRDialect::kPlacement);
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[i]);
    if (!alias || !own || !type)
      continue;
    unsigned argument = alias.getInt();
    auto given = function.getArgAttrOfType<PlacementAttr>(
        argument, ShardIRDialect::kPlacement);
    if (!given) {
      function.setArgAttr(argument, ShardIRDialect::kPlacement, own);
      continue;
    }
    if (given == own ||
        (given.getMesh() == own.getMesh() &&
         equivalent(given.getValue().closed(), own.getValue().closed(),
                    meshes.get(own), shapeOf(type))))
      continue;
    InFlightDiagnostic error = function.emitOpError("result ")
                               << i << " takes the place of argument "
                               << argument
                               << ", but their annotations differ; drop one or "
                                  "drop '"
                               << ShardIRDialect::kAlias << "'";
    error.attachNote(function.getArgument(argument).getLoc())
        << "argument " << argument << " is annotated " << given;
    error.attachNote(function.getLoc())
        << "result " << i << " is annotated " << own;
    return error;
  }
  return success();
}

/// Whether two answers place everything alike.
static bool placeAlike(const PropagationResult &a, const PropagationResult &b) {
  return llvm::all_of(llvm::zip_equal(a.nodes, b.nodes), [](const auto &pair) {
    auto &[one, other] = pair;
    return one.sharding->results == other.sharding->results &&
           one.sharding->operands == other.sharding->operands;
  });
}

/// The module of `function` with no other function that has a body, as `answer`
/// decides.
static OwningOpRef<ModuleOp> decidedCopy(func::FuncOp function,
                                         const MeshTable &meshes,
                                         const PropagationResult &answer) {
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> copy = ModuleOp::create(module.getLoc());
  (*copy)->setAttrs(module->getAttrs());
  OpBuilder builder(copy->getBodyRegion());
  for (Operation &op : *module.getBody()) {
    auto other = dyn_cast<func::FuncOp>(op);
    if (other && other != function && !other.isDeclaration())
      continue;
    Operation *clone = builder.clone(op);
    if (other != function)
      continue;
    GraphBuilder graph(cast<func::FuncOp>(clone), meshes);
    graph.build();
    graph.write(answer);
  }
  return copy;
}

namespace {

/// Larger modules take the answer of the search unplanned.
constexpr size_t kMostPlannedNodes = 1024;

struct PropagatePass : shardir::impl::PropagateBase<PropagatePass> {
  using PropagateBase::PropagateBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PropagateBase::getDependentDialects(registry);
    getPlanningDialects(registry);
  }

  /// The least of `answer`, those of the two rules without costs, that of
  /// least time, that where contractions are weighed, and those where loops
  /// count once that run as often as nobody knows (as reports count them), by
  /// what is received once all is planned; the first of equal ones.
  void takeLeast(func::FuncOp function, const GraphBuilder &builder,
                 const PropagationGraph &graph, const MeshTable &meshes,
                 const PropagationCost &model, PropagationResult &answer) {
    std::vector<PropagationResult> all;
    all.push_back(std::move(answer));
    auto add = [&](PropagationResult found) {
      if (llvm::none_of(all, [&](const PropagationResult &known) {
            return placeAlike(known, found);
          }))
        all.push_back(std::move(found));
    };
    PropagationCost greedy = model, shardy = model, time = model,
                    weighed = model;
    greedy.conflicts = ConflictMode::Greedy;
    shardy.conflicts = ConflictMode::Shardy;
    time.mode = CostMode::Time;
    weighed.weighContractions = true;
    for (const PropagationCost &other : {greedy, shardy, time, weighed})
      add(propagate(graph, other));
    // The user hears of the answer that is kept, once.
    ScopedDiagnosticHandler silence(&getContext(),
                                    [](Diagnostic &) { return success(); });
    if (builder.hasUnknownTrips()) {
      GraphBuilder once(function, meshes, /*unknownTrips=*/1);
      const PropagationGraph &onceGraph = once.build();
      for (const PropagationCost &other : {model, weighed})
        add(propagate(onceGraph, other));
    }
    size_t best = 0;
    std::optional<int64_t> least;
    for (size_t i = 0; all.size() > 1 && i < all.size(); ++i) {
      std::optional<int64_t> bytes =
          plannedBytes(*decidedCopy(function, meshes, all[i]));
      if (!bytes || (least && *bytes >= *least))
        continue;
      least = bytes;
      best = i;
    }
    answer = std::move(all[best]);
  }

  void runOnOperation() override {
    MeshTable meshes(getOperation());
    if (meshes.all().empty() || isLocalOrLater(getOperation()))
      return;
    if (failed(checkMeshes(getOperation())))
      return signalPassFailure();
    PropagationCost model;
    model.mode = cost == "bytes" ? CostMode::Bytes : CostMode::Time;
    if (cost != "bytes" && cost != "time") {
      getOperation().emitError()
          << "option cost is time or bytes, found '" << cost << "'";
      return signalPassFailure();
    }
    auto mode = parseConflictMode(conflicts);
    if (!mode) {
      getOperation().emitError()
          << "option conflicts is search, greedy or shardy, found '"
          << conflicts << "'";
      return signalPassFailure();
    }
    model.conflicts = *mode;
    model.memoryLimit = double(memoryLimit);
    std::vector<std::unique_ptr<GraphBuilder>> builders;
    std::vector<std::pair<func::FuncOp, const PropagationGraph *>> graphs;
    std::vector<PropagationResult> answers;
    size_t nodes = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      if (failed(checkSupported(function)) || failed(checkSugar(function)) ||
          failed(mergeAliases(function, meshes)))
        return signalPassFailure();
      builders.push_back(std::make_unique<GraphBuilder>(function, meshes));
      const PropagationGraph &graph = builders.back()->build();
      graphs.push_back({function, &graph});
      answers.push_back(propagate(graph, model));
      nodes += graph.nodes.size();
    }
    if (model.mode == CostMode::Bytes &&
        model.conflicts == ConflictMode::Search && memoryLimit <= 0 &&
        nodes <= kMostPlannedNodes)
      for (auto [of, builder, answer] :
           llvm::zip_equal(graphs, builders, answers))
        takeLeast(of.first, *builder, *of.second, meshes, model, answer);
    for (auto [builder, answer] : llvm::zip_equal(builders, answers))
      builder->write(answer);
  }
};

} // namespace
