//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From one state of the search to the next: a split more, or one moved.
// Requires states with costs; guarantees that each device gets a part of what
// is split, that no axis splits a tensor twice, and that of axes that nothing
// tells apart the first is taken.
//
//===----------------------------------------------------------------------===//

#include "ProposalSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>

using namespace shardir;

bool ProposalSearch::isUsed(const ProposalAttempt &attempt,
                            const std::string &axis) const {
  return annotatedAxes.count(axis) ||
         llvm::any_of(attempt.outcome.arguments, [&](const Placement &own) {
           for (size_t d = 0; d < own.dims.size(); ++d)
             for (const AxisRef &used : own.axesOf(d))
               if (used.name == axis)
                 return true;
           return false;
         });
}

/// Whether an earlier axis, unused like this one, does the same.
bool ProposalSearch::isInterchangeable(const ProposalAttempt &from,
                                       const Mesh &mesh, int axis) const {
  const MeshAxis &own = mesh.axes[axis];
  if (isUsed(from, own.name))
    return false;
  for (int other = 0; other < axis; ++other)
    if (mesh.axes[other].assumedSize() == own.assumedSize() &&
        cost.machine.linkOf(mesh.axes[other]) == cost.machine.linkOf(own) &&
        !isUsed(from, mesh.axes[other].name))
      return true;
  return false;
}

bool ProposalSearch::canSplit(int free, const Placement &placement, int dim,
                              const MeshAxis &axis) const {
  const Mesh &mesh = meshOf(free);
  if (axis.assumedSize() <= 1)
    return false;
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (const AxisRef &used : placement.axesOf(d))
      if (used.name == axis.name)
        return false;
  if (maxLocalExtent(placement, mesh, shapeOf(free)[dim], dim) <
      axis.assumedSize())
    return false;
  Placement next = placement;
  next.dims[dim].splits.push_back(Split::byAxis(axis.name));
  return !verifyPlacement(next, mesh, shapeOf(free));
}

std::optional<ProposalState>
ProposalSearch::growOps(const ProposalAttempt &from, ProposalStep step) const {
  ProposalState state = from.state;
  for (int i : opGroups[step.group]) {
    int n = contractions[i];
    const PropagationGraph::Node &node = graph.nodes[n];
    const Mesh &mesh = graph.meshes[node.mesh];
    const Factor &factor = node.rule->factors[step.dim];
    if (step.axis >= int(mesh.axes.size()) ||
        isInterchangeable(from, mesh, step.axis) ||
        factor.kind == FactorKind::Replicate)
      return std::nullopt;
    const MeshAxis &axis = mesh.axes[step.axis];
    int64_t need = axis.assumedSize();
    Split added = Split::byAxis(axis.name);
    for (auto &[where, splits] : state.ops)
      if (where.first == n) {
        if (llvm::is_contained(splits, added))
          return std::nullopt;
        for (const Split &split : splits)
          if (where.second == step.dim)
            need *= axisSize(mesh, *split.axis);
      }
    if (axis.assumedSize() <= 1 ||
        (factor.size != kUnknown && factor.size < need))
      return std::nullopt;
    state.ops[{n, step.dim}].push_back(added);
  }
  return state;
}

std::optional<ProposalState> ProposalSearch::grow(const ProposalAttempt &from,
                                                  ProposalStep step) const {
  if (step.isOp)
    return growOps(from, step);
  ProposalState state = from.state;
  bool changed = false;
  auto split = [&](int free) {
    const Mesh &mesh = meshOf(free);
    if (step.axis >= int(mesh.axes.size()) ||
        isInterchangeable(from, mesh, step.axis))
      return;
    const MeshAxis &axis = mesh.axes[step.axis];
    const Placement &present = placed(from, free);
    int best = -1;
    int64_t most = 0;
    for (int dim = 0, e = present.dims.size(); dim < e; ++dim) {
      if ((step.dim >= 0 && step.dim != dim) ||
          !canSplit(free, present, dim, axis))
        continue;
      int64_t extent = maxLocalExtent(present, mesh, shapeOf(free)[dim], dim);
      if (extent > most) {
        best = dim;
        most = extent;
      }
    }
    if (best < 0)
      return;
    // Splits that propagation brought stay in front of it.
    state.splits[free][best] = present.dims[best].splits;
    state.splits[free][best].push_back(Split::byAxis(axis.name));
    changed = true;
  };
  if (step.group >= 0)
    llvm::for_each(groups[step.group], split);
  else
    for (int free = 0, e = frees.size(); free < e; ++free)
      split(free);
  return changed ? std::optional<ProposalState>(std::move(state))
                 : std::nullopt;
}

/// A group's arguments with an axis on dim `dim` alone, or on none if it is -1.
std::optional<ProposalState> ProposalSearch::moved(const ProposalState &from,
                                                   int group, int axis,
                                                   int dim) const {
  ProposalState state = from;
  for (int free : groups[group]) {
    const Mesh &mesh = meshOf(free);
    if (axis >= int(mesh.axes.size()))
      return std::nullopt;
    const std::string &name = mesh.axes[axis].name;
    Placement placement =
        Placement::replicatedOfRank(state.splits[free].size());
    for (auto [d, splits] : llvm::enumerate(state.splits[free])) {
      llvm::erase_if(splits, [&](const Split &split) {
        return split.isAxis() && split.axis->name == name;
      });
      // Integers cut nothing by themselves.
      if (llvm::none_of(splits, std::mem_fn(&Split::isAxis)))
        splits.clear();
      placement.dims[d].splits = splits;
    }
    if (dim < 0)
      continue;
    if (!canSplit(free, placement, dim, mesh.axes[axis]))
      return std::nullopt;
    state.splits[free][dim].push_back(Split::byAxis(name));
  }
  return state;
}
