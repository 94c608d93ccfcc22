//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The signatures of entries, the public functions of a local program: what is
// allowed in them, and their rewriting to buffers. Used by shardir-bufferize.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_BUFFERIZE_ENTRYSIGNATURES_H
#define SHARDIR_LIB_TRANSFORMS_BUFFERIZE_ENTRYSIGNATURES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace shardir {

/// The public functions that have a body.
llvm::SmallVector<mlir::func::FuncOp> findEntries(mlir::ModuleOp module);

/// Checks that a compiled program can be made of `module`: entries take and
/// return ranked tensors or scalars of element types that the runtime knows,
/// and nothing is called that the program does not define.
mlir::LogicalResult checkEntries(mlir::ModuleOp module);

/// Checks that every collective, and every op on tensors, can become one on
/// buffers.
mlir::LogicalResult checkOps(mlir::ModuleOp module);

/// Moves what other functions of the module call out of the entries, so that
/// an entry is called from outside alone.
void separateCalledEntries(mlir::ModuleOp module);

/// The argument whose memory result `result` of an entry on tensors is written
/// into (`shardir.in_place`).
std::optional<unsigned> overwrittenArgument(mlir::func::FuncOp entry,
                                            unsigned result);

/// Makes the results that are to be written into arguments so on tensors:
/// bufferization then sees who still reads the argument.
void writeIntoArguments(mlir::func::FuncOp entry);

/// Rewrites one entry: arguments become memrefs that are never written, save
/// for those with a result in place, results memrefs after them that are marked
/// `shardir.result`; nothing is returned.
/// Placements and global types stay with their arguments.
void rewriteToBuffers(mlir::func::FuncOp entry);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_BUFFERIZE_ENTRYSIGNATURES_H
