//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Transfers.h.
//
//===----------------------------------------------------------------------===//

#include "Transfers.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Memory/BufferRoot.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cmath>

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;
using namespace shardir::beside;

/// The part of a collective's time that work must hide, or it stays in line:
/// what is started waits for its turn, which may take longer than it gains.
static constexpr double kWorthwhile = 0.25;

/// The part of a collective's time that the kernel which makes its operand may
/// take to start with it.
static constexpr double kSmall = 0.05;

/// Seconds of work whose time is not known: it hides anything.
static constexpr double kUnknownWork = 1000;
/// Seconds of a collective whose extents are not known, as of some megabytes.
static constexpr double kUnknownTransfer = 1e-4;

bool beside::isWork(Operation *op) {
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

bool beside::isOpaque(Operation *op) {
  return !isa<CollectiveOpInterface, HostCopyOp, WaitOp>(op) &&
         op->walk([&](Operation *inner) {
             return isa_and_present<CollectiveDialect>(inner->getDialect()) ||
                            isa<CallOpInterface>(inner)
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           }).wasInterrupted();
}

bool beside::isStarted(Operation *op) {
  return isa<CollectiveOpInterface, HostCopyOp>(op) && op->hasAttr(kStart);
}

memref::AllocOp beside::allocationOf(Value buffer) {
  Value root = bufferRoot(buffer);
  return root ? root.getDefiningOp<memref::AllocOp>() : memref::AllocOp();
}

double Work::of(Operation *op) {
  if (auto step = dyn_cast<CollectiveOpInterface>(op))
    return isStarted(op) || times.bandwidthOf(step) <= slowest
               ? 0
               : secondsOf(step);
  if (!isWork(op))
    return 0;
  double seconds = times.of(op);
  return seconds > 0 && std::isfinite(seconds) ? seconds : kUnknownWork;
}

double Work::secondsOf(Operation *op) {
  double seconds = times.of(op);
  return std::isfinite(seconds) ? seconds : kUnknownTransfer;
}

bool Transfer::hasOperand(memref::DeallocOp free) const {
  Value freed = bufferRoot(free.getMemref());
  auto isInput = [&](Operation *op) {
    return freed == bufferRoot(readBuffer(op));
  };
  auto isOutput = [&](Operation *op) {
    return freed == bufferRoot(writtenBuffer(op));
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
      sent.insert(bufferRoot(readBuffer(op)));
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
    if (root && root == bufferRoot(readBuffer(last())))
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
  for (Operation *op : steps)
    made.push_back(allocationOf(writtenBuffer(op)));
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
  for (Operation *op : llvm::reverse(steps))
    take(op);
  Operation *front = steps.front();
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
      made.push_back(allocationOf(readBuffer(front)));
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
  for (Operation *op : steps)
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
