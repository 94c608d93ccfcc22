//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies what the GPU's libraries compute.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace shardir::kernel;

static Type elementOf(Value buffer) {
  return getElementTypeOrSelf(buffer.getType());
}

LogicalResult LibraryMatmulOp::verify() {
  constexpr size_t count = 10;
  if (getNumbers().size() != count)
    return emitOpError("needs ")
           << count << " numbers (m, n, k, batch, three strides of rows, three "
           << "of products), found " << getNumbers().size();
  Type a = elementOf(getA()), c = elementOf(getC());
  if (!a.isBF16() && !a.isF16() && !a.isF32())
    return emitOpError("takes elements of bf16, f16 or f32, found ") << a;
  if (elementOf(getB()) != a)
    return emitOpError("needs operands of one element type, found ")
           << a << " and " << elementOf(getB());
  if (c != a && !c.isF32())
    return emitOpError("gives elements of its operands' type or f32, found ")
           << c;
  if (getBias() && elementOf(getBias()) != c)
    return emitOpError("needs a bias of the result's element type ")
           << c << ", found " << elementOf(getBias());
  return success();
}

LogicalResult LibraryAttentionOp::verify() {
  constexpr size_t count = 19;
  if (getNumbers().size() != count)
    return emitOpError("needs ")
           << count << " numbers (batch, query heads, key heads, two of "
           << "positions, two of rows' elements, twelve strides), found "
           << getNumbers().size();
  Type element = elementOf(getQuery());
  if (!element.isBF16() && !element.isF16())
    return emitOpError("takes elements of bf16 or f16, found ") << element;
  for (Value other : {getKey(), getValue(), getResult()})
    if (elementOf(other) != element)
      return emitOpError("needs buffers of one element type, found ")
             << element << " and " << elementOf(other);
  if (!getScale().isFinite() || getScale().isNegative() || getScale().isZero())
    return emitOpError("needs a finite scale above 0, found ")
           << getScaleAttr().getValueAsDouble();
  return success();
}
