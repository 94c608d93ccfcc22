//===- ScalarGraph.h - Elementwise tensors as scalar expressions ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One element of a tensor as an expression of elements of others: chains of
// elementwise linalg ops, however they are cut into ops, broadcast and
// transposed, become one block of scalar ops in which equal expressions are
// one value.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_ATTENTION_SCALARGRAPH_H
#define SHARDIR_LIB_CONVERSION_ATTENTION_SCALARGRAPH_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace shardir {

/// Element-by-element op on tensors: all loops parallel, one result whose map
/// is a permutation, a body of arith and math ops and loop indices.
bool isElementwise(mlir::linalg::LinalgOp op);

/// A reshape that only adds or drops dims of one element.
struct UnitReshape {
  /// The number of dims of the side that has more of them.
  int64_t longRank;
  /// For each dim of the other side, its dim in the longer one; -1 for a dim of
  /// one element.
  llvm::SmallVector<int64_t> longDims;
};

/// nullopt for ops that are no such reshape.
std::optional<UnitReshape> matchUnitReshape(mlir::Operation *op);

class ScalarGraph {
public:
  /// An element of a tensor: `map` goes from the graph's loops to its dims,
  /// each result a loop or the constant 0.
  struct Leaf {
    mlir::Value tensor;
    mlir::AffineMap map;
  };

  /// `numLoops` loops; `score` is a tensor of one dim per loop, all of them in
  /// order. Tensors of `expanded` are computed from it and always become
  /// expressions; others do where that costs little. `columns` are the loops
  /// along which rows run: tensors without them stay leaves, but for what
  /// is merely moved or constant.
  ScalarGraph(mlir::Value score, llvm::ArrayRef<mlir::Value> expanded,
              llvm::ArrayRef<unsigned> columns);
  ~ScalarGraph();

  /// The element of `tensor` at `map`: a value in the block, or a constant.
  /// Null if the score's tensor would be read at another place than its own.
  mlir::Value elementOf(mlir::Value tensor, mlir::AffineMap map);

  /// The value `value` of the body of `op`, for the iteration `loops` (one
  /// expression per loop of the op), elements of operands in place of
  /// arguments.
  mlir::Value bodyValue(mlir::linalg::LinalgOp op, mlir::Value value,
                        llvm::ArrayRef<mlir::AffineExpr> loops);

  /// The score's element.
  mlir::Value score() const { return scoreElement; }
  /// The leaf that a block argument stands for; null for other values.
  const Leaf *leafOf(mlir::Value value) const;
  /// True if `value` depends on the score.
  bool dependsOnScore(mlir::Value value) const;
  /// True if `value` differs along columns, by a leaf or an index.
  bool dependsOnColumns(mlir::Value value) const;

private:
  mlir::Value makeLeaf(mlir::Value tensor, mlir::AffineMap map);
  mlir::Value expand(mlir::linalg::LinalgOp op, mlir::AffineMap map);
  mlir::Value expandRow(mlir::linalg::LinalgOp op, mlir::AffineMap map);
  bool isWorthExpanding(mlir::linalg::LinalgOp op) const;
  /// Clones or folds `op` with `operands`; one value for equal ops.
  mlir::Value unique(mlir::Operation *op, mlir::ValueRange operands);
  bool hasColumn(mlir::AffineMap map) const;
  bool depends(mlir::Value value,
               llvm::function_ref<bool(mlir::Value)> test) const;

  mlir::Value scoreTensor, scoreElement;
  llvm::SmallDenseSet<mlir::Value> expanded;
  llvm::SmallVector<unsigned> columns;
  unsigned numLoops;
  std::unique_ptr<mlir::Block> block;
  mlir::OpBuilder builder;
  llvm::SmallVector<Leaf> leaves;
  llvm::DenseMap<std::pair<mlir::Value, mlir::AffineMap>, mlir::Value> known;
  /// How many more scalar ops of tensors that do not hold scores are taken in.
  int64_t budget = 48;
};

/// An operand that is only moved, widened, or given dims of one element, read
/// where it came from: the loops of broadcasts are then in the map no longer.
ScalarGraph::Leaf throughMovement(ScalarGraph::Leaf operand);

/// The same through products with constants and quotients by them, if the
/// operand is then one of a narrower type: a query that is widened to be
/// scaled. `factor` is what it is to be multiplied by, 1 where nothing was
/// passed.
ScalarGraph::Leaf throughScaling(ScalarGraph::Leaf operand, double &factor);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_ATTENTION_SCALARGRAPH_H
