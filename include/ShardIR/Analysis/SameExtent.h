//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether an index value is an open extent of a tensor, as front ends compute
// it: by queries of tensors that have it, too.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_SAMEEXTENT_H
#define SHARDIR_ANALYSIS_SAMEEXTENT_H

#include "mlir/IR/OpDefinition.h"

namespace shardir {

/// True if `extent` is known to be that of dim `dim` of `tensor`, open or not.
bool isExtentOf(mlir::OpFoldResult extent, mlir::Value tensor, int64_t dim);

/// True if a dim of one tensor is known to have as many elements as a dim of
/// another one, open or not.
bool haveSameExtent(mlir::Value tensor, int64_t dim, mlir::Value other,
                    int64_t otherDim);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_SAMEEXTENT_H
