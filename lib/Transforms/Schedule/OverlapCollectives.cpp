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
// a collective, or a bucket, which other work of its block need not wait for is
// marked `collective.start`, and that a collective.wait on its result stands
// before the first op that may touch the result's buffer or write to the
// operand's, whatever the way to it.
//
// Started collectives run one after the other, beside the rank's own sequence
// (StepTime.h). A collective starts just so early that it, and what
// starts meanwhile, takes no longer than the work in between, and is waited for
// once it should be done: results are allocated, and operands kept, no longer
// than that. With a memory limit neither happens where the limit would be
// exceeded.
//
// The order of collectives in a block is the same on all ranks (X1), since
// every rank runs the same block.
//
//===----------------------------------------------------------------------===//

#include "BufferReach.h"
#include "TransferTimings.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Memory/BufferRoot.h"
#include "ShardIR/Report/StepTime.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cmath>
#include <limits>

namespace shardir {
#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "ShardIR/Transforms/Schedule/Passes.h.inc"
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

/// The part of a collective's time that work must hide, or it stays in line:
/// what is started waits for its turn, which may take longer than it gains.
constexpr double kWorthwhile = 0.25;

/// The part of a collective's time that the kernel which makes its operand may
/// take to start with it.
constexpr double kSmall = 0.05;

/// Of a collective's time, what may pass beyond its predicted end before its
/// operand's memory is worth a wait.
constexpr double kPatience = 0.5;

/// Seconds of work whose time is not known: it hides anything.
constexpr double kUnknown = 1000;
/// Seconds of a collective whose extents are not known, as of some megabytes.
constexpr double kUnknownTransfer = 1e-4;

/// True if the op keeps the device busy: worth overlapping with.
bool isWork(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return isa<gpu::LaunchOp, kernel::LibraryMatmulOp,
                   kernel::LibraryAttentionOp, linalg::LinalgOp, memref::CopyOp,
                   vector::TransferWriteOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if other ranks take part in a way that is not followed.
bool isOpaque(Operation *op) {
  return !isa<CollectiveOpInterface, WaitOp>(op) &&
         op->walk([&](Operation *inner) {
             return isa_and_present<CollectiveDialect>(inner->getDialect()) ||
                            isa<CallOpInterface>(inner)
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           }).wasInterrupted();
}

bool isStarted(Operation *op) {
  return isa<CollectiveOpInterface>(op) && op->hasAttr(kStart);
}

/// The times of ops in the rank's own sequence.
class Work {
public:
  explicit Work(ModuleOp module) : times(module) {}

  /// Seconds that hide what goes on beside `op`. Collectives in line hide
  /// nothing that needs their links: the slowest ones, as far as this looks.
  double of(Operation *op) {
    if (auto step = dyn_cast<CollectiveOpInterface>(op))
      return isStarted(op) || times.bandwidthOf(step) <= slowest
                 ? 0
                 : secondsOf(step);
    if (!isWork(op))
      return 0;
    double seconds = times.of(op);
    return seconds > 0 && std::isfinite(seconds) ? seconds : kUnknown;
  }

  double secondsOf(CollectiveOpInterface op) {
    double seconds = times.of(op);
    return std::isfinite(seconds) ? seconds : kUnknownTransfer;
  }
  void addLinksOf(CollectiveOpInterface op) {
    slowest = std::min(slowest, times.bandwidthOf(op));
  }

private:
  OpTimes times;
  double slowest = std::numeric_limits<double>::infinity();
};

memref::AllocOp allocationOf(Value buffer) {
  Value root = bufferRoot(buffer);
  return root ? root.getDefiningOp<memref::AllocOp>() : memref::AllocOp();
}

/// Ops in front of a transfer that may run behind its start.
struct WayUp {
  double seconds = 0; ///< that they take
  /// The transfer and what it needs, backwards; `taken` of them move.
  SmallVector<Operation *> along;
  size_t taken = 0;
  Operation *first = nullptr;         ///< they move before this
  SmallVector<memref::AllocOp> ahead; ///< results that are made earlier
};

/// One collective, or the steps of one bucket.
class Transfer {
public:
  Transfer(SmallVector<CollectiveOpInterface> steps, Work &work)
      : steps(std::move(steps)), work(work) {}

  /// False if its buffers cannot be followed.
  bool follow() {
    return llvm::all_of(steps, [&](CollectiveOpInterface op) {
      return input.add(op.getInput()) && output.add(op.getOutput());
    });
  }

  /// Marks it as started if that pays. What comes behind it must be marked.
  void start(const Budget &budget);

  /// True if there is work that the start may move before.
  bool canMove(const Budget &budget) const;
  /// Moves the start up past so many seconds of work, or as far as possible.
  void hoist(double bySeconds, Budget &budget);

  ArrayRef<CollectiveOpInterface> getSteps() const { return steps; }
  CollectiveOpInterface last() const { return steps.back(); }
  double seconds() const { return work.secondsOf(last()); }

  /// The ops of `block` that may run only once this is done.
  SmallVector<Operation *> neededBy(Block &block) const;
  /// True if `free` frees an operand's memory and no result's.
  bool hasOperand(memref::DeallocOp free) const;

private:
  /// A collective that is started later runs later, and the operand may be read
  /// while it is sent.
  bool isNeededBy(Operation *op) const { return !isStarted(op) && touches(op); }
  bool touches(Operation *op) const {
    return output.touchedBy(op) || input.writtenBy(op);
  }
  bool madeBy(Operation *op, SmallVectorImpl<BufferReach> &reads) const;
  double workBelow(double enough, const Budget &budget) const;
  WayUp wayUp(double enough, const Budget &budget) const;

  SmallVector<CollectiveOpInterface> steps;
  Work &work;
  BufferReach input, output;
};

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
  void endFirst(size_t count, Operation *before);

  Block &block;
  ArrayRef<Transfer *> transfers;
  Budget &budget;
  Work &work;
  llvm::DenseMap<Operation *, size_t> starts;
  llvm::DenseMap<Operation *, SmallVector<size_t, 2>> needed;
  std::vector<Open> opens; ///< in the order of their starts
  double now = 0, link = 0;
};

} // namespace

