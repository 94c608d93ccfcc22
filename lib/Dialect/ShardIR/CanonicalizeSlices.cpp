//===- CanonicalizeSlices.cpp - Slices that upstream misreads -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two of upstream's canonicalizations change what a program computes (LLVM
// 22.1). The patterns here, which go first as they have a greater benefit,
// leave nothing for them.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Makes constant offsets, sizes and strides of a slice of lower rank static.
/// Upstream does so, too, but turns the 1x2 tensor `%x[%c0, 0, %i] [1, 2, 1]`
/// into `%x[0, 0, %i] [1, 1, 2]`.
struct StaticSliceOfLowerRank : OpRewritePattern<tensor::ExtractSliceOp> {
  StaticSliceOfLowerRank(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    llvm::SmallBitVector dropped = op.getDroppedDims();
    if (dropped.none())
      return failure();
    bool changes = false;
    auto withStatic = [&](SmallVector<OpFoldResult> values) {
      for (OpFoldResult &value : values) {
        std::optional<int64_t> constant = getConstantIntValue(value);
        if (!isa<Value>(value) || !constant || *constant < 0)
          continue;
        value = rewriter.getIndexAttr(*constant);
        changes = true;
      }
      return values;
    };
    SmallVector<OpFoldResult> offsets = withStatic(op.getMixedOffsets()),
                              sizes = withStatic(op.getMixedSizes()),
                              strides = withStatic(op.getMixedStrides());
    if (!changes)
      return failure();
    SmallVector<int64_t> shape;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!dropped[dim])
        shape.push_back(
            getConstantIntValue(size).value_or(ShapedType::kDynamic));
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), op.getType().clone(shape), op.getSource(),
        offsets, sizes, strides);
    if (slice.getType() == op.getType())
      rewriter.replaceOp(op, slice);
    else
      rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), slice);
    return success();
  }
};

/// A padded tensor that is inserted with strides is one inserted into a fill.
/// Upstream inserts the tensor behind its padding, and forgets that the padding
/// has strides, too.
struct PadOfStridedInsert : OpRewritePattern<tensor::InsertSliceOp> {
  PadOfStridedInsert(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getSource().getDefiningOp<tensor::PadOp>();
    Value padding = pad ? pad.getConstantPaddingValue() : Value();
    if (!padding || op.hasUnitStride() || op.getDroppedDims().any())
      return failure();
    Location loc = pad.getLoc();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, pad.getSource());
    Value empty = tensor::EmptyOp::create(rewriter, loc, op.getMixedSizes(),
                                          pad.getResultType().getElementType());
    Value fill =
        linalg::FillOp::create(rewriter, loc, padding, empty).getResult(0);
    SmallVector<OpFoldResult> ones(sizes.size(), rewriter.getIndexAttr(1));
    Value padded =
        tensor::InsertSliceOp::create(rewriter, loc, pad.getSource(), fill,
                                      pad.getMixedLowPad(), sizes, ones);
    if (padded.getType() != pad.getType())
      padded = tensor::CastOp::create(rewriter, loc, pad.getType(), padded);
    rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(padded); });
    return success();
  }
};
} // namespace

void ShardIRDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<StaticSliceOfLowerRank, PadOfStridedInsert>(getContext());
}
