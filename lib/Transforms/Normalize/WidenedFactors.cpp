//===- WidenedFactors.cpp - Products of numbers of 16 bits ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, or local. Requires products on tensors. Guarantees the same
// products: every number of bf16 or f16 is one of f32.
//
//===----------------------------------------------------------------------===//

#include "WidenedFactors.h"

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace shardir;

/// The tensor of bf16 or f16 that `value` is in f32, element by element; null
/// for others.
static Value narrowSource(Value value) {
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumDpsInits() != 1 || generic.getNumReductionLoops() ||
      generic->hasAttr(ShardIRDialect::kPlacements) ||
      generic->hasAttr(ShardIRDialect::kRule) ||
      !llvm::hasNItems(generic.getBody()->getOperations(), 2) ||
      !llvm::all_of(generic.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  auto widened = dyn_cast<arith::ExtFOp>(generic.getBody()->front());
  if (!widened || widened.getIn() != generic.getBody()->getArgument(0) ||
      widened.getOut() != generic.getBody()->getTerminator()->getOperand(0))
    return {};
  Value source = generic.getDpsInputs()[0];
  Type type = getElementTypeOrSelf(source.getType());
  return type.isBF16() || type.isF16() ? source : Value();
}

bool shardir::hasWidenedFactors(linalg::LinalgOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op->hasAttr(ShardIRDialect::kRule) ||
      !(linalg::isaContractionOpInterface(op) ||
        linalg::isaConvolutionOpInterface(op)))
    return false;
  Value left = narrowSource(op->getOperand(0)),
        right = narrowSource(op->getOperand(1));
  return left && right &&
         getElementTypeOrSelf(left) == getElementTypeOrSelf(right);
}

void shardir::readNarrowFactors(RewriterBase &rewriter, linalg::LinalgOp op) {
  Block *body = op.getBlock();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(body);
  for (unsigned i : {0, 1}) {
    Value wide = op->getOperand(i), narrow = narrowSource(wide);
    BlockArgument factor = body->getArgument(i);
    Type type = factor.getType();
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(i, narrow);
      factor.setType(getElementTypeOrSelf(narrow));
    });
    auto widened = arith::ExtFOp::create(rewriter, op.getLoc(), type, factor);
    rewriter.replaceAllUsesExcept(factor, widened, widened);
    if (wide.use_empty())
      rewriter.eraseOp(wide.getDefiningOp());
  }
}
