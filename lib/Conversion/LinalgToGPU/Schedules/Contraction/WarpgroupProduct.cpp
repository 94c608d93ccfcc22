//===- WarpgroupProduct.cpp - What four warps multiply --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a and tiles of 16-bit floats, or of tf32 or 8-bit floats along
// k, that lie as WarpgroupProduct.h says; guarantees one commit group per step.
// Zeros are hidden from LLVM behind an empty asm,
// since it would set the registers behind the fence that must come after that.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupProduct.h"
#include "../WarpgroupMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace shardir;

Value WarpgroupProduct::word(int64_t value) {
  return arith::ConstantOp::create(emit.builder, emit.loc,
                                   emit.builder.getI64IntegerAttr(value));
}

/// The advance of a descriptor's start along the k of one wgmma.
int64_t WarpgroupProduct::stepOf(const TileSource &source) {
  int64_t k = stepBytes / elementBytes(source.operand.element);
  return (source.alongK ? stepBytes : k * rowBytes) / 16;
}

Index WarpgroupProduct::partOfA(Index group) {
  // 64 rows of a tile along k, or one box.
  return emit.mul(group, rowBytes * (a.alongK ? rows : a.rows));
}

Value WarpgroupProduct::zeros() {
  return emit.pinned(
      SmallVector<Value>(columns / 2, emit.zero(emit.builder.getF32Type())));
}

Value WarpgroupProduct::multiply(Value sums, Value left, Value right,
                                 int64_t bk) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Value leftStart = wgmmaDescriptor(emit, left, a.alongK, a.rows),
        rightStart = wgmmaDescriptor(emit, right, b.alongK, b.rows);
  int64_t k = stepBytes / elementBytes(a.operand.element);
  Type element = a.operand.element;
  auto type = element.isBF16()                 ? NVVM::WGMMATypes::bf16
              : element.isF16()                ? NVVM::WGMMATypes::f16
              : element.isF32()                ? NVVM::WGMMATypes::tf32
              : isa<Float8E4M3FNType>(element) ? NVVM::WGMMATypes::e4m3
                                               : NVVM::WGMMATypes::e5m2;
  NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  for (int64_t step = 0; step < bk / k; ++step) {
    auto moved = [&](Value start, const TileSource &source) -> Value {
      return step == 0 ? start
                       : arith::AddIOp::create(builder, loc, start,
                                               word(step * stepOf(source)));
    };
    sums = NVVM::WgmmaMmaAsyncOp::create(
        builder, loc, sums.getType(), sums, moved(leftStart, a),
        moved(rightStart, b),
        NVVM::MMAShapeAttr::get(builder.getContext(), rows, columns, k), type,
        type, NVVM::WGMMATypes::f32, NVVM::WGMMAScaleOut::one,
        NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
        a.alongK ? NVVM::MMALayout::row : NVVM::MMALayout::col,
        b.alongK ? NVVM::MMALayout::col : NVVM::MMALayout::row,
        NVVM::MMAIntOverflowAttr());
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  return sums;
}

void WarpgroupProduct::wait(int64_t pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(emit.builder, emit.loc, pending);
}

Value WarpgroupProduct::sum(Value sums, int64_t at) {
  return LLVM::ExtractValueOp::create(emit.builder, emit.loc, sums, at);
}

void WarpgroupProduct::forEachPair(
    Index thread, function_ref<void(Index, Index, int64_t)> body) {
  Index lane = emit.rem(thread, 32), warp = emit.div(thread, 32);
  Index row = emit.add(emit.mul(warp, 16), emit.div(lane, 4));
  Index column = emit.mul(emit.rem(lane, 4), 2);
  for (int64_t half = 0; half < 2; ++half)
    for (int64_t j = 0; j < columns / 8; ++j)
      body(emit.add(row, emit.constant(8 * half)),
           emit.add(column, emit.constant(8 * j)), 4 * j + 2 * half);
}
