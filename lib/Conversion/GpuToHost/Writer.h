//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shorthands for the ops that replace one op of a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_GPUTOHOST_WRITER_H
#define SHARDIR_LIB_CONVERSION_GPUTOHOST_WRITER_H

#include "ShardIR/Conversion/BufferAddress.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace shardir {

/// The bytes of a number or a vector of some.
inline int64_t bytesOf(mlir::Type type) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    return llvm::divideCeil(
        vector.getNumElements() * vector.getElementTypeBitWidth(), 8);
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// Writes the ops that replace one op.
class Writer : public mlir::ImplicitLocOpBuilder {
public:
  explicit Writer(mlir::Operation *op)
      : ImplicitLocOpBuilder(op->getLoc(), op) {}

  mlir::Value i32(int64_t value) {
    return mlir::arith::ConstantOp::create(*this,
                                           getI32IntegerAttr(int32_t(value)));
  }
  mlir::Value i64(int64_t value) {
    return mlir::arith::ConstantOp::create(*this, getI64IntegerAttr(value));
  }
  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(*this, value);
  }
  mlir::Value toI64(mlir::Value index) {
    return mlir::arith::IndexCastOp::create(*this, getI64Type(), index);
  }
  mlir::LLVM::LLVMPointerType pointer() {
    return mlir::LLVM::LLVMPointerType::get(getContext());
  }
  /// `base` plus so many bytes.
  mlir::Value at(mlir::Value base, mlir::LLVM::GEPArg bytes) {
    return mlir::LLVM::GEPOp::create(*this, pointer(), getI8Type(), base,
                                     bytes);
  }
  /// Where `memref`[`indices`] lies.
  mlir::Value addressOf(mlir::Value memref, mlir::ValueRange indices) {
    return bufferAddress(*this, getLoc(), memref, indices);
  }
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_GPUTOHOST_WRITER_H
