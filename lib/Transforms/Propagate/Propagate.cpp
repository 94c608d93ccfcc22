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
static bool placeAlike(ArrayRef<PropagationResult> a,
                       ArrayRef<PropagationResult> b) {
  auto nodeAlike = [](const auto &pair) {
    auto &[one, other] = pair;
    return one.sharding->results == other.sharding->results &&
           one.sharding->operands == other.sharding->operands;
  };
  return llvm::all_of(llvm::zip_equal(a, b), [&](const auto &pair) {
    auto &[one, other] = pair;
    return llvm::all_of(llvm::zip_equal(one.nodes, other.nodes), nodeAlike);
  });
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

  /// The answers of one module, one per function with a body.
  using Answers = std::vector<PropagationResult>;

  static void write(ModuleOp module, const MeshTable &meshes,
                    const Answers &answers) {
    auto answer = answers.begin();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      GraphBuilder builder(function, meshes);
      builder.build();
      builder.write(*answer++);
    }
  }

  /// The least of `answers`, those of the two rules without costs, that of
  /// least time and that where contractions are weighed, by what is received
  /// once all is planned; the first of equal ones.
  void takeLeast(ArrayRef<const PropagationGraph *> graphs,
                 const MeshTable &meshes, const PropagationCost &model,
                 Answers &answers) {
    std::vector<Answers> all = {std::move(answers)};
    PropagationCost greedy = model, shardy = model, time = model,
                    weighed = model;
    greedy.conflicts = ConflictMode::Greedy;
    shardy.conflicts = ConflictMode::Shardy;
    time.mode = CostMode::Time;
    weighed.weighContractions = true;
    for (const PropagationCost &other : {greedy, shardy, time, weighed}) {
      Answers others;
      for (const PropagationGraph *graph : graphs)
        others.push_back(propagate(*graph, other));
      if (llvm::none_of(all, [&](const Answers &known) {
            return placeAlike(known, others);
          }))
        all.push_back(std::move(others));
    }
    // The user hears of the answer that is kept, once.
    ScopedDiagnosticHandler silence(&getContext(),
                                    [](Diagnostic &) { return success(); });
    size_t best = 0;
    std::optional<int64_t> least;
    for (size_t i = 0; all.size() > 1 && i < all.size(); ++i) {
      OwningOpRef<ModuleOp> copy(getOperation().clone());
      write(*copy, meshes, all[i]);
      std::optional<int64_t> bytes = plannedBytes(*copy);
      if (!bytes || (least && *bytes >= *least))
        continue;
      least = bytes;
      best = i;
    }
    answers = std::move(all[best]);
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
    std::vector<const PropagationGraph *> graphs;
    Answers answers;
    size_t nodes = 0;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      if (failed(checkSupported(function)) || failed(checkSugar(function)) ||
          failed(mergeAliases(function, meshes)))
        return signalPassFailure();
      builders.push_back(std::make_unique<GraphBuilder>(function, meshes));
      graphs.push_back(&builders.back()->build());
      answers.push_back(propagate(*graphs.back(), model));
      nodes += graphs.back()->nodes.size();
    }
    if (model.mode == CostMode::Bytes &&
        model.conflicts == ConflictMode::Search && memoryLimit <= 0 &&
        nodes <= kMostPlannedNodes)
      takeLeast(graphs, meshes, model, answers);
    for (auto [builder, answer] : llvm::zip_equal(builders, answers))
      builder->write(answer);
  }
};

} // namespace
