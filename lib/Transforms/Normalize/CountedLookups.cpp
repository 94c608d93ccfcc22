//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Front ends count indices from the end where they are negative, which numbers
// of loops are not.
//
//===----------------------------------------------------------------------===//

#include "CountedLookups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// The dim along which the elements of a tensor are 0, 1, 2 and so on, where it
/// has no other of more than one element.
static std::optional<int64_t> countedDim(Value tensor) {
  int64_t dim = 0;
  auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>();
  if (expand) {
    RankedTensorType type = expand.getResultType();
    auto isOne = [&](int64_t d) { return type.getDimSize(d) == 1; };
    while (dim < type.getRank() && isOne(dim))
      ++dim;
    for (int64_t d = dim + 1; d < type.getRank(); ++d)
      if (!isOne(d))
        return std::nullopt;
    tensor = expand.getSrc();
  }
  auto counts = tensor.getDefiningOp<linalg::GenericOp>();
  if (!counts || counts.getNumLoops() != 1 || counts->getNumResults() != 1 ||
      !counts.getMatchingIndexingMap(counts.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  Value element = counts.getBody()->getTerminator()->getOperand(0);
  if (!withoutCasts(element).getDefiningOp<linalg::IndexOp>())
    return std::nullopt;
  return dim;
}

/// The loop whose number `index` is, in the body of `op`.
static std::optional<unsigned> countedLoop(linalg::GenericOp op, Value index) {
  index = withoutCasts(index);
  if (auto select = index.getDefiningOp<arith::SelectOp>()) {
    auto isNegative = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!isNegative || isNegative.getPredicate() != arith::CmpIPredicate::slt ||
        isNegative.getLhs() != select.getFalseValue() ||
        !isZeroInteger(isNegative.getRhs()))
      return std::nullopt;
    index = withoutCasts(select.getFalseValue());
  }
  auto element = dyn_cast<BlockArgument>(index);
  if (!element || element.getOwner() != op.getBody())
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(element);
  if (!op.isDpsInput(operand))
    return std::nullopt;
  std::optional<int64_t> dim = countedDim(operand->get());
  if (!dim)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(
      op.getMatchingIndexingMap(operand).getResult(*dim));
  return loop ? std::optional(loop.getPosition()) : std::nullopt;
}

bool shardir::lookUpByLoops(linalg::GenericOp op) {
  bool changed = false;
  for (auto lookup : op.getBody()->getOps<tensor::ExtractOp>())
    for (OpOperand &index : lookup.getIndicesMutable())
      if (std::optional<unsigned> loop = countedLoop(op, index.get())) {
        OpBuilder builder(lookup);
        index.set(linalg::IndexOp::create(builder, lookup.getLoc(), *loop));
        changed = true;
      }
  return changed;
}
