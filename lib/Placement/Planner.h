//===- Planner.h - The parts of a redistribution's plan ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Placement. Requires placements that verify, in normal form.
// Guarantees steps between placements in normal form that verify too, whatever
// sizes are not known; what is decided by size is decided by assumed sizes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PLACEMENT_PLANNER_H
#define SHARDIR_LIB_PLACEMENT_PLANNER_H

#include "ShardIR/Placement/RedistributePlan.h"
#include "Steps.h"

namespace shardir::detail {

class Planner {
public:
  Planner(const Placement &src, const Placement &dst, const Mesh &mesh,
          const std::vector<int64_t> &shape);

  /// From `from` to `to`, which owe the same: a slice and one collective.
  std::vector<CollectiveStep> move(const Placement &from,
                                   const Placement &to) const;

  /// From `src` to `dst`, reducing what `dst` does not owe and making what
  /// `src` does not.
  std::vector<CollectiveStep> plan(const Placement &src,
                                   const Placement &dst) const;

private:
  using Axes = std::vector<AxisRef>;

  /// A slice of the source, and the reduce-scatter into the destination's dims
  /// that it allows.
  struct Scatter {
    Placement mid, scattered;
    Axes used; ///< the reduced axes that `scattered` is split by
  };

  // Moves.cpp
  bool isKnownDim(const DimPlacement &dim, size_t d) const;
  std::vector<Split> tokens(const DimPlacement &dim, size_t d) const;
  bool uses(const Placement &placement, const AxisRef &axis) const;
  bool contains(const DimPlacement &outer, const DimPlacement &inner,
                size_t d) const;
  bool contains(const Placement &outer, const Placement &inner) const;
  bool isAllGather(const Placement &from, const Placement &to) const;
  bool isAllToAll(const Placement &from, const Placement &to) const;
  bool isPermute(const Placement &from, const Placement &to) const;
  std::optional<CollectiveKind> standardKind(const Placement &from,
                                             const Placement &to) const;
  Placement normal(const Placement &placement) const;
  Placement sliced(const Placement &from, const Placement &to) const;
  int64_t bytes(const std::vector<CollectiveStep> &steps) const;

  // RedistributePlan.cpp
  Axes refined(const Axes &axes) const;
  bool isIn(const AxisRef &axis, const Axes &set) const;
  Scatter scatter(const Placement &src, const Placement &dst,
                  const Axes &reduced) const;
  void scatterDim(Scatter &result, const Placement &src, const Placement &dst,
                  const Axes &reduced, size_t d) const;
  std::vector<CollectiveStep>
  reduceAndMove(const Scatter &start, const Placement &src,
                const Placement &dst, const Axes &rest, const Axes &kept,
                std::optional<size_t> scatterDim) const;

  const Mesh &mesh;
  const std::vector<int64_t> &shape;
  Mesh concreteMesh;
  std::vector<int64_t> concreteShape;
  Axes parts;
};

} // namespace shardir::detail

#endif // SHARDIR_LIB_PLACEMENT_PLANNER_H
