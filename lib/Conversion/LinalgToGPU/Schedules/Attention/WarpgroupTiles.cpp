//===- WarpgroupTiles.cpp - Attention's products by wgmma -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a and tiles whose places WarpgroupTiles::place gave. Guarantees
// that no register of a product is written between its start and the fence
// before it, or read before its sums are finished.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupTiles.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;

static LLVM::LLVMStructType structOf(OpBuilder &builder, TypeRange types) {
  return LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                          SmallVector<Type>(types));
}

int64_t WarpgroupTiles::elements(const Tile &tile) {
  return tile.rows * ceilDivide(tile.columns, rowElements) * rowElements;
}

Index WarpgroupTiles::place(const Tile &tile, Index row, Index column) {
  Index box = emit.div(column, 8), inBox = emit.rem(column, 8);
  Value mixed = arith::XOrIOp::create(emit.builder, emit.loc, emit.value(inBox),
                                      emit.value(emit.rem(row, 8)));
  Index inRows =
      emit.add(emit.mul(row, rowElements), emit.mul(Index(mixed), 8));
  return emit.add(emit.mul(box, tile.rows * rowElements), inRows);
}

Index WarpgroupTiles::group() {
  OpBuilder &builder = emit.builder;
  Value number =
      arith::IndexCastOp::create(builder, emit.loc, builder.getI32Type(),
                                 emit.value(emit.div(emit.thread(), 128)));
  number = gpu::ShuffleOp::create(builder, emit.loc, number, 0, 32,
                                  gpu::ShuffleMode::IDX)
               .getShuffleResult();
  return arith::IndexCastOp::create(builder, emit.loc, builder.getIndexType(),
                                    number)
      .getResult();
}

