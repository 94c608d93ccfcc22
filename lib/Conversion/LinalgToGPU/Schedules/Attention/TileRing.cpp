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

SmallVector<int> shardir::tensorMapLoops(const NestOperand &operand,
                                         int alongRow, int acrossRows,
                                         ArrayRef<int> outer) {
  SmallVector<int> loops = {alongRow, acrossRows};
  for (int loop : outer)
    if (!operand.isUniform(loop))
      loops.push_back(loop);
  return loops;
}

Value shardir::makeTensorMap(KernelEmitter &emit, const NestOperand &operand,
                             ArrayRef<int> loops, ArrayRef<Index> extents,
                             int64_t rows) {
  SmallVector<TensorMapDim> dims;
  for (int loop : loops)
    dims.push_back({extents[loop], operand.strides[loop]});
  return makeTensorMap(emit, operand, dims, rows);
}

SmallVector<Value> shardir::boxCoordinates(KernelEmitter &emit,
                                           ArrayRef<int> loops, Index column,
                                           Index row, ArrayRef<Index> ivs) {
  SmallVector<Value> coordinates = {emit.cast(column, 32), emit.cast(row, 32)};
  for (int loop : loops.drop_front(2))
    coordinates.push_back(emit.cast(ivs[loop], 32));
  return coordinates;
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

SmallVector<int> TileRing::loops() const {
  int alongRow = tile.second->loops[0], acrossRows = tile.first->loops[0];
  if (tile.turned)
    std::swap(alongRow, acrossRows);
  return tensorMapLoops(tile.operand, alongRow, acrossRows, outer);
}

Condition TileRing::suits() const {
  if (tile.first->loops.size() != 1 || tile.second->loops.size() != 1 ||
      loops().size() > mostTensorMapDims || tile.rows > mostTensorMapBox)
    return {false, {}};
  return tile.aligned;
}

void TileRing::makeMap(ArrayRef<Index> extents) {
  map = makeTensorMap(emit, tile.operand, loops(), extents, tile.rows);
}

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
      copyBox(emit, map, boxCoordinates(emit, loops(), column, row, ivs),
              sharedPointer(
                  emit, emit.add(start, emit.constant(2 * box * boxElements))),
              full);
    }
  });
}
