//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: propagated. Numbers that are read from tensors (a loop's condition, an
// index, a factor) have no placement: they must be known wherever they are
// used. Requires placements on every value; changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SCALARMESHES_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SCALARMESHES_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/Operation.h"

namespace shardir {

/// The mesh on which `op`, which makes numbers of tensors, must run so that
/// each rank that uses them has them: where its tensors are, if that will do,
/// else the smallest mesh that names all those ranks. Null for any other op;
/// failure after an error where no mesh names them all.
mlir::FailureOr<const Mesh *> findMeshForScalars(mlir::Operation *op,
                                                 const MeshTable &meshes);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_SCALARMESHES_H
