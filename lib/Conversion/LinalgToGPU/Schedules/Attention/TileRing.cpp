//===- TileRing.cpp - Rings of tiles that TMA fills -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a. Guarantees what TileRing.h says.
//
//===----------------------------------------------------------------------===//

#include "TileRing.h"

using namespace mlir;
using namespace shardir;

RowMap::RowMap(const NestOperand &operand, int alongRow, const Axis &across,
               ArrayRef<int> outer, int64_t rows)
    : operand(operand), alongRow(alongRow), across(across), rows(rows) {
  for (int loop : outer)
    if (!operand.isUniform(loop))
      this->outer.push_back(loop);
}

int64_t RowMap::inner() const {
  int64_t product = 1;
  for (Index extent : llvm::drop_begin(across.extents))
    product *= LoopEmitter::known(extent).value_or(0);
  return product;
}

bool RowMap::exists() const {
  return 1 + across.loops.size() + outer.size() <= mostTensorMapDims &&
         rows <= mostTensorMapBox && inner() > 0 && rows % inner() == 0;
}

void RowMap::make(KernelEmitter &emit, ArrayRef<Index> extents) {
  SmallVector<TensorMapDim> dims;
  auto addDim = [&](int loop, int64_t box) {
    dims.push_back({extents[loop], operand.strides[loop], box});
  };
  addDim(alongRow, 1);
  for (size_t i = across.loops.size(); i-- > 1;)
    addDim(across.loops[i], *LoopEmitter::known(across.extents[i]));
  addDim(across.loops[0], rows / inner());
  for (int loop : outer)
    addDim(loop, 1);
  map = makeTensorMap(emit, operand, dims);
}

SmallVector<Value> RowMap::coordinates(KernelEmitter &emit, Index column,
                                       Index row, ArrayRef<Index> ivs) const {
  SmallVector<Value> result = {emit.cast(column, 32)};
  result.append(across.loops.size() - 1, emit.i32(0));
  result.push_back(emit.cast(emit.div(row, inner()), 32));
  for (int loop : outer)
    result.push_back(emit.cast(ivs[loop], 32));
  return result;
}

void shardir::specializeWarps(KernelEmitter &emit, int64_t threads,
                              function_ref<void()> multiply,
                              function_ref<void()> copy) {
  // A block starts with 168 registers per thread, 384 of them: 24 and twice 240
  // are as many.
  constexpr int64_t copierRegisters = 24, multiplierRegisters = 240;
  using Action = NVVM::SetMaxRegisterAction;
  emit.branch(
      emit.lessThan(emit.thread(), emit.constant(threads)),
      [&] {
        setRegisters(emit, multiplierRegisters, Action::increase);
        multiply();
      },
      [&] {
        setRegisters(emit, copierRegisters, Action::decrease);
        copy();
      });
}

Value StageRing::barrier(Index stage, bool empty) {
  int64_t first = barriers + (empty ? 8 * stages : 0);
  return sharedPointer(emit, emit.add(shared, emit.add(emit.mul(stage, 8),
                                                       emit.constant(first))));
}

void StageRing::init(int64_t fullArrivals, int64_t emptyArrivals) {
  for (int64_t stage = 0; stage < stages; ++stage) {
    Index at = emit.constant(stage);
    initBarrier(emit, barrier(at, /*empty=*/false), fullArrivals);
    initBarrier(emit, barrier(at, /*empty=*/true), emptyArrivals);
  }
}

void StageRing::await(Index number, bool empty) {
  // The phase before the first one counts as ended.
  Index round = emit.div(number, stages);
  if (empty)
    round = emit.add(round, emit.constant(1));
  emit.awaitPhase(barrier(stageOf(number), empty),
                  emit.cast(emit.rem(round, 2), 32));
}

void StageRing::fill(Index number) {
  arrive(emit, barrier(stageOf(number), /*empty=*/false));
}

void StageRing::release(Index number, Index lane) {
  emit.branch(emit.equal(lane, emit.constant(0)),
              [&] { arrive(emit, barrier(stageOf(number), /*empty=*/true)); });
}

static const Axis &alongRow(const TileRing::Tile &tile) {
  return tile.turned ? *tile.first : *tile.second;
}
static const Axis &acrossRows(const TileRing::Tile &tile) {
  return tile.turned ? *tile.second : *tile.first;
}

TileRing::TileRing(KernelEmitter &emit, const Tile &tile, ArrayRef<int> outer)
    : StageRing(emit, tile.stages), tile(tile),
      map(tile.operand, alongRow(tile).loops[0], acrossRows(tile), outer,
          tile.rows) {}

Condition TileRing::suits() const {
  if (alongRow(tile).loops.size() != 1 || !map.exists())
    return {false, {}};
  return tile.aligned;
}

void TileRing::makeMap(ArrayRef<Index> extents) { map.make(emit, extents); }

void TileRing::load(Index number, Index firstStart, Index secondStart,
                    ArrayRef<Index> ivs) {
  awaitEmpty(number);
  emit.byOneThread([&] {
    Index stage = stageOf(number);
    Value full = barrier(stage, /*empty=*/false);
    int64_t elements = WarpgroupTiles::elements(tile);
    int64_t boxElements = tile.rows * WarpgroupTiles::rowElements;
    arriveExpecting(emit, full, 2 * elements);
    Index inRow = firstStart, row = secondStart;
    if (!tile.turned)
      std::swap(inRow, row);
    Index start = emit.add(shared, emit.constant(tile.offset));
    start = emit.add(start, emit.mul(stage, 2 * elements));
    for (int64_t box = 0; box < elements / boxElements; ++box) {
      Index column =
          emit.add(inRow, emit.constant(box * WarpgroupTiles::rowElements));
      copyBox(emit, map.get(), map.coordinates(emit, column, row, ivs),
              sharedPointer(
                  emit, emit.add(start, emit.constant(2 * box * boxElements))),
              full);
    }
  });
}
