//===- Transfers.h - What goes on beside work -------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives and copies to the host on buffers, and how far up in their block
// they may start. Used by shardir-overlap-collectives.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_SCHEDULE_TRANSFERS_H
#define SHARDIR_LIB_TRANSFORMS_SCHEDULE_TRANSFERS_H

#include "BufferReach.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Report/StepTime.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <algorithm>
#include <limits>

namespace shardir::beside {

/// True if the op keeps the device busy: worth overlapping with.
bool isWork(mlir::Operation *op);
/// True if other ranks take part in a way that is not followed.
bool isOpaque(mlir::Operation *op);
bool isStarted(mlir::Operation *op);
/// Of the memory that `buffer` is in, if a function's own op makes it.
mlir::memref::AllocOp allocationOf(mlir::Value buffer);

/// The memory that longer live ranges may add at each op.
class Budget {
public:
  /// Without a limit everything is allowed. With one that cannot be compared
  /// with the function's memory, as extents are not known, nothing is.
  Budget(mlir::func::FuncOp function, int64_t limit) : limit(limit) {
    known = limit > 0 && function.isPublic() &&
            bufferPeak(function, &use).has_value();
  }

  /// True if the memory of `allocs` may be held at `op`, too.
  bool allows(mlir::Operation *op,
              llvm::ArrayRef<mlir::memref::AllocOp> allocs) const {
    return limit <= 0 ||
           (known && use.alive.lookup(op) + bytesOf(allocs) <= limit);
  }
  void hold(mlir::Operation *op, llvm::ArrayRef<mlir::memref::AllocOp> allocs) {
    use.alive[op] += bytesOf(allocs);
  }

private:
  int64_t bytesOf(llvm::ArrayRef<mlir::memref::AllocOp> allocs) const {
    int64_t bytes = 0;
    for (mlir::Operation *alloc : allocs)
      bytes += use.allocated.lookup(alloc);
    return bytes;
  }

  int64_t limit;
  bool known;
  OpMemory use;
};

/// The times of ops in the rank's own sequence.
class Work {
public:
  explicit Work(mlir::ModuleOp module) : times(module) {}

  /// Seconds that hide what goes on beside `op`. Collectives in line hide
  /// nothing that needs their links: the slowest ones, as far as this looks.
  double of(mlir::Operation *op);
  /// Seconds of a transfer.
  double secondsOf(mlir::Operation *op);
  void addLinksOf(collective::CollectiveOpInterface op) {
    slowest = std::min(slowest, times.bandwidthOf(op));
  }

private:
  OpTimes times;
  double slowest = std::numeric_limits<double>::infinity();
};

/// Ops in front of a transfer that may run behind its start.
struct WayUp {
  double seconds = 0; ///< that they take
  /// The transfer and what it needs, backwards; `taken` of them move.
  llvm::SmallVector<mlir::Operation *> along;
  size_t taken = 0;
  mlir::Operation *first = nullptr; ///< they move before this
  llvm::SmallVector<mlir::memref::AllocOp>
      ahead; ///< results that are made earlier
};

/// One collective, the steps of one bucket, or a copy to the host or back.
class Transfer {
public:
  Transfer(llvm::SmallVector<mlir::Operation *> steps, Work &work)
      : steps(std::move(steps)), work(work) {}

  /// False if its buffers cannot be followed.
  bool follow() {
    return llvm::all_of(steps, [&](mlir::Operation *op) {
      return input.add(collective::readBuffer(op)) &&
             output.add(collective::writtenBuffer(op));
    });
  }

  /// Marks it as started if that pays. What comes behind it must be marked.
  void start(const Budget &budget);

  /// True if there is work that the start may move before.
  bool canMove(const Budget &budget) const;
  /// Moves the start up past so many seconds of work, or as far as possible.
  void hoist(double bySeconds, Budget &budget);

  llvm::ArrayRef<mlir::Operation *> getSteps() const { return steps; }
  mlir::Operation *last() const { return steps.back(); }
  bool isHostCopy() const { return llvm::isa<collective::HostCopyOp>(last()); }
  double seconds() const { return work.secondsOf(last()); }

  /// The ops of `block` that may run only once this is done.
  llvm::SmallVector<mlir::Operation *> neededBy(mlir::Block &block) const;
  /// True if `free` frees an operand's memory and no result's.
  bool hasOperand(mlir::memref::DeallocOp free) const;

private:
  /// A collective that is started later runs later, as a copy does behind a
  /// copy, and the operand may be read while it is sent.
  bool isNeededBy(mlir::Operation *op) const {
    bool isBehind =
        isStarted(op) && llvm::isa<collective::HostCopyOp>(op) == isHostCopy();
    return !isBehind && touches(op);
  }
  bool touches(mlir::Operation *op) const {
    return output.touchedBy(op) || input.writtenBy(op);
  }
  bool madeBy(mlir::Operation *op,
              llvm::SmallVectorImpl<BufferReach> &reads) const;
  double workBelow(double enough, const Budget &budget) const;
  WayUp wayUp(double enough, const Budget &budget) const;

  llvm::SmallVector<mlir::Operation *> steps;
  Work &work;
  BufferReach input, output;
};

} // namespace shardir::beside

#endif // SHARDIR_LIB_TRANSFORMS_SCHEDULE_TRANSFERS_H
