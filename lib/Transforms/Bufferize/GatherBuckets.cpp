//===- GatherBuckets.cpp - Buckets of collectives on buffers --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized, with every buffer freed. Requires steps of a bucket that
// were neighbours on tensors; guarantees that steps which still have a number
// stand one behind the other and that none writes what another one reads or
// writes, as all of a bucket move at one time.
//
//===----------------------------------------------------------------------===//

#include "GatherBuckets.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Memory/BufferRoot.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

/// True if `op` may read, write or free memory of one of `roots`.
static bool mayTouch(Operation *op, ArrayRef<Value> roots) {
  if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
    return false;
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (isa<BaseMemRefType>(operand.getType())) {
            Value root = bufferRoot(operand);
            if (!root || llvm::is_contained(roots, root))
              return WalkResult::interrupt();
          }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Moves `step` down to stand before `next`, and what frees its buffers behind
/// `last`. False if something in between needs it where it is.
static bool sink(CollectiveOpInterface step, Operation *next, Operation *last,
                 ArrayRef<Value> roots) {
  SmallVector<Operation *> frees;
  for (Operation *op = step->getNextNode(); op != next;
       op = op->getNextNode()) {
    if (!mayTouch(op, roots))
      continue;
    if (!isa<memref::DeallocOp>(op))
      return false;
    frees.push_back(op);
  }
  step->moveBefore(next);
  for (Operation *free : frees)
    free->moveAfter(last);
  return true;
}

static void gather(ArrayRef<CollectiveOpInterface> bucket) {
  Operation *last = bucket.back(), *next = last;
  SmallVector<Value> read, written;
  unsigned gathered = 0;
  for (CollectiveOpInterface step : llvm::reverse(bucket)) {
    Value in = bufferRoot(step.getInput()), out = bufferRoot(step.getOutput());
    bool isApart = in && out && !llvm::is_contained(written, in) &&
                   !llvm::is_contained(written, out) &&
                   !llvm::is_contained(read, out);
    if (!isApart || (step != last && !sink(step, next, last, {in, out}))) {
      step->removeAttr(kBucket);
      continue;
    }
    read.push_back(in);
    written.push_back(out);
    next = step;
    ++gathered;
  }
  if (gathered == 1)
    next->removeAttr(kBucket);
}

void shardir::gatherBuckets(ModuleOp module) {
  llvm::MapVector<std::pair<Block *, Attribute>,
                  SmallVector<CollectiveOpInterface>>
      buckets;
  module.walk([&](CollectiveOpInterface op) {
    if (Attribute bucket = op->getAttr(kBucket))
      buckets[{op->getBlock(), bucket}].push_back(op);
  });
  for (auto &[key, bucket] : buckets)
    gather(bucket);
}
