//===- Mesh.cpp - Meshes, their axes and factors of axes --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires nothing: a name that the mesh lacks counts as an axis of size 1, an
// unknown size as what decisions assume, and products saturate, so that the
// verifier can ask before it knows that its input is sound.
// Guarantees that coordinates and positions are inverse to each other, and that
// a common refinement has parts whose products are the axes.
//
//===----------------------------------------------------------------------===//

#include "PlacementMath.h"

#include <numeric>

#include <set>

using namespace shardir;
using namespace shardir::detail;

int Mesh::axisIndex(const std::string &axis) const {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].name == axis)
      return static_cast<int>(i);
  return -1;
}

bool Mesh::isConcrete() const {
  for (const MeshAxis &axis : axes)
    if (axis.size == kUnknown)
      return false;
  return true;
}

static int64_t positiveSize(const MeshAxis &axis) {
  return std::max<int64_t>(1, axis.assumedSize());
}

int64_t Mesh::numDevices() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count = mulSaturated(count, positiveSize(axis));
  return count;
}

int64_t Mesh::numRanks() const {
  if (devices.empty())
    return numDevices();
  return *std::max_element(devices.begin(), devices.end()) + 1;
}

int64_t Mesh::rankAt(int64_t position) const {
  if (position < 0 || position >= static_cast<int64_t>(devices.size()))
    return position;
  return devices[position];
}

std::set<int64_t> Mesh::ranks() const {
  std::set<int64_t> ranks;
  for (int64_t p = 0, e = numDevices(); p < e; ++p)
    ranks.insert(rankAt(p));
  return ranks;
}

int64_t Mesh::positionOf(int64_t rank) const {
  if (devices.empty())
    return rank >= 0 && rank < numDevices() ? rank : -1;
  auto it = std::find(devices.begin(), devices.end(), rank);
  return it == devices.end() ? -1 : it - devices.begin();
}

std::vector<int64_t> Mesh::coordinates(int64_t position) const {
  std::vector<int64_t> coords(axes.size());
  for (size_t i = axes.size(); i-- > 0;) {
    int64_t size = positiveSize(axes[i]);
    coords[i] = position % size;
    position /= size;
  }
  return coords;
}

int64_t shardir::axisSize(const Mesh &mesh, const AxisRef &axis) {
  if (!axis.isWhole())
    return std::max<int64_t>(1, axis.size);
  int index = mesh.axisIndex(axis.name);
  return index < 0 ? 1 : positiveSize(mesh.axes[index]);
}

int64_t shardir::axisCoordinate(const Mesh &mesh, const AxisRef &axis,
                                const std::vector<int64_t> &coords) {
  int index = mesh.axisIndex(axis.name);
  if (index < 0 || static_cast<size_t>(index) >= coords.size())
    return 0;
  if (axis.isWhole())
    return coords[index];
  int64_t whole = positiveSize(mesh.axes[index]);
  int64_t rest = std::max<int64_t>(1, whole / axisEnd(mesh, axis));
  return coords[index] / rest % axisSize(mesh, axis);
}

int64_t shardir::groupSize(const Mesh &mesh, const std::vector<AxisRef> &axes) {
  int64_t size = 1;
  for (const AxisRef &axis : axes)
    size = mulSaturated(size, axisSize(mesh, axis));
  return size;
}

int64_t shardir::groupCoordinate(const Mesh &mesh,
                                 const std::vector<AxisRef> &axes,
                                 const std::vector<int64_t> &coords) {
  int64_t place = 0;
  for (const AxisRef &axis : axes)
    place = place * axisSize(mesh, axis) + axisCoordinate(mesh, axis, coords);
  return place;
}

bool shardir::overlap(const AxisRef &a, const AxisRef &b, const Mesh &mesh) {
  if (a.name != b.name)
    return false;
  int64_t preA = a.isWhole() ? 1 : std::max<int64_t>(1, a.preSize);
  int64_t preB = b.isWhole() ? 1 : std::max<int64_t>(1, b.preSize);
  // One must end where, or at a divisor of where, the other begins: else the
  // two are not digits of one number (such as (1)2 and (3)2 of 6).
  return preB % axisEnd(mesh, a) != 0 && preA % axisEnd(mesh, b) != 0;
}

bool detail::isTrivial(const Mesh &mesh, const AxisRef &axis) {
  if (!axis.isWhole())
    return axis.size == 1;
  int index = mesh.axisIndex(axis.name);
  return index >= 0 && mesh.axes[index].size == 1;
}

bool detail::isKnown(const Mesh &mesh, const AxisRef &axis) {
  int index = mesh.axisIndex(axis.name);
  return !axis.isWhole() || (index >= 0 && mesh.axes[index].size != kUnknown);
}

AxisRef detail::canonicalAxis(const std::string &name, int64_t pre,
                              int64_t size, const Mesh &mesh) {
  int index = mesh.axisIndex(name);
  if (index >= 0 && pre == 1 && mesh.axes[index].size == size)
    return AxisRef{name, 1, 0};
  return AxisRef{name, pre, size};
}

