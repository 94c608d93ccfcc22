//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: scheduled for the GPU, before outlining. Requires collectives and
// gpu.launch ops on memrefs; guarantees that a collective which other work of
// its block need not wait for is marked `collective.start`, and that a
// collective.wait on its result stands before the first op that may touch the
// result's buffer or write to the operand's, whatever the way to it.
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
#include "ShardIR/Memory/BufferPeak.h"

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
    MeshTable meshes(function->getParentOp());
    known = limit > 0 && function.isPublic() &&
            bufferPeak(function, meshes, &use).has_value();
  }

  /// True if the memory of `alloc` may be held at `op`, too.
  bool allows(Operation *op, Operation *alloc) const {
    return limit <= 0 ||
           (known &&
            use.alive.lookup(op) + use.allocated.lookup(alloc) <= limit);
  }
  void hold(Operation *op, Operation *alloc) {
    use.alive[op] += use.allocated.lookup(alloc);
  }

private:
  int64_t limit;
  bool known;
  BufferUse use;
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
        return isa<gpu::LaunchOp, memref::CopyOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

memref::AllocOp allocationOf(Value buffer) {
  Value root = BufferReach::rootOf(buffer);
  return root ? root.getDefiningOp<memref::AllocOp>() : memref::AllocOp();
}

/// Moves one collective: its start up, its wait down.
class Overlap {
public:
  Overlap(CollectiveOpInterface op, Budget &budget,
          const llvm::DenseSet<Operation *> &passable)
      : op(op), budget(budget), passable(passable) {}

  /// False if nothing goes on beside the collective, which then stays as it is.
  bool run() {
    if (!input.add(op.getInput()) || !output.add(op.getOutput()))
      return false;
    findStart();
    findWait();
    if (!works)
      return false;
    moveStart();
    OpBuilder builder(last);
    op->setAttr(kStart, builder.getUnitAttr());
    wait = WaitOp::create(builder, op->getLoc(), op.getOutput());
    for (Operation *free : frees)
      free->moveBefore(last);
    return true;
  }

  bool allocatesAhead() const { return ahead; }
  WaitOp getWait() const { return wait; }

private:
  /// The operand may be read while it is sent.
  bool inTheWay(Operation *other) const {
    return output.touchedBy(other) || input.writtenBy(other);
  }

  /// Goes up to the first op in the block that the collective may run beside.
  /// The result's allocation and the views of both buffers come along.
  void findStart() {
    memref::AllocOp result = allocationOf(op.getOutput());
    llvm::SmallPtrSet<Operation *, 8> definers;
    auto take = [&](Operation *moved) {
      along.push_back(moved);
      for (Value operand : moved->getOperands())
        if (Operation *definer = operand.getDefiningOp())
          definers.insert(definer);
    };
    take(op);
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (definers.contains(before)) {
        if (before == result)
          ahead = result;
        else if (!isPure(before) && !isa<memref::DimOp>(before))
          break;
        take(before);
        continue;
      }
      if ((communicates(before) && !passable.contains(before)) ||
          inTheWay(before) || (ahead && !budget.allows(before, ahead)))
        break;
      if (isWork(before)) {
        first = before;
        taken = along.size();
      }
    }
    works = first != nullptr;
    // What is moved past no work is allocated where it was.
    if (!llvm::is_contained(ArrayRef(along).take_front(taken),
                            ahead.getOperation()))
      ahead = {};
  }

  /// Goes down to the first op that needs the collective to be done. Where that
  /// is long after the operand would have been freed, the next collective that
  /// has such an operand ends it, so that only one is kept.
  void findWait() {
    memref::AllocOp operand = allocationOf(op.getInput());
    bool worksBehind = false;
    for (last = op->getNextNode(); !last->hasTrait<OpTrait::IsTerminator>();
         last = last->getNextNode()) {
      auto free = dyn_cast<memref::DeallocOp>(last);
      if (free && freesOperand(free)) {
        frees.push_back(last);
        continue;
      }
      if (inTheWay(last))
        break;
      if (!frees.empty()) {
        auto next = dyn_cast<CollectiveOpInterface>(last);
        if ((worksBehind && next && next.getOutput() &&
             allocationOf(next.getInput())) ||
            !budget.allows(last, operand))
          break;
        held.push_back(last);
      }
      worksBehind |= isWork(last);
    }
    works |= worksBehind;
    for (Operation *longer : held)
      budget.hold(longer, operand);
  }

  void moveStart() {
    if (!first)
      return;
    for (Operation *crossed = first; ahead && crossed != ahead.getOperation();
         crossed = crossed->getNextNode())
      budget.hold(crossed, ahead);
    for (Operation *moved : llvm::reverse(ArrayRef(along).take_front(taken)))
      moved->moveBefore(first);
  }

  /// True if what is freed is the operand's memory and not the result's.
  bool freesOperand(memref::DeallocOp free) {
    Value freed = BufferReach::rootOf(free.getMemref());
    return freed == BufferReach::rootOf(op.getInput()) &&
           freed != BufferReach::rootOf(op.getOutput());
  }

  CollectiveOpInterface op;
  Budget &budget;
  const llvm::DenseSet<Operation *> &passable;
  BufferReach input, output;
  /// The collective and what it needs, backwards; `taken` of them move.
  SmallVector<Operation *> along;
  size_t taken = 0;
  Operation *first = nullptr; ///< it starts before this
  Operation *last = nullptr;  ///< it is waited for before this
  memref::AllocOp ahead;      ///< the result's, if it is made earlier
  SmallVector<Operation *> frees;
  SmallVector<Operation *> held; ///< ops at which the operand is kept
  bool works = false;
  WaitOp wait;
};

struct OverlapCollectivesPass
    : shardir::impl::OverlapCollectivesBase<OverlapCollectivesPass> {
  using OverlapCollectivesBase::OverlapCollectivesBase;

  void runOnOperation() override {
    SmallVector<CollectiveOpInterface> steps;
    getOperation().walk([&](CollectiveOpInterface op) {
      if (op.getOutput())
        steps.push_back(op);
    });
    if (steps.empty())
      return markAllAnalysesPreserved();
    Budget budget(getOperation(), memoryLimit);
    // Started collectives, and their waits, that a later one may start before:
    // a gather need not wait for sums of gradients. Results that are allocated
    // ahead are no such, so that one group of them is.
    llvm::DenseSet<Operation *> passable;
    for (CollectiveOpInterface op : steps) {
      Overlap overlap(op, budget, passable);
      if (!overlap.run() || overlap.allocatesAhead())
        continue;
      passable.insert(op);
      passable.insert(overlap.getWait());
    }
  }
};

} // namespace
