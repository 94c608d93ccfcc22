//===- RedistributePlan.h - From one placement to another -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans a change of placement as a chain of local slices and collectives. A
// plan is a value: it can be evaluated on numbers, costed, printed, and
// materialized by `shardir-redistribute-to-collectives`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_REDISTRIBUTEPLAN_H
#define SHARDIR_PLACEMENT_REDISTRIBUTEPLAN_H

#include "ShardIR/Placement/CostModel.h"

#include <string>
#include <variant>
#include <vector>

namespace shardir {

/// Steps from the first step's `from` to the last step's `to`. Each step begins
/// with the placement in which the one before ends, and every placement is in
/// normal form, the source's and the destination's too. Empty: nothing to do.
struct RedistributePlan {
  std::vector<CollectiveStep> steps;
};

class PlanCache; // PlanCache.h

/// The cost that decides between plans.
struct PlanOptions {
  CostMode mode = CostMode::Bytes;
  int64_t elementBytes = 4; ///< matters under CostMode::Time alone
  MachineModel machine = {};
  PlanCache *cache = nullptr; ///< plans that are known; gets new ones
  /// By rank. If set, bytes are the weighted sum over devices; if empty, those
  /// of the device that receives most.
  std::vector<double> deviceWeights = {};
  /// The cost of a step, or null for the default. If set, all candidates are
  /// compared. Plans by different functions need different caches.
  StepCost stepCost = nullptr;

  /// True if the plan with the fewest bytes may not be the best.
  bool weighsAll() const { return mode == CostMode::Time || stepCost; }
};

/// Plans the change from `src` to `dst`. The cost counts unknown sizes as
/// assumed, but the plan is right for every size. Every pair has a plan: a
/// partial of another kind is reduced first. Fails, with the reason, only if
/// one of the two does not verify against `mesh` and `shape`.
///
/// Under CostMode::Bytes:
/// - Without partials, a device receives the fewest bytes possible (rule D3 of
///   docs/Semantics.md), in at most one slice and one collective.
/// - With partials, the plan is at most a slice, a reduce-scatter, an
///   all-reduce, a plan as above and a local make_partial. No chain of standard
///   steps receives less if all sizes divide; else it is at most one row per
///   step more.
/// Under CostMode::Time the same candidates are compared by seconds, and steps
/// over links of different speed are also split by link.
std::variant<RedistributePlan, PlacementError>
planRedistribute(const Placement &src, const Placement &dst, const Mesh &mesh,
                 const std::vector<int64_t> &shape,
                 const PlanOptions &options = {});

/// The largest over devices of the bytes received over all steps.
int64_t planBytes(const RedistributePlan &plan, const Mesh &mesh,
                  const std::vector<int64_t> &shape, int64_t elementBytes);

/// The sum over devices of the bytes received over all steps, each with the
/// weight of its rank; ranks beyond the weights have none.
int64_t planBytes(const RedistributePlan &plan, const Mesh &mesh,
                  const std::vector<int64_t> &shape, int64_t elementBytes,
                  const std::vector<double> &weights);

/// One line per step: `all_gather ["tp"]: [{}, {"tp"}] -> [{}, {}]`.
std::string toString(const RedistributePlan &plan, const Mesh &mesh,
                     const std::vector<int64_t> &shape);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_REDISTRIBUTEPLAN_H
