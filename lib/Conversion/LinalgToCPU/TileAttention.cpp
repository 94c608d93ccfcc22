//===- TileAttention.cpp - Attention in tiles that stay in caches ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors, before fusion. Requires attention ops; guarantees
// that large ones are scf.forall loops over rows of queries, each with an
// scf.for over tiles of keys that carries acc, max and sum (the online
// softmax). Tiles are attention ops again, which are decomposed next: their
// scores are a small buffer instead of a matrix in memory.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiles.h"

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {
#define GEN_PASS_DEF_TILEATTENTIONFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

int64_t shardir::scoreBytes(FloatType type, ArrayRef<unsigned> loops,
                            ArrayRef<int64_t> extents) {
  int64_t bytes = type.getWidth() / 8;
  for (unsigned loop : loops)
    bytes *= assumedLoopExtent(extents[loop]);
  return bytes;
}

FailureOr<scf::SCFTilingResult>
shardir::tileBy(RewriterBase &rewriter, TilingInterface op,
                ArrayRef<OpFoldResult> sizes,
                scf::SCFTilingOptions::LoopType type) {
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes).setLoopType(type);
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> result =
      scf::tileUsingSCF(rewriter, op, options);
  if (succeeded(result))
    rewriter.replaceOp(op, result->replacements);
  return result;
}

namespace {

/// A fill is made where it is used, so that the tile begins with it.
Value fillLike(RewriterBase &rewriter, Location loc, Value like, double value) {
  auto type = cast<RankedTensorType>(like.getType());
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, like),
      type.getElementType());
  Value scalar = arith::ConstantOp::create(
      rewriter, loc, rewriter.getFloatAttr(type.getElementType(), value));
  return linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);
}

struct TileAttentionForCpuPass
    : shardir::impl::TileAttentionForCpuBase<TileAttentionForCpuPass> {
  void runOnOperation() override {
    SmallVector<kernel::AttentionOp> ops;
    getOperation().walk([&](kernel::AttentionOp op) {
      if (isWorthTiling(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (kernel::AttentionOp op : ops)
      if (failed(tile(rewriter, op)))
        return signalPassFailure();
    SmallVector<kernel::AttentionBackwardOp> gradients;
    getOperation().walk(
        [&](kernel::AttentionBackwardOp op) { gradients.push_back(op); });
    for (kernel::AttentionBackwardOp op : gradients)
      if (shardir::isWorthTiling(op) &&
          failed(tileAttentionBackward(rewriter, op)))
        return signalPassFailure();
  }

  static bool isWorthTiling(kernel::AttentionOp op) {
    if (!op.hasPureTensorSemantics() || op->getParentOfType<scf::ForallOp>())
      return false;
    kernel::AttentionOp::Loops loops = op.getLoops();
    SmallVector<int64_t> extents = op.getStaticLoopExtents();
    if (loops.n.empty() || loops.m.empty())
      return false;
    SmallVector<unsigned> scores = loops.outer();
    llvm::append_range(scores, loops.n);
    return (isPart(op) || scoreBytes(op.getComputeType(), scores, extents) >=
                              smallScoreBytes) &&
           assumedLoopExtent(extents[loops.m.back()]) >= attentionTileRows / 4;
  }

  /// Of an attention whose columns come one part after the other: it is all of
  /// them that are many.
  static bool isPart(kernel::AttentionOp op) {
    return op.getAcc().getDefiningOp<kernel::AttentionOp>() ||
           llvm::any_of(op->getUsers(), [](Operation *user) {
             return isa<kernel::AttentionOp>(user);
           });
  }

  static LogicalResult tile(IRRewriter &rewriter, kernel::AttentionOp op) {
    kernel::AttentionOp::Loops loops = op.getLoops();
    SmallVector<int64_t> extents = op.getStaticLoopExtents();
    // The largest row loop and the largest column loop are cut, those around
    // them run one by one.
    unsigned rows = largestLoop(loops.m, extents),
             columns = largestLoop(loops.n, extents);
    std::optional<CausalMask> causal = findCausalMask(op);
    SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
    for (unsigned loop : loops.outer())
      sizes[loop] = rewriter.getIndexAttr(loop == rows ? attentionTileRows : 1);
    rewriter.setInsertionPoint(op);
    // The loop fills it before any read, so it starts undefined. Other inits
    // are what another part of the columns has come to.
    bool fills = op.hasNeutralInits();
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (!fills)
        break;
      Value empty = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), init.get()),
          cast<RankedTensorType>(init.get().getType()).getElementType());
      rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
    }
    auto outer =
        tileBy(rewriter, op, sizes, scf::SCFTilingOptions::LoopType::ForallOp);
    if (failed(outer))
      return failure();

    auto inner = cast<kernel::AttentionOp>(outer->tiledOps.front());
    auto rowTiles = cast<scf::ForallOp>(outer->loops.front());
    rewriter.setInsertionPoint(inner);
    double neutral[] = {0.0, -std::numeric_limits<double>::infinity(), 0.0};
    for (int64_t i = 0; fills && i < 3; ++i) {
      OpOperand *init = inner.getDpsInitOperand(i);
      Value fill = fillLike(rewriter, inner.getLoc(), init->get(), neutral[i]);
      rewriter.modifyOpInPlace(inner, [&] { init->set(fill); });
    }
    if (!ShapedType::isDynamic(extents[columns]) &&
        extents[columns] <= attentionTileColumns)
      return success();
    SmallVector<OpFoldResult> parts(inner.getNumLoops(),
                                    rewriter.getIndexAttr(0));
    parts[columns] = rewriter.getIndexAttr(attentionTileColumns);
    auto result =
        tileBy(rewriter, inner, parts, scf::SCFTilingOptions::LoopType::ForOp);
    if (failed(result))
      return failure();
    if (causal && causal->rows == rows && causal->columns == columns) {
      // Tiles of columns behind the tile's last row hold no score.
      unsigned position = llvm::count_if(
          loops.outer(), [&](unsigned loop) { return loop < rows; });
      endAtMask(rewriter, cast<scf::ForOp>(result->loops.front()),
                rowTiles.getInductionVar(position), *causal);
    }
    return success();
  }
};
} // namespace
