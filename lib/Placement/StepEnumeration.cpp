//===- StepEnumeration.cpp - Changes of placement without a reduction -----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires placements in normal form of equal partials, if any: each term is
// redistributed on its own.
// Guarantees at most one local slice and one collective, which receive the
// least bytes there can be (rule D3): what the new shard holds and the old one
// does not. Which of the standard collectives does that is a matter of the
// blocks where sizes are known, and of the spelling where they are not, so that
// the answer holds for every size.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace shardir;
using namespace shardir::detail;

/// Slices before an exchange that are weighed under CostMode::Time, on few
/// devices and on many.
static constexpr size_t kMaxSlices = 24, kFewSlices = 4;

/// The devices to count on. All axes differ where a slice by axes that neither
/// placement names may help. Weights are of all devices.
static DeviceSample sampleFor(const Placement &src, const Placement &dst,
                              const Mesh &mesh,
                              const std::vector<int64_t> &shape,
                              const PlanOptions &options) {
  DeviceSample sample(mesh, options.deviceWeights.empty()
                                ? DeviceSample::kFewDevices
                                : INT64_MAX);
  sample.add({CollectiveKind::Exchange, src, dst}, shape);
  if (!src.partial && !options.weighsAll())
    return sample;
  for (const MeshAxis &axis : mesh.axes)
    sample.add(AxisRef{axis.name, 1, 0});
  // Where not all divides, the search may cut axes into primes.
  int64_t devices = mesh.numDevices();
  if (std::all_of(shape.begin(), shape.end(),
                  [&](int64_t extent) { return extent % devices == 0; }))
    return sample;
  for (const Placement *held : {&src, &dst}) {
    std::vector<ReduceSearch::Atom> atoms;
    for (const AxisRef &part : commonRefinement(src, dst, mesh)) {
      bool splits = false;
      for (size_t d = 0; d < held->dims.size(); ++d)
        for (const AxisRef &axis : held->axesOf(d))
          splits |= overlap(part, axis, mesh);
      if (!splits && axisSize(mesh, part) > 1)
        atoms.push_back({part, axisSize(mesh, part), false});
    }
    for (const ReduceSearch::Atom &atom : ReduceSearch::primeAtoms(atoms, mesh))
      sample.add(atom.axis);
  }
  return sample;
}

Planner::Planner(const Placement &src, const Placement &dst, const Mesh &mesh,
                 const std::vector<int64_t> &shape, const PlanOptions &options)
    : mesh(mesh), shape(shape), options(options),
      concreteMesh(assumedMesh(mesh)),
      concreteShape(assumedShape(shape, mesh, {&src, &dst})),
      isConcrete(mesh.isConcrete() && concreteShape == shape),
      parts(commonRefinement(src, dst, mesh)), pieces(parts),
      shardSizes(concreteMesh, concreteShape,
                 sampleFor(src, dst, concreteMesh, concreteShape, options)),
      costs(shardSizes, concreteMesh, concreteShape, options.elementBytes,
            options.mode == CostMode::Time ? &options.machine : nullptr,
            options.deviceWeights, options.stepCost) {
  int64_t source = costs.mostHeld(src), target = costs.mostHeld(dst);
  for (int64_t held : {source, target, std::max(source, target)})
    memory = held > INT64_MAX - memory ? INT64_MAX : memory + held;
  memory = mulSaturated(memory, std::max<int64_t>(0, options.elementBytes));
}

bool Planner::isKnownDim(const DimPlacement &dim, size_t d) const {
  if (shape[d] == kUnknown)
    return false;
  for (const Split &split : dim.splits)
    if (split.isAxis() && !isKnown(mesh, *split.axis))
      return false;
  return true;
}

std::vector<Split> Planner::tokens(const DimPlacement &dim, size_t d) const {
  return refinedSplits(dim, mesh, shape[d], parts);
}

bool Planner::uses(const Placement &placement, const AxisRef &axis) const {
  for (size_t d = 0; d < placement.dims.size(); ++d)
    for (const AxisRef &other : placement.axesOf(d))
      if (overlap(axis, other, mesh))
        return true;
  for (const AxisRef &other : placement.partialAxes)
    if (overlap(axis, other, mesh))
      return true;
  return false;
}

bool Planner::contains(const DimPlacement &outer, const DimPlacement &inner,
                       size_t d) {
  if (outer == inner)
    return true;
  if (isKnownDim(outer, d) && isKnownDim(inner, d))
    return shardSizes.contains(d, shardSizes.option(d, outer),
                               shardSizes.option(d, inner));
  std::vector<Split> a = tokens(outer, d), b = tokens(inner, d);
  bool nested =
      a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
  for (size_t i = a.size(); nested && i < b.size(); ++i)
    nested = b[i].isAxis();
  // Blocks nest (P3): more axes after the same splits cut inside the blocks.
  return nested;
}

