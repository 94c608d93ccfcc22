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

#include "mlir/IR/Value.h"

namespace shardir {

/// True if the elementwise op that makes `use`'s value is fused into the op
/// that reads it: both are linalg.generic of one block.
bool isFusedAt(mlir::OpOperand *use);

/// True if `value` is never stored: all ops that read it compute it, or it is
/// marked as `shardir.unstored`.
bool isUnstored(mlir::OpResult value);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_FUSION_H
