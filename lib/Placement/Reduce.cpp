//===- Reduce.cpp - Changes of placement with a reduction -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires two placements in normal form.
// Guarantees a chain of local slices, a reduce-scatter, an all-reduce, a move
// (StepEnumeration.cpp) and a local make_partial, as far as each is needed. The
// placement in front of the make_partial is a choice as well: devices that are
// to hold terms need not hold the same.
//
// Local steps come first where they shrink the operands of later ones. A
// partial tensor is then reduced, over all its axes or some, into a placement
// whose shards lie within the source's, and redistributed from there. The cost
// chooses the placement: candidates are the dims of the destination where the
// partial axes are next there, and,
// where sizes are known, what Search.cpp finds.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace shardir;
using namespace shardir::detail;

/// Targets of a search that become plans, to be weighed in full.
static constexpr size_t kMaxTargets = 8;
/// The same for few devices under CostMode::Time, where what differs in the
/// move behind the reduction matters too.
static constexpr size_t kMaxTimedTargets = 24;

/// Placements of terms that are searched for in front of a make_partial.
static constexpr size_t kMaxTerms = 4;

Planner::Axes Planner::refined(const Axes &axes) const {
  return refineAll(axes, mesh, parts);
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
                         const Placement &dst, const Axes &reduced, size_t d) {
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
  for (size_t i = 0; i < end; ++i) {
    if (!b[i].isAxis())
      continue;
    if (i >= a.size() && !isReduced(b[i]))
      lastFree = i + 1;
    // Axes major to an integer must divide, whatever their sizes will be.
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
                                  const Axes &reduced) {
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
                       std::optional<size_t> scatterDim) {
  auto partialOver = [&](Placement dims, Axes axes) {
    axes.insert(axes.end(), kept.begin(), kept.end());
    dims.partialAxes = axes;
    dims.partial = axes.empty() ? std::nullopt : src.partial;
    return normal(dims);
  };
  Axes all = start.used;
  all.insert(all.end(), rest.begin(), rest.end());
  std::vector<CollectiveStep> steps;
  Placement mid = partialOver(start.mid, all);
  if (mid != src)
    steps.push_back({CollectiveKind::Slice, src, mid});

  Placement scattered = start.scattered;
  if (scatterDim) {
    // Behind an integer everything before must divide: that is known only of
    // sizes that are.
    const DimPlacement &dim = scattered.dims[*scatterDim];
    if (!dim.splits.empty() && !dim.splits.back().isAxis() &&
        !isKnownDim(dim, *scatterDim))
      return {};
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
    Placement next = partialOver(scattered, scatterDim ? Axes() : rest);
    steps.push_back({CollectiveKind::ReduceScatter, current, next});
    current = next;
  }
  if (!scatterDim && !rest.empty()) {
    Placement next = partialOver(scattered, {});
    steps.push_back({CollectiveKind::AllReduce, current, next});
    current = next;
  }
  for (CollectiveStep &step : move(current, partialOver(dst, {})))
    steps.push_back(std::move(step));
  return steps;
}

/// `dims` as far as they are cut by other axes than `removed`, between `outer`
/// and `dims`: axes above one that is cut by stay on the device, as integers.
/// Where no such placement exists, what comes before them; or `outer`.
std::vector<DimPlacement>
Planner::without(const std::vector<DimPlacement> &dims, const Axes &removed,
                 const std::vector<DimPlacement> &outer) {
  std::vector<DimPlacement> result = outer;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (dims[d] == outer[d])
      continue;
    std::vector<Split> local, ended, before;
    bool isBefore = true;
    for (const Split &split : refinedSplits(dims[d], mesh, shape[d], pieces)) {
      bool removes = false;
      for (const AxisRef &axis : removed)
        removes |= split.isAxis() && overlap(axis, *split.axis, mesh);
      local.push_back(removes ? Split::byFactor(axisSize(mesh, *split.axis))
                              : split);
      isBefore &= !removes;
      if (isBefore)
        before.push_back(split);
      if (split.isAxis() && !removes)
        ended = local;
    }
    for (const std::vector<Split> &splits : {ended, local, before}) {
      Placement alone;
      alone.dims.emplace_back().splits = splits;
      if (verifyPlacement(alone, mesh, {shape[d]}))
        continue;
      DimPlacement dim = normalDim(alone.dims[0], mesh, shape[d]);
      if (!contains(outer[d], dim, d) || !contains(dim, dims[d], d))
        continue;
      result[d] = dim;
      break;
    }
  }
  return result;
}

