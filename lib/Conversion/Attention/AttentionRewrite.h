//===- AttentionRewrite.h - Attention ops in place of chains ----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the attention op of a match, and, in a training program, the
// backward op. Both number loops in the same way: those of the scores' dims,
// then k, then v.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_ATTENTION_ATTENTIONREWRITE_H
#define SHARDIR_LIB_CONVERSION_ATTENTION_ATTENTIONREWRITE_H

#include "AttentionMatch.h"

#include "ShardIR/Dialect/Kernel/Kernel.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/IR/IRMapping.h"

namespace shardir {

/// A tensor and the map from the attention's loops to its dims.
using Operand = ScalarGraph::Leaf;

/// A loop that is two in the op. Keys or values repeat what they have per head
/// of theirs for several heads of the queries: one of the two is not in them.
struct SplitLoop {
  unsigned loop;
  /// Of the slower and the faster one; what is not repeated may be unknown.
  int64_t extents[2];
  /// The operand that is repeated.
  unsigned repeated;
  /// A tensor and its dim that has the extent of the other one.
  mlir::Value source;
  int64_t dim;
};

/// Reads `operand` where it is not repeated yet, if it is a broadcast whose
/// dims were made one with others: then d`loop` of the result's map is the
/// slower part, and one more dim behind all loops the faster. `split` tells
/// which loop it was; nullopt where nothing is repeated so.
std::optional<Operand> throughRepeat(const Operand &operand, SplitLoop &split);

class Rewrite {
public:
  Rewrite(mlir::RewriterBase &rewriter, AttentionMatch &match)
      : rewriter(rewriter), match(match), graph(*match.graph),
        scores(match.scores.op), product(match.values.op),
        loc(product.getLoc()) {}

  /// Fails, with nothing changed, where an operand is not there in time.
  mlir::LogicalResult run(std::string &why);

private:
  friend class BackwardRewrite;
  using Body =
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;

  void numberLoops();
  Operand operandOf(mlir::OpOperand *operand,
                    llvm::ArrayRef<mlir::AffineExpr> loops);
  /// The operand of a leaf of the graph, by its replacement.
  Operand operandOf(mlir::Value leaf) {
    const ScalarGraph::Leaf *known = graph.leafOf(leaf);
    mlir::Value now = replaced.lookup(known->tensor);
    return {now ? now : known->tensor,
            mlir::AffineMap::get(numLoops, 0, known->map.getResults(),
                                 rewriter.getContext())};
  }
  void skipMovement();
  void findSplit();
  void collectExtras();
  /// The ops after `anchor` that compute `needed`: they can move there,
  /// unless it depends on `own`, or has effects.
  mlir::FailureOr<llvm::SetVector<mlir::Operation *>>
  findLate(mlir::Operation *anchor, llvm::ArrayRef<mlir::Value> needed,
           const llvm::SmallPtrSetImpl<mlir::Operation *> &own);
  void moveBefore(mlir::Operation *anchor,
                  const llvm::SetVector<mlir::Operation *> &late);
  mlir::LogicalResult makeAvailable();
  void createOp();
  // BuildRows.cpp
  mlir::Operation *firstShifted();
  mlir::Value createFactor(llvm::ArrayRef<mlir::Value> shifts);
  /// The op's max and what the program's `shifts` read, and from elements of
  /// these the max less each of the shifts.
  llvm::SmallVector<Operand> maxAndShifts(llvm::ArrayRef<mlir::Value> shifts);
  mlir::Value shiftedMax(mlir::OpBuilder &builder, mlir::ValueRange args,
                         llvm::ArrayRef<mlir::Value> shifts);
  void replaceRows();

  void replaceProduct();
  void replaceDims(llvm::ArrayRef<mlir::Value> derived);
  /// The values that the op replaces, and `late`, where nothing uses them.
  void eraseDead(llvm::ArrayRef<mlir::Operation *> late);

  /// An op with the loops of the result of `old` gives what `old` gave.
  /// `inputs` run over the attention's loops; `body` yields a value of the
  /// compute type, which is combined with the old init unless that is neutral;
  /// `isSame` says that it yields its argument; unless `divides`, the split
  /// loop stands for what is left of it.
  void replace(mlir::linalg::LinalgOp old,
               llvm::ArrayRef<mlir::AffineExpr> loops,
               llvm::ArrayRef<Operand> inputs, bool isSame, Body body,
               bool divides = true);
  /// A tensor along `dims`, filled with `value`.
  mlir::Value neutral(llvm::ArrayRef<unsigned> dims, double value);
  mlir::Value neutral(llvm::ArrayRef<mlir::OpFoldResult> sizes, double value);

