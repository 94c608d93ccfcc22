//===- AttentionTiles.h - Attention in tiles for caches ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the forward and the backward op's tiles: sizes, and which tiles a
// mask leaves nothing of.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOCPU_ATTENTIONTILES_H
#define SHARDIR_LIB_CONVERSION_LINALGTOCPU_ATTENTIONTILES_H

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace shardir {

/// Rows of queries and columns of keys of one tile: its scores take 128 KiB,
/// and packing the keys is little beside multiplying them with so many rows.
constexpr int64_t attentionTileRows = 128, attentionTileColumns = 256;

inline int64_t assumedLoopExtent(int64_t extent) {
  return mlir::ShapedType::isDynamic(extent) ? 1024 : extent;
}
/// The loop of `list` that has the largest extent.
unsigned largestLoop(llvm::ArrayRef<unsigned> list,
                     llvm::ArrayRef<int64_t> extents);

/// Column c has a score in row r only if r + `distance` >= c; others' scores
/// are too low to count.
struct CausalMask {
  unsigned rows, columns;
  int64_t distance;
  /// Numbers that are added to the rows' positions and to the columns'.
  llvm::SmallVector<mlir::Value> rowsBegin, columnsBegin;
  bool isStatic() const { return rowsBegin.empty() && columnsBegin.empty(); }
};

/// A mask of positions, if nothing but it can make scores as low as it does.
std::optional<CausalMask> findCausalMask(kernel::AttentionOp op);
/// The same if neither a probability nor a score's gradient is other than 0
/// where the mask holds, and every row has a score.
std::optional<CausalMask> findCausalMask(kernel::AttentionBackwardOp op);

/// Ends `columns`, a loop over tiles, where no row of the tile that begins at
/// `firstRow` has a score any more.
void endAtMask(mlir::RewriterBase &rewriter, mlir::scf::ForOp columns,
               mlir::Value firstRow, const CausalMask &mask);

/// Of scores of `type` that run over `loops`.
int64_t scoreBytes(mlir::FloatType type, llvm::ArrayRef<unsigned> loops,
                   llvm::ArrayRef<int64_t> extents);

/// Tiles `op` by `sizes`; 0 leaves a dim untiled.
mlir::FailureOr<mlir::scf::SCFTilingResult>
tileBy(mlir::RewriterBase &rewriter, mlir::TilingInterface op,
       llvm::ArrayRef<mlir::OpFoldResult> sizes,
       mlir::scf::SCFTilingOptions::LoopType type);

/// True if its scores are too many to be stored.
bool isWorthTiling(kernel::AttentionBackwardOp op);
mlir::LogicalResult tileAttentionBackward(mlir::RewriterBase &rewriter,
                                          kernel::AttentionBackwardOp op);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOCPU_ATTENTIONTILES_H
