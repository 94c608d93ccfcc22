//===- ScaledProduct.h - Products with a scale for each block ---*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of 8-bit floats with scales that change along the reduction:
//
//     p[kb, m, n] = sum over k of a[m, kb, k] * b[n, kb, k]
//     c[m, n]    += sum over kb of p[kb, m, n] * s[m, kb] * t[n, kb]
//
// Both are joined to one op whose first two inputs are a and b, and whose
// kernel multiplies a block's sum by its scales in registers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_SCALEDPRODUCT_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_SCALEDPRODUCT_H

#include "../KernelEmitter.h"
#include "Common/Contraction.h"

#include <map>

namespace shardir {

/// Replaces `product` and the scaled sum of its blocks by one op, if there is
/// such a sum, nothing else reads the blocks, and `takes` accepts the op.
/// Otherwise nothing changes.
void joinScaledProduct(mlir::RewriterBase &rewriter,
                       mlir::linalg::LinalgOp product,
                       llvm::function_ref<bool(mlir::linalg::LinalgOp)> takes);

/// True if the scales of such an op are the same for all of a step of `bk`.
bool haveStepsOneScale(mlir::linalg::LinalgOp op, int64_t bk);

/// The scales of a step's sums, in a kernel with tiles of `bn` columns.
class StepScales {
public:
  StepScales(KernelEmitter &emit, const Contraction &contraction,
             const LoopNest &nest, int64_t bn);

  /// Begins a step. `ivs` are those of the contraction's loops, n's at the
  /// first column of the tile.
  void setStep(llvm::ArrayRef<Index> ivs);
  /// Loads the scales of row `m` and column `n`, which exist, and are the
  /// thread's numbers `row` and `column`.
  void load(Index m, int row, Index n, int column);
  /// The product of these.
  mlir::Value at(int row, int column);

private:
  struct Scale {
    NestOperand operand;
    bool movesAlongRows = false, movesInTile = false;
    std::map<std::pair<int, int>, mlir::Value> loaded;
    mlir::Value &valueOf(int row, int column) {
      return loaded[{movesAlongRows ? row : 0, movesInTile ? column : 0}];
    }
  };

  KernelEmitter &emit;
  const Contraction &contraction;
  llvm::SmallVector<Scale> scales;
  llvm::SmallVector<Index> stepIvs;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_SCHEDULES_CONTRACTION_SCALEDPRODUCT_H
