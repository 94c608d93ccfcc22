//===- PlannedBytes.h - What an answer costs once it is planned -*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs what the pipelines run behind propagation, on a copy. Requires a module
// in stage propagated; guarantees that it stays as it is. What the passes
// report is the caller's to silence.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_PROPAGATE_PLANNEDBYTES_H
#define SHARDIR_LIB_TRANSFORMS_PROPAGATE_PLANNEDBYTES_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace shardir {

/// Brings a propagated module to stage collective. The report's
/// `bytes_per_device` there, bytes; nothing where the stage is not reached or
/// the figure is a formula.
std::optional<int64_t> plannedBytes(mlir::ModuleOp module);

/// Of the passes that plannedBytes runs.
void getPlanningDialects(mlir::DialectRegistry &registry);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_PROPAGATE_PLANNEDBYTES_H
