//===- WarpgroupTiles.h - Attention's products by wgmma ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma on attention's tiles: 64 rows of a product per warpgroup, 16-bit
// operands, f32 sums. Tiles lie in shared memory as WarpgroupMemory.h says. The
// first operand is a tile or what the threads hold, for which NVVM has no op:
// assembly. Products are asynchronous: `start…` begins a group of them, whose
// sums `finish` gives behind a `wait` for it. Fragments are those of the PTX
// ISA, 9.7.15.5.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_WARPGROUPTILES_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_WARPGROUPTILES_H

#include "AttentionKernel.h"

namespace shardir {

class WarpgroupTiles {
public:
  using Tile = AttentionTiles::Tile;
  /// Rows of one wgmma, elements of a swizzled row, k of one wgmma.
  static constexpr int64_t rows = 64, rowElements = 64, depth = 16;

  explicit WarpgroupTiles(KernelEmitter &emit) : emit(emit) {}

  /// Of a stage of `tile`.
  static int64_t elements(const Tile &tile);
  /// Where chunk `column` of row `row` lies in a stage, in elements.
  Index place(const Tile &tile, Index row, Index column);

  /// The thread's warpgroup, a number that the compiler sees to be uniform:
  /// what is computed from it takes no registers of threads.
  Index group();

  /// Before the barrier behind which wgmma or TMA reads what the thread wrote.
  void publish();

  /// Begins the products of 64 rows of `left`, those of part `leftPart`, and of
  /// `columns` rows of `right` in `stage`, those of part `rightPart`, summed
  /// over `extent` of the second axis of both. Parts of `right` along whose
  /// rows memory is contiguous are multiples of 64.
  mlir::Value startScores(const Tile &left, Index leftPart, const Tile &right,
                          Index stage, Index rightPart, int64_t columns,
                          int64_t extent);
  /// Adds to `sums` the products of `factors` and `right` in `stage`, summed
  /// over its first axis. `factors` are the A fragments of the steps along that
  /// axis, four words of two elements each.
  mlir::Value startSums(llvm::ArrayRef<mlir::Value> factors, const Tile &right,
                        Index stage, const Fragment &sums);
  /// Until all but the newest `groups` have ended.
  void wait(int64_t groups);
  Fragment finish(mlir::Value sums);

  /// The descriptor of what lies `bytes` behind the start of `tile`, along the
  /// k of a product or across it; the one that is `k` behind `first`.
  mlir::Value descriptor(const Tile &tile, bool alongK, Index bytes);
  mlir::Value moved(const Tile &tile, bool alongK, mlir::Value first,
                    int64_t k);
  /// Where the word of two elements lies that `lane`, as it holds fragments,
  /// has of eight columns of row `row`, in words.
  Index wordPlace(const Tile &tile, Index row, int64_t eight, Index lane);
  /// Writes words as the threads of a warp hold fragments, of all columns and
  /// of 16 rows from `row`: for each eight columns that of the first eight rows
  /// and that of the others. Columns are a multiple of 16.
  void store(const Tile &tile, Index stage, Index row, Index lane,
             llvm::ArrayRef<mlir::Value> words);

private:
  mlir::Value word(int64_t value);
  mlir::Value addressOf(const Tile &tile);
  mlir::SmallVector<mlir::Value> unpacked(mlir::Value all, int64_t count);
  mlir::SmallVector<mlir::Value> pinned(llvm::ArrayRef<mlir::Value> values);

  KernelEmitter &emit;
};

/// A kernel of attention whose tiles lie as wgmma and tcgen05 read them.
template <typename Kernel> class OnWarpgroupTiles : public Kernel {
protected:
  template <typename... Arguments>
  explicit OnWarpgroupTiles(KernelEmitter &emit, const Arguments &...arguments)
      : Kernel(emit, arguments...), tiles(emit) {}

  int64_t elements(const AttentionTiles::Tile &tile) const override {
    return WarpgroupTiles::elements(tile);
  }
  Index place(const AttentionTiles::Tile &tile, Index row,
              Index column) override {
    return tiles.place(tile, row, column);
  }
  void beforeBarrier() override { tiles.publish(); }

  WarpgroupTiles tiles;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_ATTENTION_WARPGROUPTILES_H
