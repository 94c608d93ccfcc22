//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers that hide in the bodies of linalg ops: `tensor.extract` of a tensor
// that the body captures, as the linalg form of other frameworks' gathers,
// concatenations and rolls has it.
//
// A dim that every read takes at one loop's own index, with the loop's extent,
// is that loop's factor and passes through. Other dims must be unsharded,
// unless the element that is read is all that the op yields, or all that it
// accumulates: then each device may read what it holds, and what it gives is a
// term.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_EXTERNALMODELS_CAPTUREDREADS_H
#define SHARDIR_LIB_EXTERNALMODELS_CAPTUREDREADS_H

#include "ModelUtils.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace shardir {

/// Adds the factors of the tensors that the body captures: one entry of
/// `rule.operands` for each of capturedTensors(op), after the operands'. The
/// loops' factors come first in `rule.factors`; factors of lookups follow.
void addCapturedFactors(mlir::linalg::LinalgOp op, ShardingRule &rule);

/// Makes the reads of `local`, a clone of `op` on local values, read the shards
/// of captured tensors. Adds to `localIndices` the linalg.index ops that mean
/// the local index. Indices of lookups are global.
void localizeCapturedReads(
    mlir::linalg::LinalgOp op, mlir::linalg::LinalgOp local,
    mlir::OpBuilder &builder, const Localizer &localizer,
    llvm::SmallPtrSetImpl<mlir::Operation *> &localIndices);

} // namespace shardir

#endif // SHARDIR_LIB_EXTERNALMODELS_CAPTUREDREADS_H
