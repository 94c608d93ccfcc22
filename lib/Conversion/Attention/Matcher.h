//===- Matcher.h - Finds attention around a product -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search behind matchAttention: what AttentionMatch.cpp finds of the
// forward pass, and MatchBackward.cpp of the backward pass. It changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_ATTENTION_MATCHER_H
#define SHARDIR_LIB_CONVERSION_ATTENTION_MATCHER_H

#include "AttentionMatch.h"

namespace shardir {

/// `value` or what it widens.
mlir::Value skipExtension(mlir::Value value);
/// True if `value` is a constant 0.
bool isZero(mlir::Value value);
/// True if `value` is a constant -inf.
bool isLowest(mlir::Value value);
/// The loops of the operand of a reshape that only adds or drops dims of one
/// element, from those of its result, or the other way round. -1 is a dim of
/// one element; nullopt: another reshape.
std::optional<llvm::SmallVector<int64_t>>
reshapedLoops(mlir::Operation *reshape, llvm::ArrayRef<int64_t> loops,
              bool toOperand);

/// Finds the attention around a product.
class Matcher {
public:
  Matcher(Product scores, std::string &why,
          std::optional<MissingForwardMatmul> &absent)
      : why(why), absent(absent) {
    match.scores = scores;
  }

  std::optional<AttentionMatch> run();

private:
  mlir::LogicalResult no(const llvm::Twine &reason) {
    why = reason.str();
    return mlir::failure();
  }
  mlir::LogicalResult collect();
  /// The derived tensors from the `next`th on, and those made of them.
  void collectUses(size_t next);
  mlir::LogicalResult addElementwise(mlir::linalg::LinalgOp op,
                                     mlir::OpOperand &use);
  mlir::LogicalResult addReshape(mlir::Operation *op);
  mlir::LogicalResult addUse(mlir::OpOperand &use);
  mlir::LogicalResult findLoops();
  mlir::LogicalResult findFormulas();
  mlir::LogicalResult findExponential();
  // MatchRows.cpp
  mlir::LogicalResult checkRows();
  mlir::LogicalResult findLowered(llvm::ArrayRef<mlir::Value> elements);
  std::optional<llvm::SmallVector<mlir::Value>> rowsOf(mlir::Value exponent);
  /// The loops of scores that `op` reduces of its operand, in order; nullopt
  /// where it reduces others as well.
  std::optional<llvm::SmallVector<unsigned>>
  reducedLoops(mlir::linalg::LinalgOp op, mlir::OpOperand &use);
  /// True if the columns of `op`'s operand are just what it reduces.
  bool reducesColumns(mlir::linalg::LinalgOp op, mlir::OpOperand &use) {
    return reducedLoops(op, use) == match.columns;
  }
  mlir::AffineMap mapOf(mlir::Value derived);
  bool isMaskedSum(mlir::Value value);

  // MatchBackward.cpp: of several products with what was computed from scores,
  // which one is which.
  mlir::LogicalResult collectBackward();
  void findGradients(mlir::Value tensor, llvm::ArrayRef<int64_t> loops,
                     unsigned depth);
  /// The same from the operands of an elementwise op whose result has `loops`.
  void findGradientsOfOperands(mlir::linalg::LinalgOp op,
                               llvm::ArrayRef<int64_t> loops, unsigned depth);
  mlir::LogicalResult findBackwardFormulas();
  void factorize(mlir::Value value, int power, Factors &factors);

  std::string &why;
  std::optional<MissingForwardMatmul> &absent;
  AttentionMatch match;
  llvm::SmallVector<mlir::OpOperand *> reductions;
  /// Products with what was computed from scores.
  llvm::SmallVector<BackwardMatch::Use> products;
  /// Products that meet what was computed from scores element by element, and
  /// the loops of their results.
  llvm::SmallVector<std::pair<mlir::Value, llvm::SmallVector<int64_t>>>
      gradients;
  /// The other op computed from scores, for the reason.
  std::string other;
  bool hasExponential = false;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_ATTENTION_MATCHER_H
