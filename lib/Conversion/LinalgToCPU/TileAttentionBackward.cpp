//===- TileAttentionBackward.cpp - Attention's gradients in tiles ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, before fusion. Requires a backward op; guarantees
// an scf.forall over its batch loops, each with loops over tiles of rows and of
// columns that add to all three gradients: every tile's scores are computed
// once, in a small buffer (the loops of FlashAttention, arXiv:2205.14135,
// algorithm 4). Tiles are backward ops again, which are decomposed next.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiles.h"

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"

using namespace mlir;
using namespace shardir;

bool shardir::isWorthTiling(kernel::AttentionBackwardOp op) {
  if (!op.hasPureTensorSemantics() || op->getParentOfType<scf::ForallOp>())
    return false;
  kernel::AttentionBackwardOp::Loops loops = op.getLoops();
  if (loops.m.empty() || loops.n.empty())
    return false;
  return scoreBytes(op.getComputeType(), loops.scores(),
                    op.getStaticLoopExtents()) >= smallScoreBytes;
}

LogicalResult shardir::tileAttentionBackward(RewriterBase &rewriter,
                                             kernel::AttentionBackwardOp op) {
  using LoopType = scf::SCFTilingOptions::LoopType;
  kernel::AttentionBackwardOp::Loops loops = op.getLoops();
  SmallVector<int64_t> extents = op.getStaticLoopExtents();
  unsigned rows = largestLoop(loops.m, extents),
           columns = largestLoop(loops.n, extents);
  std::optional<CausalMask> mask = findCausalMask(op);
  SmallVector<OpFoldResult> none(op.getNumLoops(), rewriter.getIndexAttr(0));
  if (!loops.batch.empty()) {
    SmallVector<OpFoldResult> sizes(none);
    for (unsigned loop : loops.batch)
      sizes[loop] = rewriter.getIndexAttr(1);
    auto outer = tileBy(rewriter, op, sizes, LoopType::ForallOp);
    if (failed(outer))
      return failure();
    op = cast<kernel::AttentionBackwardOp>(outer->tiledOps.front());
  }

  // Rows outside, so that a tile's gradient of queries is finished in one go.
  SmallVector<OpFoldResult> sizes(none);
  for (unsigned loop : loops.m)
    sizes[loop] = rewriter.getIndexAttr(loop == rows ? attentionTileRows : 1);
  auto rowTiles = tileBy(rewriter, op, sizes, LoopType::ForOp);
  if (failed(rowTiles))
    return failure();
  op = cast<kernel::AttentionBackwardOp>(rowTiles->tiledOps.front());
  if (!ShapedType::isDynamic(extents[columns]) &&
      extents[columns] <= attentionTileColumns)
    return success();
  sizes.assign(none);
  sizes[columns] = rewriter.getIndexAttr(attentionTileColumns);
  auto columnTiles = tileBy(rewriter, op, sizes, LoopType::ForOp);
  if (failed(columnTiles))
    return failure();
  if (mask && mask->rows == rows && mask->columns == columns) {
    size_t position =
        llvm::count_if(loops.m, [&](unsigned loop) { return loop < rows; });
    auto row = cast<scf::ForOp>(rowTiles->loops[position]);
    endAtMask(rewriter, cast<scf::ForOp>(columnTiles->loops.front()),
              row.getInductionVar(), *mask);
  }
  return success();
}
