//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar ops that combine two terms into one.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_COMBINERS_H
#define SHARDIR_ANALYSIS_COMBINERS_H

#include "ShardIR/Placement/PartialKind.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace shardir {

/// The kind by which `op` combines two terms (addf: sum, maximumf: max, …), or
/// nothing.
std::optional<PartialKind> combinerKind(mlir::Operation *op);

/// True if `op` is a non-decreasing function of its one operand on all numbers
/// that keeps NaN, so that the largest and the least of terms pass it: rounding
/// to integers, casts to narrower floats, and libm's increasing functions. Not
/// sqrt and log: of a term below zero they make a NaN that the maximum may not
/// have.
bool isMonotone(mlir::Operation *op);

/// The kind by which the body accumulates into block argument `accumulator`
/// for the value that it yields at `yielded`: the yield is one combiner of the
/// accumulator, used once, and of something else. Nothing if it is not so.
std::optional<PartialKind> matchAccumulation(mlir::Value yielded,
                                             mlir::BlockArgument accumulator);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_COMBINERS_H
