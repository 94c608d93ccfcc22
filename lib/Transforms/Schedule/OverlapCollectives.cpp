//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized, for GPUs behind shardir-schedule-for-gpu. Requires
// collectives on memrefs and kernels that no function has yet; guarantees that
// a collective, a bucket, or a copy to the host or back, which other work of
// its block need not wait for is marked `collective.start`, and that a
// collective.wait on its result stands before the first op that may touch the
// result's buffer or write to the operand's, whatever the way to it.
//
// Started collectives run one after the other, beside the rank's own sequence
// (StepTime.h), and so do started copies, beside both. A collective starts just
// so early that it, and what starts meanwhile, takes no longer than the work in
// between, and is waited for once it should be done: results are allocated, and
// operands kept, no longer than that. With a memory limit neither happens where
// the limit would be exceeded.
//
// The order of collectives in a block is the same on all ranks (X1), since
// every rank runs the same block.
//
//===----------------------------------------------------------------------===//

#include "TransferTimings.h"
#include "Transfers.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Memory/BufferRoot.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallBitVector.h"

namespace shardir {
#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "ShardIR/Transforms/Schedule/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;
using namespace shardir::beside;

namespace {

/// Of a collective's time, what may pass beyond its predicted end before its
/// operand's memory is worth a wait.
constexpr double kPatience = 0.5;

/// Plays a block as predictStep does.
class Playback {
public:
  Playback(Block &block, ArrayRef<Transfer *> started, Budget &budget,
           Work &work);

  /// When the transfers take place where they stand now.
  std::vector<TransferTiming> timings();
  void placeWaits();

private:
  struct Open {
    size_t index; ///< in `transfers`
    double end;
    /// Of operands, which are freed later.
    SmallVector<Operation *> frees;
    SmallVector<memref::AllocOp> kept;
  };

  void startAt(Operation &op);
  bool needs(const Open &open, Operation &op) const;
  bool defer(memref::DeallocOp free);
  bool mustEnd(const Open &open, Operation &before) const;
  /// Where one of the same sequence ends, what started before it has.
  void endEarlier(llvm::SmallBitVector &ends) const;
  bool handOver(unsigned from, unsigned other, Operation *free);
  void end(llvm::SmallBitVector ends, Operation *before);

  Block &block;
  ArrayRef<Transfer *> transfers;
  Budget &budget;
  Work &work;
  llvm::DenseMap<Operation *, size_t> starts;
  llvm::DenseMap<Operation *, SmallVector<size_t, 2>> needed;
  std::vector<Open> opens; ///< in the order of their starts
  double now = 0;
  double links[2] = {0, 0}; ///< the mesh's, the host's
};

} // namespace

Playback::Playback(Block &block, ArrayRef<Transfer *> started, Budget &budget,
                   Work &work)
    : block(block), transfers(started), budget(budget), work(work) {
  for (auto [i, transfer] : llvm::enumerate(transfers)) {
    starts[transfer->last()] = i;
    for (Operation *op : transfer->neededBy(block))
      needed[op].push_back(i);
  }
}

void Playback::startAt(Operation &op) {
  size_t i = starts.lookup(&op);
  double &link = links[transfers[i]->isHostCopy()];
  link = std::max(link, now) + transfers[i]->seconds();
  opens.push_back({i, link, {}, {}});
}

bool Playback::needs(const Open &open, Operation &op) const {
  if (op.hasTrait<OpTrait::IsTerminator>())
    return true;
  auto users = needed.find(&op);
  return users != needed.end() && llvm::is_contained(users->second, open.index);
}

std::vector<TransferTiming> Playback::timings() {
  std::vector<TransferTiming> result;
  for (Transfer *transfer : transfers)
    result.push_back({transfer->seconds(), 0, 0, transfer->canMove(budget)});
  for (Operation &op : block) {
    if (auto free = dyn_cast<memref::DeallocOp>(op); free && defer(free))
      continue;
    llvm::erase_if(opens, [&](const Open &open) {
      bool isNeeded = needs(open, op);
      if (isNeeded)
        result[open.index].need = now;
      return isNeeded;
    });
    if (starts.contains(&op)) {
      startAt(op);
      result[opens.back().index].origin = now;
      continue;
    }
    now += work.of(&op);
  }
  now = links[0] = links[1] = 0;
  return result;
}

/// True if `free` has to wait for a transfer that is open.
bool Playback::defer(memref::DeallocOp free) {
  for (Open &open : llvm::reverse(opens))
    if (transfers[open.index]->hasOperand(free)) {
      open.frees.push_back(free);
      if (memref::AllocOp operand = allocationOf(free.getMemref()))
        open.kept.push_back(operand);
      return true;
    }
  return false;
}

/// True if `before` needs the result, or the operand's memory is better not
/// kept.
bool Playback::mustEnd(const Open &open, Operation &before) const {
  return needs(open, before) ||
         (!open.frees.empty() &&
          (now >= open.end + kPatience * transfers[open.index]->seconds() ||
           !budget.allows(&before, open.kept)));
}

void Playback::endEarlier(llvm::SmallBitVector &ends) const {
  bool isBehind[2] = {false, false}; // one that ends, by sequence
  for (size_t i = opens.size(); i-- > 0;) {
    bool &own = isBehind[transfers[opens[i].index]->isHostCopy()];
    own |= ends.test(i);
    if (own)
      ends.set(i);
  }
}

/// Has what one of the other sequence reads freed behind that one. False where
/// `free` does not free an operand of `other`, or both are of one sequence.
bool Playback::handOver(unsigned from, unsigned other, Operation *free) {
  Transfer *to = transfers[opens[other].index];
  auto freed = cast<memref::DeallocOp>(free);
  if (to->isHostCopy() == transfers[opens[from].index]->isHostCopy() ||
      !to->hasOperand(freed))
    return false;
  opens[other].frees.push_back(free);
  if (memref::AllocOp operand = allocationOf(freed.getMemref()))
    opens[other].kept.push_back(operand);
  return true;
}

/// Waits for the transfers `ends`, for those of their sequence that started
/// before them, as they are done then, and for all that use memory which is
/// free then.
void Playback::end(llvm::SmallBitVector ends, Operation *before) {
  for (bool isMore = true; isMore;) {
    endEarlier(ends);
    llvm::SmallBitVector more = ends;
    for (unsigned i : ends.set_bits())
      llvm::erase_if(opens[i].frees, [&](Operation *free) {
        for (unsigned other = 0; other < opens.size(); ++other)
          if (!ends.test(other) && needs(opens[other], *free)) {
            if (handOver(i, other, free))
              return true;
            more.set(other);
          }
        return false;
      });
    isMore = more != ends;
    ends = more;
  }
  // Nothing waits between the steps of a bucket.
  for (Operation *op = before->getPrevNode();
       op && before->hasAttr(kBucket) &&
       op->getAttr(kBucket) == before->getAttr(kBucket);
       op = op->getPrevNode())
    before = op;
  // A kernel that waits for the collective may take all multiprocessors.
  for (Operation *op = before->getPrevNode();
       isa<gpu::LaunchOp>(before) && op && !isWork(op) && !isOpaque(op) &&
       !isa<CollectiveOpInterface, WaitOp>(op);
       op = op->getPrevNode())
    if (isa<kernel::MultiprocessorsOp>(op)) {
      before = op;
      break;
    }
  OpBuilder builder(before);
  for (unsigned i : ends.set_bits()) {
    now = std::max(now, opens[i].end);
    for (Operation *op : transfers[opens[i].index]->getSteps())
      WaitOp::create(builder, op->getLoc(), writtenBuffer(op));
  }
  for (unsigned i : ends.set_bits())
    for (Operation *free : opens[i].frees)
      free->moveBefore(before);
  std::vector<Open> left;
  for (auto [i, open] : llvm::enumerate(opens))
    if (!ends.test(i))
      left.push_back(std::move(open));
  opens = std::move(left);
}

void Playback::placeWaits() {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto free = dyn_cast<memref::DeallocOp>(op); free && defer(free))
      continue;
    bool isStart = starts.contains(&op);
    llvm::SmallBitVector ends(unsigned(opens.size()));
    for (auto [i, open] : llvm::enumerate(opens))
      if (isStart ? needs(open, op) : mustEnd(open, op))
        ends.set(i);
    if (ends.any())
      end(ends, &op);
    if (isStart) {
      startAt(op);
      continue;
    }
    for (const Open &open : opens)
      budget.hold(&op, open.kept);
    now += work.of(&op);
  }
}

