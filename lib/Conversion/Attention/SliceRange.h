//===- SliceRange.h - Slices along one dim ----------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises slices that leave out a part of one dim and nothing else; extents
// may be values.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_ATTENTION_SLICERANGE_H
#define SHARDIR_LIB_CONVERSION_ATTENTION_SLICERANGE_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace shardir {

/// The places [offset, end) of a dim of known extent, all of the others.
struct SliceRange {
  int64_t dim, offset, end;
};
/// nullopt for slices of several dims, of all of the tensor, of unknown places,
/// with strides, or of another rank.
std::optional<SliceRange> rangeOf(mlir::tensor::InsertSliceOp op);
std::optional<SliceRange> rangeOf(mlir::tensor::ExtractSliceOp op);

/// The extent of a dim: a number or the value that it was made with; null where
/// that is not seen.
mlir::OpFoldResult extentOf(mlir::Value tensor, int64_t dim);

/// `tensor` before slices that leave out nothing, which are added to `passed`.
mlir::Value throughWholeSlices(mlir::Value tensor,
                               llvm::SetVector<mlir::Operation *> &passed);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_ATTENTION_SLICERANGE_H
