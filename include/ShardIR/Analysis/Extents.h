//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where unknown extents of an entry's tensors come from, as expressions over
// those of its arguments: whoever runs the program makes the results' buffers,
// and reports have formulas of them.
//
// Requires an entry on global tensors; guarantees that an expression, where
// there is one, is the extent whenever the program does not go wrong.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_EXTENTS_H
#define SHARDIR_ANALYSIS_EXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>

namespace shardir {

/// Extents of a function's tensors as expressions. An expression is a number,
/// [i, d] for dim d of argument i, or [op, a, b] with an op of
/// `add sub mul div rem min max`, the division that of non-negative numbers.
class Extents {
public:
  explicit Extents(mlir::func::FuncOp function);
  ~Extents();
  /// Null where arguments do not tell the extent.
  mlir::Attribute of(mlir::Value tensor, int64_t dim);
  mlir::Attribute of(mlir::OpFoldResult scalar);

private:
  class Walker;
  std::unique_ptr<Walker> walker;
};

/// The expression of an open extent of argument `number` of `function`: a
/// number or [i, d] where `shardir.extents` says so, else [number, dim].
mlir::Attribute argumentExtent(mlir::FunctionOpInterface function,
                               unsigned number, int64_t dim);

/// Per result of `function` a list with one expression per dim; null for
/// results without unknown extents; a unit where the extent is known or
/// arguments do not tell it.
llvm::SmallVector<mlir::ArrayAttr> resultExtents(mlir::func::FuncOp function);

/// Per argument of `function` a list with one entry per dim: what the program
/// needs the unknown extent to be equal to, a number or [i, d] for dim d of
/// argument i, and a unit for others; null where all are units.
llvm::SmallVector<mlir::ArrayAttr> argumentExtents(mlir::func::FuncOp function);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_EXTENTS_H
