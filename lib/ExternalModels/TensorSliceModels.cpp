//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// extract_slice and insert_slice. A dim that the op takes as it is passes
// through; one of which it takes or replaces a part is read through a window,
// with the result's blocks; a part at an offset that is known only at run time,
// small beside the dim, is read by its owner and is a partial term elsewhere.
//
// Requires operands that hold what the result's block reads (haloOf);
// guarantees exact rows, computed from the rank, for short and empty blocks and
// overlapping results too. Offsets are global until the
// block's own is subtracted, so that a clamp of the program stays one of the
// global tensor.
//
//===----------------------------------------------------------------------===//

#include "LocalSlices.h"
#include "ModelUtils.h"
#include "ShardIR/Analysis/SameExtent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

namespace {
/// One dim of the tensor that a slice is taken of, or put into.
struct SlicedDim {
  int64_t sliceDim; ///< the slice's dim, or -1 where it is dropped
  bool isWhole;     ///< all of the dim, as it is
  int64_t extent;   ///< of the tensor's dim; kUnknown if not static
  std::optional<int64_t> offset, size, stride; ///< where static

  static bool inRange(std::optional<int64_t> number, int64_t least) {
    return number && *number >= least && *number <= kMaxWindow;
  }
  /// True if a window over this dim has numbers that are in range.
  bool hasWindow() const {
    return extent != kUnknown && inRange(extent, 0) && inRange(size, 0) &&
           inRange(stride, 1) && (!offset || inRange(offset, 0));
  }
  /// True if an open one has, where extent or size are known at run time alone.
  bool hasOpenWindow() const {
    return !hasWindow() && (extent == kUnknown || !size) &&
           (extent == kUnknown || inRange(extent, 0)) &&
           (!size || inRange(size, 0)) && inRange(stride, 1) &&
           (!offset || inRange(offset, 0));
  }
};

/// The offsets, sizes and strides of an op in its local form's operands.
struct MixedSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

template <typename Op>
static SmallVector<SlicedDim> slicedDims(Op op, Value tensor) {
  SmallVector<SlicedDim> dims;
  std::vector<int64_t> shape =
      shapeOf(cast<RankedTensorType>(tensor.getType()));
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t sliceDim = 0;
  for (auto [dim, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    // All of a dim fits at offset 0 alone, whatever computes the offset: a
    // program that says another one reads or writes beyond the tensor.
    bool isWhole = getConstantIntValue(offset).value_or(0) == 0 &&
                   isConstantIntValue(stride, 1) &&
                   isExtentOf(size, tensor, dim) && !dropped.test(dim);
    dims.push_back({dropped.test(dim) ? -1 : sliceDim++, isWhole, shape[dim],
                    getConstantIntValue(offset), getConstantIntValue(size),
                    getConstantIntValue(stride)});
  }
  return dims;
}

template <typename Op>
static MixedSlice mixedSlice(Op op, OpBuilder &builder, ValueRange operands) {
  MixedSlice slice;
  unsigned next = op.getOffsetSizeAndStrideStartOperandIndex();
  auto mixed = [&](ArrayRef<int64_t> statics) {
    SmallVector<OpFoldResult> result;
    for (int64_t value : statics) {
      if (!ShapedType::isDynamic(value)) {
        result.push_back(builder.getIndexAttr(value));
        continue;
      }
      // A constant is as good as an attribute, which the types below are from.
      OpFoldResult operand = operands[next++];
      auto known = getConstantIntValue(operand);
      result.push_back(known ? builder.getIndexAttr(*known) : operand);
    }
    return result;
  };
  slice.offsets = mixed(op.getStaticOffsets());
  slice.sizes = mixed(op.getStaticSizes());
  slice.strides = mixed(op.getStaticStrides());
  return slice;
}

/// The type of a tensor with the given sizes, but for the dims that are
/// dropped.
static RankedTensorType typeOf(ArrayRef<OpFoldResult> sizes,
                               const llvm::SmallBitVector &dropped,
                               Type elementType) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!dropped.test(dim))
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, elementType);
}

//===----------------------------------------------------------------------===//
// extract_slice
//===----------------------------------------------------------------------===//

/// How the devices' terms add up where one of them has an element and the
/// others the identity; nothing where no kind does that.
static std::optional<PartialKind> kindOfOwner(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() == 1 ? PartialKind::Or : PartialKind::Sum;
  if (type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
      type.isF64())
    return PartialKind::Sum;
  return std::nullopt;
}

