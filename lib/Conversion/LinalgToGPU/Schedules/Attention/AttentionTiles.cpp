//===- AttentionTiles.cpp - Parts of attention's operands -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of queries, keys and values into shared memory: 16 bytes at a time and
// asynchronously where that is aligned, else element by element; and what
// kernels on matrix units share. Guarantees that whatever lies outside of an
// operand is zero in its tile, and that no address outside of it is read.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace shardir;

AttentionTiles::Tile
AttentionTiles::makeTile(const NestOperand &operand, const Axis &first,
                         int64_t firstSize, const Axis &second,
                         int64_t secondSize, int64_t stages) {
  Tile tile;
  tile.operand = operand;
  tile.first = &first;
  tile.second = &second;
  tile.firstSize = firstSize;
  tile.secondSize = secondSize;
  tile.stages = stages;
  auto isUnit = [&](const Axis &axis) {
    return !axis.loops.empty() && operand.isUnit(axis.loops.back());
  };
  tile.turned = !isUnit(second) && isUnit(first);
  tile.rows = tile.turned ? secondSize : firstSize;
  tile.columns = tile.turned ? firstSize : secondSize;
  const Axis &along = tile.turned ? first : second;
  if (!isUnit(along))
    return tile;
  // 16 bytes must not reach over the end of the last loop.
  if (along.loops.size() > 1) {
    auto minor = LoopEmitter::known(along.extents.back());
    if (!minor || *minor % tile.chunk() != 0)
      return tile;
  }
  tile.aligned = emit.isAligned(operand, along.loops.back(), tile.chunk());
  return tile;
}

int64_t AttentionTiles::elements(const Tile &tile) const {
  return tile.rows * (tile.columns / tile.chunk() | 1) * tile.chunk();
}

Index AttentionTiles::place(const Tile &tile, Index row, Index column) {
  int64_t pitch = (tile.columns / tile.chunk() | 1) * tile.chunk();
  return emit.add(emit.mul(row, pitch), emit.mul(column, tile.chunk()));
}

Index AttentionTiles::address(const Tile &tile, Index first, Index second) {
  Index result = tile.base;
  auto move = [&](const Axis &axis, Index position) {
    SmallVector<Index> ivs = emit.decode(position, axis.extents);
    for (auto [loop, iv] : llvm::zip(axis.loops, ivs))
      result = emit.add(result, emit.mul(iv, tile.operand.strides[loop]));
  };
  move(*tile.first, first);
  move(*tile.second, second);
  return result;
}

Value AttentionTiles::chunkAt(const Tile &tile, Index i, bool isLast,
                              Index &row, Index &column) {
  int64_t perRow = tile.columns / tile.chunk();
  int64_t total = tile.rows * perRow;
  Index number = emit.add(emit.thread(), emit.mul(i, threads));
  if (threads % perRow == 0) {
    // The column, and what rows have in common, do not change with i.
    row = emit.add(emit.div(emit.thread(), perRow),
                   emit.mul(i, threads / perRow));
    column = emit.rem(emit.thread(), perRow);
  } else {
    row = emit.div(number, perRow);
    column = emit.rem(number, perRow);
  }
  if (!isLast || total % threads == 0)
    return {};
  return emit.lessThan(number, emit.constant(total));
}

void AttentionTiles::copyVectors(const Tile &tile, Index stage,
                                 Index firstStart, Index secondStart) {
  OpBuilder &builder = emit.builder;
  int64_t chunk = tile.chunk();
  int64_t count = ceilDivide(tile.rows * (tile.columns / chunk), threads);
  const Axis &rowAxis = tile.turned ? *tile.second : *tile.first,
             &columnAxis = tile.turned ? *tile.first : *tile.second;
  Index rowStart = tile.turned ? secondStart : firstStart,
        columnStart = tile.turned ? firstStart : secondStart;
  bool rowsExist = rowAxis.isDividedBy(tile.rows),
       columnsExist = columnAxis.isDividedBy(tile.columns);
  Index stageStart = emit.mul(stage, elements(tile));
  Index none = emit.constant(0);
  Type token = nvgpu::DeviceAsyncTokenType::get(builder.getContext());
  for (int64_t i = 0; i < count; ++i) {
    Index row, column;
    Value mine = chunkAt(tile, emit.constant(i), i == count - 1, row, column);
    auto one = [&] {
      Index to = emit.add(stageStart, place(tile, row, column));
      Index rowAt = emit.add(rowStart, row),
            columnAt = emit.add(columnStart, emit.mul(column, chunk));
      Index from = tile.turned ? address(tile, columnAt, rowAt)
                               : address(tile, rowAt, columnAt);
      Index left = emit.constant(chunk);
      if (!rowsExist || !columnsExist) {
        if (!columnsExist)
          left = emit.clamp(emit.sub(columnAxis.extent, columnAt), none,
                            emit.constant(chunk));
        Value some;
        if (!columnsExist)
          some = emit.lessThan(none, left);
        if (!rowsExist)
          some = emit.both(some, emit.lessThan(rowAt, rowAxis.extent));
        left = emit.select(some, left, none);
        // Nothing is read there, but the address must be one.
        from = emit.select(some, from, tile.operand.offset);
      }
      bool full = LoopEmitter::isKnown(left, chunk);
      nvgpu::DeviceAsyncCopyOp::create(
          builder, emit.loc, token, tile.shared, emit.value(to),
          tile.operand.flat, emit.value(from), builder.getIndexAttr(chunk),
          full ? Value() : emit.value(left),
          /*bypassL1=*/builder.getUnitAttr());
    };
    if (mine)
      emit.branch(mine, one);
    else
      one();
  }
}

