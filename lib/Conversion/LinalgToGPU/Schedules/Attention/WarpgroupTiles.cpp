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
#include "../TensorMaps.h"
#include "../WarpgroupMemory.h"
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
  return swizzledPlace(emit, row, column, tile.rows,
                       shardir::elementBytes(tile.operand.element));
}

Index WarpgroupTiles::wordPlace(const Tile &tile, Index row, int64_t eight,
                                Index lane) {
  return emit.add(emit.div(place(tile, row, emit.constant(eight)), 2),
                  emit.rem(lane, 4));
}

void WarpgroupTiles::store(const Tile &tile, Index stage, Index row, Index lane,
                           ArrayRef<Value> words) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  // A lane has the address of a row of one of four matrices: of eight rows and
  // eight columns, of the next eight rows, and of the next eight columns.
  Index inStage =
      place(tile, emit.add(row, emit.rem(lane, 16)), emit.div(lane, 16));
  Index start = emit.add(emit.mul(stage, elements(tile)), inStage);
  Value address = arith::AddIOp::create(
      builder, loc, emit.cast(emit.mul(start, 2), 64), addressOf(tile));
  // LLVM would compute all addresses before the loop around this.
  Value first = pinned({arith::TruncIOp::create(
      builder, loc, builder.getI32Type(), address)})[0];
  for (int64_t j = 0; j < tile.columns / 8; j += 2) {
    // Eight chunks trade places in each box.
    Value inBox =
        arith::XOrIOp::create(builder, loc, first, emit.i32(j % 8 * 16));
    Index to = emit.add(emit.index(inBox),
                        emit.constant(j / 8 * tile.rows * rowElements * 2));
    NVVM::StMatrixOp::create(
        builder, loc, sharedPointer(emit, to), words.slice(2 * j, 4),
        NVVM::MMALayout::row,
        NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8),
        NVVM::LdStMatrixEltType::B16);
  }
}

Index WarpgroupTiles::group() {
  Value number = emit.cast(emit.div(emit.thread(), 128), 32);
  return emit.index(gpu::ShuffleOp::create(emit.builder, emit.loc, number, 0,
                                           32, gpu::ShuffleMode::IDX)
                        .getShuffleResult());
}

void WarpgroupTiles::publish() { publishToAsyncProxy(emit); }

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

/// The descriptor of `tile` from `bytes` behind its start.
Value WarpgroupTiles::descriptor(const Tile &tile, bool alongK, Index bytes) {
  Value offset = arith::IndexCastOp::create(
      emit.builder, emit.loc, emit.builder.getI64Type(), emit.value(bytes));
  Value start =
      arith::AddIOp::create(emit.builder, emit.loc, addressOf(tile), offset);
  // LLVM would compute all that is added to it before the loop around this, and
  // keep that in registers.
  return pinned({wgmmaDescriptor(emit, start, alongK, tile.rows)})[0];
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

SmallVector<Value> WarpgroupTiles::unpacked(Value all, int64_t count) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(
        LLVM::ExtractValueOp::create(emit.builder, emit.loc, all, i));
  return values;
}

SmallVector<Value> WarpgroupTiles::pinned(ArrayRef<Value> values) {
  return unpacked(emit.pinned(values), values.size());
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
    last = emit.assembly(result, operands, text, results + ties + ",r,r,r,r,l");
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
