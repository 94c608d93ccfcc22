//===- BufferRoot.h - The memory that a buffer is in ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: bufferized. Two buffers of different roots share no memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_MEMORY_BUFFERROOT_H
#define SHARDIR_MEMORY_BUFFERROOT_H

#include "mlir/IR/Value.h"

namespace shardir {

/// The origin of the memory behind views: an allocation or an argument of the
/// function. Null for anything else; what a function can name by a symbol,
/// calls can reach.
mlir::Value bufferRoot(mlir::Value buffer);

} // namespace shardir

#endif // SHARDIR_MEMORY_BUFFERROOT_H