bool Planner::contains(const Placement &outer, const Placement &inner) {
  for (size_t d = 0; d < shape.size(); ++d)
    if (!contains(outer.dims[d], inner.dims[d], d))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Which collective a change is
//===----------------------------------------------------------------------===//

bool Planner::isAllGather(const Placement &from, const Placement &to) {
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<AxisRef> before;
    for (const Split &split : tokens(from.dims[d], d))
      if (split.isAxis())
        before.push_back(*split.axis);
    for (const Split &split : tokens(to.dims[d], d))
      if (split.isAxis() &&
          std::find(before.begin(), before.end(), *split.axis) == before.end())
        return false;
  }
  return contains(to, from);
}

/// One run of axes leaves the end of one dimension for the end of another.
bool Planner::isAllToAll(const Placement &from, const Placement &to) const {
  std::vector<Split> left, arrived;
  int leaves = 0, arrives = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (from.dims[d] == to.dims[d])
      continue;
    std::vector<Split> a = tokens(from.dims[d], d), b = tokens(to.dims[d], d);
    std::vector<Split> &more = a.size() > b.size() ? a : b;
    std::vector<Split> &fewer = a.size() > b.size() ? b : a;
    if (more.size() == fewer.size() ||
        !std::equal(fewer.begin(), fewer.end(), more.begin()))
      return false;
    (a.size() > b.size() ? left : arrived)
        .assign(more.begin() + fewer.size(), more.end());
    ++(a.size() > b.size() ? leaves : arrives);
  }
  if (leaves != 1 || arrives != 1 || left != arrived)
    return false;
  for (const Split &split : left)
    if (!split.isAxis())
      return false;
  return true;
}

/// True if every device's new shard is all of one device's old shard.
bool Planner::isPermute(const Placement &from, const Placement &to) {
  bool renamed = true, known = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::vector<Split> &a = from.dims[d].splits;
    const std::vector<Split> &b = to.dims[d].splits;
    known &= isKnownDim(from.dims[d], d) && isKnownDim(to.dims[d], d);
    renamed &= a.size() == b.size();
    for (size_t i = 0; renamed && i < a.size(); ++i)
      if (a[i].isAxis() && b[i].isAxis())
        renamed = isKnown(mesh, *a[i].axis) && isKnown(mesh, *b[i].axis)
                      ? axisSize(mesh, *a[i].axis) == axisSize(mesh, *b[i].axis)
                      : a[i] == b[i];
      else
        renamed = a[i] == b[i];
  }
  if (renamed)
    return true;
  if (!known)
    return false;
  // A dimension's new block must be some old one, for all coordinates.
  for (size_t d = 0; d < shape.size(); ++d)
    if (!shardSizes.permutes(d, shardSizes.option(d, from.dims[d]),
                             shardSizes.option(d, to.dims[d])))
      return false;
  return true;
}

std::optional<CollectiveKind> Planner::standardKind(const Placement &from,
                                                    const Placement &to) {
  if (isAllGather(from, to))
    return CollectiveKind::AllGather;
  if (isAllToAll(from, to))
    return CollectiveKind::AllToAll;
  if (isPermute(from, to))
    return CollectiveKind::Permute;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

Placement Planner::normal(const Placement &placement) const {
  return normalForm(placement, mesh, shape);
}

/// `from` with the splits of `to` that can be added without communication:
/// axes that `from` does not use, after the splits that both have.
Placement Planner::sliced(const Placement &from, const Placement &to) {
  Placement mid = from;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<Split> a = tokens(from.dims[d], d), b = tokens(to.dims[d], d);
    if (a.size() >= b.size() || !std::equal(a.begin(), a.end(), b.begin()))
      continue;
    size_t end = a.size();
    while (end < b.size() && b[end].isAxis() && !uses(from, *b[end].axis))
      ++end;
    DimPlacement dim;
    dim.splits.assign(b.begin(), b.begin() + end);
    if (contains(from.dims[d], dim, d))
      mid.dims[d] = dim;
  }
  return normal(mid);
}

bool Planner::linksDiffer() const {
  if (!options.weighsAll())
    return false;
  if (options.stepCost)
    return true; // for all that is known
  for (const MeshAxis &axis : mesh.axes)
    if (!(options.machine.linkOf(axis) ==
          options.machine.linkOf(mesh.axes.front())))
      return true;
  return false;
}