bool Transfer::hasOperand(memref::DeallocOp free) const {
  Value freed = bufferRoot(free.getMemref());
  auto isInput = [&](CollectiveOpInterface op) {
    return freed == bufferRoot(op.getInput());
  };
  auto isOutput = [&](CollectiveOpInterface op) {
    return freed == bufferRoot(op.getOutput());
  };
  return llvm::any_of(steps, isInput) && llvm::none_of(steps, isOutput);
}

SmallVector<Operation *> Transfer::neededBy(Block &block) const {
  SmallVector<Operation *> ops;
  for (const BufferReach *reach : {&input, &output})
    for (Operation *user : reach->users(block))
      if (isNeededBy(user))
        ops.push_back(user);
  return ops;
}

/// Seconds of the work behind this that need not wait for it: at least `enough`
/// or all.
double Transfer::workBelow(double enough, const Budget &budget) const {
  double seconds = 0;
  SmallVector<memref::AllocOp> kept;
  llvm::SmallPtrSet<Value, 4> sent; ///< by what is started behind this
  for (Operation *op = last()->getNextNode();
       !op->hasTrait<OpTrait::IsTerminator>() && seconds < enough;
       op = op->getNextNode()) {
    if (auto free = dyn_cast<memref::DeallocOp>(op)) {
      bool isOwn = hasOperand(free);
      if (memref::AllocOp operand = allocationOf(free.getMemref());
          isOwn && operand)
        kept.push_back(operand);
      if (isOwn || sent.contains(bufferRoot(free.getMemref())))
        continue;
    }
    if (isNeededBy(op) || (!kept.empty() && !budget.allows(op, kept)))
      break;
    if (isStarted(op))
      sent.insert(bufferRoot(cast<CollectiveOpInterface>(op).getInput()));
    seconds += work.of(op);
  }
  return seconds;
}

/// True if `op` is a small kernel that makes the operand, as a cast of a
/// weight, and can start with the transfer; adds the buffers that it reads.
bool Transfer::madeBy(Operation *op,
                      SmallVectorImpl<BufferReach> &reads) const {
  if (!isa<gpu::LaunchOp, linalg::LinalgOp>(op) || steps.size() != 1 ||
      work.of(op) > kSmall * seconds() || output.touchedBy(op))
    return false;
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(op->getRegions(), values);
  values.insert_range(op->getOperands());
  for (Value value : values) {
    if (!isa<BaseMemRefType>(value.getType()))
      continue;
    Value root = bufferRoot(value);
    if (root && root == bufferRoot(last().getInput()))
      continue;
    BufferReach read;
    if (!read.add(value) || read.writtenBy(op))
      return false;
    reads.push_back(std::move(read));
  }
  return true;
}