/// True if the part of a dim is read on the device that has it: its offset is
/// known at run time alone, and a window over all offsets would read most of
/// the dim.
static bool isReadByOwner(const SlicedDim &dim, Type elementType) {
  int64_t extent = dim.extent == kUnknown ? kAssumedDimSize : dim.extent;
  return (dim.hasWindow() || dim.hasOpenWindow()) && !dim.offset && dim.size &&
         *dim.stride == 1 && 2 * *dim.size <= extent &&
         kindOfOwner(elementType);
}

static ShardingRule extractSliceRule(tensor::ExtractSliceOp op) {
  ShardingRule rule = replicatedRule(op);
  Type elementType = op.getSourceType().getElementType();
  for (auto [d, dim] : llvm::enumerate(slicedDims(op, op.getSource()))) {
    if (dim.isWhole) {
      int factor = rule.addFactor(
          commonExtent(op.getSourceType().getDimSize(d),
                       op.getResultType().getDimSize(dim.sliceDim)));
      rule.operands[0].dims[d] = {factor};
      rule.results[0].dims[dim.sliceDim] = {factor};
      continue;
    }
    if (!dim.hasWindow() && !dim.hasOpenWindow())
      continue;
    if (isReadByOwner(dim, elementType)) {
      int factor = rule.addFactor(dim.extent, FactorKind::Reduction);
      rule.factors[factor].combiners = {*kindOfOwner(elementType)};
      rule.factors[factor].isOneBlock = true;
      rule.factors[factor].isIterated = false;
      rule.operands[0].dims[d] = {factor};
      continue;
    }
    // A dim that is dropped is in every device's result.
    FactorKind kind =
        dim.sliceDim >= 0 ? FactorKind::PassThrough : FactorKind::Replicate;
    if (dim.hasOpenWindow() ||
        (dim.sliceDim >= 0 && op.getResultType().isDynamicDim(dim.sliceDim))) {
      int factor = rule.addFactor(
          dim.sliceDim >= 0 ? shapeOf(op.getResultType())[dim.sliceDim] : 1,
          kind);
      Window window{dim.extent, 0, 0, *dim.stride, 1};
      Window::Open &open = window.open.emplace();
      open.extent.add(op.getMixedSizes()[d], op);
      open.shift.add(op.getMixedOffsets()[d], op, 1, 0);
      rule.operands[0].readThrough(d, factor, window);
      if (dim.sliceDim >= 0)
        rule.results[0].dims[dim.sliceDim] = {factor};
      continue;
    }
    // An offset that is not known is any from 0 to the last that fits.
    int64_t first = dim.offset.value_or(0);
    int64_t last = dim.offset.value_or(
        std::max<int64_t>(0, dim.extent - 1 - (*dim.size - 1) * *dim.stride));
    int factor = rule.addFactor(*dim.size, kind);
    rule.operands[0].readThrough(d, factor,
                                 {dim.extent, -first, last, *dim.stride, 1});
    if (dim.sliceDim >= 0)
      rule.results[0].dims[dim.sliceDim] = {factor};
  }
  passAnyPartial(rule, {0});
  rule.takesResultHalo = true;
  rule.moves = ShardingRule::Moves::Result;
  return rule;
}

