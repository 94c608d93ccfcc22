//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Redistributions in words, for reports and diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_DESCRIBE_H
#define SHARDIR_PLACEMENT_DESCRIBE_H

#include "ShardIR/Placement/Halo.h"
#include "ShardIR/Placement/Placement.h"

#include <string>

namespace shardir {

/// Describes a redistribution on one mesh: `reduces the sum over "tp"`,
/// `replicates dim 0 (was sharded over "x")`, `shards dim 1 over "y"`; empty if
/// nothing.
std::string describeRedistribution(const Placement &from, const Placement &to,
                                   const Mesh &mesh, const Halo &halo = {});

/// The same between two meshes.
std::string describeRedistribution(const Placement &from, const Mesh &fromMesh,
                                   const Placement &to, const Mesh &toMesh,
                                   const Halo &halo = {});

} // namespace shardir

#endif // SHARDIR_PLACEMENT_DESCRIBE_H
