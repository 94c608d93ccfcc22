//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds while it emits. Requires an insertion point; guarantees arith ops on
// index, signed but for divisions, whose results stay in the range of their
// operands' sums and products.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Interfaces/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
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

OpFoldResult IndexMath::mul(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x * *y);
  if (x == 0 || y == 0)
    return constant(0);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return arith::MulIOp::create(builder, loc, value(a), value(b)).getResult();
}

OpFoldResult IndexMath::div(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y && *y != 0)
    return constant(*x / *y);
  if (y == 1)
    return a;
  return arith::DivUIOp::create(builder, loc, value(a), value(b)).getResult();
}

OpFoldResult IndexMath::ceilDiv(OpFoldResult a, int64_t divisor) {
  return divisor == 1 ? a : div(add(a, constant(divisor - 1)), divisor);
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
