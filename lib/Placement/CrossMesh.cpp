//===- CrossMesh.cpp - From one mesh to another -----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires two placements of one shape; they are verified here too.
// Guarantees a chain of one step between the meshes, and of steps of the
// one-mesh planner before it where the source is partial. Where the meshes
// differ in names alone the one-mesh planner makes all steps but the one
// between the meshes, which communicates nothing.
//
// A partial source is reduced on its own mesh: to every dim in turn, to every
// mixture of dims, or to a replicated tensor. The planner takes the candidate
// that minimizes the bytes of the rank that receives most, on and between the
// meshes together; of equal ones the one with the fewest steps.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Placement/CrossMesh.h"
#include "ShardIR/Placement/DeviceSample.h"
#include "Steps.h"

using namespace shardir;
using namespace shardir::detail;

bool shardir::isRenamed(const Mesh &a, const Mesh &b) {
  if (!a.isConcrete() || !b.isConcrete() || a.axes.size() != b.axes.size())
    return false;
  for (size_t i = 0; i < a.axes.size(); ++i)
    if (a.axes[i].size != b.axes[i].size)
      return false;
  for (int64_t p = 0, n = a.numDevices(); p < n; ++p)
    if (a.rankAt(p) != b.rankAt(p))
      return false;
  return true;
}

Placement shardir::renamed(const Placement &placement, const Mesh &a,
                           const Mesh &b) {
  Placement result = placement;
  auto rename = [&](AxisRef &axis) {
    if (int index = a.axisIndex(axis.name); index >= 0)
      axis.name = b.axes[index].name;
  };
  for (DimPlacement &dim : result.dims)
    for (Split &split : dim.splits)
      if (split.isAxis())
        rename(*split.axis);
  for (AxisRef &axis : result.partialAxes)
    rename(axis);
  for (AxisRef &axis : result.replicated)
    rename(axis);
  return result;
}

std::vector<int64_t> shardir::ranksOfEither(const Mesh &a, const Mesh &b) {
  std::vector<int64_t> ranks;
  for (const Mesh *mesh : {&a, &b})
    for (int64_t p = 0, n = mesh->numDevices(); p < n; ++p)
      ranks.push_back(mesh->rankAt(p));
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Elements that each rank receives: `ranks` is ranksOfEither.
static std::vector<int64_t> received(const CrossMeshPlan &plan,
                                     const Mesh &srcMesh, const Mesh &dstMesh,
                                     const std::vector<int64_t> &shape,
                                     const std::vector<int64_t> &ranks) {
  std::vector<int64_t> elements(ranks.size(), 0);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const CollectiveStep &step = plan.steps[i];
    const Mesh &mesh = i < plan.crossing ? srcMesh : dstMesh;
    std::optional<StepParts> parts; // of one mesh's steps alone
    if (i != plan.crossing)
      parts.emplace(step, mesh);
    for (size_t r = 0; r < ranks.size(); ++r) {
      int64_t position = mesh.positionOf(ranks[r]);
      if (position < 0)
        continue;
      int64_t own =
          i == plan.crossing
              ? elementsBetween(step, srcMesh, dstMesh, shape, position)
              : elementsReceived(step, *parts, mesh, shape, position);
      elements[r] =
          own > INT64_MAX - elements[r] ? INT64_MAX : elements[r] + own;
    }
  }
  return elements;
}

