//===- MmaKernel.cpp - Matrix products by mma.sync ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires A and B of one type: a 16-bit float, i8, or f32 that may be read as
// tf32, without their lowest 13 bits. Tiles of 16-bit elements keep the
// direction in which memory is contiguous: ldmatrix transposes where the
// product wants the other one. Others lie along k: for ldmatrix their rows are
// 16-bit words too. Fragments are those of the PTX ISA for m16n8k16, m16n8k32
// and m16n8k8: 32 bytes along k each.
//
//===----------------------------------------------------------------------===//

#include "MatrixTiles.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

namespace {
class MmaKernel : public MatrixTiles {
public:
  using MatrixTiles::MatrixTiles;

private:
  void prepare() override {
    MatrixTiles::prepare();
    // As ldmatrix sees them.
    Type half =
        size() == 2 ? a.operand.element : Type(emit.builder.getF16Type());
    int64_t bytesA = plan.stages * stageElements(a) * size(),
            bytesB = plan.stages * stageElements(b) * size();
    halvesA = emit.shared(half, bytesA / 2, 0);
    halvesB = emit.shared(half, bytesB / 2, bytesA);
    warpM = emit.mul(emit.div(warp, plan.warpsN), plan.bm / plan.warpsM);
    warpN = emit.mul(emit.rem(warp, plan.warpsN), plan.bn / plan.warpsN);
  }

  int64_t tilesM() { return plan.bm / plan.warpsM / 16; }
  int64_t tilesN() { return plan.bn / plan.warpsN / 8; }

  SmallVector<Value> zeros() override {
    return SmallVector<Value>(tilesM() * tilesN() * 4,
                              emit.zero(contraction.accumulator));
  }

  /// Four 8x8 matrices of `source` that start at `outer` along m or n and at
  /// `k`. In order: `outerFirst` steps along m or n before it steps along k.
  SmallVector<Value> fragments(const TileSource &source, Value shared,
                               Index first, Index outer, int64_t k,
                               bool outerFirst) {
    OpBuilder &builder = emit.builder;
    // Lanes 0-7 give the rows of the first matrix, 8-15 of the second, …
    Index low = emit.rem(lane, 8), one = emit.rem(emit.div(lane, 8), 2),
          two = emit.div(lane, 16);
    Index outerStep = outerFirst ? one : two, kStep = outerFirst ? two : one;
    Index row, column;
    if (source.alongK) {
      row = emit.add(emit.add(outer, low), emit.mul(outerStep, 8));
      column = emit.add(emit.constant(k / chunk()), kStep);
    } else {
      row = emit.add(emit.add(emit.constant(k), low), emit.mul(kStep, 8));
      column = emit.add(emit.div(outer, chunk()), outerStep);
    }
    Index from = emit.add(first, place(source, row, column));
    if (size() != 2)
      from = emit.div(emit.mul(from, size()), 2);
    bool isF16 = source.operand.element.isF16();
    auto type = VectorType::get(
        {4, 2}, cast<MemRefType>(shared.getType()).getElementType());
    Value loaded = nvgpu::LdMatrixOp::create(
        builder, emit.loc, type, shared, emit.value(from),
        /*transpose=*/!source.alongK, /*numTiles=*/4);
    SmallVector<Value> result;
    for (int64_t i = 0; i < 4; ++i) {
      Value pair = vector::ExtractOp::create(builder, emit.loc, loaded, i);
      if (!isF16) {
        Value word = vector::BitCastOp::create(
            builder, emit.loc, VectorType::get(1, builder.getI32Type()), pair);
        pair = vector::ExtractOp::create(builder, emit.loc, word, 0);
      }
      result.push_back(pair);
    }
    return result;
  }

