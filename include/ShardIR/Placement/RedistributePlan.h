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
/// consecutive steps agree, and every placement is in normal form (the first
/// and the last are those of source and destination, equal but for spelling).
/// Empty: nothing to do.
struct RedistributePlan {
  std::vector<CollectiveStep> steps;
};

/// Plans the change from `src` to `dst` (unknown sizes count as assumed, but
/// what is planned is right for every size). Every pair has a plan: a partial
/// of another kind is reduced first. Fails, with the reason, only where one of
/// the two does not verify against `mesh` and `shape`.
///
/// A pair without partials receives the least there can be (rule D3), in at
/// most one slice and one collective; with partials, at most a slice, a
/// reduce-scatter, an all-reduce, one such move and a local make_partial.
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
