//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The import of annotations that other systems wrote, as
// shardir-import-annotations runs it (docs/Importing.md). Requires none of
// their dialects: attributes are read as text, ops in generic form.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_IMPORT_IMPORTANNOTATIONS_H
#define SHARDIR_IMPORT_IMPORTANNOTATIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardir {

/// Rewrites Shardy's and GSPMD's annotations in `module` into meshes,
/// placements and constraints, StableHLO's collectives in manual regions into
/// ops of `collective`, and scatters, sorts and scans of StableHLO and
/// torch-mlir into ops of `shardir` and loops. Returns true if the module has
/// changed; what cannot be read is an error at its op.
mlir::FailureOr<bool> importAnnotations(mlir::ModuleOp module);

} // namespace shardir

#endif // SHARDIR_IMPORT_IMPORTANNOTATIONS_H
