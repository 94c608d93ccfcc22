//===- RedistributePlan.h - From one placement to another --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans a change of placement as a chain of local slices and collectives. A
// plan is a value: it can be evaluated on numbers, costed, printed, and
// materialised by `shardir-redistribute-to-collectives`.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_REDISTRIBUTEPLAN_H
#define SHARDIR_PLACEMENT_REDISTRIBUTEPLAN_H

#include "ShardIR/Placement/Collectives.h"

#include <string>
#include <variant>
#include <vector>

namespace shardir {

/// Steps that lead from the first step's `from` to the last step's `to`;
/// consecutive steps agree. Empty: nothing to do.
struct RedistributePlan {
  std::vector<CollectiveStep> steps;
};

/// Plans the change from `src` to `dst`, both verified against `mesh` and
/// `shape` (unknown sizes count as assumed). Fails, with a reason, only where
/// the pair has no meaning, such as a partial max that must become a partial
/// sum of another kind without being reduced first.
std::variant<RedistributePlan, PlacementError>
planRedistribute(const Placement &src, const Placement &dst, const Mesh &mesh,
                 const std::vector<int64_t> &shape);

/// The largest over devices of the bytes received over all steps.
int64_t planBytes(const RedistributePlan &plan, const Mesh &mesh,
                  const std::vector<int64_t> &shape, int64_t elementBytes);

/// One line per step: `all_gather ["tp"]: [{}, {"tp"}] -> [{}, {}]`.
std::string toString(const RedistributePlan &plan, const Mesh &mesh,
                     const std::vector<int64_t> &shape);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_REDISTRIBUTEPLAN_H
