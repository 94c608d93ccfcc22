//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of everything ShardIR adds to an MLIR context: for shard-opt,
// the plugin, and compilers that embed us.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INITALL_H
#define SHARDIR_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace shardir {

/// The dialects `shardir` and `collective`, and the external models of
/// upstream's dialects (attached when those are loaded).
void registerAllDialects(mlir::DialectRegistry &registry);

/// All passes and the pipelines `--shardir-to-<stage>`.
void registerAllPasses();

} // namespace shardir

#endif // SHARDIR_INITALL_H
