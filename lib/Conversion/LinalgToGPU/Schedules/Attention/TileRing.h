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

/// The tensor map of an operand in boxes of `rows` rows, which follow each
/// other along `across`: of its loops, a box has all of each but the slowest
/// one.
class RowMap {
public:
  /// Rows run along the loop `alongRow`; of `outer` those count that move the
  /// operand.
  RowMap(const NestOperand &operand, int alongRow, const Axis &across,
         llvm::ArrayRef<int> outer, int64_t rows);

  /// On the host: whether there are such boxes.
  bool exists() const;
  /// On the host, with the extents of all loops.
  void make(KernelEmitter &emit, llvm::ArrayRef<Index> extents);
  mlir::Value get() const { return map; }
  /// In the kernel: where the box at `column` and `row`, the first one of a
  /// box, is, at these ivs of the other loops.
  llvm::SmallVector<mlir::Value> coordinates(KernelEmitter &emit, Index column,
                                             Index row,
                                             llvm::ArrayRef<Index> ivs) const;

private:
  /// The rows that the faster loops of `across` have together; 0 if unknown.
  int64_t inner() const;

  NestOperand operand;
  int alongRow;
  Axis across;
  llvm::SmallVector<int> outer;
  int64_t rows;
  mlir::Value map;
};

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
  TileRing(KernelEmitter &emit, const Tile &tile, llvm::ArrayRef<int> outer);

  /// On the host: whether a tensor map can describe the operand.
  Condition suits() const;
  /// On the host, with the extents of all loops.
  void makeMap(llvm::ArrayRef<Index> extents);
  void prefetchMap() { prefetchTensorMap(emit, map.get()); }
  /// By a warp: waits until the stage is empty and has TMA fill it. `ivs` are
  /// those of the outer loops.
  void load(Index number, Index firstStart, Index secondStart,
            llvm::ArrayRef<Index> ivs);

private:
  const Tile &tile;
  RowMap map;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_TILERING_H
