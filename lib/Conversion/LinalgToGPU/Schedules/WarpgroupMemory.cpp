//===- WarpgroupMemory.cpp - Shared memory as wgmma reads it --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See WarpgroupMemory.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupMemory.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace shardir;

constexpr int64_t kRowBytes = 128;

Index shardir::swizzledPlace(KernelEmitter &emit, Index row, Index column,
                             int64_t rows, int64_t elementBytes) {
  int64_t rowElements = kRowBytes / elementBytes, chunk = 16 / elementBytes;
  Index box = emit.div(column, 8), inBox = emit.rem(column, 8);
  Index mixed = emit.exclusiveOr(inBox, emit.rem(row, 8));
  Index inRows = emit.add(emit.mul(row, rowElements), emit.mul(mixed, chunk));
  return emit.add(emit.mul(box, rows * rowElements), inRows);
}

Value shardir::wgmmaDescriptor(KernelEmitter &emit, Value address, bool alongK,
                               int64_t rows) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  auto word = [&](int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  Value start = arith::AndIOp::create(builder, loc, address, word(0x3ffff));
  start = arith::ShRUIOp::create(builder, loc, start, word(4));
  // Start, leading and stride offsets in units of 16 bytes, and the swizzling.
  // Along k the leading offset does not count; else it leads to the next box.
  int64_t leading = alongK ? 1 : rows * kRowBytes / 16;
  int64_t fields = leading << 16 | int64_t(64) << 32 | int64_t(1) << 62;
  return arith::OrIOp::create(builder, loc, start, word(fields));
}

void shardir::publishToAsyncProxy(KernelEmitter &emit) {
  NVVM::FenceProxyOp::create(
      emit.builder, emit.loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(emit.builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}
