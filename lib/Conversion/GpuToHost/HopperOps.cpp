//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the driver in place of nvvm ops. Hints, fences and clusters of one
// block mean nothing here, where memory is one and threads take turns.
//
//===----------------------------------------------------------------------===//

#include "HopperOps.h"

#include "WarpOps.h"
#include "Writer.h"

#include "ShardIR/Runtime/EmulatedGpu.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace shardir;

namespace {
using Scratch = llvm::function_ref<Value(int64_t)>;

/// `coordinates` in memory, innermost first as the op has them.
Value coordinatesOf(Writer &w, ValueRange coordinates, Scratch scratch) {
  Value memory = scratch(4 * int64_t(coordinates.size()));
  for (auto [i, coordinate] : llvm::enumerate(coordinates))
    LLVM::StoreOp::create(w, coordinate, w.at(memory, int32_t(4 * i)));
  return memory;
}

/// Runs `f` where `predicate` is true; everywhere if there is none.
void where(Writer &w, Value predicate, llvm::function_ref<void()> f) {
  if (!predicate)
    return f();
  auto branch = scf::IfOp::create(w, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(w);
  w.setInsertionPointToStart(branch.thenBlock());
  f();
}

LogicalResult multiply(NVVM::WgmmaMmaAsyncOp op, const EmulatedThread &thread,
                       Scratch scratch) {
  Writer w(op);
  auto type = [](NVVM::WGMMATypes type) {
    switch (type) {
    case NVVM::WGMMATypes::f16:
      return int(SHARDIR_MMA_F16);
    case NVVM::WGMMATypes::bf16:
      return int(SHARDIR_MMA_BF16);
    case NVVM::WGMMATypes::tf32:
      return int(SHARDIR_MMA_TF32);
    case NVVM::WGMMATypes::e4m3:
      return int(SHARDIR_MMA_E4M3);
    case NVVM::WGMMATypes::e5m2:
      return int(SHARDIR_MMA_E5M2);
    default:
      return -1;
    }
  };
  int multiplicand = type(op.getTypeA());
  auto structure = cast<LLVM::LLVMStructType>(op.getType());
  if (multiplicand < 0 || op.getTypeA() != op.getTypeB() ||
      op.getTypeD() != NVVM::WGMMATypes::f32 ||
      op.getScaleA() != NVVM::WGMMAScaleIn::one ||
      op.getScaleB() != NVVM::WGMMAScaleIn::one)
    return op.emitError("has no emulation on the host in this type");
  int64_t count = int64_t(structure.getBody().size());
  Value sums = scratch(4 * count);
  for (int64_t i = 0; i < count; ++i)
    LLVM::StoreOp::create(
        w,
        LLVM::ExtractValueOp::create(w, op.getInouts(), ArrayRef<int64_t>{i}),
        w.at(sums, int32_t(4 * i)));
  bool accumulates = op.getScaleD() == NVVM::WGMMAScaleOut::one;
  // An operand is as it is in PTX where it is contiguous along k.
  thread.call(w, w.getLoc(), EmulatedThread::Wgmma,
              {w.i32(op.getShape().getN()), w.i32(multiplicand),
               op.getDescriptorA(), LLVM::ZeroOp::create(w, w.pointer()),
               op.getDescriptorB(),
               w.i32(op.getLayoutA() == NVVM::MMALayout::col),
               w.i32(op.getLayoutB() == NVVM::MMALayout::row),
               w.i32(accumulates), sums});
  Value all = LLVM::PoisonOp::create(w, structure);
  for (int64_t i = 0; i < count; ++i)
    all = LLVM::InsertValueOp::create(
        w, all,
        LLVM::LoadOp::create(w, w.getF32Type(), w.at(sums, int32_t(4 * i))),
        ArrayRef<int64_t>{i});
  op.replaceAllUsesWith(all);
  op.erase();
  return success();
}

/// wgmma with A in registers, for which there is no op: assembly whose operands
/// are the sums, which results are tied to, A's four words and B's descriptor,
/// and whose last immediate says whether B is transposed.
LogicalResult multiply(LLVM::InlineAsmOp op, const EmulatedThread &thread,
                       Scratch scratch) {
  llvm::SmallVector<llvm::StringRef> match;
  llvm::Regex form("^wgmma\\.mma_async\\.sync\\.aligned\\.m64n([0-9]+)k16\\.f32"
                   "\\.(bf16\\.bf16|f16\\.f16) .*, 1, 1, 1, ([01]);$");
  int64_t n = 0;
  auto structure = dyn_cast_or_null<LLVM::LLVMStructType>(
      op.getRes() ? op.getRes().getType() : Type());
  if (!structure || !form.match(op.getAsmString(), &match) ||
      match[1].getAsInteger(10, n) ||
      int64_t(structure.getBody().size()) != n / 2 ||
      int64_t(op.getNumOperands()) != n / 2 + 5)
    return op.emitError("has no emulation on the host in this form");
  Writer w(op);
  int64_t count = n / 2;
  Value sums = scratch(4 * count), words = scratch(4 * 4);
  for (int64_t i = 0; i < count; ++i)
    LLVM::StoreOp::create(w, op.getOperand(i), w.at(sums, int32_t(4 * i)));
  for (int64_t i = 0; i < 4; ++i)
    LLVM::StoreOp::create(w, op.getOperand(count + i),
                          w.at(words, int32_t(4 * i)));
  int type = match[2].starts_with("bf16") ? SHARDIR_MMA_BF16 : SHARDIR_MMA_F16;
  thread.call(w, w.getLoc(), EmulatedThread::Wgmma,
              {w.i32(int32_t(n)), w.i32(type), w.i64(0), words,
               op.getOperand(count + 4), w.i32(0), w.i32(match[3] == "1"),
               w.i32(1), sums});
  Value all = LLVM::PoisonOp::create(w, structure);
  for (int64_t i = 0; i < count; ++i)
    all = LLVM::InsertValueOp::create(
        w, all,
        LLVM::LoadOp::create(w, w.getF32Type(), w.at(sums, int32_t(4 * i))),
        ArrayRef<int64_t>{i});
  op.getRes().replaceAllUsesWith(all);
  op.erase();
  return success();
}

/// Lane 8 i + r says where row r of matrix i is to begin; lane 4 r + c has
/// elements 2 c and 2 c + 1 of row r: the inverse of ldmatrix.
LogicalResult storeMatrix(NVVM::StMatrixOp op, const EmulatedThread &thread,
                          Scratch scratch) {
  if (op.getEltType() != NVVM::LdStMatrixEltType::B16 ||
      op.getLayout() != NVVM::MMALayout::row)
    return op.emitError("has no emulation on the host in this type and layout");
  Writer w(op);
  constexpr int64_t kAddress = 8, kRegister = 4;
  Value in = scratch(kAddress), all = scratch(kLanes * kAddress);
  LLVM::StoreOp::create(w, op.getPtr(), in);
  thread.gather(w, w.getLoc(), in, all, kAddress);
  Value lane = arith::RemUIOp::create(w, thread.linearId(w, w.getLoc()),
                                      w.index(kLanes));
  Value row = w.toI64(arith::DivUIOp::create(w, lane, w.index(4)));
  Value column = w.toI64(arith::RemUIOp::create(w, lane, w.index(4)));
  for (auto [tile, source] : llvm::enumerate(op.getSources())) {
    Value slot = arith::MulIOp::create(
        w, arith::AddIOp::create(w, row, w.i64(8 * int64_t(tile))),
        w.i64(kAddress));
    Value start = LLVM::LoadOp::create(w, w.pointer(), w.at(all, slot));
    Value place = arith::MulIOp::create(w, column, w.i64(kRegister));
    LLVM::StoreOp::create(w, source, w.at(start, place));
  }
  op.erase();
  return success();
}
} // namespace

std::optional<LogicalResult>
shardir::rewriteHopperOp(Operation *op, const EmulatedThread &thread,
                         Scratch scratch) {
  Writer w(op);
  Location loc = op->getLoc();
  auto call = [&](EmulatedThread::Function function, ValueRange arguments) {
    thread.call(w, loc, function, arguments);
  };
  auto done = [&]() -> std::optional<LogicalResult> {
    op->erase();
    return success();
  };
  auto noBytes = [&] { return w.i64(0); };
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case<NVVM::FenceMbarrierInitOp, NVVM::FenceProxyOp, NVVM::PrefetchOp,
            NVVM::SetMaxRegisterOp, NVVM::ClusterArriveOp,
            NVVM::WgmmaFenceAlignedOp, NVVM::WgmmaGroupSyncAlignedOp>(
          [&](auto) { return done(); })
      .Case([&](NVVM::WgmmaWaitGroupSyncOp) {
        // Products are done where they are called; behind the wait those of all
        // lanes are.
        Value nothing = scratch(1);
        thread.gather(w, loc, nothing, nothing, 0);
        return done();
      })
      .Case([&](NVVM::ClusterWaitOp) {
        thread.barrier(w, loc);
        return done();
      })
      .Case([&](NVVM::ElectSyncOp elect) -> std::optional<LogicalResult> {
        Value lane =
            arith::RemUIOp::create(w, thread.linearId(w, loc), w.index(kLanes));
        elect.replaceAllUsesWith(
            arith::CmpIOp::create(w, arith::CmpIPredicate::eq, lane, w.index(0))
                .getResult());
        return done();
      })
      .Case([&](NVVM::BarrierOp barrier) -> std::optional<LogicalResult> {
        if (barrier.getReductionOp())
          return LogicalResult(
              barrier.emitError("has no emulation on the host"));
        if (!barrier.getNumberOfThreads() && !barrier.getBarrierId()) {
          thread.barrier(w, loc);
          return done();
        }
        Value id = barrier.getBarrierId() ? barrier.getBarrierId() : w.i32(0);
        Value threads =
            barrier.getNumberOfThreads()
                ? Value(arith::ExtUIOp::create(w, w.getI64Type(),
                                               barrier.getNumberOfThreads()))
                : w.toI64(thread.blockSize(w, loc));
        call(EmulatedThread::NamedBarrier, {id, threads, w.i32(1)});
        return done();
      })
      .Case([&](NVVM::BarrierArriveOp barrier) {
        Value id = barrier.getBarrierId() ? barrier.getBarrierId() : w.i32(0);
        call(EmulatedThread::NamedBarrier,
             {id,
              arith::ExtUIOp::create(w, w.getI64Type(),
                                     barrier.getNumberOfThreads()),
              w.i32(0)});
        return done();
      })
      .Case([&](NVVM::MBarrierInitOp init) {
        where(w, init.getPredicate(), [&] {
          call(EmulatedThread::MBarrierInit, {init.getAddr(), init.getCount()});
        });
        return done();
      })
      .Case([&](NVVM::MBarrierInvalOp) { return done(); })
      .Case([&](NVVM::MBarrierArriveOp arrive) -> std::optional<LogicalResult> {
        if (arrive.getCount() || !arrive->use_empty())
          return LogicalResult(arrive.emitError(
              "has no emulation on the host with a count or a state"));
        call(EmulatedThread::MBarrierArrive, {arrive.getAddr(), noBytes()});
        return done();
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp arrive)
                -> std::optional<LogicalResult> {
        if (!arrive->use_empty())
          return LogicalResult(
              arrive.emitError("has no emulation on the host with a state"));
        where(w, arrive.getPredicate(), [&] {
          call(EmulatedThread::MBarrierArrive,
               {arrive.getAddr(), arith::ExtUIOp::create(w, w.getI64Type(),
                                                         arrive.getTxcount())});
        });
        return done();
      })
      .Case([&](NVVM::MBarrierTryWaitParityOp wait) {
        call(EmulatedThread::MBarrierWait, {wait.getAddr(), wait.getPhase()});
        return done();
      })
      .Case([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp load)
                -> std::optional<LogicalResult> {
        if (load.getMulticastMask() || !load.getIm2colOffsets().empty())
          return LogicalResult(load.emitError(
              "has no emulation on the host with multicast or im2col"));
        where(w, load.getPredicate(), [&] {
          call(EmulatedThread::TensorLoad,
               {load.getDstMem(), load.getTmaDescriptor(),
                coordinatesOf(w, load.getCoordinates(), scratch),
                load.getMbar()});
        });
        return done();
      })
      .Case([&](NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp store) {
        where(w, store.getPredicate(), [&] {
          call(EmulatedThread::TensorStore,
               {store.getTmaDescriptor(),
                coordinatesOf(w, store.getCoordinates(), scratch),
                store.getSrcMem()});
        });
        return done();
      })
      .Case([&](NVVM::CpAsyncBulkCommitGroupOp) {
        call(EmulatedThread::CommitStores, {});
        return done();
      })
      .Case([&](NVVM::CpAsyncBulkWaitGroupOp wait) {
        call(EmulatedThread::WaitStores, {w.i64(wait.getGroup())});
        return done();
      })
      .Case([&](NVVM::StMatrixOp op) -> std::optional<LogicalResult> {
        return storeMatrix(op, thread, scratch);
      })
      .Case([&](NVVM::WgmmaMmaAsyncOp op) -> std::optional<LogicalResult> {
        return multiply(op, thread, scratch);
      })
      .Case([&](LLVM::InlineAsmOp op) -> std::optional<LogicalResult> {
        return multiply(op, thread, scratch);
      })
      .Default([](Operation *) -> std::optional<LogicalResult> { return {}; });
}
