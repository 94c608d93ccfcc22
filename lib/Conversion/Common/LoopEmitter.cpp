//===- LoopEmitter.cpp - Short names for emitting loops -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits arith and scf at the builder's insertion point, which is after what was
// emitted when a call returns. Requires non-negative operands in divisions and
// minima; guarantees that operations on constants are constants.
//
//===----------------------------------------------------------------------===//

#include "LoopEmitter.h"

using namespace mlir;
using namespace shardir;

Index LoopEmitter::rem(Index a, Index b) {
  auto x = known(a), y = known(b);
  if (x && y && *y != 0)
    return constant(*x % *y);
  if (y == 1)
    return constant(0);
  return arith::RemUIOp::create(builder, loc, value(a), value(b)).getResult();
}

Value LoopEmitter::lessThan(Index a, Index b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return arith::ConstantOp::create(builder, loc,
                                     builder.getBoolAttr(*x < *y));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                               value(a), value(b));
}

Value LoopEmitter::equal(Index a, Index b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return arith::ConstantOp::create(builder, loc,
                                     builder.getBoolAttr(*x == *y));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value(a),
                               value(b));
}

Index LoopEmitter::select(Value condition, Index a, Index b) {
  return arith::SelectOp::create(builder, loc, condition, value(a), value(b))
      .getResult();
}

void LoopEmitter::loop(Index from, Index to, Index step,
                       function_ref<void(Index)> body) {
  loop(from, to, step, {}, [&](Index i, ValueRange) -> SmallVector<Value> {
    body(i);
    return {};
  });
}

SmallVector<Value>
LoopEmitter::loop(Index from, Index to, Index step, ValueRange init,
                  function_ref<SmallVector<Value>(Index, ValueRange)> body) {
  auto low = known(from), high = known(to), by = known(step);
  if (low && high && *low >= *high)
    return SmallVector<Value>(init);
  if (low && high && by && *low + *by >= *high)
    return body(from, init);
  auto loop = scf::ForOp::create(builder, loc, value(from), value(to),
                                 value(step), init);
  OpBuilder::InsertionGuard guard(builder);
  if (init.empty())
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  else
    builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(Index(loop.getInductionVar()), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(builder, loc, next);
  return SmallVector<Value>(loop.getResults());
}

void LoopEmitter::forall(Index count, function_ref<void(Index)> body) {
  if (isKnown(count, 0))
    return;
  if (isKnown(count, 1))
    return body(constant(0));
  auto loop = scf::ForallOp::create(builder, loc, ArrayRef<Index>{count},
                                    ValueRange{}, std::nullopt);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getTerminator());
  body(Index(loop.getInductionVars().front()));
}

void LoopEmitter::branch(Value condition, function_ref<void()> then,
                         function_ref<void()> otherwise) {
  if (auto constant = getConstantIntValue(Index(condition))) {
    if (*constant)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  auto branch =
      scf::IfOp::create(builder, loc, condition, static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  then();
  if (otherwise) {
    builder.setInsertionPointToStart(branch.elseBlock());
    otherwise();
  }
}

Value LoopEmitter::zero(Type type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value LoopEmitter::mask(int64_t lanes, Index count) {
  return vector::CreateMaskOp::create(
      builder, loc, VectorType::get(lanes, builder.getI1Type()), value(count));
}

SmallVector<Value> LoopEmitter::transpose(ArrayRef<Value> rows) {
  // Squares of `side` swap their off-diagonal quarters, from small to large.
  int64_t lanes = rows.size();
  SmallVector<Value> result(rows);
  for (int64_t side = 1; side < lanes; side *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      upper.push_back(lane & side ? lanes + lane - side : lane);
      lower.push_back(lane & side ? lanes + lane : lane + side);
    }
    for (int64_t row = 0; row < lanes; ++row) {
      if (row & side)
        continue;
      Value a = result[row], b = result[row + side];
      result[row] = vector::ShuffleOp::create(builder, loc, a, b, upper);
      result[row + side] = vector::ShuffleOp::create(builder, loc, a, b, lower);
    }
  }
  return result;
}
