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
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"


namespace shardir {
#define GEN_PASS_DEF_VERIFYSTAGE
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct VerifyStagePass : shardir::impl::VerifyStageBase<VerifyStagePass> {
  using VerifyStageBase::VerifyStageBase;

  /// Every tensor value has exactly one placement.
  LogicalResult verifyPropagated(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      if (isa<RankedTensorType>(argument.getType()) && !getPlacement(argument))
        return function.emitOpError("the propagated stage needs '")
               << ShardIRDialect::kPlacement << "' on argument "
               << argument.getArgNumber();
    WalkResult result = function.getBody().walk([&](Operation *op) {
      if (op->getParentOp() != function ||
          isa<collective::CollectiveOpInterface, RedistributeOp>(op))
        return WalkResult::advance();
      for (OpResult value : op->getResults())
        if (isa<RankedTensorType>(value.getType()) && !getPlacement(value)) {
          op->emitOpError("the propagated stage needs '")
              << ShardIRDialect::kPlacements << "' here";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Operands and results of every op agree under its rule.
  LogicalResult verifyRedistributed(func::FuncOp function) {
    MeshTable meshes(getOperation());
    for (Operation &op : function.getBody().front()) {
      if (isa<ConstrainOp>(op))
        return op.emitOpError("is gone in the redistributed stage");
      auto check = [&](Value value, const Placement &wanted,
                       StringRef mesh) -> LogicalResult {
        PlacementAttr present = getPlacement(value);
        auto type = cast<RankedTensorType>(value.getType());
        if (present && present.getMesh().getValue() == mesh &&
            equivalent(present.getValue(), wanted, meshes.get(present),
                       shapeOf(type)))
          return success();
        InFlightDiagnostic diag = op.emitOpError("needs an operand of type ")
                                  << type << " as " << toString(wanted);
        if (present)
          diag << ", found " << present;
        return diag;
      };
      if (op.hasTrait<OpTrait::IsTerminator>()) {
        for (unsigned i = 0; i < op.getNumOperands(); ++i)
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
        if (failed(check(op.getOperand(0), from.getValue(),
                         from.getMesh().getValue())))
          return failure();
        continue;
      }
      FailureOr<OperandRequirements> needed = requiredOperands(&op, meshes);
      if (failed(needed))
        return failure();
      SmallVector<Value> values(op.getOperands());
      llvm::append_range(values, capturedTensors(&op));
      for (auto [value, wanted] : llvm::zip(values, needed->operands))
        if (wanted && failed(check(value, *wanted, needed->mesh)))
          return failure();
    }
    return success();
  }

  LogicalResult verifyCollective(func::FuncOp function) {
    WalkResult result = function.walk([&](RedistributeOp op) {
      op.emitOpError("is gone in the collective stage");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult verifyLocal(func::FuncOp function) {
    WalkResult result =
        function.walk([&](collective::CollectiveOpInterface op) {
          if (op.isLocal())
            return WalkResult::advance();
          op->emitOpError("must be on shards in the local stage");
          return WalkResult::interrupt();
        });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    static constexpr StringLiteral stages[] = {
        "propagated", "redistributed", "collective", "local", "scheduled",
        "bufferized"};
    const auto *found = llvm::find(stages, StringRef(stage));
    if (found == std::end(stages)) {
      module.emitError() << "unknown stage '" << stage
                         << "'; expected propagated, redistributed, "
                            "collective, local, scheduled, or bufferized";
      return signalPassFailure();
    }
    int level = found - std::begin(stages);
    bool local = isLocalOrLater(module);
    if (!local && level >= 3) {
      module.emitError() << "has not been localized: the " << stage
                         << " stage needs '" << ShardIRDialect::kStage << "'";
      return signalPassFailure();
    }
    if (local && level < 3)
      return;
    bool hasMesh = !module.getOps<MeshOp>().empty();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      if ((!local && hasMesh &&
           (failed(verifyPropagated(function)) ||
            (level >= 1 && failed(verifyRedistributed(function))) ||
            (level >= 2 && failed(verifyCollective(function))))) ||
          (local && failed(verifyLocal(function))))
        return signalPassFailure();
    }
  }
};

} // namespace
