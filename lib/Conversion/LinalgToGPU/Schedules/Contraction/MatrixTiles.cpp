//===- MatrixTiles.cpp - Tiles for matrix units ---------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires elements of 8, 16 or 32 bits. A chunk's number is mixed with its
// row's by exclusive or, so that the eight rows that matrix units read at a
// time lie in different banks. Guarantees that whatever lies outside of A or B
// is zero in the tile, and that no address outside of them is read.
//
//===----------------------------------------------------------------------===//

#include "MatrixTiles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

int64_t MatrixTiles::sharedBytes() {
  return plan.stages * size() * (stageElements(a) + stageElements(b));
}

void MatrixTiles::prepare() {
  Type element = a.operand.element;
  int64_t split = plan.stages * stageElements(a);
  sharedA = emit.shared(element, split, 0);
  sharedB =
      emit.shared(element, plan.stages * stageElements(b), size() * split);
  lane = emit.rem(emit.thread(), 32);
  warp = emit.div(emit.thread(), 32);
}

// Rows of four chunks take turns of two, as two of them fill all banks.
Index MatrixTiles::place(const TileSource &source, Index row, Index column) {
  int64_t chunk = this->chunk();
  int64_t chunks = source.columns / chunk;
  int64_t turns = std::min<int64_t>(chunks, 8);
  Index turn = emit.rem(emit.div(row, 8 / turns), turns);
  return emit.add(emit.mul(row, source.columns),
                  emit.mul(emit.exclusiveOr(column, turn), chunk));
}

void MatrixTiles::load(Index stage, Index step) {
  setStep(step);
  if (groups) {
    auto [from, to] = boundsOf(stepOuterK[0]);
    groupFirst = emit.index(from);
    groupEnd = emit.index(to);
    isGroupInTile = isInTile(from, to);
  }
  copyTile(a, sharedA, stage, tileM);
  copyTile(b, sharedB, stage, tileN);
}

void MatrixTiles::copyTile(const TileSource &source, Value shared, Index stage,
                           Index tileStart) {
  int64_t chunk = this->chunk();
  int64_t perRow = source.columns / chunk;
  int64_t count = source.rows * perRow / plan.threads();
  int outerLoop = source.outerLoop;
  int rowLoop = source.alongK ? outerLoop : contraction.k;
  int columnLoop = source.alongK ? contraction.k : outerLoop;
  Index rowStart = source.alongK ? tileStart : stepK;
  Index columnStart = source.alongK ? stepK : tileStart;
  Index first = emit.mul(stage, stageElements(source));

  // Neighbouring threads read neighbours in memory, if there are any.
  bool turned = source.alongK && outerLoop >= 0 &&
                source.operand.isUnit(outerLoop) &&
                !source.operand.isUnit(contraction.k);
  auto each = [&](Index i, function_ref<void(Index, Index, Index)> body) {
    Index number = emit.add(emit.thread(), emit.mul(i, plan.threads()));
    Index row =
        turned ? emit.rem(number, source.rows) : emit.div(number, perRow);
    Index column =
        turned ? emit.div(number, source.rows) : emit.rem(number, perRow);
    Index to = emit.add(first, place(source, row, column));
    body(emit.add(rowStart, row),
         emit.add(columnStart, emit.mul(column, chunk)), to);
  };
  auto at = [&](Index row, Index column) {
    return source.alongK ? address(source, row, column)
                         : address(source, column, row);
  };
  bool rowsExist = divides(rowLoop, source.rows),
       columnsExist = divides(columnLoop, source.columns);
  Index rows = extent(rowLoop), columns = extent(columnLoop);
  // Rows of other groups are as rows outside of A, and nothing is read of the
  // weights of groups that have no row in the tile.
  rowsExist &= !groups;
  auto rowExists = [&](Index row) {
    Value exists = emit.lessThan(row, rows);
    if (!groups)
      return exists;
    if (&source == &b)
      return emit.both(exists, isGroupInTile);
    return emit.both(emit.lessThan(row, groupEnd),
                     emit.lessEqual(groupFirst, row));
  };

  auto vectors = [&] {
    for (int64_t i = 0; i < count; ++i)
      each(emit.constant(i), [&](Index row, Index column, Index to) {
        Index left = emit.constant(chunk);
        Index from = at(row, column);
        if (!rowsExist || !columnsExist) {
          if (!columnsExist)
            left = emit.clamp(emit.sub(columns, column), emit.constant(0),
                              emit.constant(chunk));
          Value some = emit.lessThan(emit.constant(0), left);
          if (!rowsExist)
            some = emit.both(some, rowExists(row));
          left = emit.select(some, left, emit.constant(0));
          // Nothing is read there, but the address must be one.
          from = emit.select(some, from, source.operand.offset);
        }
        Type token =
            nvgpu::DeviceAsyncTokenType::get(emit.builder.getContext());
        bool full = LoopEmitter::isKnown(left, chunk);
        nvgpu::DeviceAsyncCopyOp::create(
            emit.builder, emit.loc, token, shared, emit.value(to),
            source.operand.flat, emit.value(from),
            emit.builder.getIndexAttr(chunk), full ? Value() : emit.value(left),
            /*bypassL1=*/emit.builder.getUnitAttr());
      });
  };
  // Any strides: element by element.
  auto elements = [&] {
    emit.loop(
        emit.constant(0), emit.constant(count), emit.constant(1), [&](Index i) {
          each(i, [&](Index row, Index column, Index to) {
            for (int64_t e = 0; e < chunk; ++e) {
              Index here = emit.add(column, emit.constant(e));
              Value exists =
                  emit.both(rowExists(row), emit.lessThan(here, columns));
              Value value = source.alongK ? loadIf(exists, source, row, here)
                                          : loadIf(exists, source, here, row);
              memref::StoreOp::create(
                  emit.builder, emit.loc, value, shared,
                  emit.value(emit.add(to, emit.constant(e))));
            }
          });
        });
  };
  emit.branch(source.aligned, vectors, elements);
}

Value MatrixTiles::loadIf(Value exists, const TileSource &source, Index outer,
                          Index k) {
  OpBuilder &builder = emit.builder;
  Type element = source.operand.element;
  auto branch = scf::IfOp::create(builder, emit.loc, element, exists, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, emit.loc,
                       ProductTiles::element(source, outer, k));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, emit.loc, emit.zero(element));
  return branch.getResult(0);
}
