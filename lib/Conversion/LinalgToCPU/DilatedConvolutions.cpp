//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. See DilatedConvolutions.h.
//
// Element i of the source is at o + s * i. A result at s * y + r reads, with
// element w0 + s * v of the filter, w0 = (o - r) mod s, the element
// y + v + (r + w0 - o) / s, and with others zeros.
//
//===----------------------------------------------------------------------===//

#include "DilatedConvolutions.h"

#include "Common/Contraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

/// More classes than those of a stride of four in two dims are too many ops.
static constexpr int64_t maxClasses = 16;

namespace {

/// A dim of the convolution's input along which zeros are between elements, or
/// around them.
struct Dilation {
  int64_t dim, offset, stride, size;
  int result, window; ///< loops; `window` is -1 for windows of one element
  int64_t resultExtent, windowExtent;
};

/// The results of one residue along a dim, and what they read.
struct ResidueClass {
  int64_t residue, count;       ///< results
  int64_t firstWeight, weights; ///< elements of the filter, a stride apart
  int64_t first;                ///< the first element of the source
  bool isEmpty() const { return count <= 0 || weights <= 0; }
  int64_t end() const { return first + count + weights - 1; }

  ResidueClass(const Dilation &d, int64_t residue)
      : residue(residue),
        count(llvm::divideCeilSigned(d.resultExtent - residue, d.stride)),
        firstWeight(llvm::mod(d.offset - residue + d.stride * d.resultExtent,
                              d.stride)),
        weights(llvm::divideCeilSigned(d.windowExtent - firstWeight, d.stride)),
        first((residue + firstWeight - d.offset) / d.stride) {}
};

struct DilatedConvolution {
  linalg::LinalgOp op;
  unsigned input = 0; ///< the operand with zeros
  tensor::InsertSliceOp insert;
  SmallVector<Dilation> dilations;
};

} // namespace

/// The loops of a window: one of the result and, unless it has one element, one
/// of a reduction.
static std::optional<std::pair<int, int>> windowLoops(linalg::LinalgOp op,
                                                      AffineExpr expr) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  int result = -1, window = -1;
  auto take = [&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    if (!dim)
      return false;
    int &loop = kinds[dim.getPosition()] == utils::IteratorType::parallel
                    ? result
                    : window;
    return std::exchange(loop, int(dim.getPosition())) < 0;
  };
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  bool matches = sum && sum.getKind() == AffineExprKind::Add
                     ? take(sum.getLHS()) && take(sum.getRHS())
                     : take(expr);
  if (!matches || result < 0)
    return std::nullopt;
  return std::make_pair(result, window);
}

/// True if `map` runs along `loop` by a dim of its own, if at all.
static bool readsAlone(AffineMap map, int loop) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return isa<AffineDimExpr>(expr) || !expr.isFunctionOfDim(loop);
  });
}

static std::optional<DilatedConvolution> match(linalg::LinalgOp op,
                                               unsigned input) {
  DilatedConvolution found;
  found.op = op;
  found.input = input;
  found.insert = op->getOperand(input).getDefiningOp<tensor::InsertSliceOp>();
  auto insert = found.insert;
  auto fill =
      insert ? insert.getDest().getDefiningOp<linalg::FillOp>() : nullptr;
  if (!fill || !matchPattern(fill.value(), m_AnyZeroFloat()) ||
      insert.getSourceType().getRank() != insert.getDestType().getRank() ||
      !insert.getSourceType().hasStaticShape() ||
      ShapedType::isDynamicShape(insert.getStaticOffsets()) ||
      ShapedType::isDynamicShape(insert.getStaticStrides()))
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t classes = 1;
  bool sumsChannels = false;
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    sumsChannels |= kind == utils::IteratorType::reduction &&
                    extents[loop] > 1 &&
                    llvm::is_contained(maps[input].getResults(),
                                       getAffineDimExpr(loop, op.getContext()));
  // Depthwise ones wait for memory, and results a stride apart take longer.
  if (!sumsChannels)
    return std::nullopt;
  for (auto [dim, expr] : llvm::enumerate(maps[input].getResults())) {
    int64_t offset = insert.getStaticOffset(dim),
            stride = insert.getStaticStride(dim),
            size = insert.getSourceType().getDimSize(dim);
    if (offset == 0 && stride == 1 &&
        size == insert.getDestType().getDimSize(dim))
      continue;
    auto loops = windowLoops(op, expr);
    if (!loops)
      return std::nullopt;
    auto [result, window] = *loops;
    for (int loop : {result, window})
      if (loop >= 0 &&
          (!readsAlone(maps[1 - input], loop) || !readsAlone(maps[2], loop)))
        return std::nullopt;
    found.dilations.push_back({int64_t(dim), offset, stride, size, result,
                               window, extents[result],
                               window < 0 ? 1 : extents[window]});
    classes *= stride;
  }
  if (classes == 1 || classes > maxClasses)
    return std::nullopt;
  return found;
}

namespace {

struct SplitDilatedConvolution : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.hasDynamicShape() ||
        op->getNumResults() != 1 || !isFloatContraction(op, /*windows=*/true))
      return failure();
    for (unsigned input : {0, 1})
      if (auto found = match(op, input)) {
        rewriter.replaceOp(op, split(rewriter, *found));
        return success();
      }
    return failure();
  }

