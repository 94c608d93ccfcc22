//===- RedistributePlan.cpp - From one placement to another -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires two placements of one shape on one mesh; they are verified here too.
// Guarantees a chain that gives every device its new shard, for every pair; no
// step of which leaves a device with more than the larger of source and
// destination (rule D2).
//
// Local steps come first where they shrink what follows. A partial is then
// reduced: into the dims of the destination where its axes are next there (a
// reduce-scatter), and over the rest either whole (an all-reduce) or into some
// dim from where one move gets it to its place, whichever receives fewer bytes.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace shardir;
using namespace shardir::detail;

Planner::Axes Planner::refined(const Axes &axes) const {
  Axes result;
  for (const AxisRef &axis : axes)
    for (const AxisRef &part : refine(axis, mesh, parts))
      result.push_back(part);
  return result;
}

bool Planner::isIn(const AxisRef &axis, const Axes &set) const {
  for (const AxisRef &part : refine(axis, mesh, parts))
    if (std::find(set.begin(), set.end(), part) == set.end())
      return false;
  return true;
}

/// Extends one dim by the splits that `dst` adds to it: axes that `src` does
/// not use by a slice, axes to be reduced by the reduce-scatter after it.
void Planner::scatterDim(Scatter &result, const Placement &src,
                         const Placement &dst, const Axes &reduced,
                         size_t d) const {
  std::vector<Split> a = tokens(src.dims[d], d), b = tokens(dst.dims[d], d);
  if (a.size() >= b.size() || !std::equal(a.begin(), a.end(), b.begin()))
    return;
  auto isReduced = [&](const Split &split) {
    return split.isAxis() && isIn(*split.axis, reduced);
  };
  size_t end = a.size();
  while (end < b.size() &&
         (!b[end].isAxis() || isReduced(b[end]) || !uses(src, *b[end].axis)))
    ++end;
  if (end < b.size())
    while (end > a.size() && !b[end - 1].isAxis())
      --end;

  // Tries a slice to `mid` and a reduce-scatter on to b's first `length`.
  auto accept = [&](const std::vector<Split> &mid, size_t length) {
    Scatter next = result;
    next.mid.dims[d].splits = mid;
    next.scattered.dims[d].splits.assign(b.begin(), b.begin() + length);
    for (size_t i = a.size(); i < length; ++i)
      if (isReduced(b[i]))
        for (const AxisRef &part : refine(*b[i].axis, mesh, parts))
          next.used.push_back(part);
    for (const Placement *p : {&next.mid, &next.scattered}) {
      Placement dims = *p;
      dims.partial.reset();
      dims.partialAxes.clear();
      if (verifyPlacement(dims, mesh, shape))
        return false;
    }
    if (!contains(src.dims[d], next.mid.dims[d], d) ||
        !contains(next.mid.dims[d], next.scattered.dims[d], d))
      return false;
    result = next;
    return true;
  };

  // A reduced axis that is major to a free one stays on the device as an
  // integer while the free one slices: a strided shard.
  size_t lastFree = a.size();
  bool knownSizes = shape[d] != kUnknown;
  for (size_t i = a.size(); i < end; ++i) {
    if (!b[i].isAxis())
      continue;
    if (!isReduced(b[i]))
      lastFree = i + 1;
    knownSizes &= isKnown(mesh, *b[i].axis);
  }
  std::vector<Split> mid = a;
  bool strided = false;
  for (size_t i = a.size(); i < lastFree; ++i) {
    strided |= isReduced(b[i]);
    mid.push_back(isReduced(b[i]) ? Split::byFactor(axisSize(mesh, *b[i].axis))
                                  : b[i]);
  }
  if (knownSizes || !strided) {
    std::vector<Split> withUnit = mid;
    for (size_t i = lastFree; end == b.size() && i < end; ++i)
      if (!b[i].isAxis())
        withUnit.push_back(b[i]);
    if (accept(mid, end) || accept(withUnit, end))
      return;
  }

  // Else the slice ends where the first reduced axis begins, and the
  // reduce-scatter where the next free one does.
  size_t firstReduced = a.size();
  while (firstReduced < end && !isReduced(b[firstReduced]))
    ++firstReduced;
  size_t run = firstReduced;
  while (run < end && isReduced(b[run]))
    ++run;
  mid.assign(b.begin(), b.begin() + firstReduced);
  if (!accept(mid, run))
    accept(mid, firstReduced);
}

Planner::Scatter Planner::scatter(const Placement &src, const Placement &dst,
                                  const Axes &reduced) const {
  Scatter result{src, src, {}};
  for (size_t d = 0; d < shape.size(); ++d)
    scatterDim(result, src, dst, reduced, d);
  return result;
}

