//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SpreadOperands.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "SpreadOperands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

/// out + in0 * in1, in any order.
static bool sumsProducts(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  Block &body = *op.getBody();
  Value a = body.getArgument(0), b = body.getArgument(1),
        out = body.getArgument(2);
  Operation *sum = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum))
    return false;
  bool isFirst = sum->getOperand(0) == out;
  Operation *product = sum->getOperand(isFirst ? 1 : 0).getDefiningOp();
  if (sum->getOperand(isFirst ? 0 : 1) != out ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return false;
  Value x = product->getOperand(0), y = product->getOperand(1);
  return (x == a && y == b) || (x == b && y == a);
}

static bool isZeros(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// True if zeros stand before, between or behind what is inserted along `dim`.
static bool isSpread(tensor::InsertSliceOp insert, int64_t dim) {
  return insert.getStaticSizes()[dim] != insert.getType().getDimSize(dim);
}

OpOperand *shardir::findSpreadOperand(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || !sumsProducts(op))
    return nullptr;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto insert = input->get().getDefiningOp<tensor::InsertSliceOp>();
    if (!insert || !insert.getType().hasStaticShape() ||
        insert.getSourceType().getRank() != insert.getType().getRank() ||
        !insert.getOffsets().empty() || !insert.getSizes().empty() ||
        !insert.getStrides().empty() || !isZeros(insert.getDest()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    auto isSummed = [&](int64_t dim) {
      auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
      return loop && !result.isFunctionOfDim(loop.getPosition()) &&
             llvm::count_if(map.getResults(), [&](AffineExpr each) {
               return each.isFunctionOfDim(loop.getPosition());
             }) == 1;
    };
    bool isAny = false, isAll = true;
    for (int64_t dim = 0; dim < insert.getType().getRank(); ++dim) {
      isAny |= isSpread(insert, dim);
      isAll &= !isSpread(insert, dim) || isSummed(dim);
    }
    if (isAny && isAll)
      return input;
  }
  return nullptr;
}

void shardir::readWithoutZeros(RewriterBase &rewriter, linalg::GenericOp op,
                               OpOperand &spread) {
  auto insert = spread.get().getDefiningOp<tensor::InsertSliceOp>();
  AffineMap map = op.getMatchingIndexingMap(&spread);
  SmallVector<AffineExpr> loops;
  for (int64_t loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(rewriter.getAffineDimExpr(loop));
  for (int64_t dim = 0; dim < map.getNumResults(); ++dim)
    if (isSpread(insert, dim)) {
      AffineExpr loop = map.getResult(dim);
      loops[cast<AffineDimExpr>(loop).getPosition()] =
          loop * insert.getStaticStrides()[dim] +
          insert.getStaticOffsets()[dim];
    }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [number, each] : llvm::enumerate(maps))
    if (number != spread.getOperandNumber())
      each = each.replaceDimsAndSymbols(loops, {}, op.getNumLoops(), 0);
  rewriter.modifyOpInPlace(op, [&] {
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    spread.set(insert.getSource());
  });
  for (Operation *made :
       {insert.getOperation(), insert.getDest().getDefiningOp()})
    if (made && isOpTriviallyDead(made))
      rewriter.eraseOp(made);
}
