//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor.reshape as ops whose dims propagation can follow.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_NORMALIZE_RESHAPES_H
#define SHARDIR_LIB_TRANSFORMS_NORMALIZE_RESHAPES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {

/// The value of `op` by expand_shape and collapse_shape; null, without new ops,
/// where its shapes are not known, or where it changes an open dim in front of
/// others.
mlir::Value expandOrCollapse(mlir::OpBuilder &builder,
                             mlir::tensor::ReshapeOp op);

/// The dims `parts` of `wide` that are joined to each of the dims `joined` of
/// `narrow`, which have as many elements: those of known extents, from the last
/// one on, have the products of their parts, and the first has the rest. None
/// where they do not.
llvm::SmallVector<mlir::ReassociationIndices>
joinedDims(mlir::RankedTensorType wide, llvm::ArrayRef<int64_t> parts,
           mlir::RankedTensorType narrow, llvm::ArrayRef<int64_t> joined);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_RESHAPES_H
