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
// other work of its block need not wait for is marked `collective.start`,
// stands as early as its operands allow, and that a collective.wait on its
// result stands before the first op that may touch the result's buffer or write
// to the operand's, whatever the way to it. Collectives keep their order among
// each other, which ranks must agree on (X1). An operand that is freed
// meanwhile is freed after the wait.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Memory/BufferRoot.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace shardir {
#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;
using namespace shardir::collective;

namespace {

/// A buffer, and every value from which somebody could get at it.
class Reach {
public:
  /// False where the buffer cannot be followed: it is what control flow or a
  /// call has made, or goes into such.
  bool add(Value buffer) {
    Value root = bufferRoot(buffer);
    if (!root)
      return false;
    SmallVector<Value> open = {root};
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!values.insert(value).second)
        continue;
      for (Operation *user : value.getUsers()) {
        if (isa<memref::LoadOp, memref::DimOp, memref::DeallocOp>(user))
          continue;
        if (user->hasTrait<OpTrait::IsTerminator>())
          return false;
        // Kernels take it in by the region; a loop's or call's results may be
        // it.
        if (user->getNumRegions() != 0 && !isa<gpu::LaunchOp>(user))
          return false;
        if (isa<CallOpInterface>(user) && user->getNumResults() != 0)
          return false;
        for (Value result : user->getResults())
          if (leadsOn(result))
            open.push_back(result);
      }
    }
    return true;
  }

  bool touchedBy(Operation *op) const {
    return anyInside(op, [&](Operation *inner) { return uses(inner); });
  }

  /// True if `op` may write there, or free it.
  bool writtenBy(Operation *op) const {
    return anyInside(op, [&](Operation *inner) {
      if (!uses(inner) || inner->getNumRegions() != 0 ||
          isMemoryEffectFree(inner))
        return false;
      auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
      return !effects || llvm::any_of(inner->getOperands(), [&](Value v) {
        return values.contains(v) &&
               (effects.getEffectOnValue<MemoryEffects::Write>(v) ||
                effects.getEffectOnValue<MemoryEffects::Free>(v) ||
                !effects.getEffectOnValue<MemoryEffects::Read>(v));
      });
    });
  }

private:
  bool uses(Operation *op) const {
    return llvm::any_of(op->getOperands(),
                        [&](Value v) { return values.contains(v); });
  }

  static bool anyInside(Operation *op,
                        llvm::function_ref<bool(Operation *)> test) {
    return op
        ->walk([&](Operation *inner) {
          return test(inner) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// True if memory can be reached by what an op makes of it: not by elements
  /// that were read, the tokens of copies, or extents.
  static bool leadsOn(Value result) {
    if (auto parts = result.getDefiningOp<memref::ExtractStridedMetadataOp>())
      return result == parts.getBaseBuffer();
    return !isa<VectorType, FloatType, nvgpu::DeviceAsyncTokenType>(
        result.getType());
  }

  llvm::SmallPtrSet<Value, 16> values;
};

struct OverlapCollectivesPass
    : shardir::impl::OverlapCollectivesBase<OverlapCollectivesPass> {
  void runOnOperation() override {
    SmallVector<SmallVector<CollectiveOpInterface>> transfers;
    getOperation().walk([&](CollectiveOpInterface op) {
      if (op.getOutput())
        if (auto steps = stepsOfBucket(op); !steps.empty())
          transfers.push_back(std::move(steps));
    });
    for (ArrayRef<CollectiveOpInterface> steps : transfers)
      overlap(steps);
  }

  /// True if other ranks take part, in an order that matters.
  static bool communicates(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return isa_and_present<CollectiveDialect>(inner->getDialect()) ||
                         isa<CallOpInterface>(inner)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// True if the op keeps the GPU busy: worth going on for.
  static bool isWork(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return isa<gpu::LaunchOp, memref::CopyOp>(inner)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// `steps` are one collective, or those of one bucket.
  void overlap(ArrayRef<CollectiveOpInterface> steps) {
    Reach input, output;
    for (CollectiveOpInterface op : steps)
      if (!input.add(op.getInput()) || !output.add(op.getOutput()))
        return;
    // The operand may be read while it is sent.
    auto inTheWay = [&](Operation *other) {
      return output.touchedBy(other) || input.writtenBy(other);
    };
    auto defines = [&](Operation *before) {
      return llvm::any_of(steps, [&](CollectiveOpInterface op) {
        return llvm::any_of(op->getOperands(), [&](Value v) {
          return v.getDefiningOp() == before;
        });
      });
    };
    // Where it may start: behind all that makes its operands.
    CollectiveOpInterface end = steps.back();
    for (CollectiveOpInterface op : steps.drop_back())
      op->moveBefore(end);
    Operation *front = steps.front(), *first = front;
    bool works = false;
    while (Operation *before = first->getPrevNode()) {
      if (defines(before) || communicates(before) || inTheWay(before))
        break;
      works |= isWork(before);
      first = before;
    }
    // Until when it has time. Its operand may be freed meanwhile, and is then
    // freed later.
    SmallVector<Operation *> frees;
    Operation *last = end->getNextNode();
    for (; !last->hasTrait<OpTrait::IsTerminator>();
         last = last->getNextNode()) {
      auto free = dyn_cast<memref::DeallocOp>(last);
      if (free && freesOperand(free, steps)) {
        frees.push_back(last);
        continue;
      }
      if (inTheWay(last))
        break;
      works |= isWork(last);
    }
    if (!works)
      return;
    OpBuilder builder(last);
    for (CollectiveOpInterface op : steps) {
      op->moveBefore(first != front ? first : end->getNextNode());
      op->setAttr(kStart, builder.getUnitAttr());
      WaitOp::create(builder, op->getLoc(), op.getOutput());
    }
    for (Operation *free : frees)
      free->moveBefore(last);
  }

  /// True if what is freed is an operand's memory and no result's.
  static bool freesOperand(memref::DeallocOp free,
                           ArrayRef<CollectiveOpInterface> steps) {
    Value freed = bufferRoot(free.getMemref());
    auto isInput = [&](CollectiveOpInterface op) {
      return freed == bufferRoot(op.getInput());
    };
    auto isOutput = [&](CollectiveOpInterface op) {
      return freed == bufferRoot(op.getOutput());
    };
    return llvm::any_of(steps, isInput) && llvm::none_of(steps, isOutput);
  }
};

} // namespace