bool Planner::cutInTwo(
    std::vector<CollectiveStep> &steps, Cost &cost, size_t i, const Axes &axes,
    const std::function<Placement(const Axes &)> &placementBetween) {
  if (axes.size() < 2 || axes.size() > kMaxSplits)
    return false;
  std::vector<CollectiveStep> best;
  for (size_t set = 1; set + 1 < size_t{1} << axes.size(); ++set) {
    Axes chosen;
    for (size_t j = 0; j < axes.size(); ++j)
      if (set >> j & 1)
        chosen.push_back(axes[j]);
    Placement mid = placementBetween(chosen);
    if (mid == steps[i].from || mid == steps[i].to)
      continue;
    std::vector<CollectiveStep> other = steps;
    other[i].to = mid;
    other.insert(other.begin() + static_cast<long>(i) + 1,
                 {steps[i].kind, mid, steps[i].to});
    Cost otherCost = costs.of(other);
    if (isBetter(otherCost, cost)) {
      best = std::move(other);
      cost = otherCost;
    }
  }
  if (best.empty())
    return false;
  steps = std::move(best);
  return true;
}

/// Cuts all-gathers in two while that is cheaper: slow links carry least while
/// shards are small.
void Planner::splitGathers(std::vector<CollectiveStep> &steps, Cost &cost) {
  for (size_t i = 0; i < steps.size() && i < kMaxSplits; ++i) {
    if (steps[i].kind != CollectiveKind::AllGather)
      continue;
    Axes gathered = refineAll(groupAxes(steps[i], mesh, shape), mesh, pieces);
    bool isCut = cutInTwo(steps, cost, i, gathered, [&](const Axes &removed) {
      Placement mid = steps[i].from;
      mid.dims = without(steps[i].from.dims, removed, steps[i].to.dims);
      return normal(mid);
    });
    if (isCut)
      --i; // the first of the two may be cut again
  }
}

/// True if a plan between the requested placements keeps rule D2.
bool Planner::fits(const Cost &cost) const {
  return isNested || cost.alive <= memory;
}

bool Planner::fits(const std::vector<CollectiveStep> &steps) {
  return fits(costs.of(steps));
}

/// A plan that keeps rule D2 is better than one that does not.
bool Planner::isBetter(const Cost &a, const Cost &b) const {
  if (fits(a) != fits(b))
    return fits(a);
  return isCheaper(a, b, options.mode);
}

std::vector<CollectiveStep> Planner::move(const Placement &from,
                                          const Placement &to) {
  if (from == to)
    return {};
  if (contains(from, to))
    return {{CollectiveKind::Slice, from, to}};
  if (std::optional<CollectiveKind> kind = standardKind(from, to)) {
    std::vector<CollectiveStep> steps = {{*kind, from, to}};
    if (linksDiffer()) {
      Cost cost = costs.of(steps);
      splitGathers(steps, cost);
    }
    return steps;
  }
  std::vector<CollectiveStep> best = {{CollectiveKind::Exchange, from, to}};
  Placement mid = sliced(from, to);
  if (mid == from && !options.weighsAll())
    return best;
  Cost cost = costs.of(best);
  sliceFirst(best, cost, from, mid, to);
  if (!options.weighsAll() || !isConcrete || numElements(shape) == 0 ||
      costs.isBalanced(best.back()))
    return best;
  // A device gets what it lacks from one that it shares all coordinates with
  // along the axes that `from` is replicated over. Cut by these first, what is
  // sent is spread over more devices.
  std::vector<ReduceSearch::Atom> atoms;
  for (const AxisRef &part : parts)
    if (axisSize(mesh, part) > 1 && !uses(from, part))
      atoms.push_back({part, axisSize(mesh, part), false});
  if (atoms.empty())
    return best;
  ReduceSearch search(from, to, mesh, shape, shardSizes, std::move(atoms));
  size_t limit =
      shardSizes.numDevices() <= kFewDevices ? kMaxSlices : kFewSlices;
  for (const ReduceSearch::Target &target : search.run(limit, true)) {
    Placement cut = from;
    cut.dims = target.dims;
    sliceFirst(best, cost, from, normal(cut), to);
  }
  return best;
}

/// Weighs a slice to `mid` and one collective on.
void Planner::sliceFirst(std::vector<CollectiveStep> &best, Cost &cost,
                         const Placement &from, const Placement &mid,
                         const Placement &to) {
  std::optional<CollectiveKind> kind = standardKind(mid, to);
  if (mid == from || (!kind && !options.weighsAll()))
    return;
  std::vector<CollectiveStep> chain = {
      {CollectiveKind::Slice, from, mid},
      {kind.value_or(CollectiveKind::Exchange), mid, to}};
  Cost chainCost = costs.of(chain);
  if (linksDiffer())
    splitGathers(chain, chainCost);
  if (!isBetter(chainCost, cost))
    return;
  best = std::move(chain);
  cost = chainCost;
}
