//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planning the redistributions of a function so that the rank that receives
// most, over all of them together, receives as little as possible.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_BALANCERANKS_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_BALANCERANKS_H

#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Transforms/Patterns.h"

namespace shardir {

/// The steps of a redistribution, or why there are none.
std::variant<CrossMeshPlan, PlacementError>
planOf(RedistributeOp op, const MeshTable &meshes, PlanOptions options);

/// Plans of several redistributions, so that the rank which receives most in
/// all receives little.
struct BalancedPlans {
  /// By rank, for PlanOptions::deviceWeights; empty if plans without weights
  /// are as good.
  std::vector<double> weights;
  /// Bytes of the rank that receives most; nullopt if a redistribution has no
  /// plan or there are many ranks.
  std::optional<int64_t> received;
};
BalancedPlans balanceRanks(llvm::ArrayRef<RedistributeOp> ops,
                           const MeshTable &meshes, PlanOptions options);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_BALANCERANKS_H