private:
  /// A slice of all of `value`, which `change` makes smaller.
  struct Slice {
    SmallVector<OpFoldResult> offsets, sizes, strides;

    Slice(OpBuilder &builder, Value value) {
      for (int64_t size : cast<RankedTensorType>(value.getType()).getShape()) {
        offsets.push_back(builder.getIndexAttr(0));
        sizes.push_back(builder.getIndexAttr(size));
        strides.push_back(builder.getIndexAttr(1));
      }
    }
    void change(OpBuilder &builder, int64_t dim, int64_t offset, int64_t size,
                int64_t stride) {
      offsets[dim] = builder.getIndexAttr(offset);
      sizes[dim] = builder.getIndexAttr(size);
      strides[dim] = builder.getIndexAttr(size == 1 ? 1 : stride);
    }
    Value of(OpBuilder &builder, Location loc, Value value) const {
      return tensor::ExtractSliceOp::create(builder, loc, value, offsets, sizes,
                                            strides);
    }
  };

  static std::optional<int64_t> placeIn(AffineMap map, int loop) {
    if (loop < 0)
      return std::nullopt;
    auto place =
        map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
    return place ? std::optional<int64_t>(*place) : std::nullopt;
  }

  /// The source with as many zeros around it as the classes read; `before` is
  /// their number ahead of each dim's first element.
  static Value pad(OpBuilder &builder, DilatedConvolution &conv,
                   SmallVector<int64_t> &before) {
    Value source = conv.insert.getSource();
    SmallVector<int64_t> shape(conv.insert.getSourceType().getShape());
    before.assign(shape.size(), 0);
    for (const Dilation &d : conv.dilations) {
      int64_t first = 0, end = d.size;
      for (int64_t residue = 0; residue < d.stride; ++residue) {
        ResidueClass part(d, residue);
        if (part.isEmpty())
          continue;
        first = std::min(first, part.first);
        end = std::max(end, part.end());
      }
      before[d.dim] = -first;
      shape[d.dim] = end - first;
    }
    if (ArrayRef(shape) == conv.insert.getSourceType().getShape())
      return source;
    Location loc = conv.insert.getLoc();
    auto fill = conv.insert.getDest().getDefiningOp<linalg::FillOp>();
    Value empty = tensor::EmptyOp::create(
        builder, loc, shape, conv.insert.getSourceType().getElementType());
    Value zeros =
        linalg::FillOp::create(builder, loc, fill.value(), empty).getResult(0);
    Slice all(builder, source);
    for (const Dilation &d : conv.dilations)
      all.offsets[d.dim] = builder.getIndexAttr(before[d.dim]);
    return tensor::InsertSliceOp::create(builder, loc, source, zeros,
                                         all.offsets, all.sizes, all.strides);
  }

  static Value split(PatternRewriter &rewriter, DilatedConvolution &conv) {
    linalg::LinalgOp op = conv.op;
    Location loc = op.getLoc();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    SmallVector<int64_t> before;
    Value source = pad(rewriter, conv, before);
    Value filter = op->getOperand(1 - conv.input), init = op->getOperand(2);
    auto fill = init.getDefiningOp<linalg::FillOp>();
    Value result = init;

    int64_t classes = 1;
    for (const Dilation &d : conv.dilations)
      classes *= d.stride;
    for (int64_t number = 0; number < classes; ++number) {
      Slice ofSource(rewriter, source), ofFilter(rewriter, filter),
          ofResult(rewriter, init);
      bool isEmpty = false;
      int64_t rest = number;
      for (const Dilation &d : conv.dilations) {
        ResidueClass part(d, rest % d.stride);
        rest /= d.stride;
        isEmpty |= part.isEmpty();
        ofSource.change(rewriter, d.dim, part.first + before[d.dim],
                        part.count + part.weights - 1, 1);
        if (auto dim = placeIn(maps[1 - conv.input], d.window))
          ofFilter.change(rewriter, *dim, part.firstWeight, part.weights,
                          d.stride);
        if (auto dim = placeIn(maps[2], d.result))
          ofResult.change(rewriter, *dim, part.residue, part.count, d.stride);
      }
      if (isEmpty)
        continue; // zeros alone are added
      Value sums = ofResult.of(rewriter, loc, init);
      if (fill)
        sums = linalg::FillOp::create(
                   rewriter, loc, fill.value(),
                   tensor::EmptyOp::create(rewriter, loc, ofResult.sizes,
                                           getElementTypeOrSelf(init.getType()))
                       .getResult())
                   .getResult(0);
      SmallVector<Value> operands(3, sums);
      operands[conv.input] = ofSource.of(rewriter, loc, source);
      operands[1 - conv.input] = ofFilter.of(rewriter, loc, filter);
      Operation *part = clone(rewriter, op, sums.getType(), operands);
      result = tensor::InsertSliceOp::create(rewriter, loc, part->getResult(0),
                                             result, ofResult.offsets,
                                             ofResult.sizes, ofResult.strides);
    }
    return result;
  }
};

} // namespace

void shardir::populateDilatedConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitDilatedConvolution>(patterns.getContext());
}
