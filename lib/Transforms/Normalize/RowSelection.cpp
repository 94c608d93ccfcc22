//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSelection.h"
#include "SplitArgReduction.h"

#include "../Propagate/BroadcastConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace shardir;

/// The constant that all elements of a tensor are; null where there is none.
static TypedAttr constantOf(Value tensor) {
  if (TypedAttr fill = fillOf(tensor))
    return fill;
  Operation *made = tensor.getDefiningOp();
  return made ? broadcastConstant(made) : TypedAttr();
}

bool shardir::scattersOneRow(ScatterRowsOp op) {
  if (!op)
    return false;
  auto rows = op.getIndices().getType().getShape().drop_back();
  return llvm::all_of(rows.drop_front(op.getBatchDims().size()),
                      [](int64_t extent) { return extent == 1; }) &&
         op.getResult().getType().hasStaticShape() &&
         constantOf(op.getInit()) != nullptr;
}

/// Whether `coordinate` is `index`, which is below `extent`: compared in the
/// coordinate's type where that holds all of these, so that vectors have more
/// lanes.
static Value isAt(OpBuilder &b, Location loc, Value coordinate, Value index,
                  int64_t extent) {
  auto type = dyn_cast<IntegerType>(coordinate.getType());
  if (type &&
      (type.getWidth() >= 64 || extent <= int64_t(1) << (type.getWidth() - 1)))
    index = arith::IndexCastOp::create(b, loc, type, index);
  else if (type)
    coordinate =
        arith::IndexCastOp::create(b, loc, index.getType(), coordinate);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, coordinate,
                               index);
}

Value shardir::selectRow(RewriterBase &rewriter, ScatterRowsOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResult().getType();
  int64_t rowDims = op.getNumRowDims(), rank = type.getRank();
  auto loop = [&](int64_t dim) { return rewriter.getAffineDimExpr(dim); };
  AffineExpr zero = rewriter.getAffineConstantExpr(0);
  SmallVector<AffineExpr> row(rowDims, zero);
  for (auto [i, dim] : llvm::enumerate(op.getBatchDims()))
    row[i] = loop(dim);
  auto mapOf = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(rank, 0, results, op.getContext());
  };
  SmallVector<AffineExpr> window(row);
  for (int64_t dim : op.getWindowDims())
    window.push_back(loop(dim));
  SmallVector<Value> inputs = {op.getUpdates()};
  SmallVector<AffineMap> maps = {mapOf(window)};
  for (size_t i = 0; i < op.getIndexDims().size(); ++i) {
    SmallVector<AffineExpr> coordinate(row);
    coordinate.push_back(rewriter.getAffineConstantExpr(int64_t(i)));
    inputs.push_back(op.getIndices());
    maps.push_back(mapOf(coordinate));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  TypedAttr constant = constantOf(op.getInit());
  auto generic = linalg::GenericOp::create(
      rewriter, loc, type, inputs, empty, maps, iterators,
      [&](OpBuilder &b, Location, ValueRange arguments) {
        Value old = arith::ConstantOp::create(b, loc, constant);
        Value isHere;
        for (auto [i, dim] : llvm::enumerate(op.getIndexDims())) {
          Value index = linalg::IndexOp::create(b, loc, dim);
          Value equal =
              isAt(b, loc, arguments[1 + i], index, type.getDimSize(dim));
          isHere =
              isHere ? arith::AndIOp::create(b, loc, isHere, equal) : equal;
        }
        Block &combiner = op.getCombiner().front();
        IRMapping mapping;
        mapping.map(combiner.getArguments(), ValueRange{arguments[0], old});
        for (Operation &each : combiner.without_terminator())
          b.clone(each, mapping);
        Value combined =
            mapping.lookupOrDefault(combiner.getTerminator()->getOperand(0));
        Value selected =
            isHere ? arith::SelectOp::create(b, loc, isHere, combined, old)
                         .getResult()
                   : combined;
        linalg::YieldOp::create(b, loc, selected);
      });
  return generic.getResult(0);
}