static LocalValues localizeExtractSlice(tensor::ExtractSliceOp op,
                                        OpBuilder &builder,
                                        Localizer &localizer,
                                        ValueRange operands) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  ShardingRule rule = extractSliceRule(op);
  Localizer::Global source = localizer.global(op.getSource());
  Localizer::Global result = localizer.global(op.getResult());
  RankedTensorType resultType = localizer.localType(op.getResult());
  Type element = resultType.getElementType();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  MixedSlice slice = mixedSlice(op, builder, operands);
  OpFoldResult zero = math.constant(0);
  // Where in the result what is read belongs, and the result's sizes.
  SmallVector<OpFoldResult> places(slice.sizes.size(), zero), sizes;
  bool isPartial = false;
  for (auto [d, dim] : llvm::enumerate(slicedDims(op, op.getSource()))) {
    bool isSplit =
        source.placement && !source.placement.getValue().axesOf(d).empty();
    sizes.push_back(slice.sizes[d]);
    if (dim.isWhole) {
      OpFoldResult all = localDim(builder, loc, operands[0], d);
      slice.offsets[d] = zero;
      slice.sizes[d] = sizes.back() = all;
      // A dim that no device cuts may be read through a window, too.
      if (!localizer.isCut(source, d)) {
        HeldRange held = rangeOf(builder, loc, localizer, source, d, all);
        HeldRange own =
            rangeOf(builder, loc, localizer, result, dim.sliceDim, all);
        slice.offsets[d] = math.sub(own.offset, held.offset);
        slice.sizes[d] = sizes.back() = own.length;
      }
    } else if (const Window *window = rule.operands[0].window(d);
               window && !(window->open && !localizer.isCut(source, d) &&
                           (dim.sliceDim < 0 ||
                            !localizer.isCut(result, dim.sliceDim)))) {
      HeldRange held = rangeOf(builder, loc, localizer, source, d,
                               localDim(builder, loc, operands[0], d));
      OpFoldResult start = zero;
      if (dim.sliceDim >= 0) {
        HeldRange own = rangeOf(builder, loc, localizer, result, dim.sliceDim,
                                slice.sizes[d]);
        start = own.offset;
        slice.sizes[d] = sizes.back() = own.length;
      }
      slice.offsets[d] =
          math.sub(math.add(slice.offsets[d], math.mul(start, *dim.stride)),
                   held.offset);
      // Where nothing is read any offset will do that is inside.
      if (getConstantIntValue(slice.sizes[d]).value_or(0) == 0)
        slice.offsets[d] = math.clamp(slice.offsets[d], zero, held.length);
    } else if (isSplit) {
      isPartial = true;
      HeldRange held = rangeOf(builder, loc, localizer, source, d);
      OpFoldResult offset = slice.offsets[d];
      OpFoldResult end = math.add(held.offset, held.length);
      OpFoldResult from = math.clamp(offset, held.offset, end);
      OpFoldResult to =
          math.clamp(math.add(offset, sizes.back()), held.offset, end);
      places[d] = math.clamp(math.sub(from, offset), zero, sizes.back());
      slice.offsets[d] = math.sub(from, held.offset);
      slice.sizes[d] = math.sub(to, from);
    }
  }
  llvm::SmallBitVector none(dropped.size());
  Value value = extractSlice(
      builder, loc, typeOf(slice.sizes, isPartial ? none : dropped, element),
      operands[0], slice.offsets, slice.sizes, slice.strides);
  if (!isPartial)
    return SmallVector<Value>{castTo(builder, loc, value, resultType)};
  Value identity = arith::ConstantOp::create(
      builder, loc, partialIdentity(element, *kindOfOwner(element)));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
  Value others =
      linalg::FillOp::create(builder, loc, identity, empty).getResult(0);
  SmallVector<OpFoldResult> strides(sizes.size(), math.constant(1));
  value =
      insertSlice(builder, loc, value, others, places, slice.sizes, strides);
  if (dropped.any())
    value = extractSlice(builder, loc, typeOf(sizes, dropped, element), value,
                         SmallVector<OpFoldResult>(sizes.size(), zero), sizes,
                         strides);
  return SmallVector<Value>{castTo(builder, loc, value, resultType)};
}

//===----------------------------------------------------------------------===//
// insert_slice
//===----------------------------------------------------------------------===//

static ShardingRule insertSliceRule(tensor::InsertSliceOp op) {
  ShardingRule rule = replicatedRule(op);
  for (auto [d, dim] : llvm::enumerate(slicedDims(op, op.getDest()))) {
    bool isKnown = dim.extent <= kMaxWindow && dim.stride && *dim.stride >= 1 &&
                   *dim.stride <= kMaxWindow;
    if (!dim.isWhole && !isKnown)
      continue;
    int64_t extent = op.getDestType().getDimSize(d);
    if (dim.isWhole)
      extent =
          commonExtent(extent, op.getSourceType().getDimSize(dim.sliceDim));
    int factor = rule.addFactor(extent);
    rule.factors[factor].isOneBlock = !dim.isWhole;
    rule.operands[1].dims[d] = {factor};
    rule.results[0].dims[d] = {factor};
    if (dim.isWhole) {
      rule.operands[0].dims[dim.sliceDim] = {factor};
    } else if (dim.sliceDim >= 0 && dim.hasOpenWindow()) {
      Window window{shapeOf(op.getSourceType())[dim.sliceDim], 0, 0, 1,
                    *dim.stride};
      Window::Open &open = window.open.emplace();
      open.extent.addDim(op, 1, d);
      open.shift.add(op.getMixedOffsets()[d], op, -1, 0);
      rule.operands[0].readThrough(dim.sliceDim, factor, window);
    } else if (dim.sliceDim >= 0 && dim.hasWindow() && dim.offset &&
               !op.getSourceType().isDynamicDim(dim.sliceDim)) {
      // Element i of the source is at offset + i * stride.
      rule.operands[0].readThrough(
          dim.sliceDim, factor,
          {*dim.size, *dim.offset, -*dim.offset, 1, *dim.stride});
    }
  }
  // The source replaces terms of the destination by terms of its own.
  passAnyPartial(rule, {0, 1});
  rule.takesResultHalo = true;
  rule.moves = ShardingRule::Moves::FirstOperand;
  return rule;
}