/// The slice, the reduce-scatter, the all-reduce and the move of a target.
std::vector<CollectiveStep>
Planner::reduceInto(const ReduceSearch::Target &target,
                    const std::vector<ReduceSearch::Atom> &atoms,
                    const Placement &src, const Placement &dst,
                    const Axes &rest, const Axes &kept) {
  Axes scattered, remaining = rest;
  for (size_t i = 0; i < atoms.size(); ++i)
    if (atoms[i].isReduced)
      (target.used[i] ? scattered : remaining).push_back(atoms[i].axis);
  auto partialOver = [&](const std::vector<DimPlacement> &dims, Axes axes,
                         const Axes &more) {
    Placement placement;
    placement.dims = dims;
    axes.insert(axes.end(), more.begin(), more.end());
    axes.insert(axes.end(), kept.begin(), kept.end());
    placement.partialAxes = axes;
    placement.partial = axes.empty() ? std::nullopt : src.partial;
    return normal(placement);
  };
  std::vector<CollectiveStep> steps;
  Placement current = src;
  auto add = [&](CollectiveKind kind, Placement to) {
    if (to == current)
      return;
    steps.push_back({kind, current, to});
    current = std::move(to);
  };
  // Splits by other axes than those to be reduced are sliced first.
  add(CollectiveKind::Slice,
      partialOver(scattered.empty() ? target.dims
                                    : without(target.dims, scattered, src.dims),
                  scattered, remaining));
  if (!scattered.empty())
    add(CollectiveKind::ReduceScatter, partialOver(target.dims, {}, remaining));
  if (!remaining.empty())
    add(CollectiveKind::AllReduce, partialOver(target.dims, {}, {}));
  for (CollectiveStep &step : move(current, partialOver(dst.dims, {}, {})))
    steps.push_back(std::move(step));
  return steps;
}

/// In two parts: first to where the destination wants what is left to reduce,
/// all but `later` being reduced on the way, and from there. More bytes than
/// the other way round where sizes are even, but fewer messages where the
/// reduction then ends in place. Nothing where that takes too much memory
/// (rule D2), or is no detour.
std::vector<CollectiveStep> Planner::planThrough(const Placement &src,
                                                 const Placement &dst,
                                                 const Axes &later,
                                                 const Axes &kept) {
  Placement there;
  there.dims =
      without(dst.dims, later, Placement::replicatedOfRank(shape.size()).dims);
  there.partial = src.partial;
  there.partialAxes = later;
  there.partialAxes.insert(there.partialAxes.end(), kept.begin(), kept.end());
  Placement result = dst;
  result.partial = kept.empty() ? std::nullopt : src.partial;
  result.partialAxes = kept;
  there = normal(there);
  result = normal(result);
  if (there == src || there == result || verifyPlacement(there, mesh, shape) ||
      costs.mostHeld(there) >
          std::max(costs.mostHeld(src), costs.mostHeld(dst)))
    return {};
  bool wasNested = isNested;
  Axes ownPieces = pieces;
  isNested = true;
  std::vector<CollectiveStep> steps = plan(src, there);
  for (CollectiveStep &step : plan(there, result))
    steps.push_back(std::move(step));
  isNested = wasNested;
  pieces = std::move(ownPieces);
  return steps;
}

/// Cuts reduce-scatters in two while that is cheaper: uneven blocks may be
/// smaller in one order than in another, and slow links carry less once fast
/// ones have reduced.
void Planner::splitScatters(std::vector<CollectiveStep> &steps, Cost &cost) {
  for (size_t i = 0; i < steps.size() && i < kMaxSplits; ++i) {
    if (steps[i].kind != CollectiveKind::ReduceScatter)
      continue;
    Axes reduced, remaining = refineAll(steps[i].to.partialAxes, mesh, pieces);
    for (const AxisRef &piece :
         refineAll(steps[i].from.partialAxes, mesh, pieces))
      if (std::find(remaining.begin(), remaining.end(), piece) ==
          remaining.end())
        reduced.push_back(piece);
    bool isApart = true;
    for (const AxisRef &axis : reduced)
      for (const AxisRef &other : remaining)
        isApart &= !overlap(axis, other, mesh);
    if (!isApart)
      continue;
    bool isCut = cutInTwo(steps, cost, i, reduced, [&](const Axes &second) {
      Placement mid;
      mid.dims = without(steps[i].to.dims, second, steps[i].from.dims);
      mid.partial = steps[i].from.partial;
      mid.partialAxes = steps[i].to.partialAxes;
      mid.partialAxes.insert(mid.partialAxes.end(), second.begin(),
                             second.end());
      return normal(mid);
    });
    if (isCut)
      --i; // the first of the two may be cut again
  }
}

/// Replaces `best` by `other` where that is cheaper, its reduce-scatters and
/// all-gathers cut in two first where that may help.
void Planner::weigh(std::vector<CollectiveStep> &best, Cost &cost,
                    std::vector<CollectiveStep> other, bool splits) {
  if (other.empty())
    return;
  Cost otherCost = costs.of(other);
  if (splits)
    splitScatters(other, otherCost);
  if (linksDiffer())
    splitGathers(other, otherCost);
  if (!best.empty() && !isBetter(otherCost, cost))
    return;
  best = std::move(other);
  cost = otherCost;
}

