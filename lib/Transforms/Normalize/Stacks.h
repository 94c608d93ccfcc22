//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stacks that front ends write as concatenations along another dim, as of the
// steps of a recurrent network: there the shards of a part are not those of the
// whole.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_NORMALIZE_STACKS_H
#define SHARDIR_LIB_TRANSFORMS_NORMALIZE_STACKS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {

/// True for parts of one shape whose concatenation, or what is computed along
/// its dim, is expanded to the parts and their own dim.
bool isExpandedStack(mlir::tensor::ConcatOp op);

/// Concatenates the parts along a dim of their own.
void stack(mlir::RewriterBase &rewriter, mlir::tensor::ConcatOp op);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_STACKS_H
