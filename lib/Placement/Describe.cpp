//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares two placements dim by dim and names the differences.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/Describe.h"

#include <algorithm>

using namespace shardir;

/// `"x" "y"`, with a space in front of each.
static std::string textOf(const std::vector<AxisRef> &axes) {
  std::string text;
  for (const AxisRef &axis : axes)
    text += " " + toString(axis);
  return text;
}

/// The elements of `axes` that are not in `others`.
static std::vector<AxisRef> without(std::vector<AxisRef> axes,
                                    const std::vector<AxisRef> &others) {
  axes.erase(std::remove_if(axes.begin(), axes.end(),
                            [&](const AxisRef &axis) {
                              return std::find(others.begin(), others.end(),
                                               axis) != others.end();
                            }),
             axes.end());
  return axes;
}

std::string shardir::describeRedistribution(const Placement &from,
                                            const Placement &to,
                                            const Mesh &mesh,
                                            const Halo &halo) {
  std::string text;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  // Sub-axes in common parts, so that equal ones compare equal.
  std::vector<AxisRef> parts = commonRefinement(from, to, mesh);
  auto partialAxes = [&](const Placement &placement) {
    std::vector<AxisRef> axes;
    for (const AxisRef &axis : placement.partialAxes) {
      std::vector<AxisRef> refined = refine(axis, mesh, parts);
      axes.insert(axes.end(), refined.begin(), refined.end());
    }
    return axes;
  };
  std::vector<AxisRef> before = partialAxes(from), after = partialAxes(to);
  if (std::vector<AxisRef> reduced = without(before, after); !reduced.empty())
    add(std::string("reduces the ") + stringifyPartialKind(*from.partial) +
        " over" + textOf(reduced));
  for (size_t dim = 0; dim < from.dims.size(); ++dim) {
    const std::vector<Split> &old = from.dims[dim].splits;
    const std::vector<Split> &now = to.dims[dim].splits;
    if (old == now)
      continue;
    std::string number = std::to_string(dim);
    std::string oldAxes = textOf(from.axesOf(dim)),
                newAxes = textOf(to.axesOf(dim));
    if (newAxes.empty())
      add("replicates dim " + number + " (was sharded over" + oldAxes + ")");
    else if (oldAxes.empty())
      add("shards dim " + number + " over" + newAxes);
    else
      add("reshards dim " + number + " from" + oldAxes + " to" + newAxes);
  }
  for (size_t dim = 0; dim < halo.size(); ++dim)
    if (halo[dim].isWindow())
      add("reads dim " + std::to_string(dim) + " through a window");
    else if (!halo[dim].isZero())
      add("reads dim " + std::to_string(dim) + " with a halo of " +
          toString(halo[dim]));
  if (std::vector<AxisRef> added = without(after, before); !added.empty())
    add(std::string("makes it a partial ") + stringifyPartialKind(*to.partial) +
        " over" + textOf(added));
  return text;
}

std::string shardir::describeRedistribution(const Placement &from,
                                            const Mesh &fromMesh,
                                            const Placement &to,
                                            const Mesh &toMesh,
                                            const Halo &halo) {
  if (fromMesh.name == toMesh.name)
    return describeRedistribution(from, to, toMesh, halo);
  return "goes from mesh @" + fromMesh.name + " to mesh @" + toMesh.name;
}
