//===- Support.h - Meshes and placements to test over -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerates placements, and evaluates a chain of steps on numbers: one vector
// of values per device, moved and combined by nothing but receivePieces. What
// comes out is compared with the tensor itself, element by element.
// SHARDIR_EXHAUSTIVE=1 in the environment replaces samples by everything.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_PLACEMENT_SUPPORT_H
#define SHARDIR_TEST_UNIT_PLACEMENT_SUPPORT_H

#include "ShardIR/Placement/RedistributePlan.h"

#include <gtest/gtest.h>

namespace shardir::test {

using Shape = std::vector<int64_t>;

bool isExhaustive();

/// A mesh with axes a, b, c, … of the given sizes.
Mesh makeMesh(const std::vector<int64_t> &sizes);

/// Parses, and fails the test where that fails.
Placement parse(const std::string &text);

/// A step between two parsed placements.
CollectiveStep step(CollectiveKind kind, const std::string &from,
                    const std::string &to);

/// The plan of planRedistribute; fails the test where there is none.
RedistributePlan planOf(const Placement &src, const Placement &dst,
                        const Mesh &mesh, const Shape &shape,
                        const PlanOptions &options = {});

/// The halves of an axis "a" of 4: the whole, the major and the minor one.
inline const std::vector<AxisRef> kHalves = {
    AxisRef{"a", 1, 0}, AxisRef{"a", 1, 2}, AxisRef{"a", 2, 2}};

/// Every placement of rank `rank` whose splits are axes and sub-axes in `axes`,
/// each at most once, overlapping ones never together. With `partial`, also
/// those that are partial of that kind over any subset of the rest.
std::vector<Placement> allPlacements(const Mesh &mesh, size_t rank,
                                     const std::vector<AxisRef> &axes,
                                     std::optional<PartialKind> partial = {});

/// Every rank-1 placement of a dim of `size` by up to `maxSplits` splits, each
/// an axis in `axes` or one of `factors`, that verifies.
std::vector<Placement> stridedPlacements(const Mesh &mesh, int64_t size,
                                         const std::vector<AxisRef> &axes,
                                         const std::vector<int64_t> &factors,
                                         size_t maxSplits);

/// The whole axes of a mesh.
std::vector<AxisRef> replicatedAxes(const Mesh &mesh);

/// Row-major global index of a local one, over all dims.
int64_t globalIndex(const std::vector<DimShard> &shard, const Shape &shape,
                    int64_t local);

/// The most elements that any device holds.
int64_t maxLocalElements(const Placement &placement, const Mesh &mesh,
                         const Shape &shape);

/// Runs the steps on numbers and compares with the tensor; returns what is
/// wrong, or an empty string. Checks every promise of a plan on the way: the
/// chain, the exact cover by pieces, their sources, the bytes, rule D2.
std::string checkPlan(const RedistributePlan &plan, const Placement &src,
                      const Placement &dst, const Mesh &mesh,
                      const Shape &shape);

/// Plans every pair (a sample of about `sample` pairs unless exhaustive) and
/// checks the plans; without partials, also that they receive the least.
void checkAllPairs(const std::vector<Placement> &placements, const Mesh &mesh,
                   const Shape &shape, size_t sample);

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_PLACEMENT_SUPPORT_H
