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

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_RESHAPES_H
