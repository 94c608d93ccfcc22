//===- WgmmaKernel.cpp - Matrix products by wgmma -------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a and A and B of one 16-bit float type. Each warpgroup of 128
// threads has 64 rows of the block's tile; wgmma reads both operands from
// shared memory in the layout of 128-byte swizzling: rows of 64 elements, along
// k, or boxes of 64 columns along m or n whose rows are those of k. Copies are
// made visible to the matrix units by a proxy fence before the step's barrier.
// Products run on while the next step's copies are started: a stage is free two
// steps after it was read (lag). Descriptors and fragments are those of the PTX
// ISA, 9.7.15.5.
//
//===----------------------------------------------------------------------===//

#include "MatrixTiles.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Rows of one wgmma, elements of a swizzled row, k of one wgmma.
constexpr int64_t wgmmaRows = 64, rowElements = 64, wgmmaK = 16;

class WgmmaKernel : public MatrixTiles {
public:
  using MatrixTiles::MatrixTiles;

private:
  void prepare() override {
    MatrixTiles::prepare();
    group = emit.div(emit.thread(), 128);
    addressA = addressOf(sharedA);
    addressB = addressOf(sharedB);
  }

  int64_t lag() const override { return 2; }

  void beforeBarrier() override {
    NVVM::FenceProxyOp::create(
        emit.builder, emit.loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(emit.builder.getContext(),
                                   NVVM::SharedSpace::shared_cta));
  }

  /// Rows of 64 elements; a tile that is contiguous along m or n is boxes of 64
  /// columns, one after the other.
  Index place(const TileSource &source, Index row, Index column) override {
    Index box = emit.div(column, chunk), inBox = emit.rem(column, chunk);
    Value mixed =
        arith::XOrIOp::create(emit.builder, emit.loc, emit.value(inBox),
                              emit.value(emit.rem(row, chunk)));
    Index inRows =
        emit.add(emit.mul(row, rowElements), emit.mul(Index(mixed), chunk));
    return emit.add(emit.mul(box, source.rows * rowElements), inRows);
  }

