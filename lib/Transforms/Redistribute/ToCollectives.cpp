//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to collective. Plans each redistribution
// (Placement/RedistributePlan.h) and materialises the plan. Guarantees that no
// `shardir.redistribute` is left.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Transforms/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/IR/Builders.h"

namespace shardir {
#define GEN_PASS_DEF_REDISTRIBUTETOCOLLECTIVES
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct RedistributeToCollectivesPass
    : shardir::impl::RedistributeToCollectivesBase<
          RedistributeToCollectivesPass> {

  LogicalResult rewrite(RedistributeOp op, const MeshTable &meshes) {
    auto result = planRedistribute(
        op.getFrom().getValue(), meshes.get(op.getFrom()),
        op.getTo().getValue(), meshes.get(op.getTo()), shapeOf(op.getType()),
        readHalo(op.getHaloAttr()));
    if (auto *error = std::get_if<PlacementError>(&result))
      return op.emitOpError() << error->message;
    OpBuilder builder(op);
    Value value = op.getInput();
    auto attr = [&](PlacementAttr side, const Placement &placement) {
      return PlacementAttr::get(op.getContext(), side.getMesh(), placement);
    };
    const auto &plan = std::get<CrossMeshPlan>(result);
    for (auto [i, step] : llvm::enumerate(plan.steps))
      value = collective::createStep(
          builder, op.getLoc(), step.kind, value,
          attr(i <= plan.crossing ? op.getFrom() : op.getTo(), step.from),
          attr(i < plan.crossing ? op.getFrom() : op.getTo(), step.to),
          op.getReasonAttr(), haloAttr(op.getContext(), step.halo));
    op.getResult().replaceAllUsesWith(value);
    op.erase();
    return success();
  }

  void runOnOperation() override {
    MeshTable meshes(getOperation());
    SmallVector<RedistributeOp> ops;
    getOperation().walk([&](RedistributeOp op) { ops.push_back(op); });
    for (RedistributeOp op : ops)
      if (failed(rewrite(op, meshes)))
        return signalPassFailure();
  }
};

} // namespace
