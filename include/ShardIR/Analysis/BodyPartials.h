//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which inputs of a scalar body may be partial together, so that the result is
// partial too (P5): the body is followed from the arguments to the yield with
// each value either replicated, partial, or neither.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_BODYPARTIALS_H
#define SHARDIR_ANALYSIS_BODYPARTIALS_H

#include "ShardIR/Interfaces/ShardingRule.h"

#include "mlir/IR/Block.h"

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

/// The sets of operands that may be partial together: every listed set, with
/// all others not partial, makes all yielded values partial of that kind. Block
/// argument i of `body` is an element of operand `operandOf[i]`, or of nothing
/// (a scalar) if that is -1.
llvm::SmallVector<PartialRule>
bodyPartials(mlir::Block &body, llvm::ArrayRef<int> operandOf,
             llvm::ArrayRef<mlir::BlockArgument> accumulators = {});

} // namespace shardir

#endif // SHARDIR_ANALYSIS_BODYPARTIALS_H