  /// Upstream's op has no intrinsics of 8-bit floats without scales.
  Value multiplyFloat8(Type result, ArrayRef<Value> left, ArrayRef<Value> right,
                       ArrayRef<Value> sums) {
    StringRef type = isa<Float8E4M3FNType>(a.operand.element) ? "e4m3" : "e5m2";
    SmallVector<Value> operands(left);
    operands.append(right.begin(), right.end());
    operands.append(sums.begin(), sums.end());
    std::string text =
        ("mma.sync.aligned.m16n8k32.row.col.f32." + type + "." + type +
         ".f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};")
            .str();
    return emit.assembly(result, operands, text,
                         "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3");
  }

  SmallVector<Value> multiply(Index stage, ValueRange carried) override {
    OpBuilder &builder = emit.builder;
    SmallVector<Value> sums(carried);
    Index firstA = emit.mul(stage, stageElements(a)),
          firstB = emit.mul(stage, stageElements(b));
    Type sum = contraction.accumulator;
    auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                   {sum, sum, sum, sum});
    Type element = a.operand.element;
    bool isInteger = element.isInteger(8);
    bool isFloat8 = multiplicandOf(contraction.op) == Multiplicand::Float8;
    auto type = element.isBF16()                   ? NVVM::MMATypes::bf16
                : element.isF16()                  ? NVVM::MMATypes::f16
                : element.isF32()                  ? NVVM::MMATypes::tf32
                : hasUnsignedBytes(contraction.op) ? NVVM::MMATypes::u8
                                                   : NVVM::MMATypes::s8;
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (isInteger)
      overflow = NVVM::MMAIntOverflow::wrapped;
    int64_t perProduct = 32 / size();
    for (int64_t k = 0; k < plan.bk; k += perProduct) {
      SmallVector<SmallVector<Value>> left, right;
      for (int64_t i = 0; i < tilesM(); ++i)
        left.push_back(fragments(a, halvesA, firstA,
                                 emit.add(warpM, emit.constant(16 * i)), k,
                                 /*outerFirst=*/true));
      for (int64_t j = 0; j < tilesN(); j += 2)
        right.push_back(fragments(b, halvesB, firstB,
                                  emit.add(warpN, emit.constant(8 * j)), k,
                                  /*outerFirst=*/false));
      for (int64_t i = 0; i < tilesM(); ++i)
        for (int64_t j = 0; j < tilesN(); ++j) {
          Value *sum = &sums[(i * tilesN() + j) * 4];
          ArrayRef<Value> columns = ArrayRef(right[j / 2]).slice(j % 2 * 2, 2);
          Value product =
              isFloat8
                  ? multiplyFloat8(result, left[i], columns, ArrayRef(sum, 4))
                  : Value(NVVM::MmaOp::create(
                        builder, emit.loc, result, left[i], columns,
                        ValueRange(ArrayRef<Value>(sum, 4)),
                        {16, 8, perProduct}, std::nullopt, overflow,
                        std::array<NVVM::MMATypes, 2>{type, type},
                        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                                       NVVM::MMALayout::col}));
          for (int64_t r = 0; r < 4; ++r)
            sum[r] =
                LLVM::ExtractValueOp::create(builder, emit.loc, product, r);
        }
    }
    return sums;
  }

  void finish(ValueRange sums) override {
    bool paired = epilogue.isPaired(emit);
    Index row = emit.add(emit.add(tileM, warpM), emit.div(lane, 4)),
          column =
              emit.add(emit.add(tileN, warpN), emit.mul(emit.rem(lane, 4), 2));
    for (int64_t i = 0; i < tilesM(); ++i)
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t j = 0; j < tilesN(); ++j) {
          size_t first = (i * tilesN() + j) * 4 + 2 * half;
          store(emit.add(row, emit.constant(16 * i + 8 * half)),
                emit.add(column, emit.constant(8 * j)),
                {sums[first], sums[first + 1]}, paired);
        }
  }

  Index warpM, warpN;
  Value halvesA, halvesB;
};
} // namespace

void shardir::emitMmaKernel(KernelEmitter &emit, const Contraction &contraction,
                            const Epilogue &epilogue, const LoopNest &nest,
                            const TilePlan &plan) {
  MmaKernel(emit, contraction, epilogue, nest, plan).run("mma");
}
