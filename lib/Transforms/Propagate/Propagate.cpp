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
// each function (GraphBuilder.h) and writes its answer back; where bytes
// decide, the least of several (LeastPlanned.h).
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "LeastPlanned.h"

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

namespace {

/// Larger modules take the answer of the search unplanned.
constexpr size_t kMostPlannedNodes = 1024;

struct PropagatePass : shardir::impl::PropagateBase<PropagatePass> {
  using PropagateBase::PropagateBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PropagateBase::getDependentDialects(registry);
    getPlanningDialects(registry);
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
    // An earlier run may have weighed devices.
    auto modelFor = [&](func::FuncOp function) {
      PropagationCost own = model;
      auto weights = function->getAttrOfType<DenseF64ArrayAttr>(
          ShardIRDialect::kDeviceWeights);
      if (weights && own.mode == CostMode::Bytes)
        own.deviceWeights.assign(weights.asArrayRef().begin(),
                                 weights.asArrayRef().end());
      return own;
    };
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
      PropagationCost own = modelFor(function);
      answers.push_back(propagate(graph, own));
      answers.back().deviceWeights = own.deviceWeights;
      nodes += graph.nodes.size();
    }
    if (model.mode == CostMode::Bytes &&
        model.conflicts == ConflictMode::Search && memoryLimit <= 0 &&
        nodes <= kMostPlannedNodes)
      for (auto [of, builder, answer] :
           llvm::zip_equal(graphs, builders, answers))
        answer = takeLeastPlanned(of.first, *builder, *of.second, meshes,
                                  modelFor(of.first), std::move(answer));
    for (auto [builder, answer] : llvm::zip_equal(builders, answers))
      builder->write(answer);
  }
};

} // namespace
