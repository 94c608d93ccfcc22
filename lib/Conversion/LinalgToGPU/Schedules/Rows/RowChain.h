//===- RowChain.h - Successive ops on the same rows -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds what one kernel can do around a reduction: the maps before and behind
// it and further reductions over the same loops, as in a softmax or a norm. A
// question about the IR that changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ROWS_ROWCHAIN_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ROWS_ROWCHAIN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace shardir {

struct ChainMember {
  enum class Kind {
    /// One value per element, per row, or a row's combination of elements.
    Elements,
    Rows,
    Reduction,
  };
  mlir::linalg::LinalgOp op;
  Kind kind = Kind::Elements;
  /// By loop of the op: the dim of the chain's domain that it runs along.
  llvm::SmallVector<int> dims;
};

/// Ops of one block, in its order. The domain's dims are the loops of the
/// reduction that the chain was found from.
struct RowChain {
  llvm::SmallVector<ChainMember> members;
  llvm::SmallVector<int> rows, columns;
  /// Buffers that hold one scalar before the first member runs, and the fill.
  llvm::MapVector<mlir::Value, mlir::linalg::FillOp> fills;
  /// Those fills that are not needed behind the chain.
  llvm::SmallVector<mlir::linalg::FillOp> deadFills;
  /// Buffers that members write of which something else reads the outcome.
  llvm::SmallVector<mlir::Value> escaping;
  /// Frees of buffers that the chain uses and that stand before its end.
  llvm::SmallVector<mlir::Operation *> earlyFrees;

  bool writes(mlir::Value buffer) const;
};

/// True if `op` is a reduction of which every result has a combiner.
bool isCombiningReduction(mlir::linalg::LinalgOp op);

/// The chain around `reduction`; at least that op alone. With `alone`, only its
/// fills join it. All members may run where the last one stands; buffers that
/// do not escape need not be written.
RowChain findRowChain(mlir::linalg::LinalgOp reduction, bool alone);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ROWS_ROWCHAIN_H
