//===- MaskedExponent.cpp - What a mask empties of gradients --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a backward op that verifies; changes nothing. Guarantees of the
// exponent that what the body yields is linear in its exponential: where a mask
// makes the former -inf (or so low that the latter is 0) nothing is added to
// any gradient.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/Attention/MaskedExponent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

/// True if `value` is 0 where `exponential` is, all other factors being finite.
static bool isZeroWith(Value value, Value exponential) {
  if (value == exponential)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto at = [&](unsigned i) {
    return isZeroWith(op->getOperand(i), exponential);
  };
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp, arith::DivFOp>(op))
    return at(0);
  if (isa<arith::MulFOp>(op))
    return at(0) || at(1);
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return at(0) && at(1);
  if (isa<arith::SelectOp>(op))
    return at(1) && at(2);
  return matchPattern(value, m_AnyZeroFloat());
}

Value shardir::maskedExponent(kernel::AttentionBackwardOp op) {
  Block &body = op.getBody().front();
  Value exponential;
  for (Operation &nested : body)
    if (isa<math::ExpOp>(nested)) {
      if (exponential)
        return {};
      exponential = nested.getResult(0);
    }
  if (!exponential)
    return {};
  for (Value yielded : body.getTerminator()->getOperands())
    if (!isZeroWith(yielded, exponential))
      return {};
  Value x = exponential.getDefiningOp()->getOperand(0);
  if (auto difference = x.getDefiningOp<arith::SubFOp>())
    return difference.getLhs();
  return x;
}
