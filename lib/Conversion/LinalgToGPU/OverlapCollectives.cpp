//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled for the GPU, before outlining. Requires collectives and
// gpu.launch ops on memrefs; guarantees that a collective, or a bucket, which
// other work of its block need not wait for is marked `collective.start`, and
// that a collective.wait on its result stands before the first op that may
// touch the result's buffer or write to the operand's, whatever the way to it.
//
// Memory stays bounded: one group of results is allocated ahead of its use, and
// the operand of one collective is freed later than it was. With a memory limit
// neither happens where the limit would be exceeded.
//
// The order of collectives in a block is the same on all ranks (X1), since
// every rank runs the same block.
//
//===----------------------------------------------------------------------===//

#include "BufferReach.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Memory/BufferRoot.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace shardir {
#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

/// The memory that longer live ranges may add at each op.
class Budget {
public:
  /// Without a limit everything is allowed. With one that cannot be compared
  /// with the function's memory, as extents are not known, nothing is.
  Budget(func::FuncOp function, int64_t limit) : limit(limit) {
    known = limit > 0 && function.isPublic() &&
            bufferPeak(function, &use).has_value();
  }

  /// True if the memory of `allocs` may be held at `op`, too.
  bool allows(Operation *op, ArrayRef<memref::AllocOp> allocs) const {
    return limit <= 0 ||
           (known && use.alive.lookup(op) + bytesOf(allocs) <= limit);
  }
  void hold(Operation *op, ArrayRef<memref::AllocOp> allocs) {
    use.alive[op] += bytesOf(allocs);
  }

private:
  int64_t bytesOf(ArrayRef<memref::AllocOp> allocs) const {
    int64_t bytes = 0;
    for (Operation *alloc : allocs)
      bytes += use.allocated.lookup(alloc);
    return bytes;
  }

  int64_t limit;
  bool known;
  OpMemory use;
};

