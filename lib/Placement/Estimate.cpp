//===- Estimate.cpp - A cost without a plan ---------------------*- C++ -*-===//
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
// A destination that is partial counts as cut by those axes too, each where the
// source has it or where neither has a cut. Work is in the splits of the two
// placements, not in devices or elements.
//
//===----------------------------------------------------------------------===//

#include "PlacementMath.h"
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
  double fixed = 1;     ///< blocks that both together cut the tensor into
  bool isApart = false; ///< some device shares nothing
  /// The same, were it not for axes of the source that become partial.
  bool isBesides = false;
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

/// `made`: the parts that become partial.
Overlap overlapOf(const Placement &src, const Placement &dst, const Mesh &mesh,
                  const std::vector<AxisRef> &parts,
                  const std::vector<AxisRef> &made) {
  auto turns = [&](const Place &place) {
    return std::find(made.begin(), made.end(), place.axis) != made.end();
  };
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
          (turns(a[i]) ? result.isBesides : result.isApart) = true;
      }
      if (shared)
        continue;
      result.fixed *= to.end / to.begin;
      result.moved.push_back(to.axis);
    }
    for (size_t i = 0; i < a.size(); ++i)
      if (!isShared[i] && !turns(a[i])) {
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

static Cost leastOf(Cost a, const Cost &b) {
  a.bytes = std::min(a.bytes, b.bytes);
  a.seconds = std::min(a.seconds, b.seconds);
  a.steps = std::min(a.steps, b.steps);
  return a;
}

/// `keeps`: whether what is partial in both stays so; else it is reduced and
/// made partial again.
static Cost estimate(const Placement &src, const Placement &dst,
                     const Mesh &mesh, const std::vector<int64_t> &shape,
                     int64_t elementBytes, const MachineModel &machine,
                     bool keeps) {
  Cost cost;
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

  double terms = 1, free = 1, unplaced = 1, unplacedTerms = 1, whole = 1;
  double cuts = 1, added = 1; // by what becomes partial: all, and of that new
  bool sameKind = src.partial == dst.partial;
  std::vector<AxisRef> kept, made;
  for (const AxisRef &part : parts) {
    double size = static_cast<double>(axisSize(mesh, part));
    if (size <= 1)
      continue;
    bool isPartial = isIn(part, src.partialAxes);
    bool becomesPartial = isIn(part, dst.partialAxes);
    if (keeps && isPartial && sameKind && becomesPartial) {
      kept.push_back(part);
      continue;
    }
    if (becomesPartial) {
      made.push_back(part);
      cuts *= size;
    }
    if (splits(src, part))
      continue;
    (isPartial ? terms : free) *= size;
    added *= becomesPartial ? size : 1;
    if (becomesPartial || splits(dst, part)) {
      whole *= size;
      continue;
    }
    unplaced *= size;
    if (isPartial)
      unplacedTerms *= size;
  }

  Overlap both = overlapOf(src, dst, mesh, parts, made);
  both.fixed *= added;
  // Each device may keep its shard as it is; else it is apart.
  bool mayStay = both.isBesides && !both.isApart && both.leaving == 1;
  both.isApart |= both.isBesides;

  double held = largestShard(src, mesh, shape);
  double wanted = std::ceil(largestShard(dst, mesh, shape) / cuts);
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
  // An axis that moves from one place to another takes an all-to-all.
  bool isShared = true;
  for (size_t i = 0; i < both.moved.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      isShared &= !(both.moved[i] == both.moved[j]);
  for (const MeshAxis &axis : mesh.axes) {
    if (!isIn(AxisRef{axis.name, 1, 0}, group))
      continue;
    Link link = machine.linkOf(axis);
    double own = 1 / (isShared ? link.gatherBandwidth : link.bandwidth);
    latency = isFirst ? link.latency : std::max(latency, link.latency);
    perByte = isFirst ? own : std::max(perByte, own);
    isFirst = false;
  }
  double bytes = static_cast<double>(std::max<int64_t>(0, elementBytes));
  auto secondsOf = [&](double received, double messages) {
    return messages * latency + received * bytes * perByte;
  };

  double least, seconds;
  if (terms == 1) {
    least = wanted - shared;
    seconds = least > 0 ? secondsOf(least, 1 + log2(both.leaving)) : 0;
  } else {
    // Split by all axes; or replicated over those that the destination lacks.
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
    seconds = secondsOf(least, fineMessages);
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
    seconds = std::min(seconds, secondsOf(direct, messages));
    // Short operands are sent in full to all devices that reduce them.
    if (unplacedTerms > 1)
      seconds = std::min(
          seconds,
          secondsOf(direct +
                        (unplacedTerms - 1) *
                            (coarse - 2 * std::ceil(coarse / unplacedTerms)),
                    messages - log2(unplacedTerms)));
  }
  double total = least * bytes;
  cost.bytes = total >= 9e18 ? INT64_MAX : static_cast<int64_t>(total);
  cost.seconds = std::round(seconds * 1e12) / 1e12;
  cost.steps = least > 0;
  if (!mayStay)
    return cost;
  Placement stays = src;
  stays.partialAxes = kept;
  if (kept.empty())
    stays.partial.reset();
  return leastOf(cost, estimateRedistribute(src, stays, mesh, shape,
                                            elementBytes, machine));
}

Cost shardir::estimateRedistribute(const Placement &src, const Placement &dst,
                                   const Mesh &mesh,
                                   const std::vector<int64_t> &shape,
                                   int64_t elementBytes,
                                   const MachineModel &machine) {
  if (src.sugar || dst.sugar || src.dims.size() != shape.size() ||
      dst.dims.size() != shape.size())
    return Cost();
  Cost cost =
      estimate(src, dst, mesh, shape, elementBytes, machine, /*keeps=*/true);
  if (!src.partial || src.partial != dst.partial || cost.steps == 0)
    return cost;
  return leastOf(cost, estimate(src, dst, mesh, shape, elementBytes, machine,
                                /*keeps=*/false));
}
