//===- AttentionUnits.cpp - Products of attention's tiles -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How mma.sync and fused multiply-adds read tiles in shared memory. Requires
// tiles that `copy` has filled, and a barrier behind that. Fragments are those
// of the PTX ISA for m16n8k16; ldmatrix transposes where memory is contiguous
// in the direction that the product does not want.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

SmallVector<Value> AttentionTiles::fragments(const Tile &tile, Index stage,
                                             Index outer, int64_t k,
                                             bool kFirst, bool outerFirst) {
  OpBuilder &builder = emit.builder;
  // Lanes 0-7 give the rows of the first matrix, 8-15 of the second, …
  Index low = emit.rem(lane, 8), one = emit.rem(emit.div(lane, 8), 2),
        two = emit.div(lane, 16);
  Index outerStep = outerFirst ? one : two, kStep = outerFirst ? two : one;
  bool alongK = kFirst == tile.turned;
  Index row, column;
  if (alongK) {
    row = emit.add(emit.add(outer, low), emit.mul(outerStep, 8));
    column = emit.add(emit.constant(k / 8), kStep);
  } else {
    row = emit.add(emit.add(emit.constant(k), low), emit.mul(kStep, 8));
    column = emit.add(emit.div(outer, 8), outerStep);
  }
  Index from =
      emit.add(emit.mul(stage, elements(tile)), place(tile, row, column));
  auto type = VectorType::get({4, 2}, tile.operand.element);
  Value loaded = nvgpu::LdMatrixOp::create(
      builder, emit.loc, type, tile.shared, emit.value(from),
      /*transpose=*/!alongK, /*numTiles=*/4);
  SmallVector<Value> result;
  for (int64_t i = 0; i < 4; ++i)
    result.push_back(
        wordOf(vector::ExtractOp::create(builder, emit.loc, loaded, i)));
  return result;
}

void AttentionTiles::product(Type element, ArrayRef<Value> a, ArrayRef<Value> b,
                             Value *sum) {
  OpBuilder &builder = emit.builder;
  Type f32 = builder.getF32Type();
  auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                 {f32, f32, f32, f32});
  auto type = element.isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
  Value all = NVVM::MmaOp::create(
      builder, emit.loc, result, a, b, ValueRange(ArrayRef<Value>(sum, 4)),
      {16, 8, 16}, std::nullopt, std::nullopt,
      std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (int64_t r = 0; r < 4; ++r)
    sum[r] = LLVM::ExtractValueOp::create(builder, emit.loc, all, r);
}

Value AttentionTiles::widened(Value value) {
  Type wide = wideType();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    wide = VectorType::get(vector.getShape(), wide);
  if (value.getType() == wide)
    return value;
  return arith::ExtFOp::create(emit.builder, emit.loc, wide, value);
}

SmallVector<Value> AttentionTiles::read(const Tile &tile, Index stage,
                                        Index first, Index second,
                                        int64_t count, bool alongFirst) {
  OpBuilder &builder = emit.builder;
  int64_t chunk = tile.chunk();
  SmallVector<Value> result;
  auto from = [&](Index one, Index two) {
    Index row = tile.turned ? two : one, column = tile.turned ? one : two;
    Index in = emit.add(place(tile, row, emit.div(column, chunk)),
                        emit.rem(column, chunk));
    return emit.value(emit.add(emit.mul(stage, elements(tile)), in));
  };
  bool together = alongFirst == tile.turned;
  // f64 has two elements in 16 bytes.
  int64_t width = together ? std::min(count, chunk) : 1;
  for (int64_t i = 0; i < count; i += width) {
    Index step = emit.constant(i);
    Value address = alongFirst ? from(emit.add(first, step), second)
                               : from(first, emit.add(second, step));
    if (width == 1) {
      result.push_back(widened(
          memref::LoadOp::create(builder, emit.loc, tile.shared, address)));
      continue;
    }
    Value loaded = widened(vector::LoadOp::create(
        builder, emit.loc, VectorType::get(width, tile.operand.element),
        tile.shared, address));
    for (int64_t e = 0; e < width; ++e)
      result.push_back(vector::ExtractOp::create(builder, emit.loc, loaded, e));
  }
  return result;
}

Value AttentionTiles::multiplyAdd(Value a, Value b, Value c) {
  return math::FmaOp::create(emit.builder, emit.loc, a, b, c);
}

Fragment AttentionTiles::multiply(const Tile &left, Index warpRow, int64_t rows,
                                  const Tile &right, Index stage,
                                  int64_t columnTiles, int64_t extent) {
  Index zero = emit.constant(0);
  SmallVector<Value> zeros(2 * rows * columnTiles, emit.zero(wideType()));
  Index pairs = emit.mul(emit.rem(lane, 4), 2);
  return emit.loop(
      zero, emit.constant(extent), emit.constant(quad), zeros,
      [&](Index k, ValueRange carried) {
        SmallVector<Value> sums(carried);
        SmallVector<SmallVector<Value>> factors;
        for (int64_t row = 0; row < rows; ++row)
          factors.push_back(read(left, zero, rowBehind(warpRow, row), k, quad,
                                 /*alongFirst=*/false));
        for (int64_t j = 0; j < columnTiles; ++j)
          for (int64_t one = 0; one < 2; ++one) {
            Index column = emit.add(pairs, emit.constant(8 * j + one));
            SmallVector<Value> columns =
                read(right, stage, column, k, quad, /*alongFirst=*/false);
            for (int64_t row = 0; row < rows; ++row)
              for (int64_t e = 0; e < quad; ++e) {
                Value &sum = sums[at(columnTiles, row / 2, j, row % 2, one)];
                sum = multiplyAdd(factors[row][e], columns[e], sum);
              }
          }
        return sums;
      });
}
