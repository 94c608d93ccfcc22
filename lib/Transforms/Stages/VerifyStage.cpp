//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: any. Checks what a stage promises, and names the first op that breaks
// it. Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Analysis/ManualAxes.h"
#include "ShardIR/Analysis/SatisfiedOpCache.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/Localizer.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Placement/NearestName.h"
#include "ShardIR/Transforms/StageUtils.h"
#include "ShardIR/Transforms/Stages/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace shardir {
#define GEN_PASS_DEF_VERIFYSTAGE
#include "ShardIR/Transforms/Stages/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// Guarantees of each stage for a function
//===----------------------------------------------------------------------===//

constexpr StringLiteral kRunPropagated = "; run --shardir-to-propagated first";

/// A decided placement is by dim, and leaves nothing open.
static LogicalResult verifyDecided(Operation *op, PlacementAttr placement,
                                   const Twine &what) {
  const Placement &value = placement.getValue();
  bool open = llvm::any_of(value.dims, [](const DimPlacement &dim) {
    return dim.open || dim.priority;
  });
  if (!value.sugar && !open)
    return success();
  return op->emitOpError("the propagated stage needs closed placements by dim, "
                         "without priorities; ")
         << what << " has " << placement << kRunPropagated;
}

/// Each result and each tensor that flows through a region has one placement.
static LogicalResult verifyDecided(Block &block) {
  for (Operation &op : block) {
    for (OpResult value : op.getResults()) {
      if (!isa<RankedTensorType>(value.getType()))
        continue;
      PlacementAttr placement = getPlacement(value);
      if (!placement)
        return op.emitOpError("the propagated stage needs '")
               << ShardIRDialect::kPlacements << "' here" << kRunPropagated;
      if (failed(verifyDecided(&op, placement,
                               "result " + Twine(value.getResultNumber()))))
        return failure();
    }
    auto region = asShardableRegion(&op);
    if (!region)
      continue;
    for (auto [i, placement] :
         llvm::enumerate(getGroupPlacements(region, region.getValueGroups()))) {
      if (!placement)
        return op.emitOpError("the propagated stage needs '")
               << ShardIRDialect::kCarried
               << "' here, with an entry for each carried tensor that is no "
                  "result"
               << kRunPropagated;
      if (failed(verifyDecided(&op, placement, "carried tensor " + Twine(i))))
        return failure();
    }
    for (Region &each : op.getRegions())
      if (!each.empty() && failed(verifyDecided(each.front())))
        return failure();
  }
  return success();
}

static LogicalResult verifyPropagated(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    PlacementAttr placement = getPlacement(argument);
    if (placement &&
        failed(verifyDecided(function, placement,
                             "argument " + Twine(argument.getArgNumber()))))
      return failure();
    if (isa<RankedTensorType>(argument.getType()) && !placement)
      return function.emitOpError("the propagated stage needs '")
             << ShardIRDialect::kPlacement << "' on argument "
             << argument.getArgNumber() << kRunPropagated;
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto placement = dyn_cast_or_null<PlacementAttr>(
        function.getResultAttr(i, ShardIRDialect::kPlacement));
    if (placement &&
        failed(verifyDecided(function, placement, "result " + Twine(i))))
      return failure();
    if (isa<RankedTensorType>(function.getResultTypes()[i]) && !placement)
      return function.emitOpError("the propagated stage needs '")
             << ShardIRDialect::kPlacement << "' on result " << i
             << kRunPropagated;
  }
  return verifyDecided(function.getBody().front());
}

