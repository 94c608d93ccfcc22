//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks and devices of meshes, without the headers of Placement/: code that
// needs no more of a mesh includes this one alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_SHARDIR_DEVICEPOSITION_H
#define SHARDIR_DIALECT_SHARDIR_DEVICEPOSITION_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardir {

/// One more than the largest rank that the mesh names.
int64_t numRanks(MeshOp mesh);
/// The number of devices, axes of unknown size as assumed.
int64_t numDevices(MeshOp mesh);

/// The first mesh of the module with the most devices; null without meshes and
/// where all have one device.
MeshOp largestMesh(mlir::ModuleOp module);

/// Emits the position of this device in `mesh`, which has axes: an index.
mlir::Value createDevicePosition(mlir::OpBuilder &builder, mlir::Location loc,
                                 MeshOp mesh);

} // namespace shardir

#endif // SHARDIR_DIALECT_SHARDIR_DEVICEPOSITION_H
