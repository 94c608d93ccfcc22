//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits what TensorMemory.h says at the emitter's place, in a kernel.
//
//===----------------------------------------------------------------------===//

#include "TensorMemory.h"
#include "WarpgroupMemory.h"

using namespace mlir;
using namespace shardir;

void TensorMemory::fence(NVVM::Tcgen05FenceKind kind) {
  NVVM::Tcgen05FenceOp::create(emit.builder, emit.loc, kind);
}

Value TensorMemory::pointer(Value address) {
  auto type = LLVM::LLVMPointerType::get(
      emit.builder.getContext(), unsigned(NVVM::NVVMMemorySpace::Tensor));
  return LLVM::IntToPtrOp::create(emit.builder, emit.loc, type, address);
}

void TensorMemory::allocate(Value place, int64_t columns) {
  NVVM::Tcgen05AllocOp::create(emit.builder, emit.loc, place, emit.i32(columns),
                               group);
  NVVM::Tcgen05RelinquishAllocPermitOp::create(emit.builder, emit.loc, group);
}

void TensorMemory::giveBack(Value address, int64_t columns) {
  NVVM::Tcgen05DeallocOp::create(emit.builder, emit.loc, pointer(address),
                                 emit.i32(columns), group);
}

Value TensorMemory::descriptor(Value address, bool alongK, int64_t rows) {
  constexpr int64_t version = int64_t(1) << 46;
  Value bits = arith::ConstantOp::create(
      emit.builder, emit.loc, emit.builder.getI64IntegerAttr(version));
  return arith::OrIOp::create(emit.builder, emit.loc,
                              wgmmaDescriptor(emit, address, alongK, rows),
                              bits);
}

Value TensorMemory::instruction(Type element, int64_t m, int64_t n,
                                bool leftAlongK, bool rightAlongK) {
  int64_t type = element.isBF16() || isa<Float8E5M2Type>(element) ? 1
                 : element.isF32()                                ? 2
                                                                  : 0;
  constexpr int64_t f32Sums = 1;
  return emit.i32(f32Sums << 4 | type << 7 | type << 10 |
                  int64_t(!leftAlongK) << 15 | int64_t(!rightAlongK) << 16 |
                  n / 8 << 17 | m / 16 << 24);
}

void TensorMemory::multiply(Value sums, Value left, Value right,
                            Value instruction, Type element, Value adds) {
  auto kind = elementBytes(element) == 2   ? NVVM::Tcgen05MMAKind::F16
              : elementBytes(element) == 4 ? NVVM::Tcgen05MMAKind::TF32
                                           : NVVM::Tcgen05MMAKind::F8F6F4;
  NVVM::Tcgen05MMAOp::create(
      emit.builder, emit.loc, kind, group, NVVM::Tcgen05MMACollectorOp::DISCARD,
      /*aShift=*/false, sums, left, right, instruction, adds, Value(), Value());
}

void TensorMemory::commit(Value barrier, Value blocks) {
  NVVM::Tcgen05CommitOp::create(emit.builder, emit.loc, barrier, blocks, group);
}

SmallVector<Value> TensorMemory::load(ArrayRef<Value> addresses, int64_t words,
                                      NVVM::Tcgen05LdStShape shape) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  SmallVector<Value> all;
  for (Value address : addresses) {
    Value loaded = NVVM::Tcgen05LdOp::create(
        builder, loc, VectorType::get(words, builder.getI32Type()),
        /*pack=*/UnitAttr(),
        NVVM::Tcgen05LdStShapeAttr::get(builder.getContext(), shape),
        pointer(address), Value());
    for (int64_t i = 0; i < words; ++i)
      all.push_back(vector::ExtractOp::create(builder, loc, loaded, i));
  }
  NVVM::Tcgen05WaitOp::create(builder, loc, NVVM::Tcgen05WaitKind::LOAD);
  // An empty asm behind the wait keeps LLVM from using the registers before it.
  Value there = emit.pinned(all);
  fence(NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
  SmallVector<Value> sums;
  for (int64_t i = 0, count = int64_t(all.size()); i < count; ++i)
    sums.push_back(arith::BitcastOp::create(
        builder, loc, builder.getF32Type(),
        LLVM::ExtractValueOp::create(builder, loc, there, i)));
  return sums;
}