/// The steps after `start` has been chosen. `rest` is reduced whole, or into
/// the end of dim `scatterDim`.
std::vector<CollectiveStep>
Planner::reduceAndMove(const Scatter &start, const Placement &src,
                       const Placement &dst, const Axes &rest, const Axes &kept,
                       std::optional<size_t> scatterDim) const {
  auto owing = [&](Placement dims, Axes axes) {
    axes.insert(axes.end(), kept.begin(), kept.end());
    dims.partialAxes = axes;
    dims.partial = axes.empty() ? std::nullopt : src.partial;
    return normal(dims);
  };
  Axes all = start.used;
  all.insert(all.end(), rest.begin(), rest.end());
  std::vector<CollectiveStep> steps;
  Placement mid = owing(start.mid, all);
  if (mid != src)
    steps.push_back({CollectiveKind::Slice, src, mid});

  Placement scattered = start.scattered;
  if (scatterDim) {
    for (const AxisRef &axis : rest)
      scattered.dims[*scatterDim].splits.push_back(Split::byAxis(axis));
    Placement dims = scattered;
    dims.partial.reset();
    dims.partialAxes.clear();
    if (verifyPlacement(dims, mesh, shape) ||
        !contains(start.mid.dims[*scatterDim], scattered.dims[*scatterDim],
                  *scatterDim))
      return {};
  }
  Placement current = mid;
  if (scatterDim || !start.used.empty()) {
    Placement next = owing(scattered, scatterDim ? Axes() : rest);
    steps.push_back({CollectiveKind::ReduceScatter, current, next});
    current = next;
  }
  if (!scatterDim && !rest.empty()) {
    Placement next = owing(scattered, {});
    steps.push_back({CollectiveKind::AllReduce, current, next});
    current = next;
  }
  for (CollectiveStep &step : move(current, owing(dst, {})))
    steps.push_back(std::move(step));
  return steps;
}

std::vector<CollectiveStep> Planner::plan(const Placement &src,
                                          const Placement &dst) const {
  bool sameKind = src.partial == dst.partial;
  Axes before = refined(src.partialAxes), after = refined(dst.partialAxes);
  Axes kept, reduced;
  for (const AxisRef &axis : before)
    (sameKind && isIn(axis, after) ? kept : reduced).push_back(axis);

  std::vector<CollectiveStep> best;
  if (reduced.empty()) {
    Placement to = dst;
    to.partial = src.partial;
    to.partialAxes = src.partialAxes;
    best = move(src, to);
  } else {
    Scatter start = scatter(src, dst, reduced);
    Axes rest;
    for (const AxisRef &axis : reduced)
      if (std::find(start.used.begin(), start.used.end(), axis) ==
          start.used.end())
        rest.push_back(axis);
    best = reduceAndMove(start, src, dst, rest, kept, std::nullopt);
    // Reduced whole and nothing to move, or nothing to reduce: no better way.
    bool moves = best.back().kind != CollectiveKind::AllReduce &&
                 best.back().kind != CollectiveKind::ReduceScatter;
    if (!rest.empty() && moves) {
      int64_t least = bytes(best);
      for (size_t d = 0; d < shape.size(); ++d) {
        std::vector<CollectiveStep> other =
            reduceAndMove(start, src, dst, rest, kept, d);
        if (other.empty())
          continue;
        int64_t cost = bytes(other);
        if (cost < least || (cost == least && other.size() < best.size())) {
          least = cost;
          best = std::move(other);
        }
      }
    }
  }

  Placement reached = best.empty() ? src : best.back().to;
  if (reached != dst)
    best.push_back({CollectiveKind::MakePartial, reached, dst});
  return best;
}

//===----------------------------------------------------------------------===//
// The public interface
//===----------------------------------------------------------------------===//

std::variant<RedistributePlan, PlacementError>
shardir::planRedistribute(const Placement &src, const Placement &dst,
                          const Mesh &mesh, const std::vector<int64_t> &shape) {
  for (const Placement *placement : {&src, &dst})
    if (std::optional<PlacementError> error =
            verifyPlacement(*placement, mesh, shape))
      return *error;
  Placement from = normalForm(src, mesh, shape);
  Placement to = normalForm(dst, mesh, shape);
  if (from == to)
    return RedistributePlan{};
  return RedistributePlan{Planner(from, to, mesh, shape).plan(from, to)};
}

int64_t shardir::planBytes(const RedistributePlan &plan, const Mesh &mesh,
                           const std::vector<int64_t> &shape,
                           int64_t elementBytes) {
  Mesh concrete = assumedMesh(mesh);
  std::vector<int64_t> sizes = assumedShape(shape);
  std::vector<StepParts> parts;
  for (const CollectiveStep &step : plan.steps)
    parts.emplace_back(step, concrete);
  int64_t most = 0;
  for (int64_t p = 0, n = concrete.numDevices(); p < n; ++p) {
    int64_t elements = 0;
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      int64_t received =
          elementsReceived(plan.steps[i], parts[i], concrete, sizes, p);
      elements =
          received > INT64_MAX - elements ? INT64_MAX : elements + received;
    }
    most = std::max(most, elements);
  }
  return mulSaturated(most, std::max<int64_t>(0, elementBytes));
}

std::string shardir::toString(const RedistributePlan &plan, const Mesh &mesh,
                              const std::vector<int64_t> &shape) {
  std::string text;
  for (const CollectiveStep &step : plan.steps) {
    text += std::string(stringifyCollectiveKind(step.kind)) + " [";
    std::vector<AxisRef> axes = groupAxes(step, mesh, shape);
    for (size_t i = 0; i < axes.size(); ++i)
      text += (i ? ", " : "") + toString(axes[i]);
    text += "]: " + toString(step.from) + " -> " + toString(step.to) + "\n";
  }
  return text;
}
