//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires host code whose memrefs will be device memory;
// guarantees that what touches memory there is one of: linalg ops on memrefs,
// ops marked shardir.kernel, memref.load of what host control flow must know,
// memref.copy between contiguous buffers, and views, allocs and deallocs.
// Buffers of integers that only the host reads and writes, such as shapes, stay
// on its stack (memref.alloca).
//
//===----------------------------------------------------------------------===//

#include "DeviceCalls.h"

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace shardir {
#define GEN_PASS_DEF_PLACEONGPU
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// Views, which compute addresses and read no memory.
static bool isView(Operation *op) {
  return isa<memref::SubViewOp, memref::CastOp, memref::CollapseShapeOp,
             memref::ExpandShapeOp, memref::ReinterpretCastOp,
             memref::TransposeOp, memref::ViewOp, memref::DimOp, memref::RankOp,
             memref::ExtractStridedMetadataOp,
             memref::ExtractAlignedPointerAsIndexOp, memref::MemorySpaceCastOp,
             memref::AssumeAlignmentOp>(op);
}

/// Scalar ops that a thread can run as well as the host.
static bool isScalarOp(Operation *op) {
  return isMemoryEffectFree(op) &&
         isa_and_present<arith::ArithDialect, math::MathDialect,
                         complex::ComplexDialect, index::IndexDialect,
                         affine::AffineDialect, ub::UBDialect>(
             op->getDialect()) &&
         op->getNumRegions() == 0;
}

static bool isAccess(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp,
             affine::AffineLoadOp, affine::AffineStoreOp>(op);
}

static bool isScalarControl(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
             scf::ExecuteRegionOp>(op);
}

/// Loops and branches over scalars and elements of memory, of which the host
/// need know nothing but scalar results.
static bool isKernelNest(Operation *nest) {
  if (!isScalarControl(nest) ||
      llvm::any_of(nest->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
    return false;
  bool accesses = false;
  WalkResult result = nest->walk([&](Operation *op) {
    accesses |= isAccess(op);
    bool known = isScalarControl(op) || isAccess(op) || isView(op) ||
                 isScalarOp(op) || isa<scf::YieldOp, scf::ConditionOp>(op);
    return known ? WalkResult::advance() : WalkResult::interrupt();
  });
  return accesses && !result.wasInterrupted();
}

/// True if an op between two others may write what one of them reads.
static bool mayWrite(Operation *op) {
  if (isMemoryEffectFree(op) || isa<memref::LoadOp, memref::AllocOp,
                                    memref::AllocaOp, memref::GetGlobalOp>(op))
    return false;
  return true;
}

namespace {

struct PlaceOnGpuPass : shardir::impl::PlaceOnGpuBase<PlaceOnGpuPass> {
  using PlaceOnGpuBase::PlaceOnGpuBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || isHostHelper(function.getSymName()))
      return;
    if (failed(simplify(function)))
      return signalPassFailure();
    allocateOnDevice(function);
    copyStridedByKernels(function);
    markNests(function);
    keepHostBuffers(function);
    storeByKernels(function);
    if (failed(verify(function)))
      return signalPassFailure();
  }

  /// Reshapes whose shape is data become loads of it, and loops over what is to
  /// be kernels become serial host loops.
  LogicalResult simplify(func::FuncOp function) {
    RewritePatternSet patterns(&getContext());
    memref::populateExpandOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(function, std::move(patterns))))
      return failure();
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> loops;
    function.walk([&](scf::ForallOp loop) {
      bool scalar = loop.getNumResults() == 0;
      loop.getBody()->walk([&](Operation *op) {
        scalar &= isScalarControl(op) || isAccess(op) || isView(op) ||
                  isScalarOp(op) ||
                  isa<scf::YieldOp, scf::ConditionOp, scf::InParallelOp>(op);
      });
      if (!scalar)
        loops.push_back(loop);
    });
    for (scf::ForallOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      if (failed(scf::forallToForLoop(rewriter, loop)))
        return loop.emitOpError("cannot become loops");
    }
    return success();
  }

  /// Stack memory of the host is no memory of the device.
  static void allocateOnDevice(func::FuncOp function) {
    SmallVector<memref::AllocaOp> allocas;
    function.walk([&](memref::AllocaOp op) {
      if (isOnHost(op))
        allocas.push_back(op);
    });
    for (memref::AllocaOp op : allocas) {
      OpBuilder builder(op);
      auto alloc = memref::AllocOp::create(
          builder, op.getLoc(), op.getType(), op.getDynamicSizes(),
          op.getSymbolOperands(), op.getAlignmentAttr());
      builder.setInsertionPoint(op->getBlock()->getTerminator());
      memref::DeallocOp::create(builder, op.getLoc(), alloc);
      op.replaceAllUsesWith(alloc.getResult());
      op.erase();
    }
  }

  /// The runtime copies contiguous buffers; others are worth a kernel.
  static void copyStridedByKernels(func::FuncOp function) {
    SmallVector<memref::CopyOp> copies;
    function.walk([&](memref::CopyOp op) { copies.push_back(op); });
    for (memref::CopyOp op : copies) {
      auto contiguous = [](Value buffer) {
        auto type = dyn_cast<MemRefType>(buffer.getType());
        return type && type.areTrailingDimsContiguous(type.getRank());
      };
      if (contiguous(op.getSource()) && contiguous(op.getTarget()))
        continue;
      if (!isa<MemRefType>(op.getSource().getType()) ||
          !isa<MemRefType>(op.getTarget().getType()))
        continue;
      OpBuilder builder(op);
      linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                               op.getTarget());
      op.erase();
    }
  }

  /// Puts `ops`, which are in one block and in order, into a marked region
  /// before `place`. `results` are values of theirs that the host needs: they
  /// go through device memory.
  static void makeKernel(ArrayRef<Operation *> ops, Operation *place,
                         ValueRange results) {
    Location loc = ops.back()->getLoc();
    OpBuilder builder(place);
    SmallVector<Value> buffers;
    for (Value result : results)
      buffers.push_back(memref::AllocOp::create(
          builder, loc, MemRefType::get({}, result.getType())));
    auto region =
        scf::ExecuteRegionOp::create(builder, loc, TypeRange(), ValueRange());
    region->setAttr(ShardIRDialect::kKernel, builder.getUnitAttr());
    builder.createBlock(&region.getRegion());
    auto end = scf::YieldOp::create(builder, loc);
    for (Operation *op : ops)
      op->moveBefore(end);
    builder.setInsertionPoint(end);
    SmallVector<Operation *> stores;
    for (auto [buffer, result] : llvm::zip(buffers, results))
      stores.push_back(
          memref::StoreOp::create(builder, loc, result, buffer, ValueRange()));
    builder.setInsertionPointAfter(region);
    for (auto [buffer, result] : llvm::zip(buffers, results)) {
      Value read = memref::LoadOp::create(builder, loc, buffer, ValueRange());
      memref::DeallocOp::create(builder, loc, buffer);
      result.replaceUsesWithIf(read, [&](OpOperand &use) {
        return !region->isProperAncestor(use.getOwner());
      });
    }
  }

  static void markNests(func::FuncOp function) {
    SmallVector<Operation *> nests;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<linalg::LinalgOp, scf::ForallOp, scf::ParallelOp>(op))
        return WalkResult::skip();
      if (!isKernelNest(op))
        return WalkResult::advance();
      nests.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *nest : nests) {
      if (nest->getNumResults() == 0) {
        nest->setAttr(ShardIRDialect::kKernel,
                      UnitAttr::get(nest->getContext()));
        continue;
      }
      SmallVector<Value> used;
      for (Value result : nest->getResults())
        if (!result.use_empty())
          used.push_back(result);
      makeKernel(withInits(nest), nest, used);
    }
  }

  /// Loads of what `nest` starts from that nothing else uses, and the nest. Its
  /// bounds stay on the host, which launches by them.
  static SmallVector<Operation *> withInits(Operation *nest) {
    SmallVector<Operation *> ops = {nest};
    auto loop = dyn_cast<scf::ForOp>(nest);
    bool wrote = !loop;
    for (Operation *op = nest->getPrevNode(); op && !wrote;
         op = op->getPrevNode()) {
      if (isa<memref::LoadOp>(op) && op->hasOneUse() && !readsHost(op) &&
          llvm::is_contained(loop.getInitArgs(), op->getResult(0)))
        ops.insert(ops.begin(), op);
      wrote = mayWrite(op);
    }
    return ops;
  }

  /// Backwards from `last`: ops whose results only what is taken uses, and
  /// loads up to the next write; in order.
  static SmallVector<Operation *> withOperands(Operation *last) {
    llvm::SetVector<Operation *> slice;
    slice.insert(last);
    bool wrote = false;
    for (Operation *op = last->getPrevNode(); op; op = op->getPrevNode()) {
      bool movable = isScalarOp(op) ||
                     (isa<memref::LoadOp>(op) && !wrote && !readsHost(op));
      bool wanted = !op->use_empty() &&
                    llvm::all_of(op->getUsers(), [&](Operation *user) {
                      return slice.contains(
                          last->getBlock()->findAncestorOpInBlock(*user));
                    });
      if (movable && wanted && !op->hasTrait<OpTrait::ConstantLike>())
        slice.insert(op);
      wrote |= mayWrite(op);
    }
    return SmallVector<Operation *>(slice.rbegin(), slice.rend());
  }

  /// In host code: not in what becomes a kernel.
  static bool isOnHost(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp()) {
      if (isa<func::FuncOp>(parent))
        return true;
      if (parent->hasAttr(ShardIRDialect::kKernel) ||
          isa<linalg::LinalgOp, scf::ForallOp, scf::ParallelOp>(parent))
        return false;
    }
    return true;
  }

  /// True if host code alone reads and writes a buffer: elements, or as a list
  /// of addresses that are to be freed.
  static bool isHostWork(Value buffer) {
    return llvm::all_of(buffer.getUsers(), [](Operation *user) {
      if (auto cast = dyn_cast<memref::CastOp>(user))
        return isHostWork(cast.getResult());
      if (auto call = dyn_cast<func::CallOp>(user))
        return isHostHelper(call.getCallee());
      return isa<memref::LoadOp, memref::StoreOp, memref::DeallocOp>(user) &&
             isOnHost(user);
    });
  }

  /// True if a buffer is a list for a helper of the host, which reads it.
  static bool isHelpersList(Value buffer) {
    return llvm::any_of(buffer.getUsers(), [](Operation *user) {
      auto cast = dyn_cast<memref::CastOp>(user);
      return isa<func::CallOp>(user) ||
             (cast && isHelpersList(cast.getResult()));
    });
  }

  /// Small buffers of integers that the host alone works with, and lists of
  /// buffers to free of any length.
  static void keepHostBuffers(func::FuncOp function) {
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp op) {
      MemRefType type = op.getType();
      if (!type.getElementType().isIntOrIndex() || !type.hasStaticShape() ||
          !isOnHost(op) || !isHostWork(op))
        return;
      if (type.getNumElements() > 64 && !isHelpersList(op))
        return;
      // The host knows the stored value, or there is nothing to keep.
      bool stored = llvm::all_of(op->getUsers(), [](Operation *user) {
        auto store = dyn_cast<memref::StoreOp>(user);
        return !store || !store.getValue().getDefiningOp<memref::LoadOp>();
      });
      if (stored)
        allocs.push_back(op);
    });
    for (memref::AllocOp op : allocs) {
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        if (isa<memref::DeallocOp>(user))
          user->erase();
      // At the function's start, so that a loop does not grow the stack.
      OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
      auto buffer =
          memref::AllocaOp::create(builder, op.getLoc(), op.getType());
      op.replaceAllUsesWith(buffer.getResult());
      op.erase();
    }
  }

  /// A store in host code becomes a kernel, which the host need not wait for.
  /// The stored value is computed there too if it has no other user.
  static void storeByKernels(func::FuncOp function) {
    SmallVector<Operation *> stores;
    function.walk([&](Operation *op) {
      Value memory;
      if (auto store = dyn_cast<memref::StoreOp>(op))
        memory = store.getMemRef();
      else if (auto update = dyn_cast<memref::AtomicRMWOp>(op))
        memory = update.getMemref();
      if (memory && isOnHost(op) && !memory.getDefiningOp<memref::AllocaOp>())
        stores.push_back(op);
    });
    for (Operation *store : stores) {
      SmallVector<Value> results;
      if (isa<memref::AtomicRMWOp>(store) && !store->use_empty())
        results.push_back(store->getResult(0));
      makeKernel(withOperands(store), store, results);
    }
  }

  static bool readsHost(Operation *op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    return load && load.getMemRef().getDefiningOp<memref::AllocaOp>();
  }

  /// Names the first op that would touch device memory from the host.
  static LogicalResult verify(func::FuncOp function) {
    WalkResult result = function.walk<WalkOrder::PreOrder>([](Operation *op) {
      if (op->hasAttr(ShardIRDialect::kKernel) ||
          isa<linalg::LinalgOp, scf::ForallOp, scf::ParallelOp>(op))
        return WalkResult::skip();
      if (isa<affine::AffineLoadOp, affine::AffineStoreOp>(op) ||
          isa_and_present<linalg::LinalgDialect>(op->getDialect()) ||
          (op->getName().getDialectNamespace() == "vector" &&
           !isMemoryEffectFree(op))) {
        op->emitOpError("cannot be placed on a GPU: the host would touch "
                        "device memory; write it as linalg or memref ops");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
