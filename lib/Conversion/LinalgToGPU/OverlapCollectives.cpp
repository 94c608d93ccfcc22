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
// its block need not wait for is marked `collective.start`, stands as early as
// its operands allow, and that a collective.wait on its result stands before
// the first op that may touch the result's buffer or write to the operand's,
// whatever the way to it.
// Collectives keep their order among each other, which ranks must agree on
// (X1). An operand that is freed meanwhile is freed after the wait.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/Collective/Collective.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
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
  /// The origin of the memory: an allocation or an argument of the function.
  /// Null for anything else; what a function can name by a symbol, calls can
  /// reach.
  static Value rootOf(Value value) {
    while (Operation *definition = value.getDefiningOp()) {
      if (isa<memref::AllocOp>(definition))
        return value;
      auto view = dyn_cast<ViewLikeOpInterface>(definition);
      if (!view)
        return Value();
      value = view.getViewSource();
    }
    return isa<FunctionOpInterface>(value.getParentBlock()->getParentOp())
               ? value
               : Value();
  }

  /// False where the buffer cannot be followed: it is what control flow or a
  /// call has made, or goes into such.
  bool add(Value buffer) {
    Value root = rootOf(buffer);
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
    SmallVector<CollectiveOpInterface> steps;
    getOperation().walk([&](CollectiveOpInterface op) {
      if (op.getOutput())
        steps.push_back(op);
    });
    for (CollectiveOpInterface op : steps)
      overlap(op);
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

  void overlap(CollectiveOpInterface op) {
    Reach input, output;
    if (!input.add(op.getInput()) || !output.add(op.getOutput()))
      return;
    // The operand may be read while it is sent.
    auto inTheWay = [&](Operation *other) {
      return output.touchedBy(other) || input.writtenBy(other);
    };
    // Where it may start: behind all that makes its operands.
    Operation *first = op;
    bool works = false;
    while (Operation *before = first->getPrevNode()) {
      bool defines = llvm::any_of(op->getOperands(), [&](Value v) {
        return v.getDefiningOp() == before;
      });
      if (defines || communicates(before) || inTheWay(before))
        break;
      works |= isWork(before);
      first = before;
    }
    // Until when it has time. Its operand may be freed meanwhile, and is then
    // freed later.
    SmallVector<Operation *> frees;
    Operation *last = op->getNextNode();
    for (; !last->hasTrait<OpTrait::IsTerminator>();
         last = last->getNextNode()) {
      auto free = dyn_cast<memref::DeallocOp>(last);
      if (free && freesOperand(free, op)) {
        frees.push_back(last);
        continue;
      }
      if (inTheWay(last))
        break;
      works |= isWork(last);
    }
    if (!works)
      return;
    op->moveBefore(first == op.getOperation() ? op->getNextNode() : first);
    OpBuilder builder(last);
    op->setAttr(kStart, builder.getUnitAttr());
    WaitOp::create(builder, op->getLoc(), op.getOutput());
    for (Operation *free : frees)
      free->moveBefore(last);
  }

  /// True if what is freed is the operand's memory and not the result's.
  static bool freesOperand(memref::DeallocOp free, CollectiveOpInterface op) {
    Value freed = Reach::rootOf(free.getMemref());
    return freed == Reach::rootOf(op.getInput()) &&
           freed != Reach::rootOf(op.getOutput());
  }
};

} // namespace
