//===- AnySize.cpp - Plans that are right for every size --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where sizes are unknown, the plan for the assumed ones is the plan to have:
// the program is then the same, whether they are given early or late (P6).
// Requires a chain that leads from one placement to another at the assumed
// sizes. Guarantees to say yes only where every step does what its kind says at
// all sizes: steps are told by their spelling, not by the blocks of one size.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace shardir;
using namespace shardir::detail;

/// True for a full axis, and for a sub-axis of one whose size is known.
bool Planner::isForAnySize(const AxisRef &axis) const {
  return axis.isWhole() || isKnown(mesh, AxisRef{axis.name, 1, 0});
}

/// True if the spelling of a dim is valid for all sizes. The axes major to an
/// integer must divide.
bool Planner::isForAnySize(const DimPlacement &dim, size_t d) const {
  bool known = isKnownDim(dim, d);
  for (const Split &split : dim.splits)
    if (split.isAxis() ? !isForAnySize(*split.axis) : !known)
      return false;
  return true;
}

/// True if a reduce-scatter adds to its dims exactly the axes that it reduces.
bool Planner::scattersReduced(const CollectiveStep &step) const {
  auto axesOf = [&](const Placement &placement) {
    Axes axes;
    for (size_t d = 0; d < shape.size(); ++d)
      for (const AxisRef &axis : refined(placement.axesOf(d)))
        axes.push_back(axis);
    return axes;
  };
  auto without = [](const Axes &axes, const Axes &others) {
    Axes rest;
    for (const AxisRef &axis : axes)
      if (std::find(others.begin(), others.end(), axis) == others.end())
        rest.push_back(axis);
    return rest;
  };
  Axes before = axesOf(step.from), after = axesOf(step.to);
  Axes reduced =
      without(refined(step.from.partialAxes), refined(step.to.partialAxes));
  Axes added = without(after, before);
  return without(before, after).empty() && without(added, reduced).empty() &&
         without(reduced, added).empty();
}

bool Planner::isForAnySize(const CollectiveStep &step) {
  const Placement &from = step.from, &to = step.to;
  bool haveEqualPartials =
      from.partial == to.partial && from.partialAxes == to.partialAxes;
  switch (step.kind) {
  case CollectiveKind::Slice:
    return haveEqualPartials && contains(from, to);
  case CollectiveKind::AllGather:
    return haveEqualPartials && isAllGather(from, to);
  case CollectiveKind::AllToAll:
    return haveEqualPartials && isAllToAll(from, to);
  case CollectiveKind::Permute:
    return haveEqualPartials && isPermute(from, to);
  case CollectiveKind::Exchange:
    return haveEqualPartials;
  case CollectiveKind::AllReduce:
    return from.dims == to.dims;
  case CollectiveKind::ReduceScatter:
    return contains(from, to) && scattersReduced(step);
  case CollectiveKind::MakePartial:
    return canMakePartial(from, to, mesh, shape);
  case CollectiveKind::HaloExchange:
    break;
  }
  return false;
}

bool Planner::isForAnySize(const std::vector<CollectiveStep> &steps,
                           const Placement &src, const Placement &dst) {
  // An axis of one device is dropped from placements: others may not be.
  for (size_t i = 0; i < mesh.axes.size(); ++i)
    if (mesh.axes[i].size == kUnknown && concreteMesh.axes[i].size < 2)
      return false;
  if (steps.empty() || steps.front().from != src || steps.back().to != dst)
    return false;
  Placement last = src;
  for (const CollectiveStep &step : steps) {
    if (step.from != last || verifyPlacement(step.to, mesh, shape) ||
        normal(step.to) != step.to)
      return false;
    last = step.to;
    for (size_t d = 0; d < shape.size(); ++d)
      if (!(step.to.dims[d] == src.dims[d] || step.to.dims[d] == dst.dims[d] ||
            isForAnySize(step.to.dims[d], d)))
        return false;
    for (const Placement *placement : {&step.from, &step.to})
      for (const AxisRef &axis : placement->partialAxes)
        if (!isForAnySize(axis) &&
            std::find(src.partialAxes.begin(), src.partialAxes.end(), axis) ==
                src.partialAxes.end())
          return false;
    if (!isForAnySize(step))
      return false;
  }
  return true;
}
