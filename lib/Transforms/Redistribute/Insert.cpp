//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: propagated to redistributed. Requires `shardir.placements` on every op
// with tensor results. Guarantees that operands and results of every op agree
// under its rule, that what flows through a region keeps one placement, and
// that every change of placement is one `shardir.redistribute` with its reason:
// in front of the op that requires it, or of the terminator of a region.
//
//===----------------------------------------------------------------------===//

#include "Inserter.h"
#include "ScalarMeshes.h"
#include "Utils.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/ShardableRegion.h"
#include "ShardIR/Interfaces/VerifyRule.h"
#include "ShardIR/Transforms/Redistribute/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace shardir {
#define GEN_PASS_DEF_INSERTREDISTRIBUTE
#include "ShardIR/Transforms/Redistribute/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

LogicalResult Inserter::require(OpOperand &operand, const Placement &wanted,
                                StringRef mesh, bool isExplicit,
                                ReasonAttr reason, const Halo &halo) {
  FailureOr<Value> value = materializePlacement(
      operand.get(), PlacementAttr::get(function.getContext(), mesh, wanted),
      operand.getOwner(), isExplicit, reason, halo, &operand);
  if (failed(value))
    return failure();
  operand.set(*value);
  return success();
}

LogicalResult Inserter::visitReturn(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    auto wanted = dyn_cast_or_null<PlacementAttr>(
        function.getResultAttr(i, ShardIRDialect::kPlacement));
    if (!wanted)
      continue;
    if (failed(require(operand, wanted.getValue(), wanted.getMesh().getValue(),
                       /*isExplicit=*/true, ReasonAttr::ofResult(function, i))))
      return failure();
  }
  return success();
}

LogicalResult Inserter::visitStep(Operation *op, PlacementAttr from) {
  return require(op->getOpOperand(0), from.getValue(),
                 from.getMesh().getValue(), /*isExplicit=*/true,
                 ReasonAttr::ofUse(op->getOpOperand(0)));
}

LogicalResult Inserter::visitConstrain(ConstrainOp op) {
  PlacementAttr decided = getResultPlacement(cast<OpResult>(op.getResult()));
  if (!decided)
    return op.emitOpError("has no placement; run shardir-propagate first");
  FailureOr<Value> value = materializePlacement(
      op.getInput(), decided, op,
      /*isExplicit=*/true, ReasonAttr::ofConstrain(op.getContext()));
  if (failed(value))
    return failure();
  // A constrained placement must survive the passes that reduce traffic.
  if (Operation *producer = value->getDefiningOp())
    producer->setAttr(ShardIRDialect::kConstrained,
                      UnitAttr::get(op.getContext()));
  op.getResult().replaceAllUsesWith(*value);
  op.erase();
  return success();
}

/// An op over two meshes runs on its result's (R10): worth a remark, for the
/// other operands move there.
void Inserter::remarkOnMeshes(Operation *op, StringRef mesh) {
  llvm::SetVector<StringRef> others;
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, capturedTensors(op));
  for (Value value : values)
    if (isa<RankedTensorType>(value.getType()))
      if (PlacementAttr present = getPlacement(value);
          present && present.getMesh().getValue() != mesh &&
          !isRematerializable(value))
        others.insert(present.getMesh().getValue());
  if (others.empty())
    return;
  InFlightDiagnostic remark = op->emitRemark("runs on mesh @")
                              << mesh << ", the one of its result; operands on "
                              << (others.size() == 1 ? "mesh " : "meshes ");
  llvm::interleaveComma(others, remark,
                        [&](StringRef other) { remark << "@" << other; });
  remark << " move there";
}

/// Operands of a region value group have the placement of the group.
LogicalResult Inserter::visitGrouped(Operation *op) {
  for (auto [operand, wanted] : getGroupedOperands(op)) {
    bool leaves = op->hasTrait<OpTrait::IsTerminator>();
    Operation *parent = leaves ? op->getParentOp() : op;
    if (!wanted)
      return parent->emitOpError("has a tensor without a placement; run "
                                 "shardir-propagate first");
    if (failed(require(*operand, wanted.getValue(), wanted.getMesh().getValue(),
                       /*isExplicit=*/false, ReasonAttr::ofUse(*operand))))
      return failure();
  }
  return success();
}

/// Numbers that other ranks use as well are read where all of them are.
LogicalResult Inserter::bringScalars(Operation *op) {
  FailureOr<const Mesh *> mesh = findMeshForScalars(op, meshes);
  if (failed(mesh))
    return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (type && *mesh &&
        failed(require(operand, Placement::replicatedOfRank(type.getRank()),
                       (*mesh)->name, /*isExplicit=*/false,
                       ReasonAttr::ofUse(operand))))
      return failure();
  }
  return success();
}

