//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lookups by an index that counts a dim of the result, as front ends write them
// for dims that they do not index.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_NORMALIZE_COUNTEDLOOKUPS_H
#define SHARDIR_LIB_TRANSFORMS_NORMALIZE_COUNTEDLOOKUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {

/// Reads tensors in the body of `op` at the number of a loop, in place of an
/// element of an operand that is this number: a dim that is read so can be
/// split as the loop is. True if there was one; the ops that computed the index
/// stay.
bool lookUpByLoops(mlir::linalg::GenericOp op);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_NORMALIZE_COUNTEDLOOKUPS_H