/// The cheapest of what the destination's dims suggest and what a search finds.
std::vector<CollectiveStep> Planner::reduce(const Placement &src,
                                            const Placement &dst,
                                            const Axes &reduced,
                                            const Axes &kept) {
  std::vector<CollectiveStep> best;
  Cost cost;
  pieces = parts;
  Scatter start = scatter(src, dst, reduced);
  Axes rest;
  for (const AxisRef &axis : reduced)
    if (std::find(start.used.begin(), start.used.end(), axis) ==
        start.used.end())
      rest.push_back(axis);
  weigh(best, cost, reduceAndMove(start, src, dst, rest, kept, std::nullopt),
        linksDiffer());
  for (size_t d = 0; !rest.empty() && d < shape.size(); ++d)
    weigh(best, cost, reduceAndMove(start, src, dst, rest, kept, d),
          linksDiffer());
  // A short tensor is reduced in one step and sliced then.
  if (options.weighsAll() && rest.size() < reduced.size())
    weigh(best, cost,
          reduceAndMove(Scatter{src, src, {}}, src, dst, reduced, kept,
                        std::nullopt),
          false);
  // Without sizes nothing is known to be better, without elements nothing is.
  if (!isConcrete || numElements(shape) == 0)
    return best;

  auto linkOf = [&](const AxisRef &axis) {
    return options.machine.linkOf(
        mesh.axes[static_cast<size_t>(mesh.axisIndex(axis.name))]);
  };
  // All that is reduced is looked at as something to scatter; where links
  // differ, also what has faster links than a given one, the others being
  // reduced whole in between.
  std::vector<double> slower = {0};
  if (linksDiffer())
    for (const AxisRef &axis : reduced)
      slower.push_back(linkOf(axis).bandwidth);
  std::sort(slower.begin(), slower.end());
  slower.erase(std::unique(slower.begin(), slower.end()), slower.end());
  bool proved = false;
  for (double bandwidth : slower) {
    std::vector<ReduceSearch::Atom> atoms;
    Axes whole;
    for (const AxisRef &axis : reduced)
      if (bandwidth > 0 && linkOf(axis).bandwidth <= bandwidth)
        whole.push_back(axis);
      else if (axisSize(mesh, axis) > 1)
        atoms.push_back({axis, axisSize(mesh, axis), true});
    if (bandwidth > 0 && atoms.empty())
      break;
    for (const AxisRef &part : parts)
      if (axisSize(mesh, part) > 1 && !uses(src, part) &&
          !(bandwidth > 0 && linkOf(part).bandwidth <= bandwidth))
        atoms.push_back({part, axisSize(mesh, part), false});
    proved |=
        searchTargets(best, cost, src, dst, std::move(atoms), whole, kept);
  }
  if (isNested || (proved && !options.weighsAll()))
    return best;
  // Few axes are left for later in all ways, many at once alone.
  size_t all = (size_t{1} << std::min(reduced.size(), kMaxSplits)) - 1;
  bool few =
      reduced.size() <= kMaxSplits && shardSizes.numDevices() <= kFewDevices;
  for (size_t chosen = few ? 1 : all; chosen <= all; ++chosen) {
    Axes later;
    for (size_t i = 0; i < reduced.size(); ++i)
      if (!few || (chosen >> i & 1))
        later.push_back(reduced[i]);
    weigh(best, cost, planThrough(src, dst, later, kept), false);
  }
  return best;
}

/// The seconds that receiving so many elements takes over the fastest link.
double Planner::leastSeconds(int64_t elements) const {
  double bandwidth = 1;
  for (const MeshAxis &axis : mesh.axes)
    bandwidth =
        std::max(bandwidth, options.machine.linkOf(axis).gatherBandwidth);
  return static_cast<double>(elements) *
         static_cast<double>(options.elementBytes) / bandwidth;
}

