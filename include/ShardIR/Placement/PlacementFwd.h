//===- PlacementFwd.h - Declares meshes and placements ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For code that names the plain values of Placement/ and does not look into
// them. Code that does includes Placement.h, Halo.h or Collectives.h.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_PLACEMENTFWD_H
#define SHARDIR_PLACEMENT_PLACEMENTFWD_H

#include <cstddef>
#include <vector>

namespace shardir {

struct AxisRef;
struct CollectiveStep;
struct DimHalo;
struct Mesh;
struct Placement;

/// One entry per dimension. Empty: no dimension has a halo.
using Halo = std::vector<DimHalo>;

size_t hashValue(const Placement &placement);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_PLACEMENTFWD_H
