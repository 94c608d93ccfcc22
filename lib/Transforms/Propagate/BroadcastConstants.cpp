//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to propagated. Requires structured ops as they are in IR;
// guarantees that what replaces one gives the same elements, whatever its init
// holds. Constants with dims are left alone: what is read of them has to lie as
// the result does.
//
//===----------------------------------------------------------------------===//

#include "BroadcastConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

TypedAttr shardir::broadcastConstant(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured || isa<linalg::FillOp>(op) ||
      !structured.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      structured.getNumDpsInputs() != 1 ||
      structured.getNumParallelLoops() != structured.getNumLoops() ||
      !structured.getMatchingIndexingMap(structured.getDpsInitOperand(0))
           .isPermutation())
    return {};
  OpOperand *read = structured.getDpsInputOperand(0);
  auto type = dyn_cast<RankedTensorType>(read->get().getType());
  if (!type || type.getRank() != 0 ||
      structured.getBlock()->getTerminator()->getOperand(0) !=
          structured.getMatchingBlockArgument(read))
    return {};
  DenseElementsAttr constant;
  if (!matchPattern(read->get(), m_Constant(&constant)))
    return {};
  auto scalar = dyn_cast<TypedAttr>(constant.getSplatValue<Attribute>());
  return scalar && arith::ConstantOp::isBuildableWith(scalar,
                                                      type.getElementType())
             ? scalar
             : TypedAttr();
}

void shardir::fillBroadcastConstants(Operation *root) {
  SmallVector<linalg::LinalgOp> found;
  root->walk([&](linalg::LinalgOp op) {
    if (broadcastConstant(op))
      found.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : found) {
    rewriter.setInsertionPoint(op);
    Value scalar =
        arith::ConstantOp::create(rewriter, op.getLoc(), broadcastConstant(op));
    auto fill = linalg::FillOp::create(rewriter, op.getLoc(), scalar,
                                       op.getDpsInits()[0]);
    for (NamedAttribute attr : op->getDiscardableAttrs())
      fill->setDiscardableAttr(attr.getName(), attr.getValue());
    rewriter.replaceOp(op, fill);
  }
}
