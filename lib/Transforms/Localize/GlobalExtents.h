//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global extents that are known only at run time (P6). A local extent does not
// determine the global one, and collecting those of all devices communicates.
// So the local program carries the global extents of split dims, from its
// arguments (`shardir.extent`) on.
//
// Requires the collective stage, localized in the order of the program;
// guarantees index values of the local program that are equal on all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_LOCALIZE_GLOBALEXTENTS_H
#define SHARDIR_LIB_TRANSFORMS_LOCALIZE_GLOBALEXTENTS_H

#include "ShardIR/Interfaces/Localizer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {

/// The index values, still of the global program, that loops and branches carry
/// beside the tensors of which they carry cut dims of unknown extent: by tensor
/// and dim.
using CarriedExtents =
    llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value>;

/// Gives the loops and branches of `function` such values: a loop may change an
/// extent from one iteration to the next.
CarriedExtents carryExtents(mlir::func::FuncOp function);

/// The unknown extents of the global `result` of an op whose operands have
/// local forms in `mapping`, as `Localizer::Global::extents`: of the dims that
/// `global` cuts. Fails with an error where the op does not tell them.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
globalExtentsOf(mlir::OpResult result, const Localizer::Global &global,
                mlir::OpBuilder &builder, const Localizer &localizer,
                const mlir::IRMapping &mapping);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_LOCALIZE_GLOBALEXTENTS_H
