//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products of complex numbers as sums of products of real ones.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOCPU_COMPLEXPRODUCTS_H
#define SHARDIR_LIB_CONVERSION_LINALGTOCPU_COMPLEXPRODUCTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

/// Tells for each of two factors of a sum of products of complex numbers
/// whether it is conjugated; nothing for other ops, and for products that are
/// too small to pay for copies of their operands.
std::optional<std::array<bool, 2>>
matchComplexProduct(mlir::linalg::LinalgOp op);

/// The real and the imaginary part of the result of such a product. `operands`
/// are both parts of each of its operands.
llvm::SmallVector<mlir::Value>
buildRealProduct(mlir::linalg::LinalgOp op, std::array<bool, 2> conjugated,
                 llvm::ArrayRef<mlir::ValueRange> operands,
                 mlir::OpBuilder &builder);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOCPU_COMPLEXPRODUCTS_H