static LocalValues localizeInsertSlice(tensor::InsertSliceOp op,
                                       OpBuilder &builder, Localizer &localizer,
                                       ValueRange operands) {
  Location loc = op.getLoc();
  IndexMath math(builder, loc);
  ShardingRule rule = insertSliceRule(op);
  Localizer::Global source = localizer.global(op.getSource());
  Localizer::Global result = localizer.global(op.getResult());
  RankedTensorType resultType = localizer.localType(op.getResult());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  MixedSlice slice = mixedSlice(op, builder, operands);
  OpFoldResult zero = math.constant(0);
  // The part of the source that is put here.
  SmallVector<OpFoldResult> from, sizes;
  bool isPart = false;
  auto take = [&](int64_t sliceDim, OpFoldResult offset, OpFoldResult size) {
    if (sliceDim < 0)
      return;
    from.push_back(offset);
    sizes.push_back(size);
  };
  for (auto [d, dim] : llvm::enumerate(slicedDims(op, op.getDest()))) {
    if (dim.isWhole) {
      slice.offsets[d] = zero;
      slice.sizes[d] = localDim(builder, loc, operands[1], d);
      take(dim.sliceDim, zero, slice.sizes[d]);
      continue;
    }
    bool isCut = result.placement &&
                 (!result.placement.getValue().axesOf(d).empty() ||
                  (d < result.halo.size() && !result.halo[d].isZero()));
    const Window *window =
        dim.sliceDim >= 0 ? rule.operands[0].window(dim.sliceDim) : nullptr;
    bool isRead = window && (!window->open || isCut ||
                             localizer.isCut(source, dim.sliceDim));
    if (!isCut && !isRead) {
      take(dim.sliceDim, zero, slice.sizes[d]);
      continue;
    }
    // The first element of the source that belongs here, and how many do.
    HeldRange own = rangeOf(builder, loc, localizer, result, d,
                            localDim(builder, loc, operands[1], d));
    OpFoldResult offset = slice.offsets[d], size = slice.sizes[d];
    int64_t stride = *dim.stride;
    auto firstNotBelow = [&](OpFoldResult index) {
      OpFoldResult distance = math.max(math.sub(index, offset), zero);
      return math.min(math.ceilDiv(distance, stride), size);
    };
    OpFoldResult first = firstNotBelow(own.offset);
    OpFoldResult last = firstNotBelow(math.add(own.offset, own.length));
    OpFoldResult place =
        math.sub(math.add(offset, math.mul(first, stride)), own.offset);
    slice.sizes[d] = math.sub(last, first);
    slice.offsets[d] = place;
    if (getConstantIntValue(slice.sizes[d]).value_or(0) == 0)
      slice.offsets[d] = math.clamp(place, zero, own.length);
    OpFoldResult held = zero, length = size;
    if (isRead) {
      HeldRange range =
          rangeOf(builder, loc, localizer, source, dim.sliceDim, size);
      held = range.offset;
      length = range.length;
    }
    // A dropped dim whose element is on another device leaves nothing to put
    // here.
    if (dim.sliceDim < 0) {
      isPart = true;
      continue;
    }
    take(dim.sliceDim, math.clamp(math.sub(first, held), zero, length),
         slice.sizes[d]);
  }
  Value piece = extractRange(builder, loc, operands[0], from, sizes);
  if (isPart) {
    // The dropped dims come back, of extent 0 or 1.
    SmallVector<OpFoldResult> ones, places, counts;
    for (auto [d, size] : llvm::enumerate(slice.sizes)) {
      bool isDropped = dropped.test(d);
      ones.push_back(isDropped ? math.constant(1) : size);
      places.push_back(zero);
      counts.push_back(size);
    }
    SmallVector<OpFoldResult> strides(ones.size(), math.constant(1));
    Value empty = tensor::EmptyOp::create(builder, loc, ones,
                                          resultType.getElementType());
    piece = insertSlice(builder, loc, piece, empty, places, ones, strides);
    piece = extractRange(builder, loc, piece, places, counts);
  }
  Value value = insertSlice(builder, loc, piece, operands[1], slice.offsets,
                            slice.sizes, slice.strides);
  return SmallVector<Value>{castTo(builder, loc, value, resultType)};
}

void shardir::attachTensorSliceModels(MLIRContext *context) {
  attachModels<tensor::ExtractSliceOp, extractSliceRule, localizeExtractSlice>(
      context);
  attachModels<tensor::InsertSliceOp, insertSliceRule, localizeInsertSlice>(
      context);
}
