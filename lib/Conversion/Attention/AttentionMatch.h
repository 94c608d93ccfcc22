//===- AttentionMatch.h - What of a program is an attention -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis behind shardir-recognize-attention, as a value: which ops around
// a contraction are one attention, and what its parts are. It changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_ATTENTION_ATTENTIONMATCH_H
#define SHARDIR_LIB_CONVERSION_ATTENTION_ATTENTIONMATCH_H

#include "ScalarGraph.h"

#include <optional>
#include <string>

namespace shardir {

/// A product of two operands summed over loops, its init apart.
struct Product {
  mlir::linalg::LinalgOp op;
  mlir::OpOperand *left = nullptr, *right = nullptr;
};
/// nullopt: `op` is no sum of products of two float tensors.
std::optional<Product> asProduct(mlir::Operation *op);

/// Something that multiplies probabilities row by row, such as one over their
/// sum; it commutes with the product with the values.
struct RowFactor {
  /// arith.mulf or arith.divf.
  bool divides = false;
  /// A scalar of the graph that does not depend on columns.
  mlir::Value factor;
  /// A select with zero stands behind it: rows without any finite score are 0.
  bool guarded = false;
};

/// A scalar of the graph as a product of powers, conversions between float
/// types apart.
struct Factors {
  /// The exponent is 1 or -1.
  llvm::SmallVector<std::pair<mlir::Value, int>> powers;
  /// It is 0 unless each condition has this value.
  llvm::SmallVector<std::pair<mlir::Value, bool>> conditions;
  bool negative = false;
};

/// The ops that compute the gradients of an attention.
struct BackwardMatch {
  /// A product whose operand `of` was computed from scores.
  struct Use {
    Product product;
    mlir::OpOperand *of = nullptr;
    mlir::OpOperand *other() const {
      return product.left == of ? product.right : product.left;
    }
  };
  /// Of the result's gradient and the values; no op where the gradient of
  /// values alone is wanted.
  Product probabilityGradient;
  /// Of scores' gradients and keys, of them and queries, and of probabilities
  /// and the result's gradient. Those of frozen parameters are not there.
  Use query, key, value;
  /// The tensors computed from probabilityGradient, its own first.
  llvm::SmallVector<mlir::Value> derived;
  /// Sums of rows, each of an exponential times its gradient times `factors`,
  /// which differ by row alone.
  struct RowSum {
    mlir::linalg::LinalgOp op;
    Factors factors;
  };
  llvm::SmallVector<RowSum> sums;

  /// Scalars of the graph: what `value` and what `query` and `key` read; null
  /// where none of these is there.
  mlir::Value probability, scoreGradient;
};

struct AttentionMatch {
  /// Scores: query x key; loops of the graph are the dims of its result.
  Product scores;
  bool keyIsLeft = false;
  /// Probabilities x values.
  Product values;
  mlir::OpOperand *probabilities = nullptr;
  /// The tensors computed from scores, in program order, scores' own first.
  llvm::SmallVector<mlir::Value> derived;
  /// Per dim of a derived tensor its loop; -1 for a dim of one element.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> loopsOf;
  /// Reductions of rows; all maxima are that of `x`, all sums that of exp(x -
  /// shifts), but for what is said below.
  llvm::SmallVector<mlir::linalg::LinalgOp> maxima, sums;
  /// Per maximum, how many of the shifts have been taken from what it is of.
  llvm::SmallVector<unsigned> lowered;
  /// Per sum, what x is less by in its exponentials where that is not `shifts`.
  llvm::SmallVector<std::optional<llvm::SmallVector<mlir::Value>>> ownShifts;
  llvm::SmallVector<unsigned> columns, outer;

  std::unique_ptr<ScalarGraph> graph;
  /// Scalars of the graph: exp's argument is x less each of the shifts.
  mlir::Value x, exponential, probability;
  llvm::SmallVector<mlir::Value> shifts;
  /// True if there is one shift, and it is what `maxima` compute.
  bool shiftIsMax = false;
  /// From the probability down to the exponential: what stays per element …
  llvm::SmallVector<mlir::Operation *> kept;
  /// … and what moves behind the product, in the order of application.
  llvm::SmallVector<RowFactor> factors;

  /// In a training program.
  std::optional<BackwardMatch> backward;

  /// The loops of `op`, which reads derived tensors, in those of the graph:
  /// each one of them or the constant 0. nullopt: some loop is in none of
  /// these.
  std::optional<llvm::SmallVector<mlir::AffineExpr>>
  iterationOf(mlir::linalg::LinalgOp op) const;
};

/// True if all elements of `tensor` are one constant that `test` accepts.
bool isFilledWith(mlir::Value tensor,
                  llvm::function_ref<bool(const llvm::APFloat &)> test);
/// The op of a body that combines the init's element with the iteration's
/// (maximumf, maxnumf or addf), and the latter; nullopt for other reductions.
std::optional<std::pair<mlir::Operation *, mlir::Value>>
combinerOf(mlir::linalg::LinalgOp op);
/// True if the init changes nothing: 0 in a sum, also of products, -inf in a
/// maximum, and NaN in one that ignores it.
bool hasNeutralInit(mlir::linalg::LinalgOp op);
/// -inf.
bool isInfinitelyLow(const llvm::APFloat &x);

/// Gradients of an attention whose own result nothing computes.
struct MissingForwardMatmul {
  /// Of the result's gradient and the values.
  Product gradient;
  mlir::Value probabilities;
  /// Per dim of probabilities and of their gradient its loop; -1 for a dim of
  /// one element.
  llvm::SmallVector<int64_t> loops, gradientLoops;
  /// The loops of the scores, and those that the result sums over.
  unsigned numLoops = 0;
  llvm::SmallVector<unsigned> columns;
};

/// The attention whose scores `op` computes. nullopt: there is none; `why`
/// then says what is missing where exponentials of the scores are multiplied
/// with something, and is empty elsewhere; `absent` is set where that is the
/// product with the values.
std::optional<AttentionMatch>
matchAttention(mlir::Operation *op, std::string &why,
               std::optional<MissingForwardMatmul> &absent);

/// Computes the result of the attention; null where that is not clear.
mlir::Operation *addProduct(mlir::RewriterBase &rewriter,
                            const MissingForwardMatmul &absent);

/// Puts the attention op in the place of the chain, and the backward op in the
/// place of its. Fails, with nothing changed, where an operand is computed from
/// what depends on the scores; `why` says so.
mlir::LogicalResult buildAttention(mlir::RewriterBase &rewriter,
                                   AttentionMatch &match, std::string &why);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_ATTENTION_ATTENTIONMATCH_H
