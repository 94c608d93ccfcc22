//===- LoopEmitter.h - Short names for emitting loops -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arithmetic that folds what is known while it is emitted, and loops with
// lambdas as bodies. What is static stays static without a canonicalization in
// between, so one emitter serves static, ragged and dynamic shapes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COMMON_LOOPEMITTER_H
#define SHARDIR_LIB_CONVERSION_COMMON_LOOPEMITTER_H

#include "ShardIR/Interfaces/IndexMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace shardir {

/// An index that is a constant or a value.
using Index = mlir::OpFoldResult;

class LoopEmitter : public IndexMath {
public:
  using IndexMath::IndexMath;

  static std::optional<int64_t> known(Index index) {
    return mlir::getConstantIntValue(index);
  }
  static bool isKnown(Index index, int64_t value) {
    return known(index) == value;
  }
  /// Of non-negative numbers; `b` is positive.
  Index rem(Index a, Index b);
  Index rem(Index a, int64_t b) { return rem(a, constant(b)); }
  Index roundUp(Index a, int64_t b) {
    return isKnown(constant(b), 1) ? a : mul(ceilDiv(a, b), constant(b));
  }
  mlir::Value lessThan(Index a, Index b);
  mlir::Value equal(Index a, Index b);
  Index select(mlir::Value condition, Index a, Index b);

  /// for (i = from; i < to; i += step) body(i). A loop that runs once or never
  /// for sure is not emitted.
  void loop(Index from, Index to, Index step,
            llvm::function_ref<void(Index)> body);
  /// A loop that carries values.
  mlir::SmallVector<mlir::Value>
  loop(Index from, Index to, Index step, mlir::ValueRange init,
       llvm::function_ref<mlir::SmallVector<mlir::Value>(Index,
                                                         mlir::ValueRange)>
           body);
  /// Iterations in any order, on any thread.
  void forall(Index count, llvm::function_ref<void(Index)> body);
  /// if (condition) ...; either side may be empty.
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = {});

  mlir::Value zero(mlir::Type type);
  /// The first `count` lanes.
  mlir::Value mask(int64_t lanes, Index count);
  /// The transpose of a square of vectors, as many as they have lanes, which is
  /// a power of two: lane i of the result's vector j is lane j of rows[i].
  llvm::SmallVector<mlir::Value> transpose(llvm::ArrayRef<mlir::Value> rows);
};

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COMMON_LOOPEMITTER_H
