//===- CrossMesh.h - From one mesh to another -------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps whose two placements are on two meshes (rule D1 of docs/Semantics.md):
// the same ranks in another order or shape, other ranks, or some of both. A
// step is an exchange, or a slice where every rank holds what it needs. Both
// placements have no partials, unless the meshes differ in names alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_CROSSMESH_H
#define SHARDIR_PLACEMENT_CROSSMESH_H

#include "ShardIR/Placement/RedistributePlan.h"

namespace shardir {

/// Whether two meshes have the same axis sizes and the same ranks in the same
/// order, whatever names they and their axes have. Sizes must be known.
bool isRenamed(const Mesh &a, const Mesh &b);

/// `placement` on `a` with the axes of `b` in place of those of `a`. Requires
/// isRenamed(a, b).
Placement renamed(const Placement &placement, const Mesh &a, const Mesh &b);

/// The ranks that one of the two meshes names, in increasing order.
std::vector<int64_t> ranksOfEither(const Mesh &a, const Mesh &b);

/// receivePieces from `step.from` on `fromMesh` to `step.to` on `toMesh`.
/// `receiver` is a position on `toMesh`, the pieces' sources are positions on
/// `fromMesh`. Of several holders of one element the receiver itself is taken
/// where it is one, else one with the receiver's own coordinates along the axes
/// that do not split, else, where `fromMesh` lacks the receiver, one by turns.
std::vector<Piece> receivePieces(const CollectiveStep &step,
                                 const Mesh &fromMesh, const Mesh &toMesh,
                                 const std::vector<int64_t> &shape,
                                 int64_t receiver);

/// Bytes that the device at `position` of `toMesh` receives from other ranks:
/// what its new shard holds and its old one, where it had one, does not.
int64_t bytesReceived(const CollectiveStep &step, const Mesh &fromMesh,
                      const Mesh &toMesh, const std::vector<int64_t> &shape,
                      int64_t elementBytes, int64_t position);

/// Steps from a placement on one mesh to one on another: those before
/// `crossing` are on the source's mesh, `crossing` itself leads from the one to
/// the other, those after it are on the destination's. On one mesh no step
/// crosses: `crossing` is the number of steps.
struct CrossMeshPlan {
  std::vector<CollectiveStep> steps;
  size_t crossing = 0;
};

/// Plans the change from `src` on `srcMesh` to `dst` on `dstMesh`, which may be
/// the same. Without partials it is one step between two meshes, which receives
/// the least there can be. A partial is reduced on the source's mesh first, to
/// the placement from which source and destination together receive least; a
/// partial destination is made there.
///
/// With a halo the last step makes the overlapping shards: a halo_exchange from
/// where the plan without it has its last move. One step receives what the new
/// shard holds and the old one does not, hence never more than a move and the
/// halo after it. `options` decide among plans on one mesh. Fails where a
/// placement or the halo does not verify.
std::variant<CrossMeshPlan, PlacementError>
planRedistribute(const Placement &src, const Mesh &srcMesh,
                 const Placement &dst, const Mesh &dstMesh,
                 const std::vector<int64_t> &shape, const Halo &halo = {},
                 const PlanOptions &options = {});

/// The largest over ranks of the bytes received over all steps.
int64_t planBytes(const CrossMeshPlan &plan, const Mesh &srcMesh,
                  const Mesh &dstMesh, const std::vector<int64_t> &shape,
                  int64_t elementBytes);

/// The bytes that each rank receives over all steps, by rank. Unknown sizes
/// count as assumed.
std::vector<int64_t> receivedByRank(const CrossMeshPlan &plan,
                                    const Mesh &srcMesh, const Mesh &dstMesh,
                                    const std::vector<int64_t> &shape,
                                    int64_t elementBytes);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_CROSSMESH_H