/// An overlapping shard is for the op that needs it: every other would take its
/// neighbours' elements for its own (D6). `needed` has the halos that `op`
/// needs, one per operand and captured tensor, or nothing.
static LogicalResult verifyHalos(Operation *op, const MeshTable &meshes,
                                 ArrayRef<Halo> needed = {}) {
  SmallVector<Value> values(op->getOperands());
  if (!asShardableRegion(op))
    llvm::append_range(values, capturedTensors(op));
  for (auto [i, value] : llvm::enumerate(values)) {
    Halo halo = presentHalo(value);
    PlacementAttr placement =
        halo.empty() ? PlacementAttr() : getPlacement(value);
    if (placement)
      halo = normalHalo(halo, placement.getValue(), meshes.get(placement),
                        shapeOf(cast<RankedTensorType>(value.getType())));
    if (halo.empty() || (i < needed.size() && !needed[i].empty()))
      continue;
    InFlightDiagnostic diag =
        op->emitOpError("knows nothing of halos, but operand ")
        << i << " has overlapping shards, by " << toString(halo)
        << "; use the tensor without the halo";
    diag.attachNote(value.getLoc()) << "the halo is required here";
    return diag;
  }
  return success();
}

/// Operands and results of every op agree under its rule.
static LogicalResult verifyRedistributed(Block &block, const MeshTable &meshes,
                                         SatisfiedOpCache &agreed) {
  for (Operation &op : block) {
    if (isa<ConstrainOp>(op))
      return op.emitOpError("is gone in the redistributed stage");
    auto check = [&](Value value, const Placement &wanted, StringRef mesh,
                     const Halo &halo = {}) -> LogicalResult {
      PlacementAttr present = getPlacement(value);
      auto type = cast<RankedTensorType>(value.getType());
      if (present && present.getMesh().getValue() == mesh &&
          agrees(present.getValue(), presentHalo(value), wanted, halo,
                 meshes.get(present), shapeOf(type)))
        return success();
      InFlightDiagnostic diag = op.emitOpError("needs an operand of type ")
                                << type << " as "
                                << toString(mesh.str(), wanted);
      if (!halo.empty())
        diag << " with halo " << toString(halo);
      if (present)
        diag << ", found " << present;
      if (Halo own = presentHalo(value); !own.empty())
        diag << " with halo " << toString(own);
      return diag;
    };
    for (auto [operand, wanted] : getGroupedOperands(&op))
      if (failed(check(operand->get(), wanted.getValue(),
                       wanted.getMesh().getValue())))
        return failure();
    if (asShardableRegion(&op)) {
      for (Region &region : op.getRegions())
        if (!region.empty() &&
            failed(verifyRedistributed(region.front(), meshes, agreed)))
          return failure();
      continue;
    }
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      if (failed(verifyHalos(&op, meshes)))
        return failure();
      auto function = dyn_cast<func::FuncOp>(op.getParentOp());
      for (unsigned i = 0; function && i < op.getNumOperands(); ++i)
        if (auto wanted = dyn_cast_or_null<PlacementAttr>(
                function.getResultAttr(i, ShardIRDialect::kPlacement)))
          if (failed(check(op.getOperand(i), wanted.getValue(),
                           wanted.getMesh().getValue())))
            return failure();
      continue;
    }
    PlacementAttr from;
    if (auto step = dyn_cast<collective::CollectiveOpInterface>(op))
      from = step.getFrom();
    else if (auto redistribute = dyn_cast<RedistributeOp>(op))
      from = redistribute.getFrom();
    if (from) {
      if (failed(verifyHalos(&op, meshes)) ||
          failed(check(op.getOperand(0), from.getValue(),
                       from.getMesh().getValue())))
        return failure();
      continue;
    }
    SatisfiedOpCache::Key key = SatisfiedOpCache::keyOf(&op);
    if (agreed.contains(key))
      continue;
    FailureOr<OperandRequirements> needed = requiredOperands(&op, meshes);
    if (failed(needed) || failed(verifyHalos(&op, meshes, needed->halos)))
      return failure();
    SmallVector<Value> values(op.getOperands());
    llvm::append_range(values, capturedTensors(&op));
    for (auto [value, wanted, halo] :
         llvm::zip(values, needed->operands, needed->halos))
      if (wanted && failed(check(value, *wanted, needed->mesh, halo)))
        return failure();
    agreed.insert(std::move(key));
  }
  return success();
}

