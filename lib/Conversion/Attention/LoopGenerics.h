//===- LoopGenerics.h - linalg ops over loops of an attention ---*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the attention ops are taken apart: linalg generics over some of an op's
// loops, with operands' maps as the op has them. One routine serves tensors and
// memrefs: what differs is where a new operand comes from and who frees it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_ATTENTION_LOOPGENERICS_H
#define SHARDIR_LIB_CONVERSION_ATTENTION_LOOPGENERICS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/PatternMatch.h"

namespace shardir {

class LoopGenerics {
public:
  /// Of an op at `loc` whose loops have `extents`; `compute` is the type that
  /// it computes in.
  LoopGenerics(mlir::RewriterBase &rewriter, mlir::Location loc,
               llvm::ArrayRef<mlir::OpFoldResult> extents,
               mlir::FloatType compute, bool onTensors)
      : rewriter(rewriter), loc(loc), compute(compute), onTensors(onTensors),
        extents(extents) {}

protected:
  using Body =
      llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)>;
  using Bodies = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::ValueRange)>;

  unsigned numLoops() const { return extents.size(); }

  /// The identity of `dims` among all loops of the op.
  mlir::AffineMap along(llvm::ArrayRef<unsigned> dims);

  /// A new tensor or buffer of undefined content with dims `dims`.
  mlir::Value newTensor(llvm::ArrayRef<unsigned> dims, mlir::Type element);
  mlir::Value filled(mlir::Value target, double value);

  /// A generic over `dims`: `maps` are over all loops, one per input and one
  /// per target; loops that the last target lacks are reductions.
  llvm::SmallVector<mlir::Value> generic(llvm::ArrayRef<unsigned> dims,
                                         mlir::ValueRange inputs,
                                         llvm::ArrayRef<mlir::Value> targets,
                                         llvm::ArrayRef<mlir::AffineMap> maps,
                                         Bodies body);
  mlir::Value generic(llvm::ArrayRef<unsigned> dims, mlir::ValueRange inputs,
                      mlir::Value target, llvm::ArrayRef<mlir::AffineMap> maps,
                      Body body);

  /// `target` plus the sum of `left` times `right` over the loops of `dims`
  /// that it lacks.
  mlir::Value product(llvm::ArrayRef<unsigned> dims, mlir::Value left,
                      mlir::AffineMap leftMap, mlir::Value right,
                      mlir::AffineMap rightMap, mlir::Value target,
                      mlir::AffineMap targetMap);

  /// Clones a body of the op into one of a generic over `dims`; what it yields.
  llvm::SmallVector<mlir::Value> inlined(mlir::OpBuilder &builder,
                                         mlir::Region &region,
                                         llvm::ArrayRef<unsigned> dims,
                                         mlir::ValueRange arguments);

  /// `value` in the type that the op computes in.
  mlir::Value widened(mlir::OpBuilder &builder, mlir::Value value);

  /// Frees the tensors that `newTensor` allocated.
  void freeAll();

  mlir::RewriterBase &rewriter;
  mlir::Location loc;
  mlir::FloatType compute;
  bool onTensors;
  llvm::SmallVector<mlir::OpFoldResult> extents;

private:
  llvm::SmallVector<mlir::Value> allocated;
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_ATTENTION_LOOPGENERICS_H