void WarpgroupTiles::publish() {
  NVVM::FenceProxyOp::create(
      emit.builder, emit.loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(emit.builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

Value WarpgroupTiles::word(int64_t value) {
  return arith::ConstantOp::create(emit.builder, emit.loc,
                                   emit.builder.getI64IntegerAttr(value));
}

Value WarpgroupTiles::addressOf(const Tile &tile) {
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(
      emit.builder, emit.loc, tile.shared);
  return arith::IndexCastOp::create(emit.builder, emit.loc,
                                    emit.builder.getI64Type(), pointer);
}

/// The descriptor of `tile` from `bytes` behind its start: start, leading and
/// stride offsets in units of 16 bytes, and 128-byte swizzling.
Value WarpgroupTiles::descriptor(const Tile &tile, bool alongK, Index bytes) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Value offset = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            emit.value(bytes));
  Value start = arith::AddIOp::create(builder, loc, addressOf(tile), offset);
  start = arith::AndIOp::create(builder, loc, start, word(0x3ffff));
  start = arith::ShRUIOp::create(builder, loc, start, word(4));
  // Along k the leading offset does not count; else it leads to the next box.
  int64_t leading = alongK ? 1 : tile.rows * rowElements * 2 / 16;
  int64_t fields = leading << 16 | int64_t(64) << 32 | int64_t(1) << 62;
  Value made = arith::OrIOp::create(builder, loc, start, word(fields));
  // LLVM would compute all that is added to it before the loop around this, and
  // keep that in registers.
  return pinned({made})[0];
}

/// `first` moved to position `k` of a tile.
Value WarpgroupTiles::moved(const Tile &tile, bool alongK, Value first,
                            int64_t k) {
  int64_t bytes =
      alongK ? (k / rowElements * tile.rows * rowElements + k % rowElements) * 2
             : k * rowElements * 2;
  if (bytes == 0)
    return first;
  return arith::AddIOp::create(emit.builder, emit.loc, first, word(bytes / 16));
}

Value WarpgroupTiles::assembly(Type result, ValueRange operands,
                               const std::string &text,
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

SmallVector<Value> WarpgroupTiles::unpacked(Value all, int64_t count) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(
        LLVM::ExtractValueOp::create(emit.builder, emit.loc, all, i));
  return values;
}

/// The same values, computed before and used behind this place: LLVM would
/// move what it takes for arithmetic over fences and waits.
SmallVector<Value> WarpgroupTiles::pinned(ArrayRef<Value> values) {
  std::string results, ties;
  for (auto [i, value] : llvm::enumerate(values)) {
    Type type = value.getType();
    results += std::string(i ? "," : "") + (type.isF32()         ? "=f"
                                            : type.isInteger(64) ? "=l"
                                                                 : "=r");
    ties += "," + std::to_string(i);
  }
  Value all = assembly(structOf(emit.builder, ValueRange(values).getTypes()),
                       values, "", results + ties);
  return unpacked(all, values.size());
}

Value WarpgroupTiles::startScores(const Tile &left, Index leftPart,
                                  const Tile &right, Index stage,
                                  Index rightPart, int64_t columns,
                                  int64_t extent) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  bool leftAlongK = !left.turned, rightAlongK = !right.turned;
  // Rows of k-wise tiles, or boxes of 64.
  auto bytesOf = [&](const Tile &tile, Index part, int64_t size) {
    int64_t rowsOfTile = tile.turned ? size / rowElements * tile.rows : size;
    return emit.mul(part, 2 * rowElements * rowsOfTile);
  };
  Value first = descriptor(left, leftAlongK, bytesOf(left, leftPart, rows)),
        second = descriptor(right, rightAlongK,
                            emit.add(emit.mul(stage, 2 * elements(right)),
                                     bytesOf(right, rightPart, columns)));
  auto type = right.operand.element.isBF16() ? NVVM::WGMMATypes::bf16
                                             : NVVM::WGMMATypes::f16;
  auto layout = [&](bool straight) {
    return straight ? NVVM::MMALayout::row : NVVM::MMALayout::col;
  };
  // Nothing sets these registers: a write here would wait for products that
  // are under way.
  SmallVector<Type> types(columns / 2, builder.getF32Type());
  Value sums = LLVM::PoisonOp::create(builder, loc, structOf(builder, types));
  NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  for (int64_t k = 0; k < extent; k += depth)
    sums = NVVM::WgmmaMmaAsyncOp::create(
        builder, loc, sums.getType(), sums, moved(left, leftAlongK, first, k),
        moved(right, rightAlongK, second, k),
        NVVM::MMAShapeAttr::get(builder.getContext(), rows, columns, depth),
        type, type, NVVM::WGMMATypes::f32,
        k == 0 ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one,
        NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one, layout(leftAlongK),
        layout(!rightAlongK), NVVM::MMAIntOverflowAttr());
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  return sums;
}

Value WarpgroupTiles::startSums(ArrayRef<Value> factors, const Tile &right,
                                Index stage, const Fragment &sums) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  bool alongK = right.turned;
  Value start = descriptor(right, alongK, emit.mul(stage, 2 * elements(right)));
  int64_t count = sums.size();
  SmallVector<Value> all(sums);
  llvm::append_range(all, factors);
  all = pinned(all);

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
      2 * count, right.operand.element.isBF16() ? "bf16" : "f16", names,
      2 * count, 2 * count + 1, 2 * count + 2, 2 * count + 3, 2 * count + 4,
      alongK ? 0 : 1);
  NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  Type result = structOf(builder, ValueRange(sums).getTypes());
  SmallVector<Value> made(all.begin(), all.begin() + count);
  Value last;
  int64_t steps = factors.size() / 4;
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Value> operands = step == 0 ? made : unpacked(last, count);
    llvm::append_range(operands, ArrayRef(all).slice(count + 4 * step, 4));
    operands.push_back(moved(right, alongK, start, step * depth));
    last = assembly(result, operands, text, results + ties + ",r,r,r,r,l");
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  return last;
}

void WarpgroupTiles::wait(int64_t groups) {
  NVVM::WgmmaWaitGroupSyncOp::create(emit.builder, emit.loc, groups);
}

Fragment WarpgroupTiles::finish(Value sums) {
  auto type = cast<LLVM::LLVMStructType>(sums.getType());
  return pinned(unpacked(sums, type.getBody().size()));
}