std::vector<AxisRef> detail::sortedAndMerged(std::vector<AxisRef> axes,
                                             const Mesh &mesh) {
  axes.erase(
      std::remove_if(axes.begin(), axes.end(),
                     [&](const AxisRef &a) { return isTrivial(mesh, a); }),
      axes.end());
  std::sort(axes.begin(), axes.end(), [&](const AxisRef &a, const AxisRef &b) {
    return std::make_tuple(mesh.axisIndex(a.name), a.preSize, a.size) <
           std::make_tuple(mesh.axisIndex(b.name), b.preSize, b.size);
  });
  std::vector<AxisRef> merged;
  for (const AxisRef &axis : axes) {
    if (!merged.empty() && merged.back().name == axis.name &&
        !merged.back().isWhole() && !axis.isWhole() &&
        axisEnd(mesh, merged.back()) == axis.preSize)
      merged.back().size = mulSaturated(merged.back().size, axis.size);
    else
      merged.push_back(axis);
    AxisRef &last = merged.back();
    if (!last.isWhole())
      last = canonicalAxis(last.name, last.preSize, last.size, mesh);
  }
  return merged;
}

Mesh detail::assumedMesh(const Mesh &mesh) {
  Mesh concrete = mesh;
  for (MeshAxis &axis : concrete.axes)
    axis.size = positiveSize(axis);
  return concrete;
}

std::vector<int64_t>
detail::assumedShape(const std::vector<int64_t> &shape, const Mesh &mesh,
                     const std::vector<const Placement *> &placements) {
  std::vector<int64_t> concrete = shape;
  for (size_t d = 0; d < concrete.size(); ++d) {
    if (concrete[d] >= 0)
      continue;
    int64_t unit = 1;
    for (const Placement *placement : placements)
      if (d < placement->dims.size())
        unit = std::lcm(unit,
                        std::min<int64_t>(exactFactor(placement->dims[d], mesh),
                                          int64_t(1) << 15));
    concrete[d] = (kAssumedDimSize + unit - 1) / unit * unit;
  }
  return concrete;
}

int64_t detail::numElements(const std::vector<int64_t> &shape) {
  // A zero anywhere wins over a product that saturates before it.
  int64_t count = 1;
  for (int64_t size : shape)
    count = size == 0 || count == 0 ? 0 : mulSaturated(count, size);
  return count;
}

//===----------------------------------------------------------------------===//
// Common refinement
//===----------------------------------------------------------------------===//

static void collectCuts(const Placement &placement, const Mesh &mesh,
                        const std::string &name, std::set<int64_t> &cuts) {
  auto add = [&](const AxisRef &axis) {
    if (axis.name != name || axis.isWhole())
      return;
    cuts.insert(std::max<int64_t>(1, axis.preSize));
    cuts.insert(axisEnd(mesh, axis));
  };
  for (const DimPlacement &dim : placement.dims)
    for (const Split &split : dim.splits)
      if (split.isAxis())
        add(*split.axis);
  for (const AxisRef &axis : placement.partialAxes)
    add(axis);
}

std::vector<AxisRef> shardir::commonRefinement(const Placement &a,
                                               const Placement &b,
                                               const Mesh &mesh) {
  std::vector<AxisRef> parts;
  for (const MeshAxis &axis : mesh.axes) {
    int64_t whole = positiveSize(axis);
    std::set<int64_t> cuts = {1, whole};
    collectCuts(a, mesh, axis.name, cuts);
    collectCuts(b, mesh, axis.name, cuts);
    // Cuts such as 2 and 3 of 6 have no common refinement, nor has an axis
    // whose size, and so whose last part, is not known; the axis then stays
    // whole, and `refine` leaves its sub-axes as they are.
    bool chain = axis.size != kUnknown;
    int64_t previous = 1;
    for (int64_t cut : cuts) {
      chain &= cut % previous == 0 && cut <= whole;
      previous = cut;
    }
    if (!chain || cuts.size() <= 2) {
      parts.push_back(AxisRef{axis.name, 1, 0});
      continue;
    }
    previous = 1;
    for (int64_t cut : cuts) {
      if (cut != 1)
        parts.push_back(AxisRef{axis.name, previous, cut / previous});
      previous = cut;
    }
  }
  return parts;
}

std::vector<AxisRef> shardir::refine(const AxisRef &axis, const Mesh &mesh,
                                     const std::vector<AxisRef> &parts) {
  int64_t begin = axis.isWhole() ? 1 : axis.preSize;
  int64_t end = axisEnd(mesh, axis);
  std::vector<AxisRef> run;
  int64_t covered = begin;
  for (const AxisRef &part : parts) {
    int64_t pre = part.isWhole() ? 1 : part.preSize;
    if (part.name != axis.name || pre < begin || axisEnd(mesh, part) > end)
      continue;
    if (pre != covered)
      return {axis};
    run.push_back(part);
    covered = axisEnd(mesh, part);
  }
  if (run.empty() || covered != end)
    return {axis};
  return run;
}
