//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a shard holds an element of the global tensor.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_EXTERNALMODELS_SHARDPOSITION_H
#define SHARDIR_LIB_EXTERNALMODELS_SHARDPOSITION_H

#include "ShardIR/ExternalModels/IndexedAccess.h"
#include "ShardIR/Interfaces/Localizer.h"

namespace shardir {

/// The digits of the dims of `global` that are split, made where `builder`
/// stands; other dims' lists are empty.
using ShardDigits = llvm::SmallVector<llvm::SmallVector<Localizer::DigitValue>>;
ShardDigits shardDigits(mlir::OpBuilder &builder, mlir::Location loc,
                        const Localizer &localizer,
                        const Localizer::Global &global);

/// The position of the global tensor's element at `indices` in this device's
/// shard. Along dims whose list in `digits` is empty indices are local already.
/// Where the element is on another device the indices are 0.
ElementPosition
localPosition(mlir::OpBuilder &builder, mlir::Location loc,
              llvm::ArrayRef<llvm::SmallVector<Localizer::DigitValue>> digits,
              mlir::ValueRange indices);

} // namespace shardir

#endif // SHARDIR_LIB_EXTERNALMODELS_SHARDPOSITION_H