LogicalResult Inserter::visit(Operation *op) {
  if (auto constrain = dyn_cast<ConstrainOp>(op))
    return visitConstrain(constrain);
  if (auto redistribute = dyn_cast<RedistributeOp>(op))
    return visitStep(op, redistribute.getFrom());
  if (auto step = dyn_cast<collective::CollectiveOpInterface>(op))
    return visitStep(op, step.getFrom());
  if (auto region = asShardableRegion(op)) {
    if (failed(visitGrouped(op)))
      return failure();
    for (Region &each : op->getRegions())
      if (!each.empty() && failed(visitBlock(each.front())))
        return failure();
    return success();
  }
  if (strict && hasTensors(op) && !hasShardingRule(op))
    return op->emitOpError("has no sharding rule, and strict lets no op run "
                           "replicated for that reason; write "
                           "shardir.rule = #shardir.rule<...> on it, or "
                           "implement ShardingRuleOpInterface");
  if (failed(bringScalars(op)))
    return failure();
  // Under two meshes numbers count as well.
  SatisfiedOpCache::Key key;
  if (meshes.all().size() < 2)
    key = SatisfiedOpCache::keyOf(op);
  if (agreed.contains(key)) {
    op->removeAttr(kOperands);
    return success();
  }
  bool changed = false;
  FailureOr<OperandRequirements> needed = requiredOperands(op, meshes);
  if (failed(needed))
    return failure();
  // From here on the operands themselves say so.
  op->removeAttr(kOperands);
  if (!needed->mesh.empty() && !strict)
    remarkOnMeshes(op, needed->mesh);
  // Operands first: a captured tensor may be one of them as well.
  SmallVector<Value> captured = capturedTensors(op);
  for (auto [i, wanted] : llvm::enumerate(needed->operands)) {
    if (!wanted)
      continue;
    if (i < op->getNumOperands()) {
      Value before = op->getOperand(i);
      if (failed(require(op->getOpOperand(i), *wanted, needed->mesh,
                         /*isExplicit=*/false,
                         ReasonAttr::ofUse(op->getOpOperand(i)),
                         needed->halos[i])))
        return failure();
      changed |= op->getOperand(i) != before;
      continue;
    }
    Value value = captured[i - op->getNumOperands()];
    FailureOr<Value> whole = materializePlacement(
        value, PlacementAttr::get(op->getContext(), needed->mesh, *wanted), op,
        /*isExplicit=*/false, ReasonAttr::ofBody(op));
    if (failed(whole))
      return failure();
    if (*whole == value)
      continue;
    changed = true;
    value.replaceUsesWithIf(*whole, [&](OpOperand &use) {
      return op->isProperAncestor(use.getOwner());
    });
  }
  if (!changed)
    agreed.insert(std::move(key));
  return success();
}

/// Constraints in a region that every device runs in full cannot hold.
LogicalResult Inserter::dropConstraintsOfWholeRegions() {
  SmallVector<ConstrainOp> nested;
  function.walk([&](ConstrainOp op) {
    if (!isPlacedBlock(op->getBlock()))
      nested.push_back(op);
  });
  for (ConstrainOp op : nested) {
    StringRef parent = op->getParentOp()->getName().getStringRef();
    if (strict)
      return op.emitOpError("cannot be met inside '")
             << parent << "', which runs on replicated tensors";
    op.emitRemark() << "has no effect inside '" << parent
                    << "', which runs on replicated tensors";
    op.getResult().replaceAllUsesWith(op.getInput());
    op.erase();
  }
  return success();
}

LogicalResult Inserter::visitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(visit(&op)))
      return failure();
  Operation *terminator = block.getTerminator();
  return isa<func::ReturnOp>(terminator) ? visitReturn(terminator)
                                         : visitGrouped(terminator);
}

/// Clones for a placement or a use may have no uses left, nor redistributions
/// of their operands.
void Inserter::eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (asShardableRegion(&op))
      for (Region &region : op.getRegions())
        if (!region.empty())
          eraseUnused(region.front());
    if (!op.use_empty() || op.getNumResults() != 1 ||
        (!remade.contains(&op) && !isRematerializable(op.getResult(0))))
      continue;
    if (remade.contains(&op))
      for (Value operand : op.getOperands())
        if (auto moved = operand.getDefiningOp<RedistributeOp>())
          remade.insert(moved);
    op.erase();
  }
}

LogicalResult Inserter::run() {
  if (failed(dropConstraintsOfWholeRegions()))
    return failure();
  Block &body = function.getBody().front();
  if (failed(visitBlock(body)))
    return failure();
  eraseUnused(body);
  return success();
}

namespace {

struct InsertRedistributePass
    : shardir::impl::InsertRedistributeBase<InsertRedistributePass> {
  using InsertRedistributeBase::InsertRedistributeBase;

  void runOnOperation() override {
    MeshTable meshes(getOperation());
    if (meshes.all().empty() || stageOf(getOperation()) >= Stage::Local)
      return;
    auto verified = getCachedAnalysis<VerifiedStage>();
    if (failed(verifyStage(getOperation(), Stage::Propagated,
                           verified ? &verified->get() : nullptr)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          failed(Inserter(function, meshes, strict).run()))
        return signalPassFailure();
    shareProvenance(getOperation());
    // Partial results of equal ops are then reduced once; operands used by them
    // alone have no use after the first round.
    if (mergeEqual)
      mergeEqualOps(getOperation(), /*rounds=*/2);
  }
};

} // namespace