  Value addressOf(Value shared) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(
        emit.builder, emit.loc, shared);
    return arith::IndexCastOp::create(emit.builder, emit.loc,
                                      emit.builder.getI64Type(), address);
  }

  Value word(int64_t value) {
    return arith::ConstantOp::create(emit.builder, emit.loc,
                                     emit.builder.getI64IntegerAttr(value));
  }

  /// The descriptor of a tile at `bytes` behind `address`: start, leading and
  /// stride offsets in units of 16 bytes, and 128-byte swizzling.
  Value descriptor(const TileSource &source, Value address, Index bytes) {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Value offset = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(), emit.value(bytes));
    Value start = arith::AddIOp::create(builder, loc, address, offset);
    start = arith::AndIOp::create(builder, loc, start, word(0x3ffff));
    start = arith::ShRUIOp::create(builder, loc, start, word(4));
    // Along k the leading offset does not count; else it leads to the next box.
    int64_t leading = source.alongK ? 1 : source.rows * rowElements * 2 / 16;
    int64_t fields = leading << 16 | int64_t(64) << 32 | int64_t(1) << 62;
    return arith::OrIOp::create(builder, loc, start, word(fields));
  }

  /// What a step of 16 along k adds to a descriptor's start.
  int64_t stepOf(const TileSource &source) {
    return (source.alongK ? wgmmaK : wgmmaK * rowElements) * 2 / 16;
  }

  Type sumsType() {
    SmallVector<Type> words(plan.bn / 2, emit.builder.getF32Type());
    return LLVM::LLVMStructType::getLiteral(emit.builder.getContext(), words);
  }

  SmallVector<Value> zeros() override {
    // An asm that hides the zeros: LLVM would set the registers behind the
    // fence that must come after that.
    int64_t count = plan.bn / 2;
    std::string constraints;
    for (int64_t i = 0; i < count; ++i)
      constraints += i == 0 ? "=f" : ",=f";
    for (int64_t i = 0; i < count; ++i)
      constraints += "," + std::to_string(i);
    SmallVector<Value> words(count, emit.zero(emit.builder.getF32Type()));
    return {LLVM::InlineAsmOp::create(
                emit.builder, emit.loc, sumsType(), words, "", constraints,
                /*has_side_effects=*/true, /*is_align_stack=*/false,
                LLVM::tailcallkind::TailCallKind::None,
                LLVM::AsmDialectAttr::get(emit.builder.getContext(),
                                          LLVM::AsmDialect::AD_ATT),
                /*operand_attrs=*/ArrayAttr())
                .getRes()};
  }

  SmallVector<Value> multiply(Index stage, ValueRange carried) override {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Index baseA = emit.mul(stage, 2 * stageElements(a)),
          baseB = emit.mul(stage, 2 * stageElements(b));
    // The warpgroup's rows are 64 rows of k-wise tiles, or one box.
    Index mine =
        emit.mul(group, 2 * wgmmaRows * (a.alongK ? rowElements : a.rows));
    Value left = descriptor(a, addressA, emit.add(baseA, mine)),
          right = descriptor(b, addressB, baseB);
    auto type = a.operand.element.isBF16() ? NVVM::WGMMATypes::bf16
                                           : NVVM::WGMMATypes::f16;
    auto shape = NVVM::MMAShapeAttr::get(builder.getContext(), wgmmaRows,
                                         plan.bn, wgmmaK);
    auto attribute = [&](auto tag, auto value) {
      return decltype(tag)::get(builder.getContext(), value);
    };
    NVVM::WgmmaFenceAlignedOp::create(builder, loc);
    Value sums = carried[0];
    for (int64_t k = 0; k < plan.bk / wgmmaK; ++k) {
      Value at = k == 0 ? left
                        : arith::AddIOp::create(builder, loc, left,
                                                word(k * stepOf(a)));
      Value bt = k == 0 ? right
                        : arith::AddIOp::create(builder, loc, right,
                                                word(k * stepOf(b)));
      sums = NVVM::WgmmaMmaAsyncOp::create(
          builder, loc, sums.getType(), sums, at, bt, shape,
          attribute(NVVM::WGMMATypesAttr(), type),
          attribute(NVVM::WGMMATypesAttr(), type),
          attribute(NVVM::WGMMATypesAttr(), NVVM::WGMMATypes::f32),
          attribute(NVVM::WGMMAScaleOutAttr(), NVVM::WGMMAScaleOut::one),
          attribute(NVVM::WGMMAScaleInAttr(), NVVM::WGMMAScaleIn::one),
          attribute(NVVM::WGMMAScaleInAttr(), NVVM::WGMMAScaleIn::one),
          attribute(NVVM::MMALayoutAttr(),
                    a.alongK ? NVVM::MMALayout::row : NVVM::MMALayout::col),
          attribute(NVVM::MMALayoutAttr(),
                    b.alongK ? NVVM::MMALayout::col : NVVM::MMALayout::row),
          NVVM::MMAIntOverflowAttr());
    }
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
    NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 1);
    return {sums};
  }

  void finish(ValueRange sums) override {
    NVVM::WgmmaWaitGroupSyncOp::create(emit.builder, emit.loc, 0);
    bool paired = epilogue.isPaired(emit);
    Index row =
        emit.add(emit.add(tileM, emit.mul(group, wgmmaRows)),
                 emit.add(emit.mul(emit.rem(warp, 4), 16), emit.div(lane, 4)));
    Index column = emit.add(tileN, emit.mul(emit.rem(lane, 4), 2));
    auto word = [&](int64_t at) {
      return LLVM::ExtractValueOp::create(emit.builder, emit.loc, sums[0], at)
          .getResult();
    };
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t j = 0; j < plan.bn / 8; ++j)
        store(emit.add(row, emit.constant(8 * half)),
              emit.add(column, emit.constant(8 * j)),
              {word(4 * j + 2 * half), word(4 * j + 2 * half + 1)}, paired);
  }

  Index group;
  Value addressA, addressB;
};
} // namespace

void shardir::emitWgmmaKernel(KernelEmitter &emit,
                              const Contraction &contraction,
                              const Epilogue &epilogue, const LoopNest &nest,
                              const TilePlan &plan) {
  WgmmaKernel(emit, contraction, epilogue, nest, plan).run("wgmma");
}
