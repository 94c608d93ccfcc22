//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO's collectives, which other dialects' programs keep: their replica
// groups and pairs name devices. Requires manual regions whose borders have
// placements; guarantees that they hold `collective` ops over manual axes, and
// that what cannot be said by one is an error at the op.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_STABLEHLO_IMPORTCOLLECTIVES_H
#define SHARDIR_LIB_IMPORT_STABLEHLO_IMPORTCOLLECTIVES_H

#include "../ImportMeshes.h"

namespace shardir {

/// Whether `op` communicates or tells which device it is on, in StableHLO or
/// MHLO, so that it means something in a manual region alone.
bool isForeignCollective(mlir::Operation *op);

/// Rewrites all of them in the module.
mlir::LogicalResult importCollectives(mlir::ModuleOp module,
                                      ImportMeshes &meshes);

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_STABLEHLO_IMPORTCOLLECTIVES_H
