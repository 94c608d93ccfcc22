//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reshapes of buffers into several dims of unknown extent. Requires memrefs;
// guarantees that no `memref.expand_shape` has two of them in one group:
// upstream's lowering computes the only one from the others, and crashes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_BUFFERIZE_OPENEXPANDSHAPES_H
#define SHARDIR_LIB_TRANSFORMS_BUFFERIZE_OPENEXPANDSHAPES_H

#include "mlir/IR/BuiltinOps.h"

namespace shardir {

/// Makes each of them a `memref.reinterpret_cast` with the extents that the op
/// is given.
void rewriteOpenExpandShapes(mlir::ModuleOp module);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_BUFFERIZE_OPENEXPANDSHAPES_H
