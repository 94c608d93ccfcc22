//===- EqualValues.h - Values that are computed again -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which ops of a function compute or move what another one did before: those of
// a backward pass behind barriers, which recomputation leaves apart on purpose.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_EQUALVALUES_H
#define SHARDIR_ANALYSIS_EQUALVALUES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace shardir {

/// By op with one result, in the order of the program: the value that an equal
/// op made before from equal operands in the same block, the operand of an
/// optimization barrier, or what was copied to the host and comes back. That
/// value is itself no key's result. Reasons and provenance may differ; ops
/// marked `shardir.unstored` are no keys.
llvm::MapVector<mlir::Operation *, mlir::Value>
findEqualValues(mlir::func::FuncOp function);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_EQUALVALUES_H
