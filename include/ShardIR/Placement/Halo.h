//===- Halo.h - Overlapping shards, as values ---------------------*- C++
//-*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shards that overlap (rule D6 of docs/Semantics.md): a block [s, e) of a
// dimension of N elements with a halo of [low, high] is [max(0, s - low),
// min(N, e + high)). An empty block stays empty, a whole dimension whole.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_HALO_H
#define SHARDIR_PLACEMENT_HALO_H

#include "ShardIR/Placement/Placement.h"

#include <array>

namespace shardir {

/// Elements below and above the own block, per dimension, none negative. Empty:
/// no dimension has a halo.
using Halo = std::vector<std::array<int64_t, 2>>;

/// `[[1, 1], [0, 2]]`.
std::string toString(const Halo &halo);

/// The halo without what changes nothing: dims that `placement` leaves whole
/// have none, and a halo that is zero everywhere is empty.
Halo normalHalo(const Halo &halo, const Placement &placement, const Mesh &mesh,
                const std::vector<int64_t> &shape);

/// Checks that there is one entry per dim, that none is negative, and that what
/// has a halo is one block: an integer that is not the last split makes a shard
/// of several pieces, which have no common neighbours.
std::optional<PlacementError> verifyHalo(const Halo &halo,
                                         const Placement &placement,
                                         const Mesh &mesh,
                                         const std::vector<int64_t> &shape);

/// shardOf and localShape of the overlapping shards. Require what those
/// require, and a halo that verifies or is empty.
std::vector<DimShard> shardOf(const Placement &placement, const Halo &halo,
                              const Mesh &mesh,
                              const std::vector<int64_t> &shape,
                              int64_t position);
std::vector<int64_t> localShape(const Placement &placement, const Halo &halo,
                                const Mesh &mesh,
                                const std::vector<int64_t> &shape,
                                int64_t position);

/// uniformLocalExtent of the overlapping shards: an extent that is the same on
/// all devices, clipped blocks at the ends included.
std::optional<int64_t> uniformLocalExtent(const Placement &placement,
                                          const Halo &halo, const Mesh &mesh,
                                          int64_t dimSize, size_t dim);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_HALO_H
