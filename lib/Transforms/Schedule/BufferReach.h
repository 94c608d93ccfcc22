//===- BufferReach.h - Who may touch a buffer -------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An alias analysis of one buffer, for host code around launches: which ops may
// read it, and which may write to it or free it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_SCHEDULE_BUFFERREACH_H
#define SHARDIR_LIB_TRANSFORMS_SCHEDULE_BUFFERREACH_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace shardir {

/// A buffer, and every value through which an op could access it.
class BufferReach {
public:
  /// False where the buffer cannot be followed: control flow or a call makes
  /// it or takes it.
  bool add(mlir::Value buffer);

  /// True if `op` may access the memory. Ops without memory effects, such as
  /// views, do not.
  bool touchedBy(mlir::Operation *op) const;

  /// True if `op` may write there, or free it.
  bool writtenBy(mlir::Operation *op) const;

  /// The ops of `block` that it is used by, or inside of, each once.
  llvm::SetVector<mlir::Operation *> users(mlir::Block &block) const;

private:
  bool uses(mlir::Operation *op) const;
  bool writes(mlir::Operation *op) const;

  llvm::SmallPtrSet<mlir::Value, 16> values;
};

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_SCHEDULE_BUFFERREACH_H
