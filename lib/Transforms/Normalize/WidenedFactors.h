//===- WidenedFactors.h - Products of numbers of 16 bits --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_NORMALIZE_WIDENEDFACTORS_H
#define SHARDIR_LIB_TRANSFORMS_NORMALIZE_WIDENEDFACTORS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace shardir {

/// Whether `op` multiplies two tensors that were widened from bf16, or from
/// f16, element by element. Null is no product.
bool hasWidenedFactors(mlir::linalg::LinalgOp op);

/// Lets `op`, which has such factors, read what they were widened from.
void readNarrowFactors(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_WIDENEDFACTORS_H
