//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which inputs of a scalar body may be partial together, so that the result is
// partial too (P5 of docs/Semantics.md): the body is followed from the
// arguments to the yield with each value either replicated, partial, or
// neither.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_BODYPARTIALS_H
#define SHARDIR_ANALYSIS_BODYPARTIALS_H

#include "ShardIR/Analysis/Combiners.h"
#include "ShardIR/Interfaces/ShardingRule.h"

#include "mlir/IR/Block.h"

namespace shardir {

/// The sets of operands that may be partial together: every listed set, with
/// all others not partial, makes all yielded values partial of that kind. Block
/// argument i of `body` is an element of operand `operandOf[i]`, or of nothing
/// (a scalar) if that is -1.
llvm::SmallVector<PartialRule>
bodyPartials(mlir::Block &body, llvm::ArrayRef<int> operandOf,
             llvm::ArrayRef<mlir::BlockArgument> accumulators = {});

} // namespace shardir

#endif // SHARDIR_ANALYSIS_BODYPARTIALS_H