/// Compares the plans that scatter over `atoms` and all-reduce over `whole`.
/// Returns true if no plan that receives less is left out.
bool Planner::searchTargets(std::vector<CollectiveStep> &best, Cost &cost,
                            const Placement &src, const Placement &dst,
                            std::vector<ReduceSearch::Atom> atoms,
                            const Axes &whole, const Axes &kept) {
  ReduceSearch search(src, dst, mesh, shape, shardSizes, std::move(atoms));
  if (options.mode == CostMode::Time) {
    // A step takes about three latencies.
    double elements =
        3 * options.machine.latency * options.machine.bandwidth /
        static_cast<double>(std::max<int64_t>(1, options.elementBytes));
    search.countStepsAs(static_cast<int64_t>(std::min(elements, 1e15)));
  }
  bool searchAll =
      options.weighsAll() && shardSizes.numDevices() <= kFewDevices;
  std::vector<ReduceSearch::Target> targets =
      search.run(searchAll ? kMaxTimedTargets : kMaxTargets, searchAll);
  pieces.clear();
  for (const ReduceSearch::Atom &atom : search.allAtoms())
    pieces.push_back(atom.axis);
  for (const AxisRef &part : parts) {
    bool isApart = true;
    for (const ReduceSearch::Atom &atom : search.allAtoms())
      isApart &= !overlap(part, atom.axis, mesh);
    if (isApart)
      pieces.push_back(part);
  }
  // As commonRefinement orders them, for refine() to find runs.
  std::sort(pieces.begin(), pieces.end(),
            [&](const AxisRef &a, const AxisRef &b) {
              return std::make_pair(mesh.axisIndex(a.name), a.preSize) <
                     std::make_pair(mesh.axisIndex(b.name), b.preSize);
            });
  // Uneven blocks may be smaller in one order than in another; a step more for
  // a few rows is nothing that time is won by on many devices.
  bool splits = linksDiffer() || (!search.isProved() &&
                                  (options.mode == CostMode::Bytes ||
                                   shardSizes.numDevices() <= kFewDevices));
  if (splits)
    splitScatters(best, cost);
  for (const ReduceSearch::Target &target : targets) {
    // In time, fewer steps may be worth more bytes.
    if (!options.weighsAll() && !splits && options.deviceWeights.empty() &&
        mulSaturated(target.elements, options.elementBytes) > cost.bytes)
      continue;
    if (options.mode == CostMode::Time && !options.stepCost && !splits &&
        leastSeconds(target.elements) > cost.seconds)
      continue;
    weigh(best, cost,
          reduceInto(target, search.allAtoms(), src, dst, whole, kept), splits);
  }
  return search.isProved();
}

/// Where a make_partial over `made` may start from on the way to `dst`: its
/// dims, those of `src`, and its dims cut by `made` where the source has these
/// or neither has a cut. Each is partial over `kept`.
std::vector<Placement> Planner::termPlacements(const Placement &src,
                                               const Placement &dst,
                                               const Axes &kept,
                                               const Axes &made) {
  std::vector<Placement> result;
  auto add = [&](const std::vector<DimPlacement> &dims) {
    Placement placement;
    placement.dims = dims;
    placement.partialAxes = kept;
    placement.partial = kept.empty() ? std::nullopt : dst.partial;
    placement = normal(placement);
    if (std::find(result.begin(), result.end(), placement) == result.end() &&
        !verifyPlacement(placement, mesh, shape) &&
        canMakePartial(placement, dst, mesh, shape))
      result.push_back(std::move(placement));
  };
  add(dst.dims);
  if (made.empty())
    return result;
  Placement held;
  held.dims = src.dims;
  if (std::any_of(made.begin(), made.end(),
                  [&](const AxisRef &axis) { return uses(held, axis); }))
    add(src.dims);
  if (!isConcrete || numElements(shape) == 0)
    return result;
  std::vector<ReduceSearch::Atom> atoms;
  for (const AxisRef &axis : made)
    if (axisSize(mesh, axis) > 1)
      atoms.push_back({axis, axisSize(mesh, axis), false});
  ReduceSearch search(dst, src, mesh, shape, shardSizes, std::move(atoms));
  search.moveToTargets(kept.size() < refined(src.partialAxes).size());
  for (const ReduceSearch::Target &target : search.run(kMaxTerms))
    add(target.dims);
  return result;
}

std::vector<CollectiveStep> Planner::plan(const Placement &src,
                                          const Placement &dst) {
  bool sameKind = src.partial == dst.partial;
  Axes before = refined(src.partialAxes), after = refined(dst.partialAxes);
  std::vector<CollectiveStep> best;
  Cost cost;
  for (bool keeps : {true, false}) {
    Axes kept, reduced, made;
    for (const AxisRef &axis : before)
      (keeps && sameKind && isIn(axis, after) ? kept : reduced).push_back(axis);
    for (const AxisRef &axis : after)
      if (!isIn(axis, kept))
        made.push_back(axis);
    for (const Placement &terms : termPlacements(src, dst, kept, made)) {
      std::vector<CollectiveStep> steps =
          reduced.empty() ? move(src, terms)
                          : reduce(src, terms, reduced, kept);
      if (terms != dst)
        steps.push_back({CollectiveKind::MakePartial, terms, dst});
      Cost other = costs.of(steps);
      if (!best.empty() && !isBetter(other, cost))
        continue;
      best = std::move(steps);
      cost = other;
    }
    // Nothing to make partial again, or nothing to be saved by that.
    if (kept.empty() || isNested || cost.steps == 0)
      break;
  }
  return best;
}
