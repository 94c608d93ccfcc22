//===- ElementEmitter.h - Single elements of tensors ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes one element of a tensor that a loop's body makes, out of elements of
// what the tensor is made of, without making the tensor.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOGPU_ELEMENTEMITTER_H
#define SHARDIR_LIB_CONVERSION_LINALGTOGPU_ELEMENTEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include <map>

namespace shardir {

/// Pure ops of the dialects that ElementEmitter knows something of.
bool isElementOp(mlir::Operation *op);

/// Emits, for a loop that is being rewritten, scalars and elements that the
/// old one computes. Values are null where that is not possible: what was
/// emitted until then is dead.
class ElementEmitter {
public:
  ElementEmitter(mlir::RewriterBase &rewriter, mlir::scf::ForOp loop)
      : builder(rewriter), loop(loop), before(loop), loc(loop.getLoc()) {}

protected:
  struct Scope {
    std::map<std::pair<void *, std::vector<void *>>, mlir::Value> elements;
    llvm::DenseMap<mlir::Value, mlir::Value> scalars;
    std::map<std::tuple<int, void *, void *>, mlir::Value> sums;
  };
  /// Facts that hold within a region are dropped after it.
  struct InRegion {
    explicit InRegion(ElementEmitter &of)
        : of(of), saved(of.scope), guard(of.builder) {}
    ~InRegion() { of.scope = std::move(saved); }
    ElementEmitter &of;
    Scope saved;
    mlir::OpBuilder::InsertionGuard guard;
  };
  /// The element that is being written.
  struct Window {
    mlir::BlockArgument tensor;
    llvm::SmallVector<mlir::Value> at;
    /// By dim: it has more than one index.
    llvm::SmallVector<bool> moves;
    /// Others may have been written before it.
    bool hasOthers = false;
  };

  mlir::Value constant(int64_t value);
  mlir::Value sum(mlir::Value a, mlir::Value b) { return combine(0, a, b); }
  mlir::Value product(mlir::Value a, mlir::Value b) { return combine(1, a, b); }
  bool isOutside(mlir::Value value) {
    return !loop->isAncestor(value.getParentBlock()->getParentOp());
  }
  mlir::Value valueOf(mlir::OpFoldResult index);
  /// The element of `tensor` at `at`.
  mlir::Value element(mlir::Value tensor, llvm::ArrayRef<mlir::Value> at);
  /// The replacement of the scalar `value` of the old loop.
  mlir::Value scalar(mlir::Value value);

  mlir::RewriterBase &builder;
  mlir::scf::ForOp loop;
  /// Where constants go: the loop, or the one that replaces it.
  mlir::Operation *before;
  mlir::Location loc;
  Scope scope;
  /// Of arguments of old loops that are tensors: what they are now.
  llvm::DenseMap<mlir::Value, mlir::Value> carried;
  /// Of those of one element: that.
  llvm::DenseMap<mlir::Value, mlir::Value> singles;
  Window window;

private:
  mlir::Value combine(int kind, mlir::Value a, mlir::Value b);
  mlir::Value apply(mlir::AffineExpr expr, mlir::ValueRange dims);
  mlir::Value makeElement(mlir::Value tensor, llvm::ArrayRef<mlir::Value> at);
  bool isBesideWindow(llvm::ArrayRef<mlir::Value> at);
  mlir::Value elementOfLinalg(mlir::linalg::LinalgOp op, unsigned result,
                              llvm::ArrayRef<mlir::Value> at);
  mlir::Value iterate(mlir::linalg::LinalgOp op,
                      llvm::ArrayRef<mlir::Value> ivs, mlir::Value old);
  mlir::Value
  elementOfReshape(mlir::Value source,
                   llvm::ArrayRef<mlir::ReassociationIndices> groups,
                   mlir::RankedTensorType expanded, bool collapses,
                   llvm::ArrayRef<mlir::Value> at);

  llvm::DenseMap<int64_t, mlir::Value> constants;
  int64_t numOps = 0;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOGPU_ELEMENTEMITTER_H
