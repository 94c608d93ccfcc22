//===- TileRing.h - Rings of tiles that TMA fills ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages of shared memory that a warp fills and warpgroups read. A stage has
// two mbarriers, `full` and `empty`. Uses of a ring are numbered from 0 on: use
// n has stage n % stages.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_TILERING_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_TILERING_H

#include "../TensorMaps.h"
#include "WarpgroupTiles.h"

namespace shardir {

/// The loops of an operand's tensor map: along rows, across them, and those of
/// `outer` that move it.
llvm::SmallVector<int> tensorMapLoops(const NestOperand &operand, int alongRow,
                                      int acrossRows,
                                      llvm::ArrayRef<int> outer);
/// On the host: the map of such loops, in boxes of `rows` rows. `extents` are
/// those of all loops.
mlir::Value makeTensorMap(KernelEmitter &emit, const NestOperand &operand,
                          llvm::ArrayRef<int> loops,
                          llvm::ArrayRef<Index> extents, int64_t rows);
/// In the kernel: where the box at `column` and `row` is, at these ivs of the
/// other loops.
llvm::SmallVector<mlir::Value> boxCoordinates(KernelEmitter &emit,
                                              llvm::ArrayRef<int> loops,
                                              Index column, Index row,
                                              llvm::ArrayRef<Index> ivs);

/// All threads of a block of three warpgroups: the first `threads` run
/// `multiply`, with registers that the others, which run `copy`, give away.
void specializeWarps(KernelEmitter &emit, int64_t threads,
                     llvm::function_ref<void()> multiply,
                     llvm::function_ref<void()> copy);

class StageRing {
public:
  StageRing(KernelEmitter &emit, int64_t stages) : emit(emit), stages(stages) {}

  /// On the host: memory for the mbarriers.
  void takeShared(SharedLayout &layout) { barriers = layout.take(stages * 16); }
  /// In the kernel, with the address of shared memory.
  void open(Index address) { shared = address; }
  /// By one thread: after so many arrivals a stage is full, or empty.
  void init(int64_t fullArrivals, int64_t emptyArrivals);

  Index stageOf(Index number) { return emit.rem(number, stages); }
  void awaitFull(Index number) { await(number, /*empty=*/false); }
  void awaitEmpty(Index number) { await(number, /*empty=*/true); }
  /// Arrives at the stage's `full`.
  void fill(Index number);
  /// By all lanes of a warp, of which one arrives at the stage's `empty`.
  void release(Index number, Index lane);

protected:
  mlir::Value barrier(Index stage, bool empty);

  KernelEmitter &emit;
  int64_t stages;
  Index shared;

private:
  void await(Index number, bool empty);

  /// The offset of its mbarriers in shared memory: `full` of each stage, then
  /// `empty`.
  int64_t barriers = 0;
};

/// The stages of a tile in boxes, as WarpgroupTiles places them.
class TileRing : public StageRing {
public:
  using Tile = AttentionTiles::Tile;

  /// `outer` are the loops besides those of the tile's axes. `tile` outlives
  /// the ring.
  TileRing(KernelEmitter &emit, const Tile &tile, llvm::ArrayRef<int> outer)
      : StageRing(emit, tile.stages), tile(tile), outer(outer) {}

  /// On the host: whether a tensor map can describe the operand.
  Condition suits() const;
  /// On the host, with the extents of all loops.
  void makeMap(llvm::ArrayRef<Index> extents);
  void prefetchMap() { prefetchTensorMap(emit, map); }
  /// By a warp: waits until the stage is empty and has TMA fill it. `ivs` are
  /// those of the outer loops.
  void load(Index number, Index firstStart, Index secondStart,
            llvm::ArrayRef<Index> ivs);

private:
  llvm::SmallVector<int> loops() const;

  const Tile &tile;
  llvm::SmallVector<int> outer;
  mlir::Value map;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_TILERING_H