namespace {

struct OverlapCollectivesPass
    : shardir::impl::OverlapCollectivesBase<OverlapCollectivesPass> {
  using OverlapCollectivesBase::OverlapCollectivesBase;

  void runOnOperation() override {
    Work work(getOperation()->getParentOfType<ModuleOp>());
    std::vector<Transfer> transfers;
    getOperation().walk([&](Operation *op) {
      if (!writtenBuffer(op))
        return;
      SmallVector<Operation *> steps = {op};
      if (auto last = dyn_cast<CollectiveOpInterface>(op)) {
        SmallVector<CollectiveOpInterface> bucket = stepsOfBucket(last);
        steps.assign(bucket.begin(), bucket.end());
        if (steps.empty())
          return;
        work.addLinksOf(last);
      }
      // Ops without effects may stand between steps.
      for (Operation *step : ArrayRef(steps).drop_back())
        step->moveBefore(steps.back());
      Transfer transfer(std::move(steps), work);
      if (transfer.follow())
        transfers.push_back(std::move(transfer));
    });
    if (transfers.empty())
      return markAllAnalysesPreserved();
    Budget budget(getOperation(), memoryLimit);
    // Those behind first: a sum that is sent on need not be waited for.
    for (Transfer &transfer : llvm::reverse(transfers))
      transfer.start(budget);
    llvm::MapVector<Block *, SmallVector<Transfer *>> started;
    for (Transfer &transfer : transfers)
      if (isStarted(transfer.last()))
        started[transfer.last()->getBlock()].push_back(&transfer);
    for (auto &[block, ofBlock] : started)
      overlap(*block, ofBlock, budget, work);
  }

private:
  void overlap(Block &block, ArrayRef<Transfer *> started, Budget &budget,
               Work &work) {
    Playback playback(block, started, budget, work);
    std::vector<TransferTiming> timings = playback.timings();
    // Each sequence by itself: they do not wait for each other.
    std::vector<TransferTiming> own[2];
    for (auto [transfer, timing] : llvm::zip(started, timings))
      own[transfer->isHostCopy()].push_back(timing);
    size_t next[2] = {0, 0};
    for (std::vector<TransferTiming> &sequence : own)
      chooseStarts(sequence);
    for (Transfer *transfer : started) {
      bool which = transfer->isHostCopy();
      const TransferTiming &timing = own[which][next[which]++];
      if (timing.start < timing.origin)
        transfer->hoist(timing.origin - timing.start, budget);
    }
    playback.placeWaits();
  }
};

} // namespace
