//===- RowSelection.h - Scatters of one row to constants --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scatter that places one window in each part of a constant tensor, such as
// the gradient of cross-entropy: an elementwise op that compares its index with
// the coordinates. All of the result is written either way, but the op needs no
// initial tensor, and fuses with its users.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_NORMALIZE_ROWSELECTION_H
#define SHARDIR_LIB_TRANSFORMS_NORMALIZE_ROWSELECTION_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/IR/PatternMatch.h"

namespace shardir {

/// Whether `op`, if any, has one row for each place along its batch dims, and
/// starts from one constant.
bool scattersOneRow(ScatterRowsOp op);

/// The same by comparisons, in front of `op`.
mlir::Value selectRow(mlir::RewriterBase &rewriter, ScatterRowsOp op);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_ROWSELECTION_H
