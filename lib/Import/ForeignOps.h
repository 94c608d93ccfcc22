//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scatters, sorts and scans of other dialects, in generic form, into ops of
// shardir, linalg and scf. Requires what lowers StableHLO and PyTorch to linalg
// to have run; what cannot be read is an error at its op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_FOREIGNOPS_H
#define SHARDIR_LIB_IMPORT_FOREIGNOPS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/Builders.h"

namespace shardir {

/// Both return failure after an error.
mlir::LogicalResult importTmTensor(mlir::Operation *op);
mlir::LogicalResult importStablehloIndexed(mlir::Operation *op);

/// Emits, at the builder's insertion point, what the region of `op` computes of
/// scalars. Its block's arguments are scalars or tensors of rank 0, which
/// `arguments` stand for. Returns what it yields. Tensors of rank 0 from
/// outside are read in front of `op`.
mlir::FailureOr<mlir::Value> emitScalarBody(mlir::OpBuilder &builder,
                                            mlir::Operation *op,
                                            mlir::ValueRange arguments);

/// A scatter whose windows may cover several elements of indexed dims.
struct WindowScatter {
  mlir::Value init;
  mlir::Value indices; ///< rows, batch dims first, then the coordinates
  mlir::Value updates;
  llvm::SmallVector<int64_t> indexDims, batchDims; ///< as in shardir.scatter
  llvm::SmallVector<int64_t> rowDims; ///< of `updates`, in the order of rows
  /// The dim of `updates` for each dim of `init`; -1: one element, or a batch
  /// dim.
  llvm::SmallVector<int64_t> windowDims;
  bool unique = false;
  bool oldFirst = false; ///< the region takes the old element first
};

/// Replaces `op` by the scatter: a row for each element that a window covers of
/// an indexed dim. A window that is not within `init` is skipped as a whole.
mlir::LogicalResult replaceByScatter(mlir::Operation *op,
                                     const WindowScatter &scatter);

/// Replaces `op` by a sort of its operands along its attribute `dimension`.
mlir::LogicalResult replaceBySort(mlir::Operation *op);

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_FOREIGNOPS_H
