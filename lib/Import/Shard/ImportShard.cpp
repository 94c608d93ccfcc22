//===- ImportShard.cpp - Annotations of MLIR's shard dialect --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, its first step. See ImportShard.h.
//
//===----------------------------------------------------------------------===//

#include "ImportShard.h"

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace shardir;

static void importGrid(shard::GridOp grid) {
  OpBuilder builder(grid);
  Mesh mesh;
  mesh.name = grid.getSymName().str();
  for (auto [i, size] : llvm::enumerate(grid.getShape()))
    mesh.axes.push_back({"axis" + std::to_string(i),
                         ShapedType::isDynamic(size) ? kUnknown : size});
  MeshOp::create(builder, grid.getLoc(), mesh);
  grid.erase();
}

static LogicalResult importShard(shard::ShardOp op) {
  auto sharding = op.getSharding().getDefiningOp<shard::ShardingOp>();
  if (!sharding)
    return op.emitOpError("has a sharding that no shard.sharding says");
  if (!sharding.getStaticHaloSizes().empty() ||
      !sharding.getStaticShardedDimsOffsets().empty())
    return sharding.emitOpError(
        "gives halos or the sizes of shards, which are not chosen: shards have "
        "equal sizes, but for the last ones, and halos are where ops need "
        "them");
  auto type = cast<RankedTensorType>(op.getType());
  Placement placement = Placement::replicatedOfRank(type.getRank());
  for (auto [dim, axes] : llvm::enumerate(sharding.getSplitAxes().getAxes())) {
    if (dim >= placement.dims.size() && !axes.asArrayRef().empty())
      return op.emitOpError("splits dim ") << dim << " of " << type;
    for (shard::GridAxis axis : axes.asArrayRef())
      placement.dims[dim].splits.push_back(
          Split::byAxis("axis" + std::to_string(axis)));
  }
  OpBuilder builder(op);
  auto wanted = PlacementAttr::get(op.getContext(), sharding.getGridAttr(),
                                   std::move(placement));
  Value placed =
      ConstrainOp::create(builder, op.getLoc(), type, op.getSrc(), wanted);
  op.replaceAllUsesWith(placed);
  op.erase();
  return success();
}

FailureOr<bool> shardir::importShardDialect(ModuleOp module) {
  SmallVector<Operation *> shardings;
  SmallVector<shard::GridOp> grids;
  SmallVector<shard::ShardOp> shards;
  WalkResult read = module.walk([&](Operation *op) {
    if (!isa_and_present<shard::ShardDialect>(op->getDialect()))
      return WalkResult::advance();
    if (auto grid = dyn_cast<shard::GridOp>(op))
      grids.push_back(grid);
    else if (auto shard = dyn_cast<shard::ShardOp>(op))
      shards.push_back(shard);
    else if (isa<shard::ShardingOp>(op))
      shardings.push_back(op);
    else {
      op->emitOpError("belongs to a program that is partitioned; ShardIR "
                      "partitions it itself: give the program before "
                      "-shard-partition");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (read.wasInterrupted())
    return failure();
  for (shard::GridOp grid : grids)
    importGrid(grid);
  for (shard::ShardOp op : shards)
    if (failed(importShard(op)))
      return failure();
  for (Operation *op : shardings) {
    if (!op->use_empty())
      return op->emitOpError("is used by another op than shard.shard");
    op->erase();
  }
  return !grids.empty() || !shards.empty() || !shardings.empty();
}
