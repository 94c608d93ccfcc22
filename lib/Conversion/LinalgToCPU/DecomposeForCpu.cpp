//===- DecomposeForCpu.cpp - Ops without a lowering into ones with one ----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires nothing; guarantees that no op is left
// that one-shot bufferization or the lowering to loops lacks: softmax, pack,
// unpack, concat, gather, bitcast, and elementwise ops on whole tensors.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace shardir {
#define GEN_PASS_DEF_DECOMPOSEFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {
struct DecomposeSoftmax : OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOp(op, *values);
    return success();
  }
};

struct LowerPack : OpRewritePattern<linalg::PackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::PackOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::lowerPack(rewriter, op);
  }
};

struct LowerUnPack : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::lowerUnPack(rewriter, op);
  }
};

/// An all-parallel generic over a fresh tensor of `type` whose dynamic extents
/// are `dynamicSizes`.
linalg::GenericOp
createMap(OpBuilder &builder, Location loc, RankedTensorType type,
          ValueRange dynamicSizes, ValueRange inputs,
          function_ref<Value(OpBuilder &, Location, ValueRange)> makeElement) {
  int64_t rank = type.getRank();
  Value empty = tensor::EmptyOp::create(builder, loc, type, dynamicSizes);
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      builder, loc, type, inputs, empty, maps, iterators,
      [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
        linalg::YieldOp::create(nested, nestedLoc,
                                makeElement(nested, nestedLoc, args));
      });
}

struct LowerBitcast : OpRewritePattern<tensor::BitcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::BitcastOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !isa<RankedTensorType>(op.getSource().getType()))
      return failure();
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(
            tensor::DimOp::create(rewriter, op.getLoc(), op.getSource(), dim));
    Type element = type.getElementType();
    auto map = createMap(
        rewriter, op.getLoc(), type, sizes, op.getSource(),
        [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
          return arith::BitcastOp::create(builder, loc, element, args[0]);
        });
    rewriter.replaceOp(op, map.getResults());
    return success();
  }
};

/// result[b..., s...] = source[...], where source's gather dims start at
/// indices[b..., i] and the others run along s.
struct LowerGather : OpRewritePattern<tensor::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::GatherOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    auto sourceType = cast<RankedTensorType>(op.getSource().getType());
    auto indicesType = cast<RankedTensorType>(op.getIndices().getType());
    if (!type)
      return failure();
    ArrayRef<int64_t> gatherDims = op.getGatherDims();
    int64_t batchRank = indicesType.getRank() - 1;
    bool keepsUnitDims = type.getRank() == batchRank + sourceType.getRank();

    // Where each result dim's extent comes from.
    SmallVector<int64_t> sliceDims;
    for (int64_t dim = 0; dim < sourceType.getRank(); ++dim)
      if (keepsUnitDims || !llvm::is_contained(gatherDims, dim))
        sliceDims.push_back(dim);
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      bool batch = dim < batchRank;
      sizes.push_back(tensor::DimOp::create(
          rewriter, op.getLoc(), batch ? op.getIndices() : op.getSource(),
          batch ? dim : sliceDims[dim - batchRank]));
    }
    auto map = createMap(
        rewriter, op.getLoc(), type, sizes, {},
        [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
          SmallVector<Value> position(sourceType.getRank());
          for (auto [i, dim] : llvm::enumerate(sliceDims))
            position[dim] =
                linalg::IndexOp::create(builder, loc, batchRank + i);
          SmallVector<Value> at;
          for (int64_t dim = 0; dim < batchRank; ++dim)
            at.push_back(linalg::IndexOp::create(builder, loc, dim));
          at.push_back(nullptr);
          for (auto [i, dim] : llvm::enumerate(gatherDims)) {
            at.back() = arith::ConstantIndexOp::create(builder, loc, i);
            Value start =
                tensor::ExtractOp::create(builder, loc, op.getIndices(), at);
            if (!start.getType().isIndex())
              start = arith::IndexCastOp::create(builder, loc,
                                                 builder.getIndexType(), start);
            position[dim] = start;
          }
          return tensor::ExtractOp::create(builder, loc, op.getSource(),
                                           position);
        });
    rewriter.replaceOp(op, map.getResults());
    return success();
  }
};

struct DecomposeForCpuPass
    : shardir::impl::DecomposeForCpuBase<DecomposeForCpuPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeSoftmax, LowerPack, LowerUnPack, LowerBitcast,
                 LowerGather>(&getContext());
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    walkAndApply(std::move(patterns));
  }

  /// Only ops that match are visited again: no folding, no dead code, so that
  /// the pass does what it says and nothing else.
  void walkAndApply(RewritePatternSet &&patterns) {
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
