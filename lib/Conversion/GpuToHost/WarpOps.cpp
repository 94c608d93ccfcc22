//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes post what they have and pick what is theirs. Matrix products are the
// driver's (shardir_emulated_thread.mma); here their fragments become memory.
//
//===----------------------------------------------------------------------===//

#include "WarpOps.h"

#include "Writer.h"

#include "ShardIR/Runtime/EmulatedGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardir;

namespace {
void shuffle(gpu::ShuffleOp op, const EmulatedThread &thread,
             llvm::function_ref<Value(int64_t)> scratch) {
  Writer w(op);
  Type type = op.getValue().getType();
  int64_t bytes = llvm::PowerOf2Ceil(bytesOf(type));
  Value in = scratch(bytes), all = scratch(kLanes * bytes);
  LLVM::StoreOp::create(w, op.getValue(), in);
  thread.gather(w, w.getLoc(), in, all, bytes);

  Value lane = arith::AndIOp::create(
      w,
      arith::IndexCastOp::create(w, w.getI32Type(),
                                 thread.linearId(w, w.getLoc())),
      w.i32(kLanes - 1));
  // Lanes are shuffled within segments of `width`, a power of two.
  Value mask = arith::SubIOp::create(w, op.getWidth(), w.i32(1));
  Value inside = arith::AndIOp::create(w, lane, mask);
  Value first = arith::SubIOp::create(w, lane, inside);
  Value from;
  switch (op.getMode()) {
  case gpu::ShuffleMode::XOR:
    from = arith::XOrIOp::create(w, inside, op.getOffset());
    break;
  case gpu::ShuffleMode::UP:
    from = arith::SubIOp::create(w, inside, op.getOffset());
    break;
  case gpu::ShuffleMode::DOWN:
    from = arith::AddIOp::create(w, inside, op.getOffset());
    break;
  case gpu::ShuffleMode::IDX:
    from = arith::AndIOp::create(w, op.getOffset(), mask);
    break;
  }
  // Unsigned, so that what lies below 0 is out too.
  Value valid =
      arith::CmpIOp::create(w, arith::CmpIPredicate::ult, from, op.getWidth());
  Value source = arith::AddIOp::create(
      w, first, arith::SelectOp::create(w, valid, from, inside));
  Value place = arith::MulIOp::create(w, source, w.i32(bytes));
  Value result = LLVM::LoadOp::create(w, type, w.at(all, place));
  op.replaceAllUsesWith(ValueRange{result, valid});
  op.erase();
}

/// Lane 8 i + r says where row r of matrix i begins; lane 4 r + c gets elements
/// 2 c and 2 c + 1 of row r, or of column r where the matrix is transposed.
void loadMatrix(nvgpu::LdMatrixOp op, const EmulatedThread &thread,
                llvm::function_ref<Value(int64_t)> scratch) {
  Writer w(op);
  constexpr int64_t kRegister = 4, kAddress = 8, kHalf = 2;
  int64_t tiles = op.getNumTiles();
  Value in = scratch(kAddress), all = scratch(kLanes * kAddress);
  Value out = scratch(tiles * kRegister);
  LLVM::StoreOp::create(w, w.addressOf(op.getSrcMemref(), op.getIndices()), in);
  thread.gather(w, w.getLoc(), in, all, kAddress);

  Value lane = arith::RemUIOp::create(w, thread.linearId(w, w.getLoc()),
                                      w.index(kLanes));
  Value row = w.toI64(arith::DivUIOp::create(w, lane, w.index(4)));
  Value column = w.toI64(arith::RemUIOp::create(w, lane, w.index(4)));
  // The element of kHalf bytes at `element` of the row that begins at the
  // address that lane `from` of tile `tile` has posted.
  auto copy = [&](int64_t tile, Value from, Value element, int64_t bytes,
                  int64_t to) {
    Value slot = arith::MulIOp::create(
        w, arith::AddIOp::create(w, from, w.i64(8 * tile)), w.i64(kAddress));
    Value start = LLVM::LoadOp::create(w, w.pointer(), w.at(all, slot));
    Value address =
        w.at(start, Value(arith::MulIOp::create(w, element, w.i64(kHalf))));
    Value bits = LLVM::LoadOp::create(w, w.getIntegerType(unsigned(8 * bytes)),
                                      address, /*alignment=*/2);
    LLVM::StoreOp::create(w, bits, w.at(out, int32_t(to)), /*alignment=*/2);
  };
  Value pair = arith::MulIOp::create(w, column, w.i64(2));
  for (int64_t tile = 0; tile < tiles; ++tile) {
    if (!op.getTranspose()) {
      copy(tile, row, pair, kRegister, tile * kRegister);
      continue;
    }
    Value next = arith::AddIOp::create(w, pair, w.i64(1));
    copy(tile, pair, row, kHalf, tile * kRegister);
    copy(tile, next, row, kHalf, tile * kRegister + kHalf);
  }
  auto type = cast<VectorType>(op.getRes().getType());
  auto flat = VectorType::get({type.getNumElements()}, type.getElementType());
  Value loaded = LLVM::LoadOp::create(w, flat, out, /*alignment=*/4);
  op.replaceAllUsesWith(
      vector::ShapeCastOp::create(w, type, loaded).getResult());
  op.erase();
}

/// The driver's word for a type of multiplicands, or -1.
int32_t mmaType(NVVM::MMATypes type) {
  switch (type) {
  case NVVM::MMATypes::f16:
    return SHARDIR_MMA_F16;
  case NVVM::MMATypes::bf16:
    return SHARDIR_MMA_BF16;
  case NVVM::MMATypes::tf32:
    return SHARDIR_MMA_TF32;
  case NVVM::MMATypes::s8:
    return SHARDIR_MMA_S8;
  case NVVM::MMATypes::u8:
    return SHARDIR_MMA_U8;
  case NVVM::MMATypes::f64:
    return SHARDIR_MMA_F64;
  default:
    return -1;
  }
}

bool shapeIsKnown(int32_t type, int64_t m, int64_t n, int64_t k) {
  if (type == SHARDIR_MMA_F64)
    return m == 8 && n == 8 && k == 4;
  if (m != 16 || n != 8)
    return false;
  switch (type) {
  case SHARDIR_MMA_TF32:
    return k == 4 || k == 8;
  case SHARDIR_MMA_S8:
  case SHARDIR_MMA_U8:
    return k == 16 || k == 32;
  default:
    return k == 8 || k == 16;
  }
}

LogicalResult multiply(NVVM::MmaOp op, const EmulatedThread &thread,
                       llvm::function_ref<Value(int64_t)> scratch) {
  Writer w(op);
  auto shape = op.getShape();
  auto multiplicand = op.getMultiplicandAPtxType();
  int32_t type = multiplicand ? mmaType(*multiplicand) : -1;
  auto result = cast<LLVM::LLVMStructType>(op.getType());
  Type accumulator = result.getBody().front();
  bool accumulates = type == SHARDIR_MMA_F64 ? accumulator.isF64()
                     : type == SHARDIR_MMA_S8 || type == SHARDIR_MMA_U8
                         ? accumulator.isInteger(32)
                         : accumulator.isF32();
  if (type < 0 || op.getMultiplicandBPtxType() != multiplicand ||
      !accumulates ||
      !shapeIsKnown(type, shape.getM(), shape.getN(), shape.getK()) ||
      op.getLayoutA() != NVVM::MMALayout::row ||
      op.getLayoutB() != NVVM::MMALayout::col)
    return op.emitError("has no emulation on the host in this shape and type");

  auto fragment = [&](ValueRange registers) {
    int64_t bytes = 0;
    for (Value value : registers)
      bytes += bytesOf(value.getType());
    Value memory = scratch(bytes);
    int64_t place = 0;
    for (Value value : registers) {
      LLVM::StoreOp::create(w, value, w.at(memory, int32_t(place)));
      place += bytesOf(value.getType());
    }
    return memory;
  };
  Value a = fragment(op.getOperandA()), b = fragment(op.getOperandB()),
        c = fragment(op.getOperandC());
  int64_t bytes = bytesOf(accumulator);
  Value d = scratch(int64_t(result.getBody().size()) * bytes);
  thread.call(w, w.getLoc(), EmulatedThread::Mma,
              {w.i32(shape.getM()), w.i32(shape.getN()), w.i32(shape.getK()),
               w.i32(type), a, b, c, d});
  Value all = LLVM::PoisonOp::create(w, result);
  for (auto [i, field] : llvm::enumerate(result.getBody())) {
    Value loaded =
        LLVM::LoadOp::create(w, field, w.at(d, int32_t(int64_t(i) * bytes)));
    all = LLVM::InsertValueOp::create(w, all, loaded,
                                      ArrayRef<int64_t>{int64_t(i)});
  }
  op.replaceAllUsesWith(all);
  op.erase();
  return success();
}

void copyAsync(nvgpu::DeviceAsyncCopyOp op, const EmulatedThread &thread) {
  Writer w(op);
  int64_t element = bytesOf(op.getDst().getType().getElementType());
  Value bytes = w.i64(op.getDstElements().getZExtValue() * element);
  Value copied = bytes;
  if (Value elements = op.getSrcElements())
    copied = arith::MulIOp::create(w, w.toI64(elements), w.i64(element));
  thread.call(w, w.getLoc(), EmulatedThread::CopyAsync,
              {w.addressOf(op.getDst(), op.getDstIndices()),
               w.addressOf(op.getSrc(), op.getSrcIndices()), bytes, copied});
}
} // namespace

LogicalResult WarpOps::rewrite(Operation *op) const {
  // Tokens order copies on the device; the driver orders them by itself.
  auto dropToken = [](Operation *op) {
    op->dropAllUses();
    op->erase();
    return success();
  };
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](gpu::ShuffleOp op) {
        shuffle(op, thread, scratch);
        return success();
      })
      .Case([&](nvgpu::LdMatrixOp op) {
        loadMatrix(op, thread, scratch);
        return success();
      })
      .Case([&](NVVM::MmaOp op) { return multiply(op, thread, scratch); })
      .Case([&](nvgpu::DeviceAsyncCopyOp op) {
        copyAsync(op, thread);
        return dropToken(op);
      })
      .Case([&](nvgpu::DeviceAsyncCreateGroupOp op) {
        OpBuilder here(op);
        thread.call(here, loc, EmulatedThread::CommitCopies, {});
        return dropToken(op);
      })
      .Case([&](nvgpu::DeviceAsyncWaitOp op) {
        Writer w(op);
        thread.call(w, loc, EmulatedThread::WaitCopies,
                    {w.i64(op.getNumGroups().value_or(0))});
        op.erase();
        return success();
      })
      .Default([&](Operation *op) {
        return op->emitError("has no emulation on the host");
      });
}
