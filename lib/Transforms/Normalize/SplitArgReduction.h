//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The place of a largest or least element (argmax, argmin): one reduction of
// pairs, whose steps do not combine, said as two that do. Requires nothing;
// guarantees the same places, ties and NaN included: what a body does is read
// off all outcomes of its comparisons, and nothing else is rewritten.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_NORMALIZE_SPLITARGREDUCTION_H
#define SHARDIR_LIB_TRANSFORMS_NORMALIZE_SPLITARGREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace shardir {

/// A reduction of values with their places.
struct ArgReduction {
  mlir::OpOperand *values = nullptr;
  mlir::OpOperand *places = nullptr; ///< null: the body asks linalg.index
  int valueResult = 0, placeResult = 1;
  bool isLargest = true;   ///< else the least
  bool takesNaN = false;   ///< a NaN is the extremum, else none is
  bool takesFirst = true;  ///< of equal ones the first, else the last
  bool isUnsigned = false; ///< of integers
  mlir::TypedAttr valueInit, placeInit;
};

/// Recognizes an op of two results over one dim: the extremum, and the place of
/// it along that dim, from an operand that counts along the dim or from
/// linalg.index. The initial values are constants. The extremum itself may be
/// used where values are integers: a float's sign of zero depends on the order,
/// and is that of either one with `anyZero`.
std::optional<ArgReduction> matchArgReduction(mlir::linalg::LinalgOp op,
                                              bool anyZero = false);

/// Replaces it by the extremum's reduction, and the least (or largest) place
/// where it is found.
void splitArgReduction(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                       const ArgReduction &match);

/// The constant of a fill, or of equal elements, that a tensor is; null where
/// there is none.
mlir::TypedAttr fillOf(mlir::Value tensor);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_SPLITARGREDUCTION_H
