//===- Estimate.cpp - A price without a plan --------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires placements that verify; sizes that are not known count as assumed.
// Guarantees the planner's bytes where everything divides, by the closed form
// of Search.cpp: (r-1)|M| for r terms, |M| being the source's shard cut by all
// axes that do not split it, and |dst| - |M and dst|, which is |dst| on some
// device where source and destination cut one place of a dim by different axes.
// Work is in the splits of the two placements, not in devices or elements.
//
//===----------------------------------------------------------------------===//

#include "Detail.h"
#include "ShardIR/Placement/CostModel.h"
#include "Steps.h"

#include <cmath>

using namespace shardir;
using namespace shardir::detail;

namespace {

/// An axis that cuts a dim, and the place: the dim seen as [begin, size, rest].
struct Place {
  AxisRef axis;
  double begin = 1, end = 1;
};

/// How source and destination cut one tensor.
struct Overlap {
  double fixed = 1;           ///< blocks that both together cut the tensor into
  bool isApart = false;       ///< some device shares nothing
  double leaving = 1;         ///< blocks by axes that leave a place
  std::vector<AxisRef> moved; ///< axes of places that only one has
};

std::vector<Place> placesOf(const DimPlacement &dim, const Mesh &mesh,
                            const std::vector<AxisRef> &parts) {
  std::vector<Place> places;
  double before = 1;
  for (const Split &split : dim.splits) {
    if (!split.isAxis()) {
      before *= static_cast<double>(std::max<int64_t>(1, split.factor));
      continue;
    }
    for (const AxisRef &part : refine(*split.axis, mesh, parts)) {
      double size = static_cast<double>(axisSize(mesh, part));
      if (size > 1)
        places.push_back({part, before, before * size});
      before *= size;
    }
  }
  return places;
}

Overlap overlapOf(const Placement &src, const Placement &dst, const Mesh &mesh,
                  const std::vector<AxisRef> &parts) {
  Overlap result;
  for (size_t d = 0; d < src.dims.size(); ++d) {
    std::vector<Place> a = placesOf(src.dims[d], mesh, parts);
    std::vector<Place> b = placesOf(dst.dims[d], mesh, parts);
    for (const Place &place : a)
      result.fixed *= place.end / place.begin;
    std::vector<bool> isShared(a.size(), false);
    for (const Place &to : b) {
      bool shared = false;
      for (size_t i = 0; i < a.size(); ++i) {
        if (a[i].axis == to.axis && a[i].begin == to.begin)
          shared = isShared[i] = true;
        else if (a[i].begin < to.end && to.begin < a[i].end)
          result.isApart = true;
      }
      if (shared)
        continue;
      result.fixed *= to.end / to.begin;
      result.moved.push_back(to.axis);
    }
    for (size_t i = 0; i < a.size(); ++i)
      if (!isShared[i]) {
        result.leaving *= a[i].end / a[i].begin;
        result.moved.push_back(a[i].axis);
      }
  }
  return result;
}

} // namespace

/// The elements of the largest shard.
static double largestShard(const Placement &placement, const Mesh &mesh,
                           const std::vector<int64_t> &shape) {
  double elements = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    elements *=
        static_cast<double>(maxLocalExtent(placement, mesh, shape[d], d));
  return elements;
}

