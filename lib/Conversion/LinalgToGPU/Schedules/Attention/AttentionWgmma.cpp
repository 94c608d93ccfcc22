//===- AttentionWgmma.cpp - Attention by wgmma ----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a, queries and keys of one 16-bit float type, and probabilities
// and values of one. Each warpgroup has 64 rows. wgmma reads queries, keys and
// values from shared memory in the layout of 128-byte swizzling: rows of 64
// elements, in boxes of as many columns, one behind the other. Probabilities
// are its operand in registers, for which NVVM has no op: assembly. While one
// warpgroup is at its exponentials, another one multiplies. Descriptors and
// fragments are those of the PTX ISA, 9.7.15.5.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Rows of one wgmma, elements of a swizzled row, k of one wgmma.
constexpr int64_t wgmmaRows = 64, rowElements = 64, wgmmaK = 16;

class WgmmaAttention : public MatrixAttention {
public:
  using MatrixAttention::MatrixAttention;

private:
  int64_t elements(const Tile &tile) const override {
    return tile.rows * ceilDivide(tile.columns, rowElements) * rowElements;
  }

  Index place(const Tile &tile, Index row, Index column) override {
    Index box = emit.div(column, 8), inBox = emit.rem(column, 8);
    Value mixed =
        arith::XOrIOp::create(emit.builder, emit.loc, emit.value(inBox),
                              emit.value(emit.rem(row, 8)));
    Index inRows =
        emit.add(emit.mul(row, rowElements), emit.mul(Index(mixed), 8));
    return emit.add(emit.mul(box, tile.rows * rowElements), inRows);
  }

  void prepare() override {
    group = emit.div(emit.thread(), 128);
    for (auto [tile, address] :
         {std::pair{&query, &addressQuery}, std::pair{&key, &addressKey},
          std::pair{&value, &addressValue}}) {
      Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(
          emit.builder, emit.loc, tile->shared);
      *address = arith::IndexCastOp::create(emit.builder, emit.loc,
                                            emit.builder.getI64Type(), pointer);
    }
  }

  void beforeBarrier() override {
    NVVM::FenceProxyOp::create(
        emit.builder, emit.loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(emit.builder.getContext(),
                                   NVVM::SharedSpace::shared_cta));
  }

  Value word(int64_t value) {
    return arith::ConstantOp::create(emit.builder, emit.loc,
                                     emit.builder.getI64IntegerAttr(value));
  }

  /// The descriptor of `tile` from `bytes` behind `address`: start, leading and
  /// stride offsets in units of 16 bytes, and 128-byte swizzling.
  Value descriptor(const Tile &tile, bool alongK, Value address, Index bytes) {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Value offset = arith::IndexCastOp::create(
        builder, loc, builder.getI64Type(), emit.value(bytes));
    Value start = arith::AddIOp::create(builder, loc, address, offset);
    start = arith::AndIOp::create(builder, loc, start, word(0x3ffff));
    start = arith::ShRUIOp::create(builder, loc, start, word(4));
    // Along k the leading offset does not count; else it leads to the next box.
    int64_t leading = alongK ? 1 : tile.rows * rowElements * 2 / 16;
    int64_t fields = leading << 16 | int64_t(64) << 32 | int64_t(1) << 62;
    return arith::OrIOp::create(builder, loc, start, word(fields));
  }

  /// `first` moved to position `k` of a tile.
  Value moved(const Tile &tile, bool alongK, Value first, int64_t k) {
    int64_t bytes =
        alongK
            ? (k / rowElements * tile.rows * rowElements + k % rowElements) * 2
            : k * rowElements * 2;
    if (bytes == 0)
      return first;
    return arith::AddIOp::create(emit.builder, emit.loc, first,
                                 word(bytes / 16));
  }

  LLVM::LLVMStructType structOf(TypeRange types) {
    return LLVM::LLVMStructType::getLiteral(emit.builder.getContext(),
                                            SmallVector<Type>(types));
  }

  Value assembly(Type result, ValueRange operands, const std::string &text,
                 const std::string &constraints) {
    return LLVM::InlineAsmOp::create(
               emit.builder, emit.loc, result, operands, text, constraints,
               /*has_side_effects=*/true, /*is_align_stack=*/false,
               LLVM::tailcallkind::TailCallKind::None,
               LLVM::AsmDialectAttr::get(emit.builder.getContext(),
                                         LLVM::AsmDialect::AD_ATT),
               /*operand_attrs=*/ArrayAttr())
        .getRes();
  }

