//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on indices of which some are known. Requires numbers below 2^62;
// guarantees that what is computed from constants is a constant, so that local
// types stay as static as they can be and loops as short.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_INDEXMATH_H
#define SHARDIR_INTERFACES_INDEXMATH_H

#include "mlir/IR/Builders.h"

namespace shardir {

/// Signed arithmetic on index values and attributes, at a builder's insertion
/// point.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpFoldResult constant(int64_t value);
  mlir::Value value(mlir::OpFoldResult index);
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, int64_t factor) {
    return mul(a, constant(factor));
  }
  /// Of non-negative numbers; `b` is positive.
  mlir::OpFoldResult div(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult div(mlir::OpFoldResult a, int64_t b) {
    return div(a, constant(b));
  }
  /// Rounded up; `a` must not be negative.
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult a, int64_t divisor);
  mlir::OpFoldResult max(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult min(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// `a` moved into [low, high]; `high` where that is empty.
  mlir::OpFoldResult clamp(mlir::OpFoldResult a, mlir::OpFoldResult low,
                           mlir::OpFoldResult high) {
    return min(max(a, low), high);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace shardir

#endif // SHARDIR_INTERFACES_INDEXMATH_H
