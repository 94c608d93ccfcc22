//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg.pack and linalg.unpack as reshapes and transposes of tensors, for
// global tensors and for shards: all extents are those of the operands at
// hand, static or not.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_EXTERNALMODELS_RELAYOUT_H
#define SHARDIR_EXTERNALMODELS_RELAYOUT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

/// The result of `op` on `source`, with the extents and the type of `dest`: pad
/// (only where the op says by what), expand each tiled dim, transpose.
mlir::Value buildPack(mlir::OpBuilder &builder, mlir::linalg::PackOp op,
                      mlir::Value source, mlir::Value dest,
                      mlir::Value padding);

/// The result of `op` on `source`: transpose, collapse each tiled dim, and drop
/// what is beyond the extents of `dest`.
mlir::Value buildUnPack(mlir::OpBuilder &builder, mlir::linalg::UnPackOp op,
                        mlir::Value source, mlir::Value dest);

} // namespace shardir

#endif // SHARDIR_EXTERNALMODELS_RELAYOUT_H
