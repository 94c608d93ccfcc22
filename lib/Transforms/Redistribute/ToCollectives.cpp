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
#include "ShardIR/Placement/RedistributePlan.h"
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
    if (op.getHalo())
      return op.emitOpError("with a halo is not supported by this pass");
    if (op.getFrom().getMesh() != op.getTo().getMesh())
      return op.emitOpError("from mesh ")
             << op.getFrom().getMesh() << " to mesh " << op.getTo().getMesh()
             << " is not supported yet; place both on one mesh";
    auto plan = planRedistribute(op.getFrom().getValue(),
                                 op.getTo().getValue(),
                                 meshes.get(op.getFrom()), shapeOf(op.getType()));
    if (auto *error = std::get_if<PlacementError>(&plan))
      return op.emitOpError() << error->message;
    OpBuilder builder(op);
    Value value = op.getInput();
    auto attr = [&](const Placement &placement) {
      return PlacementAttr::get(op.getContext(), op.getTo().getMesh(), placement);
    };
    for (const CollectiveStep &step : std::get<RedistributePlan>(plan).steps)
      value = collective::createStep(builder, op.getLoc(), step.kind, value,
                                     attr(step.from), attr(step.to),
                                     op.getReasonAttr());
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
