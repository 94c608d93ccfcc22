//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the attention op is tiled. Outer loops and n may be cut anywhere: a tile
// of n continues what acc, max and sum hold, so a loop over such tiles that
// carries the three gives what one op gives. k and v stay whole: a score is not
// linear in parts of k, and tiles of v would each count the sum.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getNumLoops(),
                                         utils::IteratorType::reduction);
  for (unsigned loop : getLoops().outer())
    types[loop] = utils::IteratorType::parallel;
  return types;
}

SmallVector<Range> AttentionOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  for (OpFoldResult extent : getLoopExtents(builder))
    domain.push_back(
        {builder.getIndexAttr(0), extent, builder.getIndexAttr(1)});
  return domain;
}

/// Where a tile lies in an operand, by its map.
static void positionOf(OpBuilder &builder, AffineMap map,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes,
                       SmallVectorImpl<OpFoldResult> &at,
                       SmallVectorImpl<OpFoldResult> &extents) {
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    at.push_back(loop ? offsets[loop.getPosition()]
                      : OpFoldResult(builder.getIndexAttr(0)));
    extents.push_back(loop ? sizes[loop.getPosition()]
                           : OpFoldResult(builder.getIndexAttr(1)));
  }
}

FailureOr<TilingResult>
AttentionOp::getTiledImplementation(OpBuilder &builder,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  Loops loops = getLoops();
  SmallVector<int64_t> known = getStaticLoopExtents();
  SmallVector<OpFoldResult> extents = getLoopExtents(builder);
  for (unsigned loop : llvm::concat<unsigned>(loops.k, loops.v))
    if (!isConstantIntValue(offsets[loop], 0) ||
        !isEqualConstantIntOrValue(sizes[loop], extents[loop])) {
      if (ShapedType::isDynamic(known[loop]))
        continue;
      return emitOpError("cannot be tiled along loop ")
             << loop << ", which is summed in scores or runs in values alone";
    }

  Location loc = getLoc();
  SmallVector<Value> operands;
  SmallVector<Operation *> slices;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    SmallVector<OpFoldResult> at, size;
    positionOf(builder, getMap(operand), offsets, sizes, at, size);
    SmallVector<OpFoldResult> strides(at.size(), builder.getIndexAttr(1));
    if (isa<MemRefType>(operand.get().getType())) {
      operands.push_back(memref::SubViewOp::create(builder, loc, operand.get(),
                                                   at, size, strides));
      continue;
    }
    auto slice = tensor::ExtractSliceOp::create(builder, loc, operand.get(), at,
                                                size, strides);
    slices.push_back(slice);
    operands.push_back(slice);
  }
  SmallVector<Type> types;
  if (hasPureTensorSemantics())
    for (Value init : ArrayRef<Value>(operands).take_back(3))
      types.push_back(init.getType());
  Operation *tile = mlir::clone(builder, getOperation(), types, operands);
  // Bodies count from the whole op's beginning.
  tile->walk([&](LoopIndexOp index) {
    OpFoldResult offset = offsets[index.getLoop()];
    if (isConstantIntValue(offset, 0))
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(index);
    Value start = getValueOrCreateConstantIndexOp(builder, loc, offset);
    auto sum = arith::AddIOp::create(builder, loc, index.getResult(), start);
    index.getResult().replaceAllUsesExcept(sum, sum);
  });
  return TilingResult{{tile}, SmallVector<Value>(tile->getResults()), slices};
}

LogicalResult AttentionOp::getResultTilePosition(
    OpBuilder &builder, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  positionOf(builder, getMap(getNumOperands() - 3 + resultNumber), offsets,
             sizes, resultOffsets, resultSizes);
  return success();
}

FailureOr<TilingResult>
AttentionOp::generateResultTileValue(OpBuilder &builder, unsigned resultNumber,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> extents = getLoopExtents(builder);
  SmallVector<OpFoldResult> at(extents.size(), builder.getIndexAttr(0));
  AffineMap map = getMap(getNumOperands() - 3 + resultNumber);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    at[loop] = offsets[dim];
    extents[loop] = sizes[dim];
  }
  FailureOr<TilingResult> result = getTiledImplementation(builder, at, extents);
  if (failed(result))
    return failure();
  if (!result->tiledValues.empty())
    result->tiledValues = {result->tiledValues[resultNumber]};
  return result;
}