  SmallVector<Value> unpacked(Value all, int64_t count) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(
          LLVM::ExtractValueOp::create(emit.builder, emit.loc, all, i));
    return values;
  }

  /// The same values, computed before and used behind this place: LLVM would
  /// move what it takes for arithmetic over fences and waits.
  SmallVector<Value> pinned(ArrayRef<Value> values) {
    std::string results, ties;
    for (auto [i, value] : llvm::enumerate(values)) {
      results +=
          std::string(i ? "," : "") + (value.getType().isF32() ? "=f" : "=r");
      ties += "," + std::to_string(i);
    }
    Value all = assembly(structOf(ValueRange(values).getTypes()), values, "",
                         results + ties);
    return unpacked(all, values.size());
  }

  Fragment scores(Index stage) override {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    bool queryAlongK = !query.turned, keyAlongK = !key.turned;
    // The warpgroup's rows are 64 rows of k-wise tiles, or one box.
    Index mine = emit.mul(group, 2 * rowElements *
                                     (queryAlongK ? wgmmaRows : query.rows));
    Value left = descriptor(query, queryAlongK, addressQuery, mine),
          right = descriptor(key, keyAlongK, addressKey,
                             emit.mul(stage, 2 * elements(key)));
    auto type = key.operand.element.isBF16() ? NVVM::WGMMATypes::bf16
                                             : NVVM::WGMMATypes::f16;
    auto shape = NVVM::MMAShapeAttr::get(builder.getContext(), wgmmaRows,
                                         plan.bn, wgmmaK);
    auto attribute = [&](auto tag, auto value) {
      return decltype(tag)::get(builder.getContext(), value);
    };
    auto layout = [&](bool straight) {
      return straight ? NVVM::MMALayout::row : NVVM::MMALayout::col;
    };
    Fragment zeros(plan.bn / 2, emit.zero(builder.getF32Type()));
    Value sums = LLVM::PoisonOp::create(builder, loc,
                                        structOf(ValueRange(zeros).getTypes()));
    for (auto [i, zero] : llvm::enumerate(pinned(zeros)))
      sums = LLVM::InsertValueOp::create(builder, loc, sums, zero,
                                         ArrayRef<int64_t>{int64_t(i)});
    NVVM::WgmmaFenceAlignedOp::create(builder, loc);
    for (int64_t k = 0; k < plan.k; k += wgmmaK)
      sums = NVVM::WgmmaMmaAsyncOp::create(
          builder, loc, sums.getType(), sums,
          moved(query, queryAlongK, left, k), moved(key, keyAlongK, right, k),
          shape, attribute(NVVM::WGMMATypesAttr(), type),
          attribute(NVVM::WGMMATypesAttr(), type),
          attribute(NVVM::WGMMATypesAttr(), NVVM::WGMMATypes::f32),
          attribute(NVVM::WGMMAScaleOutAttr(), NVVM::WGMMAScaleOut::one),
          attribute(NVVM::WGMMAScaleInAttr(), NVVM::WGMMAScaleIn::one),
          attribute(NVVM::WGMMAScaleInAttr(), NVVM::WGMMAScaleIn::one),
          attribute(NVVM::MMALayoutAttr(), layout(queryAlongK)),
          attribute(NVVM::MMALayoutAttr(), layout(!keyAlongK)),
          NVVM::MMAIntOverflowAttr());
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
    NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 0);
    return pinned(unpacked(sums, plan.bn / 2));
  }

  void accumulate(Index stage, ArrayRef<Value> p, Fragment &sums) override {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    bool alongK = value.turned;
    Value right = descriptor(value, alongK, addressValue,
                             emit.mul(stage, 2 * elements(value)));
    int64_t count = sums.size();
    SmallVector<Value> all(sums);
    for (int64_t k = 0; k < plan.bn; k += wgmmaK)
      for (int64_t step = 0; step < 2; ++step)
        for (int64_t half = 0; half < 2; ++half)
          all.push_back(packed(p, 0, k / 8 + step, half, /*asInteger=*/true));
    all = pinned(all);
    sums.assign(all.begin(), all.begin() + count);

    std::string results, ties, names;
    for (int64_t i = 0; i < count; ++i) {
      results += i ? ",=f" : "=f";
      ties += "," + std::to_string(i);
      names += (i ? ", $" : "$") + std::to_string(i);
    }
    // Results, their ties, A's four words, B's descriptor.
    std::string text = llvm::formatv(
        "wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} {{{2}}, {{${3}, "
        "${4}, ${5}, ${6}}, ${7}, 1, 1, 1, {8};",
        plan.bv, value.operand.element.isBF16() ? "bf16" : "f16", names,
        2 * count, 2 * count + 1, 2 * count + 2, 2 * count + 3, 2 * count + 4,
        alongK ? 0 : 1);
    NVVM::WgmmaFenceAlignedOp::create(builder, loc);
    Type result = structOf(ValueRange(sums).getTypes());
    for (int64_t k = 0; k < plan.bn; k += wgmmaK) {
      SmallVector<Value> operands(sums);
      for (int64_t i = 0; i < 4; ++i)
        operands.push_back(all[count + k / wgmmaK * 4 + i]);
      operands.push_back(moved(value, alongK, right, k));
      sums = unpacked(
          assembly(result, operands, text, results + ties + ",r,r,r,r,l"),
          count);
    }
    NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
    NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 0);
    sums = pinned(sums);
  }

  Index group;
  Value addressQuery, addressKey, addressValue;
};
} // namespace

void shardir::emitWgmmaAttention(KernelEmitter &emit,
                                 const AttentionProblem &problem,
                                 const AttentionPlan &plan) {
  WgmmaAttention(emit, problem, plan).run("wgmma");
}
