//===- SummedProducts.cpp - Sums over a product's batch -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. See SummedProducts.h.
//
//===----------------------------------------------------------------------===//

#include "SummedProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

/// True if the body yields the sum of its two arguments.
static bool addsOnly(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  if (!llvm::hasNItems(body.getOperations(), 2))
    return false;
  Operation &sum = body.front();
  Value added = body.getTerminator()->getOperand(0);
  return isa<arith::AddFOp>(sum) && added == sum.getResult(0) &&
         llvm::is_contained(sum.getOperands(), body.getArgument(0)) &&
         llvm::is_contained(sum.getOperands(), body.getArgument(1));
}

static bool isZero(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.value(), m_AnyZeroFloat());
}

static bool mayChange(linalg::LinalgOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
         !op.hasIndexSemantics();
}

linalg::LinalgOp shardir::summedProduct(linalg::LinalgOp op) {
  if (!mayChange(op) || op.getNumDpsInputs() != 1 ||
      op.getNumReductionLoops() == 0 || !addsOnly(op))
    return {};
  auto product = op->getOperand(0).getDefiningOp<linalg::LinalgOp>();
  if (!mayChange(product) || !product->hasOneUse() ||
      !linalg::isaContractionOpInterface(product) ||
      !isZero(product.getDpsInits()[0]) ||
      getElementTypeOrSelf(product->getResult(0)) !=
          getElementTypeOrSelf(op->getResult(0)))
    return {};
  AffineMap read = op.getIndexingMapsArray()[0],
            made = product.getIndexingMapsArray().back();
  if (!read.isPermutation())
    return {};
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(product);
  if (failed(dims))
    return {};
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (auto [dim, expr] : llvm::enumerate(read.getResults()))
    if (iterators[cast<AffineDimExpr>(expr).getPosition()] ==
            utils::IteratorType::reduction &&
        !llvm::is_contained(dims->batch, made.getDimPosition(dim)))
      return {};
  return product;
}

void shardir::addInProduct(RewriterBase &rewriter, linalg::LinalgOp op,
                           linalg::LinalgOp product) {
  SmallVector<AffineMap> maps = product.getIndexingMapsArray(),
                         sumMaps = op.getIndexingMapsArray();
  // From the sum's loops to dims of the product, and to its loops.
  AffineMap toProduct = inversePermutation(sumMaps[0]).compose(maps.back());
  SmallVector<utils::IteratorType> iterators = product.getIteratorTypesArray();
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      iterators[toProduct.getDimPosition(loop)] = kind;
  maps.back() = sumMaps[1].compose(toProduct);
  auto made = linalg::GenericOp::create(
      rewriter, op.getLoc(), op->getResultTypes(), product.getDpsInputs(),
      op.getDpsInits(), maps, iterators);
  IRMapping mapping;
  product->getRegion(0).cloneInto(&made.getRegion(), mapping);
  rewriter.replaceOp(op, made);
}
