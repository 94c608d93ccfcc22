//===- KernelVectorBody.cpp - A linalg body on lanes of a kernel ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a table lie at multiples of a vector's size if its strides are such
// multiples, whatever row is looked up; the place in the row is the loop's
// then.
//
//===----------------------------------------------------------------------===//

#include "KernelVectorBody.h"

#include "ShardIR/Conversion/BufferAddress.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace shardir;

static bool isMultipleOf(Value value, int64_t number) {
  if (auto known = getConstantIntValue(value))
    return *known % number == 0;
  Operation *op = value.getDefiningOp();
  auto operand = [&](unsigned i) {
    return isMultipleOf(op->getOperand(i), number);
  };
  if (isa_and_nonnull<arith::MulIOp>(op))
    return operand(0) || operand(1);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
    return operand(0) && operand(1);
  return isa_and_nonnull<arith::IndexCastOp>(op) && operand(0);
}

/// True if `lanes` elements from `at` on are surely aligned.
static bool isAligned(Value memref, ValueRange at, int64_t lanes) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  auto isOdd = [&](int64_t number) {
    return ShapedType::isDynamic(number) || number % lanes != 0;
  };
  return hasAlignedStart(memref) && !isOdd(offset) &&
         llvm::none_of(ArrayRef(strides).drop_back(), isOdd) &&
         isMultipleOf(at.back(), lanes);
}

Value KernelVectorBody::loadRow(Value memref, ValueRange at,
                                std::optional<Index> count) {
  assert(!count && "lanes that do not exist");
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  VectorType type =
      vectorOf(cast<MemRefType>(memref.getType()).getElementType());
  if (isAligned(memref, at, type.getNumElements()))
    return VectorBody::loadRow(memref, at, count);
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  Value address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(),
                               bufferAddress(builder, loc, memref, at));
  Value rest = arith::AndIOp::create(
      builder, loc, address,
      integer(type.getNumElements() * elementBytes(type.getElementType()) - 1));
  Value aligned = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rest, integer(0));
  auto branch =
      scf::IfOp::create(builder, loc, type, aligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, VectorBody::loadRow(memref, at, count));
  builder.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> elements, place(at);
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    place.back() = emit.value(emit.add(Index(at.back()), emit.constant(lane)));
    elements.push_back(memref::LoadOp::create(builder, loc, memref, place));
  }
  scf::YieldOp::create(
      builder, loc,
      vector::FromElementsOp::create(builder, loc, type, elements).getResult());
  return branch.getResult(0);
}
