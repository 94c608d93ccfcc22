//===- Contraction.h - A linalg op seen as matrix products ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises contractions on memrefs, however they are written, and reduces
// them to loops around C[m,n] += A[m,k] * B[k,n] on strided 2-D views.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_CONTRACTION_H
#define SHARDIR_LIB_CONVERSION_COMMON_CONTRACTION_H

#include "LoopEmitter.h"
#include "ShardIR/Conversion/Common/ContractionShape.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

/// A 2-D view of an operand: element (r, c) is view[r, c]. The strides are in
/// the view's type where they are known.
struct MatrixView {
  mlir::Value view;
  mlir::Type element;
  /// Known to be 1.
  bool unitRow = false, unitColumn = false;
  /// Bytes that are widened as unsigned ones.
  bool isUnsigned = false;
};

/// One operand: its buffer and its stride along every loop of the op.
struct ContractionOperand {
  mlir::Value memref;
  mlir::AffineMap map;
  mlir::Value base;
  Index offset;
  llvm::SmallVector<Index> strides;
  mlir::Type element;
  /// Bytes that are widened as unsigned ones.
  bool isUnsigned = false;
};

/// A contraction's loops by their role. `m`, `n` and `k` are loops or -1 where
/// there is none (a vector operand); n has stride 1 in C.
struct Contraction {
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<Index> extents;
  /// By loop: those of the op's loops that it stands for, outermost first, and
  /// their extents. Empty for a loop that was merged into another one.
  llvm::SmallVector<llvm::SmallVector<int>> parts;
  llvm::SmallVector<Index> opExtents;
  llvm::SmallVector<int> outer, outerK;
  int m = -1, n = -1, k = -1;
  ContractionOperand a, b, c;
  mlir::Type accumulator;

  /// The shape as the tile choice sees it.
  ContractionShape shape() const;
  /// As tables of measured times know it: shapes and types of A, B and C with
  /// the loops that each runs along, batch first, then m, n and k. Empty where
  /// an extent is unknown or an operand has no unit stride along them.
  std::string problem() const;
  /// The view of `operand` with rows along loop `row` and columns along loop
  /// `column`, where the other loops stand at `ivs` (null: 0).
  MatrixView view(LoopEmitter &emit, const ContractionOperand &operand, int row,
                  int column, llvm::ArrayRef<Index> ivs) const;
};

/// True if `op` is a sum of products of floats, seen without looking at
/// strides. With `windows`, positions in A and B may be sums of scaled loops,
/// as in convolutions.
bool isFloatContraction(mlir::linalg::LinalgOp op, bool windows = false);

/// The same for operands of one byte: both i8, widened by the same op, added in
/// i32; or both f8E4M3FN or f8E5M2, added in f32. Only some GPUs have kernels
/// for them, and CPUs for i8 alone. With `mixed`, one i8 may be widened as
/// signed and the other as unsigned.
bool isByteContraction(mlir::linalg::LinalgOp op, bool mixed = false);
/// True if the body of such a product of i8 widens them as unsigned.
bool hasUnsignedBytes(mlir::linalg::LinalgOp op);

/// On an op that the compiler makes: its first two inputs are the factors of a
/// product of 8-bit floats, others are scales, which move along the reduction
/// by blocks.
inline constexpr llvm::StringLiteral kScaledProduct = "scaled_product";

/// Of a contraction on memrefs: whether matchContraction will succeed. Emits
/// nothing.
bool hasUnitColumns(mlir::linalg::LinalgOp op);

/// Emits the strides' computation and gives the roles, those of a scaled
/// product's loops by its factors; fails, having emitted at
/// most dead code, where no role assignment gives C a unit stride. The view of
/// an operand with windows overlaps itself.
mlir::FailureOr<Contraction> matchContraction(mlir::linalg::LinalgOp op,
                                              LoopEmitter &emit,
                                              bool windows = false);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_CONTRACTION_H
