//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of buffers while they are memrefs, for calls that take pointers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_BUFFERADDRESS_H
#define SHARDIR_CONVERSION_BUFFERADDRESS_H

#include "mlir/IR/Builders.h"

namespace shardir {

/// The address of `buffer`[`indices`], a pointer of the LLVM dialect; of the
/// first element where there are no indices. The buffer is a ranked memref of
/// any strides; its offset is included.
mlir::Value bufferAddress(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value buffer, mlir::ValueRange indices = {});

} // namespace shardir

#endif // SHARDIR_CONVERSION_BUFFERADDRESS_H
