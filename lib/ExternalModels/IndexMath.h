//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on indices of which some are known while localizing, and the part
// of a dim that a device has.
//
// Requires numbers below 2^62; guarantees that what is computed from constants
// is a constant, so that local types stay as static as they can be.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_EXTERNALMODELS_INDEXMATH_H
#define SHARDIR_LIB_EXTERNALMODELS_INDEXMATH_H

#include "ShardIR/Interfaces/Localizer.h"

namespace shardir {

/// Signed arithmetic on index values and attributes, at a builder's insertion
/// point.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpFoldResult constant(int64_t value);
  mlir::Value value(mlir::OpFoldResult index);
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, int64_t factor);
  /// Rounded up; `a` must not be negative.
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult a, int64_t divisor);
  mlir::OpFoldResult max(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult min(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// `a` moved into [low, high]; `high` where that is empty.
  mlir::OpFoldResult clamp(mlir::OpFoldResult a, mlir::OpFoldResult low,
                           mlir::OpFoldResult high) {
    return min(max(a, low), high);
  }

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The elements [offset, offset + length) of a dim of the whole tensor.
struct HeldRange {
  mlir::OpFoldResult offset, length;
};

/// What this device has of dim `dim` of a value, which is one block. Requires a
/// known extent.
HeldRange rangeOf(mlir::OpBuilder &builder, mlir::Location loc,
                  const Localizer &localizer, const Localizer::Global &global,
                  int64_t dim);

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

#endif // SHARDIR_LIB_EXTERNALMODELS_INDEXMATH_H
