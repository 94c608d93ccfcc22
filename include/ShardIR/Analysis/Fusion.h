//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that have no memory, since the ops that read them compute them. The
// fusion pass and the predictions of memory ask the same functions.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_FUSION_H
#define SHARDIR_ANALYSIS_FUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {

/// The cost of the body of `op` for one element, in additions.
int64_t operationsOf(mlir::linalg::LinalgOp op);

/// True if the elementwise op that makes `use`'s value is fused into the op
/// that reads it: both are linalg.generic of one block.
bool isFusedAt(mlir::OpOperand *use);

/// True if the elementwise op that makes `use`'s value, a result of the
/// function, becomes part of the op that reads it, which gives that result,
/// too: an optimizer's moments and the weights that they update.
bool isJoinedAt(mlir::OpOperand *use);

/// True if the elementwise op that makes the tensor of `extract` is computed
/// there, for the elements that are read: `extract` is in a linalg.generic of
/// its block.
bool isComputedAt(mlir::tensor::ExtractOp extract);

/// True if `value` is never stored: all ops that read it compute it, or it is
/// marked as `shardir.unstored`.
bool isUnstored(mlir::OpResult value);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_FUSION_H
