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
// unpack, concat, gather, scatter, bitcast, Winograd transforms, slices with
// strides that drop dims, and elementwise ops on whole tensors; and that no
// convolution reads zeros between elements.
//
//===----------------------------------------------------------------------===//

#include "DilatedConvolutions.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/ExternalModels/IndexedAccess.h"
#include "ShardIR/ExternalModels/Relayout.h"

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
    if (!op.hasPureTensorSemantics())
      return failure();
    rewriter.replaceOp(op,
                       shardir::buildPack(rewriter, op, op.getSource(),
                                          op.getDest(), op.getPaddingValue()));
    return success();
  }
};

struct LowerUnPack : OpRewritePattern<linalg::UnPackOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::UnPackOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    rewriter.replaceOp(
        op, shardir::buildUnPack(rewriter, op, op.getSource(), op.getDest()));
    return success();
  }
};

/// An all-parallel generic over a new tensor of `type` whose dynamic extents
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

/// A slice with strides that drops dims of one element: upstream finds the
/// dims of its view by their strides, and crashes where these are not those of
/// the source (LLVM 22.1, SubViewOp::getDroppedDims).
template <typename Op> bool dropsDimsOfStridedSlice(Op op) {
  return op.getDroppedDims().any() &&
         !llvm::all_of(op.getMixedStrides(), isOneInteger);
}

/// The dims of a slice that its type has, each with the dropped ones beside it.
template <typename Op> SmallVector<ReassociationIndices> groupsOfDims(Op op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (int64_t dim = 0; dim < int64_t(dropped.size()); ++dim) {
    bool isKept = !dropped.test(dim);
    if (isKept &&
        llvm::any_of(group, [&](int64_t d) { return !dropped.test(d); }))
      groups.push_back(std::exchange(group, {}));
    group.push_back(dim);
  }
  if (dropped.count() < dropped.size())
    groups.push_back(group);
  return groups;
}

struct KeepDimsOfStridedSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!dropsDimsOfStridedSlice(op))
      return failure();
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, op.getLoc(), op.getSource(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getType(), slice, groupsOfDims(op));
    return success();
  }
};

struct KeepDimsOfStridedInsert : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (!dropsDimsOfStridedSlice(op))
      return failure();
    RankedTensorType type = tensor::ExtractSliceOp::inferResultType(
        op.getDestType(), op.getMixedSizes());
    Value wide = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), type,
                                               op.getSource(), groupsOfDims(op),
                                               op.getMixedSizes());
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, wide, op.getDest(), op.getMixedOffsets(), op.getMixedSizes(),
        op.getMixedStrides());
    return success();
  }
};

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
    rewriter.replaceOp(
        op, shardir::buildGather(
                rewriter, op.getLoc(), type, sizes, sourceType.getRank(),
                op.getIndices(), gatherDims,
                [&](OpBuilder &builder, Location loc, ValueRange at) -> Value {
                  return tensor::ExtractOp::create(builder, loc, op.getSource(),
                                                   at);
                }));
    return success();
  }
};

struct LowerScatter : OpRewritePattern<tensor::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return failure();
    rewriter.replaceOp(
        op, shardir::buildScatter(
                rewriter, op.getLoc(), op.getSource(), op.getDest(),
                op.getIndices(), op.getScatterDims(),
                [](OpBuilder &, Location, ValueRange at) {
                  return shardir::ElementPosition{SmallVector<Value>(at), {}};
                }));
    return success();
  }
};

/// Powers of 2 to 4 become products, which vectorize where a library call does
/// not: PyTorch's layer norm has x^2, its GELU x^3. Narrow floats would be
/// rounded after each product, so only their squares do.
struct ExpandPower : OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    APInt exponent;
    if (!matchPattern(op.getRhs(), m_ConstantInt(&exponent)))
      return failure();
    int64_t power = exponent.getSExtValue();
    bool isWide =
        getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() >= 32;
    if (power < 2 || power > (isWide ? 4 : 2))
      return failure();
    Value product = op.getLhs();
    for (int64_t i = 1; i < power; ++i)
      product = arith::MulFOp::create(rewriter, op.getLoc(), product,
                                      op.getLhs(), op.getFastmathAttr());
    rewriter.replaceOp(op, product);
    return success();
  }
};

/// A Winograd transform as loops over its tiles.
template <typename Op, FailureOr<Operation *> (*decompose)(RewriterBase &, Op)>
struct LowerWinograd : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    return decompose(rewriter, op);
  }
};

/// A concatenation as one insertion after the other, so that each part is
/// computed where it ends up. Those of many parts stay for bufferization, which
/// copies them: its analysis of a chain of insertions takes time in the third
/// power of their number, 25 s for the 128 steps of an LSTM.
struct LowerConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  static constexpr size_t kMaxChain = 16;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() > kMaxChain)
      return failure();
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return failure();
    rewriter.replaceOp(op, *values);
    return success();
  }
};

struct DecomposeForCpuPass
    : shardir::impl::DecomposeForCpuBase<DecomposeForCpuPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeSoftmax, LowerPack, LowerUnPack, LowerBitcast,
                 LowerGather, LowerScatter, KeepDimsOfStridedSlice,
                 KeepDimsOfStridedInsert,
                 LowerWinograd<linalg::WinogradFilterTransformOp,
                               linalg::decomposeWinogradFilterTransformOp>,
                 LowerWinograd<linalg::WinogradInputTransformOp,
                               linalg::decomposeWinogradInputTransformOp>,
                 LowerWinograd<linalg::WinogradOutputTransformOp,
                               linalg::decomposeWinogradOutputTransformOp>>(
        &getContext());
    // Ahead of the conversion to linalg, which makes the exponent an operand.
    patterns.add<ExpandPower>(&getContext(), /*benefit=*/2);
    patterns.add<LowerConcat>(&getContext());
    shardir::populateDilatedConvolutionPatterns(patterns);
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    // A maximum whose place nobody asks for, as PyTorch's softmax takes it, is
    // a maximum alone.
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
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
