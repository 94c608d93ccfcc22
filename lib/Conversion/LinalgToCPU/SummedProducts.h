//===- SummedProducts.h - Sums over a product's batch -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum over batch dims of a matrix product is one contraction that reduces
// them too: the products of all batches are never stored. Experts' products are
// written so, and gradients of broadcast weights. Attention must have been
// recognized, whose products keep their heads.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOCPU_SUMMEDPRODUCTS_H
#define SHARDIR_LIB_CONVERSION_LINALGTOCPU_SUMMEDPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace shardir {

/// The product whose batches `op` adds, if nothing else reads it and both are
/// of one type; null for other ops.
mlir::linalg::LinalgOp summedProduct(mlir::linalg::LinalgOp op);

/// Replaces `op`, which adds the batches of `product`, by one contraction.
void addInProduct(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                  mlir::linalg::LinalgOp product);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOCPU_SUMMEDPRODUCTS_H
