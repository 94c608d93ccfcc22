//===- MatrixTiles.h - Tiles for matrix units -------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of 16-bit operands in shared memory, as matrix units read them: in the
// direction in which memory is contiguous, in chunks of 16 bytes whose places
// are permuted within a row.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_MATRIXTILES_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_MATRIXTILES_H

#include "ContractionKernel.h"

namespace shardir {

class MatrixTiles : public ContractionKernel {
public:
  using ContractionKernel::ContractionKernel;

protected:
  /// Bytes of an element, and elements in 16 bytes.
  int64_t size() const { return elementBytes(a.operand.element); }
  int64_t chunk() const { return 16 / size(); }

  static int64_t stageElements(const TileSource &source) {
    return source.rows * source.columns;
  }
  int64_t sharedBytes() override;
  void prepare() override;
  void load(Index stage, Index step) override;

  /// Where chunk `column` of row `row` of a tile lies in it, in elements.
  virtual Index place(const TileSource &source, Index row, Index column);

  mlir::Value sharedA, sharedB;
  /// Of the step that is loaded, with `groups`.
  mlir::Value isGroupInTile;
  Index lane, warp;

private:
  void copyTile(const TileSource &source, mlir::Value shared, Index stage,
                Index tileStart);
  mlir::Value loadIf(mlir::Value exists, const TileSource &source, Index outer,
                     Index k);
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_MATRIXTILES_H
