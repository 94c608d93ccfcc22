//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dim that all devices cut in the same way costs no arithmetic, and
// upstream's slices of nothing are never made: they do not verify. See
// LocalSlices.h.
//
//===----------------------------------------------------------------------===//

#include "LocalSlices.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

HeldRange shardir::rangeOf(OpBuilder &builder, Location loc,
                           const Localizer &localizer,
                           const Localizer::Global &global, int64_t dim,
                           OpFoldResult all) {
  if (all && global.type.isDynamicDim(dim) && !localizer.isCut(global, dim))
    return {builder.getIndexAttr(0), all};
  auto digits = localizer.digits(builder, loc, global, dim);
  // The digits below the one that is cut are complete: a unit of the block.
  int64_t unit = 1;
  for (const Localizer::DigitValue &digit : ArrayRef(digits).drop_front())
    unit *= digit.extent;
  IndexMath math(builder, loc);
  return {math.mul(digits.front().offset, unit),
          math.mul(digits.front().length, unit)};
}

OpFoldResult shardir::localDim(OpBuilder &builder, Location loc, Value local,
                               int64_t dim) {
  return tensor::getMixedSize(builder, loc, local, dim);
}

static bool isEmpty(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), 0);
}

Value shardir::extractSlice(OpBuilder &builder, Location loc,
                            RankedTensorType type, Value tensor,
                            ArrayRef<OpFoldResult> offsets,
                            ArrayRef<OpFoldResult> sizes,
                            ArrayRef<OpFoldResult> strides) {
  if (!isEmpty(type) && !isEmpty(cast<RankedTensorType>(tensor.getType())))
    return tensor::ExtractSliceOp::create(builder, loc, type, tensor, offsets,
                                          sizes, strides);
  // All sizes that are not known belong to dims of the result: only extents of
  // 1 are dropped.
  SmallVector<Value> unknown;
  for (OpFoldResult size : sizes)
    if (auto value = dyn_cast<Value>(size))
      unknown.push_back(value);
  return tensor::EmptyOp::create(builder, loc, type, unknown);
}

Value shardir::insertSlice(OpBuilder &builder, Location loc, Value source,
                           Value tensor, ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes,
                           ArrayRef<OpFoldResult> strides) {
  if (isEmpty(cast<RankedTensorType>(source.getType())) ||
      isEmpty(cast<RankedTensorType>(tensor.getType())))
    return tensor;
  return tensor::InsertSliceOp::create(builder, loc, source, tensor, offsets,
                                       sizes, strides);
}

Value shardir::extractRange(OpBuilder &builder, Location loc, Value tensor,
                            ArrayRef<OpFoldResult> offsets,
                            ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  bool isAll = true;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    auto known = getConstantIntValue(size);
    shape.push_back(known.value_or(ShapedType::kDynamic));
    isAll &= known && *known == type.getDimSize(dim) &&
             isConstantIntValue(offsets[dim], 0);
  }
  if (isAll)
    return tensor;
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  return extractSlice(builder, loc,
                      RankedTensorType::get(shape, type.getElementType()),
                      tensor, offsets, sizes, strides);
}