  // SplitLoops.cpp: a loop may be two in the op; all but the op itself still
  // sees one.
  /// `map` over the op's loops.
  mlir::AffineMap inOp(mlir::AffineMap map);
  /// An operand as the op reads it, where it is not repeated; extras keep
  /// their type.
  Operand inOp(const Operand &operand, bool isExtra = false);
  mlir::AffineMap mapInOp(const Operand &operand, bool isExtra = false);
  /// No tensor: it is not repeated.
  Operand sourceInOp(const Operand &operand);
  /// Extents along the results of `map`, which is over the op's loops.
  llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::AffineMap map);
  mlir::OpFoldResult splitExtent(unsigned part);
  /// `operand` with the dim that is d`position` in two, as is `position` in the
  /// map.
  Operand divided(const Operand &operand, unsigned position);
  /// The other way round: what the op gives, along `map` of unsplit loops.
  mlir::Value joined(mlir::Value tensor, mlir::AffineMap map);
  mlir::Value joinedAt(mlir::Value tensor, int64_t dim);
  /// Loop indices of a body that was made of unsplit loops.
  void renumberIndices(mlir::Region &region);
  mlir::OpFoldResult extentOf(unsigned loop);
  mlir::Value converted(mlir::OpBuilder &builder, mlir::Value value,
                        mlir::Type type);
  /// Clones a scalar of the graph, arguments taken from `mapping`.
  mlir::Value cloned(mlir::OpBuilder &builder, mlir::Value value,
                     mlir::IRMapping &mapping);
  /// The leaves that `values` read.
  llvm::SmallVector<mlir::Value> leavesOf(mlir::ValueRange values);
  mlir::AffineMap outerMap() {
    llvm::SmallVector<mlir::AffineExpr> exprs;
    for (unsigned loop : match.outer)
      exprs.push_back(rewriter.getAffineDimExpr(loop));
    return mlir::AffineMap::get(numLoops, 0, exprs, rewriter.getContext());
  }

  mlir::RewriterBase &rewriter;
  AttentionMatch &match;
  ScalarGraph &graph;
  mlir::linalg::LinalgOp scores, product;
  mlir::Location loc;

  unsigned numLoops = 0;
  mlir::FloatType compute;
  llvm::SmallVector<mlir::AffineExpr> scoreLoops, productLoops;
  Operand query, key, value;
  /// The factors of queries and keys before their product.
  double scale = 1;
  mlir::AffineMap accMap;
  llvm::SmallVector<mlir::Value> extraLeaves;
  llvm::SmallVector<Operand> extras;
  mlir::Operation *anchor = nullptr;
  kernel::AttentionOp op;
  /// acc, max and sum along unsplit loops.
  mlir::Value results[3];
  std::optional<SplitLoop> split;
  mlir::Value factor;
  /// Rows of the program and what has taken their place.
  llvm::DenseMap<mlir::Value, mlir::Value> replaced;
};

/// The backward op of the same match.
class BackwardRewrite {
public:
  explicit BackwardRewrite(Rewrite &forward)
      : forward(forward), backward(*forward.match.backward),
        rewriter(forward.rewriter) {}

  /// Before anything is changed; fails where operands of the products do not
  /// fit together or are not there in time. The forward op's loops are numbered
  /// and its operands known.
  mlir::LogicalResult prepare(std::string &why);
  /// Once the forward op is there.
  void run();
  /// The ops from products to sums over heads, which the op replaces.
  llvm::SmallVector<mlir::Operation *> chains();

private:
  /// Numbers those of the product's loops that have no number yet, so that its
  /// operand `other` is `known`. Fails where it is another one.
  mlir::LogicalResult
  solveLoops(const Product &product, mlir::OpOperand *other,
             const Operand &known,
             llvm::SmallVectorImpl<mlir::AffineExpr> &loops);
  /// The same for a product whose operand `of` was computed from scores; the
  /// map of its result.
  std::optional<mlir::AffineMap>
  solveUse(const BackwardMatch::Use &use, const Operand &known,
           llvm::SmallVectorImpl<mlir::AffineExpr> &loops);
  llvm::SmallVector<mlir::Value> neededTensors();
  /// By result; null for those that are not wanted.
  const BackwardMatch::Use *useOf(unsigned result) const {
    const BackwardMatch::Use *uses[] = {&backward.query, &backward.key,
                                        &backward.value};
    return uses[result]->of ? uses[result] : nullptr;
  }
  mlir::LogicalResult findGradient(std::string &why);
  mlir::AffineMap unwantedMap(unsigned result);
  /// Where heads of queries share what one head of keys or values has, the
  /// gradient of the latter is summed over the former, behind the product.
  struct HeadSum {
    mlir::linalg::LinalgOp op;
    llvm::SmallVector<mlir::AffineExpr> loops;
    /// From the product on.
    llvm::SmallVector<mlir::Operation *> chain;
  };
  std::optional<HeadSum> findHeadSum(unsigned result);
  /// Finds those of keys and values, if the op can do without their loop.
  void findHeadSums();
  std::string misplacedLoop();
  std::optional<Operand> storedResult(mlir::Operation *reader);
  void replaceSum(const BackwardMatch::RowSum &sum);
  void createOp();
  void replaceProducts();

  Rewrite &forward;
  BackwardMatch &backward;
  mlir::RewriterBase &rewriter;
  Operand query, key, value, gradient;
  /// Over the op's loops, of the result `i`.
  mlir::AffineMap resultMap(unsigned i);
  /// By result: queries', keys', values' gradient.
  llvm::SmallVector<mlir::AffineExpr> loops[3];
  mlir::AffineMap maps[3];
  /// Of the gradients of keys and values, and the op's loop that is summed.
  std::optional<HeadSum> headSums[2];
  std::optional<unsigned> summedLoop;
  llvm::SmallVector<mlir::Value> extraLeaves;
  mlir::Value gradientLeaf;
  mlir::Operation *anchor = nullptr;
  kernel::AttentionBackwardOp op;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_ATTENTION_ATTENTIONREWRITE_H
