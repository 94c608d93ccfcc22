//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes that one device holds at one time.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_MEMORY_PEAKMEMORY_H
#define SHARDIR_MEMORY_PEAKMEMORY_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

/// Bytes of the largest shard of a tensor; 0 for what is not a tensor. Unknown
/// extents count as assumed (P6 of docs/Semantics.md).
int64_t localBytes(mlir::Type type, PlacementAttr placement,
                   const MeshTable &meshes);

/// Whether the result of `op` has the memory of its first operand.
bool isViewOfOperand(mlir::Operation *op);

/// Whether `value`, a tensor, is stored, and not in the memory of an operand or
/// of what is made of it.
bool hasOwnMemory(mlir::OpResult value);

/// A tensor or buffer that is alive at the peak. Of results that share memory
/// it is the last one made.
struct HeldValue {
  mlir::Value value;
  int64_t bytes = 0;
};

struct MemoryPeak {
  int64_t bytes = 0;
  mlir::Operation *op = nullptr; ///< the first at which so much is alive;
                                 ///< null: arguments alone
  llvm::SmallVector<HeldValue> held = {}; ///< alive there, largest first
  /// The most that the host's memory holds for the device at one time; on
  /// buffers alone.
  int64_t hostBytes = 0;
};

/// Sorts by bytes, the largest first; equal ones keep their order.
void sortHeld(llvm::SmallVectorImpl<HeldValue> &held);

/// The most that is alive at one time on the device that has most: arguments
/// throughout, other values from the op that makes them to their last use. A
/// destination-style result takes its init's memory, a view its source's.
/// Requires one block, and placements or local types.
/// `alive`, if given, gets the bytes that are alive at each op of the body.
/// With `resultsFirst` the function's results have their memory from the start,
/// as a program on buffers has. Values made in a loop's body are alive
/// together, as buffers that are made once, ahead of the loop; with
/// `sharesInLoops` to their last use alone, which is the least they may take.
MemoryPeak
peakMemory(mlir::func::FuncOp function, const MeshTable &meshes,
           llvm::DenseMap<mlir::Operation *, int64_t> *alive = nullptr,
           bool resultsFirst = false, bool sharesInLoops = false);

} // namespace shardir

#endif // SHARDIR_MEMORY_PEAKMEMORY_H
