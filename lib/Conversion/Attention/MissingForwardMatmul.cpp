//===- MissingForwardMatmul.cpp - The result where gradients alone are wanted
//----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backward pass that recomputes probabilities, as that of a checkpointed
// layer of a loop, needs no product with the values. Attention has one: its
// sums give those of gradients' rows. Requires what the matcher has found;
// guarantees a product that nothing uses yet.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

Operation *shardir::addProduct(RewriterBase &rewriter,
                               const MissingForwardMatmul &absent) {
  MLIRContext *context = rewriter.getContext();
  linalg::LinalgOp gradient = absent.gradient.op;
  // The loops of the gradient's product in those of the scores; what it sums
  // over comes behind them.
  unsigned next = absent.numLoops;
  SmallVector<AffineExpr> loops(gradient.getNumLoops());
  AffineMap made =
      gradient.getIndexingMapMatchingResult(gradient->getResult(0));
  for (auto [expr, loop] : llvm::zip(made.getResults(), absent.gradientLoops))
    loops[cast<AffineDimExpr>(expr).getPosition()] =
        loop < 0 ? getAffineConstantExpr(0, context)
                 : getAffineDimExpr(loop, context);
  for (AffineExpr &loop : loops)
    if (!loop)
      loop = getAffineDimExpr(next++, context);
  AffineMap map;
  Value value;
  for (OpOperand *operand : {absent.gradient.left, absent.gradient.right}) {
    AffineMap own =
        gradient.getMatchingIndexingMap(operand).replaceDimsAndSymbols(
            loops, {}, next, 0);
    if (!llvm::all_of(absent.columns, [&](unsigned column) {
          return own.isFunctionOfDim(column);
        }))
      continue;
    if (value)
      return nullptr;
    value = operand->get();
    map = own;
  }
  if (!value)
    return nullptr;

  Value probabilities = absent.probabilities;
  SmallVector<AffineExpr> in, out;
  SmallVector<OpFoldResult> sizes;
  SmallVector<utils::IteratorType> iterators(next,
                                             utils::IteratorType::parallel);
  rewriter.setInsertionPointAfterValue(probabilities);
  if (Operation *producer = value.getDefiningOp();
      producer && producer->getBlock() == gradient->getBlock() &&
      !producer->isBeforeInBlock(&*rewriter.getInsertionPoint()))
    rewriter.setInsertionPointAfter(producer);
  Location loc = gradient.getLoc();
  for (int64_t loop : absent.loops)
    in.push_back(loop < 0 ? getAffineConstantExpr(0, context)
                          : getAffineDimExpr(loop, context));
  AffineMap inMap = AffineMap::get(next, 0, in, context);
  for (unsigned loop = 0; loop < next; ++loop) {
    AffineExpr expr = getAffineDimExpr(loop, context);
    bool isColumn = llvm::is_contained(absent.columns, loop);
    bool inFirst = llvm::is_contained(inMap.getResults(), expr);
    if (!inFirst && !map.isFunctionOfDim(loop))
      return nullptr;
    if (isColumn) {
      iterators[loop] = utils::IteratorType::reduction;
      continue;
    }
    out.push_back(expr);
    AffineMap known = inFirst ? inMap : map;
    sizes.push_back(tensor::getMixedSize(
        rewriter, loc, inFirst ? probabilities : value,
        llvm::find(known.getResults(), expr) - known.getResults().begin()));
  }
  auto elementOf = [](Value tensor) {
    return cast<FloatType>(
        cast<RankedTensorType>(tensor.getType()).getElementType());
  };
  FloatType type = elementOf(gradient->getResult(0));
  for (Value tensor : {probabilities, value})
    if (elementOf(tensor).getWidth() > type.getWidth())
      type = elementOf(tensor);
  if (type.getWidth() < 32)
    type = rewriter.getF32Type();
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getFloatAttr(type, 0));
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, type);
  Value init = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
  return linalg::GenericOp::create(
      rewriter, loc, init.getType(), ValueRange{probabilities, value}, init,
      ArrayRef<AffineMap>{inMap, map, AffineMap::get(next, 0, out, context)},
      iterators, [&](OpBuilder &builder, Location at, ValueRange args) {
        auto wide = [&](Value element) -> Value {
          return element.getType() == type
                     ? element
                     : arith::ExtFOp::create(builder, at, type, element);
        };
        Value term =
            arith::MulFOp::create(builder, at, wide(args[0]), wide(args[1]));
        linalg::YieldOp::create(
            builder, at,
            arith::AddFOp::create(builder, at, args[2], term).getResult());
      });
}
