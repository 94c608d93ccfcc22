//===- ImportShard.h - Annotations of MLIR's shard dialect ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that MLIR's own `shard` dialect annotates: a grid is a mesh, whose
// axes are called axis0, axis1 and so on, and `shard.shard` is a constraint.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_SHARD_IMPORTSHARD_H
#define SHARDIR_LIB_IMPORT_SHARD_IMPORTSHARD_H

#include "mlir/IR/BuiltinOps.h"

namespace shardir {

/// Whether there was anything to read. Fails after an error at what has no
/// counterpart: halos, offsets of shards, and ops of partitioned programs.
mlir::FailureOr<bool> importShardDialect(mlir::ModuleOp module);

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_SHARD_IMPORTSHARD_H
