//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the fields of a shardir_emulated_thread, of which each is one word of
// eight bytes, and calls its functions.
//
//===----------------------------------------------------------------------===//

#include "EmulatedThread.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace shardir;

namespace {
// Words of the struct after its four arrays.
constexpr int32_t kShared = 12, kBarrier = 13, kGather = 14;
} // namespace

Value EmulatedThread::word(OpBuilder &builder, Location loc, int32_t number,
                           Type type) const {
  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext());
  Value address =
      LLVM::GEPOp::create(builder, loc, pointerType, builder.getI64Type(),
                          pointer, ArrayRef<LLVM::GEPArg>{number});
  return LLVM::LoadOp::create(builder, loc, type, address);
}

Value EmulatedThread::entry(OpBuilder &builder, Location loc, Array array,
                            int dim) const {
  return arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      word(builder, loc, 3 * array + dim, builder.getI64Type()));
}

Value EmulatedThread::linearId(OpBuilder &builder, Location loc) const {
  Value linear = entry(builder, loc, Thread, 2);
  for (int dim : {1, 0})
    linear = arith::AddIOp::create(
        builder, loc,
        arith::MulIOp::create(builder, loc, linear,
                              entry(builder, loc, BlockDim, dim)),
        entry(builder, loc, Thread, dim));
  return linear;
}

Value EmulatedThread::blockSize(OpBuilder &builder, Location loc) const {
  Value size = entry(builder, loc, BlockDim, 0);
  for (int dim : {1, 2})
    size = arith::MulIOp::create(builder, loc, size,
                                 entry(builder, loc, BlockDim, dim));
  return size;
}

Value EmulatedThread::shared(OpBuilder &builder, Location loc) const {
  return word(builder, loc, kShared,
              LLVM::LLVMPointerType::get(builder.getContext()));
}

void EmulatedThread::call(OpBuilder &builder, Location loc, int32_t function,
                          ValueRange arguments) const {
  SmallVector<Value> operands = {
      word(builder, loc, function,
           LLVM::LLVMPointerType::get(builder.getContext())),
      pointer};
  llvm::append_range(operands, arguments);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()),
      SmallVector<Type>(ValueRange(operands).drop_front().getTypes()));
  LLVM::CallOp::create(builder, loc, type, operands);
}

void EmulatedThread::barrier(OpBuilder &builder, Location loc) const {
  call(builder, loc, kBarrier, {});
}

void EmulatedThread::gather(OpBuilder &builder, Location loc, Value in,
                            Value all, int64_t bytes) const {
  Value size = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                        builder.getI64IntegerAttr(bytes));
  call(builder, loc, kGather, {in, all, size});
}