int64_t shardir::planBytes(const CrossMeshPlan &plan, const Mesh &srcMesh,
                           const Mesh &dstMesh,
                           const std::vector<int64_t> &shape,
                           int64_t elementBytes) {
  std::vector<int64_t> bytes =
      receivedByRank(plan, srcMesh, dstMesh, shape, elementBytes);
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

std::vector<int64_t> shardir::receivedByRank(const CrossMeshPlan &plan,
                                             const Mesh &srcMesh,
                                             const Mesh &dstMesh,
                                             const std::vector<int64_t> &shape,
                                             int64_t elementBytes) {
  Mesh from = assumedMesh(srcMesh), to = assumedMesh(dstMesh);
  std::vector<const Placement *> placements;
  for (const CollectiveStep &step : plan.steps)
    placements.push_back(&step.from);
  std::vector<int64_t> ranks = ranksOfEither(from, to);
  std::vector<int64_t> elements =
      received(plan, from, to, assumedShape(shape, from, placements), ranks);
  std::vector<int64_t> bytes(ranks.empty() ? 0 : ranks.back() + 1, 0);
  for (size_t r = 0; r < ranks.size(); ++r)
    bytes[ranks[r]] =
        mulSaturated(elements[r], std::max<int64_t>(0, elementBytes));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The placements that a partial source may be reduced to on its own mesh.
static std::vector<Placement>
reducedPlacements(const Placement &src, const Mesh &mesh,
                  const std::vector<int64_t> &shape) {
  constexpr size_t kMost = 256;
  Placement replicated = src;
  replicated.partial.reset();
  replicated.partialAxes.clear();
  std::vector<Placement> result = {replicated};
  for (const AxisRef &axis : src.partialAxes) {
    size_t count = result.size();
    for (size_t i = 0; i < count && result.size() < kMost; ++i)
      for (size_t d = 0; d < shape.size(); ++d) {
        Placement next = result[i];
        next.dims[d].splits.push_back(Split::byAxis(axis));
        if (!verifyPlacement(next, mesh, shape))
          result.push_back(std::move(next));
      }
  }
  return result;
}

/// The one step between the meshes: a slice if that holds for every size and
/// moves nothing.
static CollectiveStep crossingStep(const Placement &from, const Placement &to,
                                   const Mesh &srcMesh, const Mesh &dstMesh,
                                   const std::vector<int64_t> &shape) {
  CollectiveStep step{CollectiveKind::Exchange, from, to};
  if (!srcMesh.isConcrete() || !dstMesh.isConcrete())
    return step;
  for (int64_t extent : shape)
    if (extent == kUnknown)
      return step;
  for (int64_t p = 0, n = dstMesh.numDevices(); p < n; ++p)
    if (elementsBetween(step, srcMesh, dstMesh, shape, p) != 0)
      return step;
  step.kind = CollectiveKind::Slice;
  return step;
}

/// Between two meshes, from normal form to normal form.
static std::variant<CrossMeshPlan, PlacementError>
planCrossing(const Placement &from, const Mesh &srcMesh, const Placement &to,
             const Mesh &dstMesh, const std::vector<int64_t> &shape,
             const PlanOptions &options) {
  CrossMeshPlan best;
  if (isRenamed(srcMesh, dstMesh)) {
    Placement end = renamed(to, dstMesh, srcMesh);
    auto steps = planRedistribute(from, end, srcMesh, shape, options);
    if (auto *error = std::get_if<PlacementError>(&steps))
      return *error;
    best.steps = std::move(std::get<RedistributePlan>(steps).steps);
    best.crossing = best.steps.size();
    best.steps.push_back({CollectiveKind::Slice, end, to});
    return best;
  }

  Placement arrived = to;
  arrived.partial.reset();
  arrived.partialAxes.clear();
  arrived = normalForm(arrived, dstMesh, shape);
  Mesh srcSized = assumedMesh(srcMesh), dstSized = assumedMesh(dstMesh);
  std::vector<int64_t> sizes = assumedShape(shape, srcSized, {&from, &to});
  std::vector<int64_t> ranks = ranksOfEither(srcSized, dstSized);
  int64_t least = -1;
  for (const Placement &candidate : reducedPlacements(from, srcMesh, shape)) {
    Placement left = normalForm(candidate, srcMesh, shape);
    CrossMeshPlan plan;
    if (left != from) {
      auto steps = planRedistribute(from, left, srcMesh, shape, options);
      if (auto *error = std::get_if<PlacementError>(&steps))
        return *error;
      plan.steps = std::move(std::get<RedistributePlan>(steps).steps);
    }
    plan.crossing = plan.steps.size();
    plan.steps.push_back(crossingStep(left, arrived, srcMesh, dstMesh, shape));
    std::vector<int64_t> elements =
        received(plan, srcSized, dstSized, sizes, ranks);
    int64_t most = *std::max_element(elements.begin(), elements.end());
    if (least < 0 || most < least ||
        (most == least && plan.steps.size() < best.steps.size())) {
      least = most;
      best = std::move(plan);
    }
  }
  if (arrived != to)
    best.steps.push_back({CollectiveKind::MakePartial, arrived, to});
  return best;
}

static bool moves(CollectiveKind kind) {
  return kind == CollectiveKind::Slice || kind == CollectiveKind::AllGather ||
         kind == CollectiveKind::AllToAll || kind == CollectiveKind::Permute ||
         kind == CollectiveKind::Exchange;
}

/// True if each device holds all elements of the overlapping shards of `step`.
/// With axes of unknown size this is known for replicated dims alone.
static bool isThere(const CollectiveStep &step, const Mesh &mesh,
                    const std::vector<int64_t> &shape) {
  if (!mesh.isConcrete() ||
      std::find(shape.begin(), shape.end(), kUnknown) != shape.end()) {
    for (size_t d = 0; d < shape.size(); ++d)
      if ((!step.halo[d].isZero() || !(step.from.dims[d] == step.to.dims[d])) &&
          !step.from.dims[d].splits.empty())
        return false;
    return true;
  }
  DeviceSample sample(mesh);
  sample.add(step, shape);
  for (int64_t p : sample.positions())
    if (elementsBetween(step, mesh, mesh, shape, p) > 0)
      return false;
  return true;
}

/// Makes the shards of the plan's end overlap. All moves at the end become one
/// step, from `src` if there are no others: a slice among them would drop what
/// a neighbour's edge is made of.
static void addHalo(CrossMeshPlan &plan, const Placement &src,
                    const Placement &to, const Halo &halo, bool oneMesh,
                    const Mesh &mesh, const std::vector<int64_t> &shape) {
  size_t first = plan.steps.size();
  while (first > 0 && moves(plan.steps[first - 1].kind))
    --first;
  bool crosses = !oneMesh && first <= plan.crossing;
  // Meshes that differ in names alone may be crossed by a partial tensor.
  if (crosses && plan.steps[first].from.partial)
    first = plan.steps.size();
  Placement from = first < plan.steps.size() ? plan.steps[first].from
                   : plan.steps.empty()      ? src
                                             : plan.steps.back().to;
  if (crosses && first < plan.steps.size())
    plan.crossing = first;
  plan.steps.resize(first);
  CollectiveStep step{CollectiveKind::HaloExchange, from, to, halo};
  if (oneMesh && isThere(step, mesh, shape))
    step.kind = CollectiveKind::Slice;
  plan.steps.push_back(std::move(step));
  if (oneMesh)
    plan.crossing = plan.steps.size();
}

std::variant<CrossMeshPlan, PlacementError>
shardir::planRedistribute(const Placement &src, const Mesh &srcMesh,
                          const Placement &dst, const Mesh &dstMesh,
                          const std::vector<int64_t> &shape, const Halo &halo,
                          const PlanOptions &options) {
  // A window's splits name the blocks that read through it.
  const std::vector<int64_t> blocks = blockShape(shape, halo);
  for (auto [placement, mesh, extents] :
       {std::tuple(&src, &srcMesh, &shape), std::tuple(&dst, &dstMesh, &shape),
        std::tuple(&dst, &dstMesh, &blocks)}) {
    if (placement->sugar)
      return PlacementError{"takes placements by dim", ""};
    if (auto error = verifyPlacement(*placement, *mesh, *extents))
      return *error;
  }
  Placement from = normalForm(src, srcMesh, shape);
  Placement to = normalForm(dst, dstMesh, blocks);
  if (auto error = verifyHalo(halo, to, dstMesh, shape))
    return *error;

  bool oneMesh = srcMesh == dstMesh;
  CrossMeshPlan plan;
  if (oneMesh) {
    auto steps = planRedistribute(from, to, srcMesh, shape, options);
    if (auto *error = std::get_if<PlacementError>(&steps))
      return *error;
    plan.steps = std::move(std::get<RedistributePlan>(steps).steps);
    plan.crossing = plan.steps.size();
  } else {
    auto crossing = planCrossing(from, srcMesh, to, dstMesh, shape, options);
    if (auto *error = std::get_if<PlacementError>(&crossing))
      return *error;
    plan = std::move(std::get<CrossMeshPlan>(crossing));
  }
  Halo own = normalHalo(halo, to, dstMesh, shape);
  if (!own.empty())
    addHalo(plan, from, to, own, oneMesh, srcMesh, shape);
  return plan;
}
