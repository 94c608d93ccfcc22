//===- Costs.h - Costs from tables ------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Placement. Requires concrete sizes and steps between
// placements that verify.
// Guarantees costOf (CostModel.h) for a caller that compares many chains
// between the same two placements: the tables of ShardSizes are made once.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PLACEMENT_COSTS_H
#define SHARDIR_LIB_PLACEMENT_COSTS_H

#include "ShardIR/Placement/CostModel.h"
#include "ShardSizes.h"

namespace shardir::detail {

class Costs {
public:
  /// `machine` null: seconds are not computed and stay 0. `weights` and
  /// `stepCost` as those of PlanOptions.
  Costs(ShardSizes &shardSizes, const Mesh &mesh,
        const std::vector<int64_t> &shape, int64_t elementBytes,
        const MachineModel *machine, const std::vector<double> &weights = {},
        const StepCost &stepCost = nullptr);

  Cost of(const std::vector<CollectiveStep> &steps);
  /// The elements that each device receives, by position in the mesh.
  std::vector<int64_t> received(const std::vector<CollectiveStep> &steps);
  /// True if no device sends more than the most that any device receives.
  bool isBalanced(const CollectiveStep &step);
  /// The most elements that a device holds.
  int64_t mostHeld(const Placement &placement);

private:
  using Table = ShardSizes::Table;
  Table product(const std::vector<const Table *> &tables) const;
  Table held(const Placement &placement);
  Table received(const CollectiveStep &step);
  /// Of the device that receives most, or the weighted sum.
  int64_t bytes(const Table &received);
  double seconds(const CollectiveStep &step, const Table &received);
  int64_t mostSent(const CollectiveStep &step);
  int64_t mostPeers(const CollectiveStep &step);

  ShardSizes &shardSizes;
  const Mesh &mesh;
  const std::vector<int64_t> &shape;
  int64_t elementBytes;
  const MachineModel *machine;
  std::vector<double> weights; ///< per device of `shardSizes`; empty: none
  StepCost stepCost;           ///< null: the default
};

} // namespace shardir::detail

#endif // SHARDIR_LIB_PLACEMENT_COSTS_H
