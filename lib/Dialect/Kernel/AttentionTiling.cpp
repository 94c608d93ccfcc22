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
// carries the three gives what one op gives. k and v stay untiled: a score is
// not linear in parts of k, and tiles of v would each count the sum.
//
//===----------------------------------------------------------------------===//

#include "LoopMaps.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace shardir::kernel;

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getNumLoops(),
                                         utils::IteratorType::reduction);
  for (unsigned loop : getLoops().outer())
    types[loop] = utils::IteratorType::parallel;
  return types;
}

SmallVector<Range> AttentionOp::getIterationDomain(OpBuilder &builder) {
  return LoopMaps(*this, getIndexingMaps()).domain(builder);
}

FailureOr<TilingResult>
AttentionOp::getTiledImplementation(OpBuilder &builder,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  Loops loops = getLoops();
  return LoopMaps(*this, getIndexingMaps())
      .tiled(builder, offsets, sizes, {loops.k, loops.v},
             "is summed in scores or runs in values alone");
}

LogicalResult AttentionOp::getResultTilePosition(
    OpBuilder &builder, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  LoopMaps(*this, getIndexingMaps())
      .positionOf(builder, getNumOperands() - 3 + resultNumber, offsets, sizes,
                  resultOffsets, resultSizes);
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
