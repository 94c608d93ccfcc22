//===- TensorMapTiles.h - Tiles that the copy engine brings -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base of products whose blocks stay: they take tiles of C in turn, and one
// thread has the copy engine (TMA) fill a ring of stages in shared memory with
// boxes of A and B. A stage has two mbarriers: `full` counts the bytes that
// arrive, `empty` those that have read it. The copy engine writes zeros for
// what lies outside of A and B, so only C has edges. Shared memory holds the
// stages, boxes of C that leave (`storeBytes`), then the mbarriers.
//
// Requires addresses that suit tensor maps. Boxes are rows of 128 bytes,
// swizzled, as WarpgroupProduct.h describes them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_TENSORMAPTILES_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_TENSORMAPTILES_H

#include "../TensorMaps.h"
#include "ContractionKernel.h"

namespace shardir {

class TensorMapTiles : public ProductTiles {
public:
  static constexpr int64_t rowBytes = 128;
  static constexpr int64_t groupThreads = 128;
  /// Boxes of C that are stored by turns.
  static constexpr int64_t storeBuffers = 2;

  using ProductTiles::ProductTiles;

  /// Whether A and B suit tensor maps.
  Condition suits();

protected:
  /// Where the ring stands: a stage, and the parity of its barriers' phase.
  struct Place {
    mlir::Value stage, parity;
    llvm::SmallVector<mlir::Value> values() const { return {stage, parity}; }
  };

  /// Of the parts of A's and B's tiles that a block brings.
  int64_t bytesA() const { return plan.bm / plan.pair * rowBytes; }
  int64_t bytesB() const { return plan.bn / plan.pair * rowBytes; }
  int64_t stageBytes() const { return bytesA() + bytesB(); }
  /// Where the mbarriers begin, and where they end.
  int64_t barriersAt() const { return plan.stages * stageBytes() + storeBytes; }
  int64_t ringEnd() const { return barriersAt() + plan.stages * 16; }

  // On the host.
  void makeMaps();
  /// Sets `mapsC` if C, and what is made of it, at most so many buffers, can
  /// leave through shared memory, a box of so many rows of 128 bytes at a time.
  void planStores(int64_t rows, llvm::ArrayRef<int64_t> elementSizes,
                  size_t mostResults);
  /// As many as tiles need, at most one per multiprocessor.
  void countTiles();

  // In the kernel.
  /// `init`, in one thread, initialises mbarriers.
  void prepare(llvm::function_ref<void()> init);
  /// Blocks of a cluster, which compute a tile, or neighbouring ones, together.
  int64_t clusterSize() const { return plan.sharesB ? 2 : plan.pair; }
  Index inCluster() { return emit.rem(emit.block(0), clusterSize()); }
  /// All threads of a cluster.
  void meetCluster();
  /// The tiles of this block: the first one, and from one to the next.
  Index firstTile() { return emit.div(emit.block(0), clusterSize()); }
  Index tileStep() { return emit.div(blocks, clusterSize()); }
  void setTile(Index number);
  /// Where the block's part of a tile of so many rows or columns begins.
  Index partOf(Index tileStart, int64_t size);
  /// Whether the block is the one of its pair that multiplies.
  mlir::Value isLeader() {
    return emit.equal(emit.rem(emit.block(0), plan.pair), emit.constant(0));
  }
  /// The mbarrier of a block of the cluster at the place of this one's, in the
  /// cluster's addresses.
  mlir::Value ofBlock(mlir::Value barrier, Index number);
  mlir::Value ofLeader(mlir::Value barrier) {
    return ofBlock(barrier, emit.constant(0));
  }
  /// An arrival at such an mbarrier.
  void arriveAt(mlir::Value barrier);
  void forEachTile(Place start, llvm::function_ref<Place(Place)> body);
  /// Calls `body` at each step of the tile, whose position is set, with the
  /// number of steps before it and the values that it carries. Returns the
  /// number of steps, and these values. All threads of a warp.
  std::pair<Index, llvm::SmallVector<mlir::Value>> forEachStep(
      mlir::ValueRange start,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(Index,
                                                        mlir::ValueRange)>
          body);
  /// Sets to 0 what is of other groups than the step's in `count` rows of A's
  /// tile, the first of which is number `first` and lies at `address`. Each of
  /// `threads` threads; `meet` waits for all of them.
  void keepGroup(Index address, Index first, int64_t count, Index thread,
                 int64_t threads, llvm::function_ref<void()> meet);
  /// The part of the warp that talks to the copy engine.
  void copyTiles();
  Place next(Place place);
  Place start(int64_t parity) {
    return {emit.value(emit.constant(0)), emit.i32(parity)};
  }
  /// Two neighbours of each result as one or two words, one result's behind
  /// the other's; anything where there are none. `loaded` as in
  /// Epilogue::valuesOf.
  llvm::SmallVector<mlir::Value>
  packed(Index m, Index n, llvm::ArrayRef<mlir::Value> sums, bool exist,
         const Epilogue::Loaded *loaded = nullptr);
  /// The box of a result at `row` and `column` leaves from `buffer`; one
  /// thread.
  void storeBox(size_t result, Index buffer, Index row, Index column);

  // Shorthands.
  /// The address of a byte of shared memory.
  mlir::Value pointer(Index offset);
  /// The mbarrier of a stage: `full`, or `empty` behind those.
  mlir::Value barrier(mlir::Value stage, bool empty);
  void await(mlir::Value barrier, mlir::Value parity);
  void release(mlir::Value stage);

  Index tilesM, tilesN, tiles, blocks;
  mlir::Value mapA, mapB;
  /// By result; none where threads store themselves.
  llvm::SmallVector<mlir::Value> mapsC;
  int64_t resultBytes = 0; ///< of an element of each of these
  int64_t storeBytes = 0;
  Index shared; ///< the address of shared memory

private:
  std::pair<Index, llvm::SmallVector<mlir::Value>> forEachStepOfGroups(
      mlir::ValueRange start,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(Index,
                                                        mlir::ValueRange)>
          body);
  int64_t rowElements(const TileSource &source) const {
    return rowBytes / elementBytes(source.operand.element);
  }
  llvm::SmallVector<int> dimsOf(const TileSource &source);
  mlir::Value mapOf(const TileSource &source);
  /// The map of boxes of rows x 128 bytes of `operand`; `loops` are those that
  /// move it, the contiguous one first, then that of the rows.
  mlir::Value tensorMap(const NestOperand &operand, llvm::ArrayRef<int> loops,
                        int64_t rows);
  /// Where `loops` stand, for the copy engine.
  llvm::SmallVector<mlir::Value>
  coordinates(llvm::ArrayRef<int> loops, Index outer, int outerLoop, Index k);
  void copyStage(mlir::Value stage);
  /// With `halved`, the block's half of them, for both blocks of the cluster.
  void copyBoxes(const TileSource &source, mlir::Value map, Index tileStart,
                 Index offset, mlir::Value full, bool halved = false);

  llvm::SmallVector<int> storeDims;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_TENSORMAPTILES_H
