//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stand-ins for dialects that are not linked, so that our tools can parse the
// custom syntax of their annotations; shardir-import-annotations reads what
// they leave. For tools alone: a compiler that may have the real dialects must
// not register these, as two dialects of one name cannot be in one context.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_IMPORT_READERS_H
#define SHARDIR_IMPORT_READERS_H

#include "mlir/IR/DialectRegistry.h"

namespace shardir {

/// Registers a stand-in for Shardy's dialect `sdy`, whose ops are unregistered
/// ones with the attributes that they have in generic form and whose attributes
/// are opaque text; one for torch-mlir's `tm_tensor`; and those of
/// registerCustomCallReaders.
void registerReaderDialects(mlir::DialectRegistry &registry);

/// Registers stand-ins for `stablehlo` and `mhlo` that parse their custom_call.
void registerCustomCallReaders(mlir::DialectRegistry &registry);

} // namespace shardir

#endif // SHARDIR_IMPORT_READERS_H
