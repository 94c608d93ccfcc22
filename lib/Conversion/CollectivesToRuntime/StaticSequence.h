//===- StaticSequence.h - Collectives that no data chooses ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Requires collectives on buffers; guarantees that all ranks
// run the same collectives with the same extents, in the same order, in a
// function for which this says so.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_STATICSEQUENCE_H
#define SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_STATICSEQUENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardir {

/// True if the collectives of the function, their extents and their roots
/// depend on nothing but the program and the extents of the global arguments:
/// not on data, and not on the rank.
bool hasStaticCollectives(mlir::func::FuncOp function);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_COLLECTIVESTORUNTIME_STATICSEQUENCE_H