/// True if other ranks take part, in an order that matters.
bool communicates(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return isa_and_present<CollectiveDialect>(inner->getDialect()) ||
                       isa<CallOpInterface>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if the op keeps the GPU busy: worth overlapping with.
bool isWork(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return isa<gpu::LaunchOp, kernel::LibraryMatmulOp,
                   kernel::LibraryAttentionOp, memref::CopyOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

memref::AllocOp allocationOf(Value buffer) {
  Value root = bufferRoot(buffer);
  return root ? root.getDefiningOp<memref::AllocOp>() : memref::AllocOp();
}

/// Moves one collective, or the steps of one bucket: the start up, the wait
/// down.
class Overlap {
public:
  Overlap(ArrayRef<CollectiveOpInterface> steps, Budget &budget,
          const llvm::DenseSet<Operation *> &passable)
      : steps(steps), budget(budget), passable(passable) {}

  /// False if nothing goes on beside the collective, which then stays as it is.
  bool run() {
    for (CollectiveOpInterface op : steps)
      if (!input.add(op.getInput()) || !output.add(op.getOutput()))
        return false;
    // Ops without effects may stand between steps.
    for (CollectiveOpInterface op : steps.drop_back())
      op->moveBefore(steps.back());
    findStart();
    findWait();
    if (!works)
      return false;
    moveStart();
    OpBuilder builder(last);
    for (CollectiveOpInterface op : steps) {
      op->setAttr(kStart, builder.getUnitAttr());
      waits.push_back(WaitOp::create(builder, op->getLoc(), op.getOutput()));
    }
    for (Operation *free : frees)
      free->moveBefore(last);
    return true;
  }

  bool allocatesAhead() const { return !ahead.empty(); }
  ArrayRef<WaitOp> getWaits() const { return waits; }

private:
  /// The operand may be read while it is sent.
  bool inTheWay(Operation *other) const {
    return output.touchedBy(other) || input.writtenBy(other);
  }

  /// Goes up to the first op in the block that the collective may run beside.
  /// The results' allocations and the views of all buffers come along.
  void findStart() {
    SmallVector<memref::AllocOp> results;
    for (CollectiveOpInterface op : steps)
      results.push_back(allocationOf(op.getOutput()));
    llvm::SmallPtrSet<Operation *, 8> definers;
    auto take = [&](Operation *moved) {
      along.push_back(moved);
      for (Value operand : moved->getOperands())
        if (Operation *definer = operand.getDefiningOp())
          definers.insert(definer);
    };
    for (CollectiveOpInterface op : llvm::reverse(steps))
      take(op);
    CollectiveOpInterface front = steps.front();
    for (Operation *before = front->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (definers.contains(before)) {
        auto result = dyn_cast<memref::AllocOp>(before);
        if (result && llvm::is_contained(results, result))
          ahead.push_back(result);
        else if (!isPure(before) && !isa<memref::DimOp>(before))
          break;
        take(before);
        continue;
      }
      if ((communicates(before) && !passable.contains(before)) ||
          inTheWay(before) || (!ahead.empty() && !budget.allows(before, ahead)))
        break;
      // A kernel takes fewer multiprocessors if it asks behind the start.
      if (isWork(before) || (first && isa<kernel::MultiprocessorsOp>(before))) {
        first = before;
        taken = along.size();
      }
    }
    works = first != nullptr;
    // A result that moves past no work is allocated where it was.
    llvm::erase_if(ahead, [&](memref::AllocOp result) {
      return !llvm::is_contained(ArrayRef(along).take_front(taken),
                                 result.getOperation());
    });
  }

  /// Goes down to the first op that needs the collective to be done. Where that
  /// is long after the operand would have been freed, the next collective that
  /// has such an operand ends it, so that only one is kept.
  void findWait() {
    SmallVector<memref::AllocOp> operands; ///< that are freed later
    SmallVector<Operation *> held;         ///< ops at which they are kept
    bool worksBehind = false;
    CollectiveOpInterface end = steps.back();
    for (last = end->getNextNode(); !last->hasTrait<OpTrait::IsTerminator>();
         last = last->getNextNode()) {
      auto free = dyn_cast<memref::DeallocOp>(last);
      if (free && freesOperand(free)) {
        frees.push_back(last);
        if (memref::AllocOp operand = allocationOf(free.getMemref()))
          operands.push_back(operand);
        continue;
      }
      if (inTheWay(last))
        break;
      if (!frees.empty()) {
        auto next = dyn_cast<CollectiveOpInterface>(last);
        if ((worksBehind && next && next.getOutput() &&
             allocationOf(next.getInput())) ||
            !budget.allows(last, operands))
          break;
        held.push_back(last);
      }
      worksBehind |= isWork(last);
    }
    // A kernel that waits for the collective may take all multiprocessors.
    for (Operation *before = last->getPrevNode();
         isa<gpu::LaunchOp>(last) && before != end && !isWork(before) &&
         !communicates(before);
         before = before->getPrevNode())
      if (isa<kernel::MultiprocessorsOp>(before)) {
        last = before;
        break;
      }
    works |= worksBehind;
    for (Operation *longer : held)
      budget.hold(longer, operands);
  }

  void moveStart() {
    if (!first)
      return;
    for (memref::AllocOp result : ahead)
      for (Operation *crossed = first; crossed != result.getOperation();
           crossed = crossed->getNextNode())
        budget.hold(crossed, result);
    for (Operation *moved : llvm::reverse(ArrayRef(along).take_front(taken)))
      moved->moveBefore(first);
  }

  /// True if what is freed is an operand's memory and no result's.
  bool freesOperand(memref::DeallocOp free) {
    Value freed = bufferRoot(free.getMemref());
    auto isInput = [&](CollectiveOpInterface op) {
      return freed == bufferRoot(op.getInput());
    };
    auto isOutput = [&](CollectiveOpInterface op) {
      return freed == bufferRoot(op.getOutput());
    };
    return llvm::any_of(steps, isInput) && llvm::none_of(steps, isOutput);
  }

  ArrayRef<CollectiveOpInterface> steps;
  Budget &budget;
  const llvm::DenseSet<Operation *> &passable;
  BufferReach input, output;
  /// The collectives and what they need, backwards; `taken` of them move.
  SmallVector<Operation *> along;
  size_t taken = 0;
  Operation *first = nullptr;         ///< they start before this
  Operation *last = nullptr;          ///< they are waited for before this
  SmallVector<memref::AllocOp> ahead; ///< results that are made earlier
  SmallVector<Operation *> frees;
  bool works = false;
  SmallVector<WaitOp> waits;
};

struct OverlapCollectivesPass
    : shardir::impl::OverlapCollectivesBase<OverlapCollectivesPass> {
  using OverlapCollectivesBase::OverlapCollectivesBase;

  void runOnOperation() override {
    SmallVector<SmallVector<CollectiveOpInterface>> transfers;
    getOperation().walk([&](CollectiveOpInterface op) {
      if (op.getOutput())
        if (auto steps = stepsOfBucket(op); !steps.empty())
          transfers.push_back(std::move(steps));
    });
    if (transfers.empty())
      return markAllAnalysesPreserved();
    Budget budget(getOperation(), memoryLimit);
    // Started collectives, and their waits, that a later one may start before:
    // a gather need not wait for sums of gradients. Results that are allocated
    // ahead are no such, so that one group of them is.
    llvm::DenseSet<Operation *> passable;
    for (ArrayRef<CollectiveOpInterface> steps : transfers) {
      Overlap overlap(steps, budget, passable);
      if (!overlap.run() || overlap.allocatesAhead())
        continue;
      for (CollectiveOpInterface op : steps)
        passable.insert(op);
      for (Operation *wait : overlap.getWaits())
        passable.insert(wait);
    }
  }
};

} // namespace
