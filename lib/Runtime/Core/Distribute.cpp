//===- Distribute.cpp - Whole arrays and shards ---------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derives the runs of a shard from the digits of its dimensions. Requires what
// shardOf requires; guarantees runs in increasing order on both sides, as many
// as the outer digits have values and no more.
//
//===----------------------------------------------------------------------===//

#include "Distribute.h"

#include "Elements/Reduce.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace shardir {
namespace runtime {
namespace {

/// The runs of one dimension: the innermost digit is contiguous in both.
std::vector<Piece::Run> runsOf(const DimShard &dim) {
  std::vector<Piece::Run> runs;
  int64_t local = dim.localExtent();
  int64_t length = dim.digits.back().length;
  for (int64_t at = 0; at < local; at += length)
    runs.push_back({dim.toGlobal(at), at, length});
  return runs;
}

/// The axes that split a dimension.
std::vector<AxisRef> splitAxes(const Placement &placement) {
  std::vector<AxisRef> axes;
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (AxisRef &axis : placement.axesOf(d))
      axes.push_back(std::move(axis));
  return axes;
}

/// How far one step along an axis or sub-axis is in its mesh axis' coordinate.
int64_t innerSize(const Mesh &mesh, const AxisRef &ref) {
  return ref.isWhole() ? 1
                       : mesh.axes[size_t(mesh.axisIndex(ref.name))].size /
                             (ref.preSize * ref.size);
}

int64_t positionAt(const Mesh &mesh, const std::vector<int64_t> &coords) {
  int64_t p = 0;
  for (size_t a = 0; a < coords.size(); ++a)
    p = p * mesh.axes[a].size + coords[a];
  return p;
}

bool isZero(const std::vector<int64_t> &v) {
  return std::all_of(v.begin(), v.end(), [](int64_t x) { return x == 0; });
}

} // namespace

ShardView viewShard(const TensorSpec &spec, const Mesh *mesh,
                    const std::vector<int64_t> &shape, int64_t rank) {
  ShardView view;
  int64_t position = mesh ? mesh->positionOf(rank) : 0;
  // A rank that the mesh lacks runs the program like the first device, on
  // zeros; nobody asks for what it computes (P7).
  view.outside = position < 0;
  if (view.outside)
    position = 0;
  auto isByAxes = [](const DimPlacement &dim) {
    return std::all_of(dim.splits.begin(), dim.splits.end(),
                       [](const Split &split) { return split.isAxis(); });
  };
  // One device has all.
  bool isAlone = mesh && mesh->numDevices() == 1 && !view.outside &&
                 std::all_of(spec.placement.dims.begin(),
                             spec.placement.dims.end(), isByAxes);
  if (!mesh || isAlone) {
    view.shape = shape;
    for (int64_t extent : shape)
      view.runs.push_back({{0, 0, extent}});
    view.owner = isAlone || rank == 0;
    view.terms = {int(rank)};
  } else {
    const Placement &placement = spec.placement;
    for (const DimShard &dim : shardOf(placement, *mesh, shape, position)) {
      view.shape.push_back(dim.localExtent());
      view.runs.push_back(runsOf(dim));
    }
    std::vector<int64_t> coords = mesh->coordinates(position);
    // The remaining coordinates count replicas: the first one owns.
    std::vector<int64_t> replica = coords;
    for (const AxisRef &axis : splitAxes(placement))
      replica[size_t(mesh->axisIndex(axis.name))] -=
          axisCoordinate(*mesh, axis, coords) * innerSize(*mesh, axis);
    view.owner = isZero(replica);
    view.identity = groupCoordinate(*mesh, placement.partialAxes, coords) != 0;
    int64_t terms = groupSize(*mesh, placement.partialAxes);
    for (int64_t t = 0; view.owner && t < terms; ++t) {
      std::vector<int64_t> at = coords;
      int64_t rest = t;
      for (size_t i = placement.partialAxes.size(); i-- > 0;) {
        const AxisRef &axis = placement.partialAxes[i];
        int64_t size = axisSize(*mesh, axis);
        at[size_t(mesh->axisIndex(axis.name))] +=
            rest % size * innerSize(*mesh, axis);
        rest /= size;
      }
      view.terms.push_back(int(mesh->rankAt(positionAt(*mesh, at))));
    }
  }
  if (view.outside) {
    view.owner = view.identity = false;
    view.terms.clear();
  }
  view.elements = std::accumulate(view.shape.begin(), view.shape.end(),
                                  int64_t(1), std::multiplies<int64_t>());
  return view;
}

void distribute(const TensorSpec &spec, const ShardView &view,
                const std::vector<int64_t> &shape, const void *whole,
                void *shard) {
  if (view.elements == 0)
    return;
  if (view.outside)
    std::memset(shard, 0, size_t(view.elements) * elementSize(spec.type));
  else if (view.identity)
    fillIdentity(*spec.placement.partial, spec.type, shard,
                 size_t(view.elements));
  else
    CopyPlan(view.runs, shape, view.shape)
        .copy(whole, shard, elementSize(spec.type));
}

void collect(const TensorSpec &spec, const ShardView &view,
             const std::vector<int64_t> &shape,
             const std::vector<const void *> &terms, void *whole) {
  if (!view.owner || view.elements == 0)
    return;
  std::vector<std::vector<Piece::Run>> runs = view.runs;
  for (std::vector<Piece::Run> &dim : runs)
    for (Piece::Run &run : dim)
      std::swap(run.source, run.destination);
  CopyPlan plan(runs, view.shape, shape);
  size_t size = elementSize(spec.type);
  if (terms.size() == 1)
    return plan.copy(terms[0], whole, size);
  ReduceFn reduce = reduceFunction(*spec.placement.partial, spec.type);
  std::vector<const void *> ins(terms.size());
  plan.forEachSpan([&](int64_t s, int64_t d, int64_t n) {
    for (size_t t = 0; t < terms.size(); ++t)
      ins[t] = static_cast<const char *>(terms[t]) + size_t(s) * size;
    void *out = static_cast<char *>(whole) + size_t(d) * size;
    reduce(&out, 1, ins.data(), ins.size(), 0, size_t(n));
  });
}

std::string globalShapeOf(const TensorSpec &spec, const Mesh *mesh,
                          const std::vector<std::vector<int64_t>> &shapes,
                          std::vector<int64_t> &whole) {
  whole = spec.shape;
  for (size_t d = 0; d < whole.size(); ++d) {
    if (whole[d] >= 0)
      continue;
    if (!mesh) {
      whole[d] = shapes[0][d];
      continue;
    }
    // One device for each combination of the coordinates that cut the dim.
    whole[d] = 0;
    std::vector<AxisRef> axes = spec.placement.axesOf(d);
    for (int64_t p = 0, e = mesh->numDevices(); p < e; ++p) {
      std::vector<int64_t> coords = mesh->coordinates(p), others = coords;
      for (const AxisRef &axis : axes)
        others[size_t(mesh->axisIndex(axis.name))] -=
            axisCoordinate(*mesh, axis, coords) * innerSize(*mesh, axis);
      if (isZero(others) &&
          __builtin_add_overflow(whole[d], shapes[size_t(mesh->rankAt(p))][d],
                                 &whole[d]))
        return "is too large";
    }
  }
  int64_t elements;
  if (!countElements(whole, elementSize(spec.type), elements))
    return "is too large";
  if (mesh)
    if (std::optional<PlacementError> e = verifyPlacement(
            spec.placement, *mesh, whole, elementTypeName(spec.type)))
      return e->message;
  for (size_t r = 0; r < shapes.size(); ++r) {
    std::vector<int64_t> expected = whole;
    if (mesh) {
      // A rank that the mesh lacks runs like the first device.
      int64_t position = std::max<int64_t>(0, mesh->positionOf(int64_t(r)));
      expected = localShape(spec.placement, *mesh, whole, position);
    }
    if (shapes[r] != expected)
      return "is " + shapeText(shapes[r]) + " on rank " + std::to_string(r) +
             ", expected " + shapeText(expected) + " of " + shapeText(whole) +
             " in all";
  }
  return "";
}

std::string
differingExtents(const FunctionSpec &function,
                 const std::vector<std::vector<int64_t>> &shapes) {
  auto text = [](size_t argument, size_t dim, int64_t extent) {
    return std::to_string(extent) + " in dim " + std::to_string(dim) +
           " of argument " + std::to_string(argument);
  };
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto &extents = function.arguments[i].extents;
    for (size_t d = 0; d < extents.size(); ++d) {
      if (!extents[d])
        continue;
      auto [argument, number] = *extents[d];
      int64_t wanted = argument < 0 ? number
                                    : shapes[size_t(argument)][size_t(number)];
      if (shapes[i][d] != wanted)
        return "@" + function.name + " needs extents to be equal that are " +
               text(i, d, shapes[i][d]) + " and " +
               (argument < 0 ? std::to_string(wanted) + " in its code"
                             : text(size_t(argument), size_t(number), wanted));
    }
  }
  return "";
}

} // namespace runtime
} // namespace shardir
