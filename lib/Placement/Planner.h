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

#include "Costs.h"
#include "Search.h"
#include "ShardIR/Placement/RedistributePlan.h"
#include "ShardIR/Placement/Terms.h"

#include <functional>

namespace shardir::detail {

/// Axes that one collective is cut by, and steps that are looked at for that.
inline constexpr size_t kMaxSplits = 4;
/// Up to so many devices more candidates are weighed.
inline constexpr size_t kFewDevices = 32;

class Planner {
public:
  Planner(const Placement &src, const Placement &dst, const Mesh &mesh,
          const std::vector<int64_t> &shape, const PlanOptions &options);

  /// From `from` to `to`, of equal partials: a slice and one collective.
  std::vector<CollectiveStep> move(const Placement &from, const Placement &to);

  /// From `src` to `dst`: reduces over the axes that are partial in `src` alone
  /// and makes the tensor partial over those that are so in `dst` alone. Axes
  /// that are partial in both are kept, or reduced and made partial again.
  std::vector<CollectiveStep> plan(const Placement &src, const Placement &dst);

  /// True if a chain between the requested placements keeps rule D2.
  bool fits(const std::vector<CollectiveStep> &steps);

  /// True if a chain from `src` to `dst` that was planned for the assumed sizes
  /// is right for all sizes.
  bool isForAnySize(const std::vector<CollectiveStep> &steps,
                    const Placement &src, const Placement &dst);

private:
  using Axes = std::vector<AxisRef>;

  /// A slice of the source, and the reduce-scatter into the destination's dims
  /// that it allows.
  struct Scatter {
    Placement mid, scattered;
    Axes used; ///< the reduced axes that `scattered` is split by
  };

  // StepEnumeration.cpp
  bool isKnownDim(const DimPlacement &dim, size_t d) const;
  std::vector<Split> tokens(const DimPlacement &dim, size_t d) const;
  bool uses(const Placement &placement, const AxisRef &axis) const;
  bool contains(const DimPlacement &outer, const DimPlacement &inner, size_t d);
  bool contains(const Placement &outer, const Placement &inner);
  bool isAllGather(const Placement &from, const Placement &to);
  bool isAllToAll(const Placement &from, const Placement &to) const;
  bool isPermute(const Placement &from, const Placement &to);
  std::optional<CollectiveKind> standardKind(const Placement &from,
                                             const Placement &to);
  Placement normal(const Placement &placement) const;
  Placement sliced(const Placement &from, const Placement &to);
  void sliceFirst(std::vector<CollectiveStep> &best, Cost &cost,
                  const Placement &from, const Placement &mid,
                  const Placement &to);
  bool linksDiffer() const;
  bool fits(const Cost &cost) const;
  bool isBetter(const Cost &a, const Cost &b) const;
  /// Cuts step i into two of its kind where that is cheaper, with the placement
  /// between them that some but not all of `axes` give. Returns whether it has.
  bool cutInTwo(std::vector<CollectiveStep> &steps, Cost &cost, size_t i,
                const Axes &axes,
                const std::function<Placement(const Axes &)> &placementBetween);
  void splitGathers(std::vector<CollectiveStep> &steps, Cost &cost);

  // AnySize.cpp
  bool isForAnySize(const AxisRef &axis) const;
  bool isForAnySize(const DimPlacement &dim, size_t d) const;
  bool isForAnySize(const CollectiveStep &step);
  bool scattersReduced(const CollectiveStep &step) const;

  // Reduce.cpp
  Axes refined(const Axes &axes) const;
  bool isIn(const AxisRef &axis, const Axes &set) const;
  Scatter scatter(const Placement &src, const Placement &dst,
                  const Axes &reduced);
  void scatterDim(Scatter &result, const Placement &src, const Placement &dst,
                  const Axes &reduced, size_t d);
  std::vector<CollectiveStep> reduceAndMove(const Scatter &start,
                                            const Placement &src,
                                            const Placement &dst,
                                            const Axes &rest, const Axes &kept,
                                            std::optional<size_t> scatterDim);
  std::vector<CollectiveStep>
  reduceInto(const ReduceSearch::Target &target,
             const std::vector<ReduceSearch::Atom> &atoms, const Placement &src,
             const Placement &dst, const Axes &rest, const Axes &kept);
  std::vector<DimPlacement> without(const std::vector<DimPlacement> &dims,
                                    const Axes &removed,
                                    const std::vector<DimPlacement> &outer);
  std::vector<CollectiveStep> planThrough(const Placement &src,
                                          const Placement &dst,
                                          const Axes &later, const Axes &kept);
  double leastSeconds(int64_t elements) const;
  bool searchTargets(std::vector<CollectiveStep> &best, Cost &cost,
                     const Placement &src, const Placement &dst,
                     std::vector<ReduceSearch::Atom> atoms, const Axes &whole,
                     const Axes &kept);
  void weigh(std::vector<CollectiveStep> &best, Cost &cost,
             std::vector<CollectiveStep> other, bool splits);
  void splitScatters(std::vector<CollectiveStep> &steps, Cost &cost);
  std::vector<CollectiveStep> reduce(const Placement &src, const Placement &dst,
                                     const Axes &reduced, const Axes &kept);
  std::vector<Placement> termPlacements(const Placement &src,
                                        const Placement &dst, const Axes &kept,
                                        const Axes &made);

  const Mesh &mesh;
  const std::vector<int64_t> &shape;
  const PlanOptions &options;
  Mesh concreteMesh;
  std::vector<int64_t> concreteShape;
  bool isConcrete; ///< whether every size is known
  Axes parts;
  bool isNested = false; ///< whether a part of a plan is planned
  Axes pieces;           ///< the parts of axes that a reduction tells apart
  ShardSizes shardSizes; ///< of the assumed sizes
  Costs costs;
  int64_t memory = 0; ///< bytes that may be alive at one time (rule D2)
};

/// The bytes of a chain, as costOf without seconds.
int64_t bytesOf(const std::vector<CollectiveStep> &steps, const Mesh &mesh,
                const std::vector<int64_t> &shape, int64_t elementBytes);

} // namespace shardir::detail

#endif // SHARDIR_LIB_PLACEMENT_PLANNER_H
