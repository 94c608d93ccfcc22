//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where unknown extents of an entry's results come from, as expressions over
// those of its arguments: whoever runs the program makes the results' buffers.
//
// Requires an entry on whole tensors; guarantees that an expression, where
// there is one, is the extent whenever the program does not go wrong.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_LOCALIZE_RESULTEXTENTS_H
#define SHARDIR_LIB_TRANSFORMS_LOCALIZE_RESULTEXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

/// Per result of `function` a list with one expression per dim; null for
/// results without unknown extents. An expression is a number, [i, d] for dim d
/// of argument i, or [op, a, b] with an op of `add sub mul div rem min max`,
/// the division that of non-negative numbers; a unit where the extent is known
/// or arguments do not tell it.
llvm::SmallVector<mlir::ArrayAttr> resultExtents(mlir::func::FuncOp function);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_LOCALIZE_RESULTEXTENTS_H
