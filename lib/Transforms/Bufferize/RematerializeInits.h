//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uniform values that their users overwrite, made where they are used. Used by
// shardir-bufferize.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_BUFFERIZE_REMATERIALIZEINITS_H
#define SHARDIR_LIB_TRANSFORMS_BUFFERIZE_REMATERIALIZEINITS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardir {

/// Gives every user that overwrites a fill, a splat constant or an empty tensor
/// one of its own, and makes large splat constants fills.
void rematerializeInits(mlir::ModuleOp module);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_BUFFERIZE_REMATERIALIZEINITS_H
