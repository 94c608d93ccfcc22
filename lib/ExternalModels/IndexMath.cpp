//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds while it emits: a dim that all devices cut alike costs no arithmetic.
// Requires an insertion point in a function that has the rank; guarantees arith
// ops on index, signed, whose results stay in the range of their operands'
// sums.
//
//===----------------------------------------------------------------------===//

#include "IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

OpFoldResult IndexMath::constant(int64_t value) {
  return builder.getIndexAttr(value);
}

Value IndexMath::value(OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(builder, loc, index);
}

OpFoldResult IndexMath::add(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return arith::AddIOp::create(builder, loc, value(a), value(b)).getResult();
}

OpFoldResult IndexMath::sub(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x - *y);
  if (a == b)
    return constant(0);
  if (y == 0)
    return a;
  return arith::SubIOp::create(builder, loc, value(a), value(b)).getResult();
}

OpFoldResult IndexMath::mul(OpFoldResult a, int64_t factor) {
  if (auto x = getConstantIntValue(a))
    return constant(*x * factor);
  if (factor == 1)
    return a;
  return arith::MulIOp::create(builder, loc, value(a), value(constant(factor)))
      .getResult();
}

OpFoldResult IndexMath::ceilDiv(OpFoldResult a, int64_t divisor) {
  if (auto x = getConstantIntValue(a))
    return constant(llvm::divideCeil(*x, divisor));
  if (divisor == 1)
    return a;
  return arith::DivUIOp::create(builder, loc,
                                value(add(a, constant(divisor - 1))),
                                value(constant(divisor)))
      .getResult();
}

OpFoldResult IndexMath::max(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(std::max(*x, *y));
  if (a == b)
    return a;
  return arith::MaxSIOp::create(builder, loc, value(a), value(b)).getResult();
}

OpFoldResult IndexMath::min(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(std::min(*x, *y));
  if (a == b)
    return a;
  return arith::MinSIOp::create(builder, loc, value(a), value(b)).getResult();
}

HeldRange shardir::rangeOf(OpBuilder &builder, Location loc,
                           const Localizer &localizer,
                           const Localizer::Global &global, int64_t dim) {
  auto digits = localizer.digits(builder, loc, global, dim);
  // The digits below the one that is cut are whole: a unit of the block.
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
