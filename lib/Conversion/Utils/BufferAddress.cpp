//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires that memrefs are lowered later; guarantees no op where a type tells
// that an offset is zero.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/BufferAddress.h"

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

Value shardir::bufferAddress(OpBuilder &builder, Location loc, Value buffer,
                             ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  Value element;
  auto add = [&](Value more) {
    element =
        element ? arith::AddIOp::create(builder, loc, element, more).getResult()
                : more;
  };
  auto [strides, offset] = type.getStridesAndOffset();
  if (offset != 0 || !indices.empty()) {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    if (offset != 0)
      add(metadata.getOffset());
    for (auto [index, stride] : llvm::zip(indices, metadata.getStrides()))
      add(arith::MulIOp::create(builder, loc, index, stride));
  }
  if (element) {
    Value bytes = arith::ConstantIndexOp::create(
        builder, loc, shardir::elementBytes(type.getElementType()));
    address = arith::AddIOp::create(
        builder, loc, address,
        arith::MulIOp::create(builder, loc, element, bytes));
  }
  Value number =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), number);
}
