//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated. Inlines manual regions: their borders become ops that take
// tensors apart along manual axes and put them together again, which have a
// sharding rule like any other, and their collectives ops that other axes pass.
// Guarantees that results which vary along a manual axis name it.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Analysis/ManualAxes.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardir {
#define GEN_PASS_DEF_INLINEMANUAL
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// The manual axes of all regions around `op`.
static ArrayAttr axesAround(Operation *op) {
  SmallVector<Attribute> axes;
  for (auto region = op->getParentOfType<ManualOp>(); region;
       region = region->getParentOfType<ManualOp>())
    llvm::append_range(axes, region.getAxes());
  return ArrayAttr::get(op->getContext(), axes);
}

static bool isCommunication(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::AllReduce:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
  case CollectiveKind::Permute:
  case CollectiveKind::Exchange:
    return true;
  default:
    return false;
  }
}

/// Makes a collective that the program wrote one that other axes may pass.
static LogicalResult convertCollective(Operation *op) {
  auto step = dyn_cast<collective::CollectiveOpInterface>(op);
  if (!step || !step.isLocal() || !isCommunication(step.getKind()) ||
      step.getOutput() || step.getHaloAttr())
    return op->emitOpError(
        "cannot stand in a manual region; write all_gather, all_reduce, "
        "reduce_scatter, all_to_all, permute or exchange on shards, with `of` "
        "and the type of the tensor before it was cut along manual axes");
  ArrayAttr manual = axesAround(op);
  for (PlacementAttr placement : {step.getFrom(), step.getTo()}) {
    const Placement &value = placement.getValue();
    if (axesOf(value).size() != manualAxesOf(value, manual).size())
      return op->emitOpError(
                 "communicates along an axis that is not manual, as ")
             << placement << " says; other axes are left to propagation";
  }
  OpBuilder builder(op);
  auto converted = ManualCollectiveOp::create(
      builder, op->getLoc(), op->getResult(0).getType(),
      builder.getStringAttr(stringifyCollectiveKind(step.getKind())),
      step.getInput(), step.getFrom(), step.getTo(),
      TypeAttr::get(step.getGlobalTensorType()), step.getSizes(),
      step.getDims());
  op->getResult(0).replaceAllUsesWith(converted);
  op->erase();
  return success();
}

/// Checks and converts what stands directly or nested in a region.
static LogicalResult convertBody(ManualOp region) {
  SmallVector<Operation *> ops;
  region.getBody().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (isa<collective::CollectiveDialect>(op->getDialect())) {
      if (failed(convertCollective(op)))
        return failure();
      continue; // the op is gone
    }
    auto index = dyn_cast<AxisIndexOp>(op);
    if (index && !llvm::is_contained(axesAround(op), index.getAxisAttr()))
      return op->emitOpError("reads the coordinate along \"")
             << index.getAxis()
             << "\", which is not manual here; what is sharded along other "
                "axes "
                "is left to propagation";
  }
  return success();
}

static void inlineRegion(ManualOp region) {
  OpBuilder builder(region);
  Block &body = region.getBody().front();
  for (auto [argument, input, placement] :
       llvm::zip(body.getArguments(), region.getInputs(), region.getIn()))
    argument.replaceAllUsesWith(
        ManualInOp::create(builder, region.getLoc(), argument.getType(), input,
                           cast<PlacementAttr>(placement), region.getAxes()));
  auto yield = cast<YieldOp>(body.getTerminator());
  region->getBlock()->getOperations().splice(Block::iterator(region),
                                             body.getOperations(), body.begin(),
                                             Block::iterator(yield));
  for (auto [result, value, placement] :
       llvm::zip(region.getResults(), yield.getValues(), region.getOut()))
    result.replaceAllUsesWith(
        ManualOutOp::create(builder, region.getLoc(), result.getType(), value,
                            cast<PlacementAttr>(placement), region.getAxes(),
                            region.getUnchecked()));
  region.erase();
}

/// A result that varies along an axis which its placement does not name would
/// be another tensor on every device.
static LogicalResult checkResults(Operation *root) {
  ManualAxes varying(root);
  WalkResult result = root->walk([&](ManualOutOp op) {
    if (op.getUnchecked())
      return WalkResult::advance();
    auto named = manualAxesOf(op.getPlacement().getValue(), op.getAxes());
    for (auto axis : op.getAxes().getAsRange<StringAttr>()) {
      if (!varying.of(op.getInput()).count(axis.str()) ||
          llvm::any_of(named, [&](const AxisRef &own) {
            return own.name == axis.getValue();
          }))
        continue;
      InFlightDiagnostic diag = op.emitError("a result of the manual region "
                                             "varies along ")
                                << axis << ", which its placement "
                                << op.getPlacement() << " does not name";
      diag.attachNote()
          << "reduce or gather it along " << axis
          << ", name the axis in a dim or as partial, or write `unchecked` if "
             "devices hold the same";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct InlineManualPass : shardir::impl::InlineManualBase<InlineManualPass> {
  void runOnOperation() override {
    SmallVector<ManualOp> regions;
    getOperation().walk([&](ManualOp op) { regions.push_back(op); });
    if (regions.empty())
      return markAllAnalysesPreserved();
    // Inner ones first, while it can be seen what is around them.
    for (ManualOp region : regions)
      if (failed(convertBody(region)))
        return signalPassFailure();
    for (ManualOp region : regions)
      inlineRegion(region);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(checkResults(function)))
        return signalPassFailure();
  }
};

} // namespace