void AttentionTiles::copyElements(const Tile &tile, Index stage,
                                  Index firstStart, Index secondStart) {
  OpBuilder &builder = emit.builder;
  int64_t chunk = tile.chunk();
  int64_t count = ceilDivide(tile.rows * (tile.columns / chunk), threads);
  Index stageStart = emit.mul(stage, elements(tile));
  Type element = tile.operand.element;
  auto one = [&](Index row, Index column) {
    Index to = emit.add(stageStart, place(tile, row, column));
    for (int64_t e = 0; e < chunk; ++e) {
      Index inRow = emit.add(emit.mul(column, chunk), emit.constant(e));
      Index first = emit.add(firstStart, tile.turned ? inRow : row),
            second = emit.add(secondStart, tile.turned ? row : inRow);
      Value exists = emit.both(emit.lessThan(first, tile.first->extent),
                               emit.lessThan(second, tile.second->extent));
      auto branch = scf::IfOp::create(builder, emit.loc, element, exists, true);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(branch.thenBlock());
        Value read =
            memref::LoadOp::create(builder, emit.loc, tile.operand.flat,
                                   emit.value(address(tile, first, second)));
        scf::YieldOp::create(builder, emit.loc, read);
        builder.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(builder, emit.loc, emit.zero(element));
      }
      memref::StoreOp::create(builder, emit.loc, branch.getResult(0),
                              tile.shared,
                              emit.value(emit.add(to, emit.constant(e))));
    }
  };
  emit.loop(emit.constant(0), emit.constant(count), emit.constant(1),
            [&](Index i) {
              Index row, column;
              Value mine = chunkAt(tile, i, /*isLast=*/true, row, column);
              if (mine)
                emit.branch(mine, [&] { one(row, column); });
              else
                one(row, column);
            });
}

void AttentionTiles::copy(const Tile &tile, Index stage, Index firstStart,
                          Index secondStart) {
  auto vectors = [&] { copyVectors(tile, stage, firstStart, secondStart); };
  auto elementwise = [&] {
    copyElements(tile, stage, firstStart, secondStart);
  };
  emit.branch(tile.aligned, vectors, elementwise);
}

void AttentionTiles::open(Tile &tile, ArrayRef<Index> ivs) {
  tile.shared = emit.shared(tile.operand.element, tile.stages * elements(tile),
                            tile.offset);
  tile.base = tile.operand.address(emit, ivs);
}

Value AttentionTiles::commit() {
  Type token = nvgpu::DeviceAsyncTokenType::get(emit.builder.getContext());
  auto group = nvgpu::DeviceAsyncCreateGroupOp::create(emit.builder, emit.loc,
                                                       token, ValueRange());
  // Printed without operands and attributes, the op would not be read back:
  // the parser takes the next line's results for its operands.
  group->setAttr("all", emit.builder.getUnitAttr());
  return group;
}

void AttentionTiles::wait(Value newest, int64_t groups) {
  nvgpu::DeviceAsyncWaitOp::create(emit.builder, emit.loc, newest,
                                   emit.builder.getI32IntegerAttr(groups));
}

void AttentionTiles::setIvs(MutableArrayRef<Index> ivs, const Axis &axis,
                            Index position) {
  for (auto [loop, iv] :
       llvm::zip(axis.loops, emit.decode(position, axis.extents)))
    ivs[loop] = iv;
}

Value AttentionTiles::loadOf(const NestOperand &operand, ArrayRef<Index> ivs) {
  if (operand.scalar)
    return operand.scalar;
  return memref::LoadOp::create(emit.builder, emit.loc, operand.flat,
                                emit.value(operand.address(emit, ivs)));
}

void AttentionTiles::ifInside(const Axis &axis, int64_t tile, Index position,
                              llvm::function_ref<void()> body) {
  if (axis.isDividedBy(tile))
    body();
  else
    emit.branch(emit.lessThan(position, axis.extent), body);
}

void AttentionKernel::load(Index step) {
  Index stage = emit.rem(step, plan.stages), at = emit.mul(step, plan.bn);
  copy(key, stage, at, emit.constant(0));
  copy(value, stage, at, valueStart);
}

Value AttentionTiles::wordOf(Value pair, bool asInteger) {
  auto type = cast<VectorType>(pair.getType());
  if (!type.getElementType().isBF16() && !asInteger)
    return pair;
  Value cast = vector::BitCastOp::create(
      emit.builder, emit.loc, VectorType::get(1, emit.builder.getI32Type()),
      pair);
  return vector::ExtractOp::create(emit.builder, emit.loc, cast, 0);
}

Value MatrixAttention::packed(ArrayRef<Value> probabilities, int64_t rowTile,
                              int64_t tile, int64_t half, bool asInteger) {
  Value pair = vector::FromElementsOp::create(
      emit.builder, emit.loc, VectorType::get(2, value.operand.element),
      probabilities.slice(at(scoreTiles(), rowTile, tile, half, 0), 2));
  return wordOf(pair, asInteger);
}
