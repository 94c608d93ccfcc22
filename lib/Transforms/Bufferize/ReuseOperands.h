//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of elementwise ops in the memory of their operands. Used by
// shardir-bufferize.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_BUFFERIZE_REUSEOPERANDS_H
#define SHARDIR_LIB_TRANSFORMS_BUFFERIZE_REUSEOPERANDS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardir {

/// Has elementwise ops overwrite operands that nobody uses after them.
void reuseOperands(mlir::ModuleOp module);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_BUFFERIZE_REUSEOPERANDS_H