/// Goes up past `enough` seconds of work, or as far as possible.
WayUp Transfer::wayUp(double enough, const Budget &budget) const {
  SmallVector<memref::AllocOp> made; ///< by the transfer, and what goes along
  for (CollectiveOpInterface op : steps)
    made.push_back(allocationOf(op.getOutput()));
  WayUp way;
  llvm::SmallPtrSet<Operation *, 8> definers;
  auto take = [&](Operation *moved) {
    way.along.push_back(moved);
    llvm::SetVector<Value> values;
    getUsedValuesDefinedAbove(moved->getRegions(), values);
    values.insert_range(moved->getOperands());
    for (Value value : values)
      if (Operation *definer = value.getDefiningOp())
        definers.insert(definer);
  };
  bool hasMaker = false;
  SmallVector<BufferReach> reads; ///< of the maker
  auto blocks = [&](Operation *op) {
    return isOpaque(op) || touches(op) || (hasMaker && input.touchedBy(op)) ||
           llvm::any_of(reads, [&](const BufferReach &read) {
             return read.writtenBy(op);
           });
  };
  for (CollectiveOpInterface op : llvm::reverse(steps))
    take(op);
  CollectiveOpInterface front = steps.front();
  for (Operation *before = front->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (definers.contains(before)) {
      auto result = dyn_cast<memref::AllocOp>(before);
      if (result && llvm::is_contained(made, result))
        way.ahead.push_back(result);
      else if (!isPure(before) && !isa<memref::DimOp>(before))
        break;
      take(before);
      continue;
    }
    if (!hasMaker && input.writtenBy(before) && madeBy(before, reads)) {
      hasMaker = true;
      made.push_back(allocationOf(front.getInput()));
      take(before);
      continue;
    }
    if (blocks(before) ||
        (!way.ahead.empty() && !budget.allows(before, way.ahead)))
      break;
    double seconds = work.of(before);
    if (seconds > 0 && way.seconds >= enough)
      break;
    way.seconds += seconds;
    // A kernel takes fewer multiprocessors if it asks behind the start.
    if (seconds > 0 || (way.first && isa<kernel::MultiprocessorsOp>(before))) {
      way.first = before;
      way.taken = way.along.size();
    }
  }
  // A result that moves past no work is allocated where it was.
  llvm::erase_if(way.ahead, [&](memref::AllocOp result) {
    return !llvm::is_contained(ArrayRef(way.along).take_front(way.taken),
                               result.getOperation());
  });
  return way;
}

void Transfer::start(const Budget &budget) {
  double enough = kWorthwhile * seconds();
  double hidden = workBelow(enough, budget);
  hidden += wayUp(enough - hidden, budget).seconds;
  if (hidden < enough || enough == 0)
    return;
  for (CollectiveOpInterface op : steps)
    op->setAttr(kStart, UnitAttr::get(op->getContext()));
}

bool Transfer::canMove(const Budget &budget) const {
  return wayUp(std::numeric_limits<double>::min(), budget).first != nullptr;
}

void Transfer::hoist(double bySeconds, Budget &budget) {
  WayUp way = wayUp(bySeconds, budget);
  if (!way.first)
    return;
  for (memref::AllocOp result : way.ahead)
    for (Operation *crossed = way.first; crossed != result.getOperation();
         crossed = crossed->getNextNode())
      budget.hold(crossed, result);
  for (Operation *moved :
       llvm::reverse(ArrayRef(way.along).take_front(way.taken)))
    moved->moveBefore(way.first);
}

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
    if (starts.contains(&op)) {
      startAt(op);
      result[opens.back().index].origin = now;
      continue;
    }
    if (auto free = dyn_cast<memref::DeallocOp>(op); free && defer(free))
      continue;
    llvm::erase_if(opens, [&](const Open &open) {
      bool isNeeded = needs(open, op);
      if (isNeeded)
        result[open.index].need = now;
      return isNeeded;
    });
    now += work.of(&op);
  }
  now = link = 0;
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

/// Waits for the first `count` transfers, for when one is done, so are those
/// before it, and for all that use memory which is free then.
void Playback::endFirst(size_t count, Operation *before) {
  for (size_t i = 0; i < count; ++i)
    for (Operation *free : opens[i].frees)
      for (size_t other = count; other < opens.size(); ++other)
        if (needs(opens[other], *free))
          count = other + 1;
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
  for (const Open &open : ArrayRef(opens).take_front(count)) {
    now = std::max(now, open.end);
    for (CollectiveOpInterface op : transfers[open.index]->getSteps())
      WaitOp::create(builder, op->getLoc(), op.getOutput());
  }
  for (const Open &open : ArrayRef(opens).take_front(count))
    for (Operation *free : open.frees)
      free->moveBefore(before);
  opens.erase(opens.begin(), opens.begin() + ptrdiff_t(count));
}

void Playback::placeWaits() {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (starts.contains(&op)) {
      startAt(op);
      continue;
    }
    if (auto free = dyn_cast<memref::DeallocOp>(op); free && defer(free))
      continue;
    size_t count = 0;
    for (auto [i, open] : llvm::enumerate(opens))
      if (mustEnd(open, op))
        count = i + 1;
    if (count > 0)
      endFirst(count, &op);
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
    getOperation().walk([&](CollectiveOpInterface op) {
      SmallVector<CollectiveOpInterface> steps = stepsOfBucket(op);
      if (!op.getOutput() || steps.empty())
        return;
      // Ops without effects may stand between steps.
      for (CollectiveOpInterface step : ArrayRef(steps).drop_back())
        step->moveBefore(steps.back());
      work.addLinksOf(op);
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
    chooseStarts(timings);
    for (auto [transfer, timing] : llvm::zip(started, timings))
      if (timing.start < timing.origin)
        transfer->hoist(timing.origin - timing.start, budget);
    playback.placeWaits();
  }
};

} // namespace