Cost shardir::estimateRedistribute(const Placement &src, const Placement &dst,
                                   const Mesh &mesh,
                                   const std::vector<int64_t> &shape,
                                   int64_t elementBytes,
                                   const MachineModel &machine) {
  Cost cost;
  if (src.sugar || dst.sugar || src.dims.size() != shape.size() ||
      dst.dims.size() != shape.size())
    return cost;
  std::vector<AxisRef> parts = commonRefinement(src, dst, mesh);
  auto isIn = [&](const AxisRef &part, const std::vector<AxisRef> &axes) {
    for (const AxisRef &axis : axes)
      if (overlap(part, axis, mesh) || part == axis)
        return true;
    return false;
  };
  auto splits = [&](const Placement &placement, const AxisRef &part) {
    for (size_t d = 0; d < placement.dims.size(); ++d)
      if (isIn(part, placement.axesOf(d)))
        return true;
    return false;
  };

  Overlap both = overlapOf(src, dst, mesh, parts);
  double terms = 1, free = 1, unplaced = 1, unplacedTerms = 1, whole = 1;
  bool sameKind = src.partial == dst.partial;
  for (const AxisRef &part : parts) {
    double size = static_cast<double>(axisSize(mesh, part));
    if (size <= 1 || splits(src, part))
      continue;
    bool owed = isIn(part, src.partialAxes);
    if (owed && sameKind && isIn(part, dst.partialAxes))
      continue;
    (owed ? terms : free) *= size;
    if (splits(dst, part)) {
      whole *= size;
      continue;
    }
    unplaced *= size;
    if (owed)
      unplacedTerms *= size;
  }

  double held = largestShard(src, mesh, shape);
  double wanted = largestShard(dst, mesh, shape);
  double elements = 1;
  for (int64_t extent : shape)
    elements *= static_cast<double>(extent < 0 ? kAssumedDimSize : extent);
  double shared =
      both.isApart ? 0 : std::min(wanted, std::ceil(elements / both.fixed));
  auto log2 = [](double n) { return n <= 1 ? 0 : std::ceil(std::log2(n)); };
  double latency = machine.latency, perByte = 1 / machine.bandwidth;
  bool isFirst = true;
  std::vector<AxisRef> group = both.moved;
  group.insert(group.end(), src.partialAxes.begin(), src.partialAxes.end());
  for (const MeshAxis &axis : mesh.axes) {
    if (!isIn(AxisRef{axis.name, 1, 0}, group))
      continue;
    Link link = machine.linkOf(axis);
    latency = isFirst ? link.latency : std::max(latency, link.latency);
    perByte =
        isFirst ? 1 / link.bandwidth : std::max(perByte, 1 / link.bandwidth);
    isFirst = false;
  }
  double bytes = static_cast<double>(std::max<int64_t>(0, elementBytes));
  auto price = [&](double received, double messages) {
    return messages * latency + received * bytes * perByte;
  };

  double least, seconds;
  if (terms == 1) {
    least = wanted - shared;
    seconds = least > 0 ? price(least, 1 + log2(both.leaving)) : 0;
  } else {
    // Cut by all axes; or whole over those that the destination lacks.
    double fine = std::min(held, std::ceil(held / (terms * free)));
    bool moves = both.isApart || both.leaving > 1;
    double kept =
        both.isApart
            ? 0
            : std::min(fine, std::ceil(elements / (both.fixed * unplaced)));
    least = (terms - 1) * fine;
    double fineMessages = 1 + log2(terms);
    if (moves || unplaced > 1) {
      least += std::max(0.0, wanted - kept);
      fineMessages += 1 + log2(both.leaving * unplaced);
    }
    seconds = price(least, fineMessages);
    double coarse = std::ceil(held / whole);
    double scattered = terms / unplacedTerms;
    double direct =
        (scattered - 1) * coarse +
        2 * (unplacedTerms - 1) * std::ceil(coarse / unplacedTerms) +
        (moves ? std::max(0.0, wanted - shared) : 0);
    least = std::min(least, direct);
    double messages = (scattered > 1 ? 1 + log2(scattered) : 0) +
                      (unplacedTerms > 1 ? 1 + 2 * log2(unplacedTerms) : 0) +
                      (moves ? 1 + log2(both.leaving) : 0);
    seconds = std::min(seconds, price(direct, messages));
    // Short operands are sent whole to all that reduce them.
    if (unplacedTerms > 1)
      seconds = std::min(
          seconds,
          price(direct + (unplacedTerms - 1) *
                             (coarse - 2 * std::ceil(coarse / unplacedTerms)),
                messages - log2(unplacedTerms)));
  }
  double total = least * bytes;
  cost.bytes = total >= 9e18 ? INT64_MAX : static_cast<int64_t>(total);
  cost.seconds = std::round(seconds * 1e12) / 1e12;
  cost.steps = least > 0;
  return cost;
}