/// An axis along which devices have tensors of their own splits none of them.
static LogicalResult verifyManual(func::FuncOp function) {
  ManualAxes varying(function);
  if (!varying.any())
    return success();
  WalkResult result = function.walk([&](Operation *op) {
    for (OpResult value : op->getResults()) {
      PlacementAttr placement = getResultPlacement(value);
      if (!placement || isa<ManualOutOp>(op))
        continue;
      for (const AxisRef &axis : axesOf(placement.getValue()))
        if (varying.of(value).count(axis.name)) {
          op->emitOpError("is inside of a region that is manual along \"")
              << axis.name << "\", and placed along it: " << placement;
          return WalkResult::interrupt();
        }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyCollective(func::FuncOp function) {
  WalkResult result = function.walk([&](RedistributeOp op) {
    op.emitOpError("is gone in the collective stage");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyLocal(func::FuncOp function) {
  WalkResult result = function.walk([&](collective::CollectiveOpInterface op) {
    if (op.isLocal())
      return WalkResult::advance();
    op->emitOpError("must be on shards in the local stage");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The program is one function per entry, of linalg ops that schedules know.
static LogicalResult verifyScheduled(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("must have one block in the scheduled stage");
  WalkResult result = function.walk([&](Operation *op) {
    if (auto call = dyn_cast<CallOpInterface>(op); call && hasTensors(op)) {
      auto callee =
          dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
      if (!callee || callee.isExternal())
        return WalkResult::advance();
      op->emitOpError("must be inlined in the scheduled stage");
      return WalkResult::interrupt();
    }
    // One that chooses between tensors by a scalar has no form in linalg.
    if (OpTrait::hasElementwiseMappableTraits(op) && hasTensors(op) &&
        llvm::all_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>)) {
      op->emitOpError("on tensors must be a linalg op in the scheduled stage");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Guarantees of each stage for a module
//===----------------------------------------------------------------------===//

static LogicalResult verifyLocalOrLater(ModuleOp module, Stage stage) {
  Stage present = stageOf(module);
  if (present < stage)
    return module.emitError()
           << "is in the " << stageName(present) << " stage; run --shardir-to-"
           << stageName(stage) << " first";
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() &&
        (failed(verifyLocal(function)) ||
         (present == Stage::Scheduled && stage == Stage::Scheduled &&
          failed(verifyScheduled(function)))))
      return failure();
  return success();
}

LogicalResult shardir::verifyStage(ModuleOp module, Stage stage,
                                   VerifiedStage *verified) {
  if (stageOf(module) >= Stage::Local)
    return stage < Stage::Local ? success() : verifyLocalOrLater(module, stage);
  if (stage >= Stage::Local)
    return module.emitError()
           << "has not been localized: the " << stageName(stage)
           << " stage needs '" << ShardIRDialect::kStage << "'";
  Stage known = verified ? verified->stage : Stage::Annotated;
  if (stage <= known)
    return success();
  MeshTable meshes(module);
  SatisfiedOpCache agreed;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || meshes.all().empty())
      continue;
    if (known < Stage::Propagated &&
        (failed(checkSupported(function)) ||
         failed(verifyPropagated(function)) || failed(verifyManual(function))))
      return failure();
    if (stage >= Stage::Redistributed && known < Stage::Redistributed &&
        failed(verifyRedistributed(function.getBody().front(), meshes, agreed)))
      return failure();
    if (stage >= Stage::Collective && failed(verifyCollective(function)))
      return failure();
  }
  if (verified)
    verified->stage = stage;
  return success();
}

namespace {

struct VerifyStagePass : shardir::impl::VerifyStageBase<VerifyStagePass> {
  using VerifyStageBase::VerifyStageBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    std::optional<Stage> known = parseStage(stage);
    if (!known || *known == Stage::Annotated || *known > Stage::Bufferized) {
      getOperation().emitError()
          << "option stage "
          << mustBeOneOf({"propagated", "redistributed", "collective", "local",
                          "scheduled", "bufferized"},
                         stage);
      return signalPassFailure();
    }
    // By itself, since compilers leave verification out between passes.
    if (failed(mlir::verify(getOperation())) ||
        failed(
            verifyStage(getOperation(), *known, &getAnalysis<VerifiedStage>())))
      signalPassFailure();
  }
};

} // namespace
