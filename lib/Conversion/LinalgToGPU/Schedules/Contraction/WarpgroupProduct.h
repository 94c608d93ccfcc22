//===- WarpgroupProduct.h - What four warps multiply ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma on tiles in shared memory, for the kernels that differ in how tiles get
// there. A warpgroup of 128 threads multiplies 64 rows of A by all columns of
// B. Both lie in the layout of 128-byte swizzling: rows of 128 bytes along k,
// or boxes of as many columns along m or n whose rows are those of k, one box
// after the other. Descriptors and fragments are those of the PTX
// ISA, 9.7.15.5.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_WARPGROUPPRODUCT_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_WARPGROUPPRODUCT_H

#include "ContractionKernel.h"

namespace shardir {

class WarpgroupProduct {
public:
  /// Rows of one wgmma, bytes of a swizzled row, bytes of k of one wgmma.
  static constexpr int64_t rows = 64, rowBytes = 128, stepBytes = 32;

  /// `a` and `b` say in which direction tiles lie; `columns` are B's.
  WarpgroupProduct(KernelEmitter &emit, const TileSource &a,
                   const TileSource &b, int64_t columns)
      : emit(emit), a(a), b(b), columns(columns) {}

  /// Sums before the first product, one value for all of a thread's.
  mlir::Value zeros();
  /// Starts the products of a step of `bk` elements of k: `left` and `right`
  /// are the bytes (i64, in shared memory) of the warpgroup's part of A's tile
  /// and of B's. Sums are there when all but so many steps are waited for.
  mlir::Value multiply(mlir::Value sums, mlir::Value left, mlir::Value right,
                       int64_t bk);
  void wait(int64_t pending);
  /// The bytes from A's tile to the rows of warpgroup `group`.
  Index partOfA(Index group);
  /// Number `at` of a thread's sums.
  mlir::Value sum(mlir::Value sums, int64_t at);
  /// Calls `body` with row and column of C in the warpgroup's part, for the
  /// thread's neighbouring pairs, and where they are among its sums. `thread`
  /// is its number in the warpgroup.
  void forEachPair(Index thread,
                   llvm::function_ref<void(Index, Index, int64_t)> body);

  mlir::Value word(int64_t value);

private:
  int64_t stepOf(const TileSource &source);

  KernelEmitter &emit;
  const TileSource &a, &b;
  int64_t columns;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_WARPGROUPPRODUCT_H
