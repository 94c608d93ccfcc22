//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a dim that a device has, and slices of local tensors that may be
// empty. Requires an insertion point in a function that has the rank;
// guarantees constants where all devices cut in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_EXTERNALMODELS_LOCALSLICES_H
#define SHARDIR_LIB_EXTERNALMODELS_LOCALSLICES_H

#include "ShardIR/Interfaces/IndexMath.h"
#include "ShardIR/Interfaces/Localizer.h"

namespace shardir {

/// The elements [offset, offset + length) of a dim of the global tensor.
struct HeldRange {
  mlir::OpFoldResult offset, length;
};

/// The range of dim `dim` of a value that this device has, one block. `all` is
/// the dim's extent where neither its type tells it nor a device cuts it.
HeldRange rangeOf(mlir::OpBuilder &builder, mlir::Location loc,
                  const Localizer &localizer, const Localizer::Global &global,
                  int64_t dim, mlir::OpFoldResult all = {});

/// The extent of a dim of a local value.
mlir::OpFoldResult localDim(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value local, int64_t dim);

/// tensor.extract_slice, of nothing too: upstream's takes no offset into a dim
/// of extent 0. `type` may lack dims of extent 1.
mlir::Value extractSlice(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, mlir::Value tensor,
                         llvm::ArrayRef<mlir::OpFoldResult> offsets,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes,
                         llvm::ArrayRef<mlir::OpFoldResult> strides);

/// tensor.insert_slice, of nothing too.
mlir::Value insertSlice(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value source, mlir::Value tensor,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        llvm::ArrayRef<mlir::OpFoldResult> strides);

/// tensor.extract_slice of step 1 with the type that the sizes give; the
/// operand itself where that is all of it.
mlir::Value extractRange(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor,
                         llvm::ArrayRef<mlir::OpFoldResult> offsets,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace shardir

#endif // SHARDIR_LIB_EXTERNALMODELS_LOCALSLICES_H
