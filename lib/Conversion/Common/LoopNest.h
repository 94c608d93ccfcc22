//===- LoopNest.h - A linalg op as loops over addresses ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg op on memrefs seen as a perfect nest whose operands are addressed
// linearly: element = flat[offset + sum of iv * stride]. Maps with constants,
// strided windows and permutations all have the same form here. Neighbouring
// loops that are one in memory for every operand are merged.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_LOOPNEST_H
#define SHARDIR_LIB_CONVERSION_COMMON_LOOPNEST_H

#include "LoopEmitter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

/// One operand of a nest.
struct NestOperand {
  /// Null for a scalar operand, which is `scalar`.
  mlir::Value flat;
  mlir::Value scalar;
  mlir::Type element;
  Index offset;
  /// By loop.
  llvm::SmallVector<Index> strides;
  /// Vectors are stored past the caches; their addresses are multiples of their
  /// size.
  bool streamed = false;
  /// Lanes that are two elements apart are read and written by whole vectors,
  /// with what is between them.
  bool spansGaps = false;
  /// Where not 0, memory is asked for the elements that are so many further on
  /// while these are read.
  int64_t ahead = 0;

  /// The linear address at `ivs`; a null one counts as 0.
  Index address(LoopEmitter &emit, llvm::ArrayRef<Index> ivs) const;

  /// Bytes of an element, which is no index.
  int64_t bytes() const { return (element.getIntOrFloatBitWidth() + 7) / 8; }
  bool isUniform(int loop) const {
    return scalar || LoopEmitter::isKnown(strides[loop], 0);
  }
  bool isUnit(int loop) const {
    return !scalar && LoopEmitter::isKnown(strides[loop], 1);
  }
  bool isEveryOther(int loop) const {
    return spansGaps && !scalar && !element.isInteger(1) &&
           LoopEmitter::isKnown(strides[loop], 2);
  }
};

struct LoopNest {
  /// By value: interfaces have no const methods.
  mlir::linalg::LinalgOp getOp() const { return op; }

  mlir::linalg::LinalgOp op;
  llvm::SmallVector<Index> extents;
  llvm::SmallVector<bool> reduction;
  /// Loops that were merged into another one; they are not to be emitted.
  llvm::SmallVector<bool> merged;
  /// In the op's order: inputs, then results.
  llvm::SmallVector<NestOperand> operands;

  unsigned numInputs() const { return getOp().getNumDpsInputs(); }
  llvm::ArrayRef<NestOperand> results() const {
    return llvm::ArrayRef<NestOperand>(operands).drop_front(numInputs());
  }
  /// The loops that remain, in order.
  llvm::SmallVector<int> loops(bool wantReductions) const;

  /// The linear address of `operand` at `ivs`.
  mlir::Value address(LoopEmitter &emit, const NestOperand &operand,
                      llvm::ArrayRef<Index> ivs) const;
};

/// Adds `factor` times `expr` to `constant` + the sum of coefficients times
/// dims; fails where it is not of that form.
mlir::LogicalResult linearize(mlir::AffineExpr expr, int64_t factor,
                              int64_t &constant,
                              llvm::SmallVectorImpl<int64_t> &coefficients);

/// `operand` addressed by the loops of `map`. Emits what that needs; fails
/// where map or layout is not linear.
mlir::FailureOr<NestOperand>
makeNestOperand(LoopEmitter &emit, mlir::Value operand, mlir::AffineMap map);

/// True if makeLoopNest will succeed. Emits nothing.
bool hasLoopNest(mlir::linalg::LinalgOp op);

/// Emits what the nest's addresses need; fails where a map is not linear, with
/// at most dead code emitted. With `merge`, loops that are one in memory are.
mlir::FailureOr<LoopNest> makeLoopNest(mlir::linalg::LinalgOp op,
                                       LoopEmitter &emit, bool merge = true);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_LOOPNEST_H
