//===- BufferUse.h - Which ops may change places ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffers that linalg ops read and write, so that schedules can fuse
// neighbours. Different allocations and arguments are different memory.
// Read-only queries.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_BUFFERUSE_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_BUFFERUSE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace shardir {

/// The buffers that an op touches, loads by index in its body included.
struct BufferUse {
  llvm::SmallVector<mlir::Value> reads, writes;

  bool writesAny(llvm::ArrayRef<mlir::Value> buffers) const;
  bool readsAny(llvm::ArrayRef<mlir::Value> buffers) const;
};

BufferUse bufferUseOf(mlir::linalg::LinalgOp op);

/// True if two ops may change places.
bool independent(const BufferUse &a, const BufferUse &b);

/// True if `op` touches no memory that exists: any op may pass it.
bool isQuiet(mlir::Operation *op);

/// True if `op` or something in it uses the buffer that `view` is a view of.
bool touches(mlir::Operation *op, mlir::Value view);

/// The users of the buffer of `view` other than `members`.
struct OtherUses {
  /// Something may read what members write, or the buffer lives on.
  bool escapes = false;
  /// Frees in the block of `last` that stand before it.
  llvm::SmallVector<mlir::Operation *> earlyFrees;
};
OtherUses otherUsesOf(mlir::Value view,
                      const llvm::SmallPtrSetImpl<mlir::Operation *> &members,
                      mlir::Operation *last);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_BUFFERUSE_H
