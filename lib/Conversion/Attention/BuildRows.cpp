//===- BuildRows.cpp - Maxima and sums of rows from the op's own ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires the attention op; guarantees that what the program computes of rows
// comes from the op's maxima and sums, brought to the program's shift.
//
//===----------------------------------------------------------------------===//

#include "AttentionRewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

SmallVector<Operand> Rewrite::maxAndShifts(ArrayRef<Value> shifts) {
  SmallVector<Operand> inputs = {{results[1], outerMap()}};
  for (Value leaf : leavesOf(shifts))
    inputs.push_back(operandOf(leaf));
  return inputs;
}

Value Rewrite::shiftedMax(OpBuilder &builder, ValueRange args,
                          ArrayRef<Value> shifts) {
  IRMapping mapping;
  for (auto [leaf, arg] : llvm::zip(leavesOf(shifts), args.drop_front()))
    mapping.map(leaf, arg);
  Value row = args[0];
  for (Value shift : shifts)
    row = arith::SubFOp::create(
        builder, loc, row,
        converted(builder, cloned(builder, shift, mapping), compute));
  return row;
}

/// The first op of the program whose exponentials are those of probabilities.
Operation *Rewrite::firstShifted() {
  Operation *first = product;
  for (auto [sum, own] : llvm::zip(match.sums, match.ownShifts))
    if (!own && sum->isBeforeInBlock(first))
      first = sum;
  return first;
}

/// exp(max - shift), which leads from sums that are shifted by the op's own max
/// to those of the program. The max is -inf where a part has no finite
/// score: 0 then, as such a part is 0 beside others.
Value Rewrite::createFactor(ArrayRef<Value> shifts) {
  SmallVector<AffineExpr> own(numLoops, rewriter.getAffineConstantExpr(0));
  for (auto [position, loop] : llvm::enumerate(match.outer))
    own[loop] = rewriter.getAffineDimExpr(position);
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const Operand &input : maxAndShifts(shifts)) {
    tensors.push_back(input.tensor);
    maps.push_back(
        input.map.replaceDimsAndSymbols(own, {}, match.outer.size(), 0));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(match.outer.size()));
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, results[1]), compute);
  SmallVector<utils::IteratorType> iterators(match.outer.size(),
                                             utils::IteratorType::parallel);
  auto body = [&](OpBuilder &builder, Location, ValueRange args) {
    Value exponent = shiftedMax(builder, args, shifts);
    linalg::YieldOp::create(
        builder, loc, math::ExpOp::create(builder, loc, exponent).getResult());
  };
  return linalg::GenericOp::create(rewriter, loc, empty.getType(), tensors,
                                   empty, maps, iterators, body)
      .getResult(0);
}

void Rewrite::replaceRows() {
  for (auto [max, count] : llvm::zip(match.maxima, match.lowered)) {
    ArrayRef<Value> shifts = ArrayRef(match.shifts).take_front(count);
    replace(max, *match.iterationOf(max), maxAndShifts(shifts),
            /*isSame=*/count == 0, [&](OpBuilder &builder, ValueRange args) {
              return shiftedMax(builder, args, shifts);
            });
  }
  if (!match.shiftIsMax) {
    rewriter.setInsertionPoint(firstShifted());
    factor = createFactor(match.shifts);
  }
  for (auto [sum, own] : llvm::zip(match.sums, match.ownShifts)) {
    SmallVector<Operand> inputs = {{results[2], outerMap()}};
    Value by = factor;
    if (own) {
      rewriter.setInsertionPoint(sum);
      by = createFactor(*own);
    }
    if (by)
      inputs.push_back({by, outerMap()});
    replace(sum, *match.iterationOf(sum), inputs, /*isSame=*/false,
            [&](OpBuilder &builder, ValueRange args) -> Value {
              return by ? arith::MulFOp::create(builder, loc, args[0], args[1])
                              .getResult()
                        : args[0];
            });
  }
}
