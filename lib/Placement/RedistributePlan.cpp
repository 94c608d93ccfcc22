//===- RedistributePlan.cpp - From one placement to another -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires two placements of one shape on one mesh; they are verified here.
// Guarantees a chain that gives every device its new shard, for every pair; no
// step of which leaves a device with more than the larger of source and
// destination (rule D2). StepEnumeration.cpp plans what reduces nothing,
// Reduce.cpp the rest.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"
#include "ShardIR/Placement/PlanCache.h"

#include <algorithm>
#include <cmath>

using namespace shardir;
using namespace shardir::detail;

static std::vector<CollectiveStep>
planSteps(const Placement &from, const Placement &to, const Mesh &mesh,
          const std::vector<int64_t> &shape, const PlanOptions &options) {
  Planner planner(from, to, mesh, shape, options);
  std::vector<CollectiveStep> steps = planner.plan(from, to);
  if (!options.weighsAll() || planner.fits(steps))
    return steps;
  // Chains that fast links suggest may hold too much; the fewest bytes do not.
  PlanOptions bytes = options;
  bytes.mode = CostMode::Bytes;
  bytes.stepCost = nullptr;
  return Planner(from, to, mesh, shape, bytes).plan(from, to);
}

std::variant<RedistributePlan, PlacementError>
shardir::planRedistribute(const Placement &src, const Placement &dst,
                          const Mesh &mesh, const std::vector<int64_t> &shape,
                          const PlanOptions &options) {
  for (const Placement *placement : {&src, &dst})
    if (std::optional<PlacementError> error =
            verifyPlacement(*placement, mesh, shape))
      return *error;
  Placement from = normalForm(src, mesh, shape);
  Placement to = normalForm(dst, mesh, shape);
  if (from == to)
    return RedistributePlan{};
  std::string key;
  if (options.cache) {
    key = PlanCache::keyOf(from, to, mesh, shape, options);
    if (std::optional<RedistributePlan> plan = options.cache->find(key))
      return *plan;
  }
  RedistributePlan plan;
  std::vector<int64_t> sizes = assumedShape(shape, mesh, {&src, &dst});
  if (!mesh.isConcrete() || sizes != shape) {
    // The plan for the assumed sizes, if it is right for all (P6).
    Mesh concrete = assumedMesh(mesh);
    Placement first = normalForm(src, concrete, sizes);
    Placement last = normalForm(dst, concrete, sizes);
    if (first == from && last == to &&
        !verifyPlacement(first, concrete, sizes) &&
        !verifyPlacement(last, concrete, sizes))
      plan.steps = planSteps(first, last, concrete, sizes, options);
    if (!plan.steps.empty() && !Planner(from, to, mesh, shape, options)
                                    .isForAnySize(plan.steps, from, to))
      plan.steps.clear();
  }
  if (plan.steps.empty())
    plan.steps = planSteps(from, to, mesh, shape, options);
  if (options.cache)
    options.cache->insert(key, plan);
  return plan;
}

int64_t shardir::planBytes(const RedistributePlan &plan, const Mesh &mesh,
                           const std::vector<int64_t> &shape,
                           int64_t elementBytes) {
  return detail::bytesOf(plan.steps, mesh, shape, elementBytes);
}

int64_t shardir::planBytes(const RedistributePlan &plan, const Mesh &mesh,
                           const std::vector<int64_t> &shape,
                           int64_t elementBytes,
                           const std::vector<double> &weights) {
  std::vector<int64_t> bytes = bytesReceived(
      plan.steps, mesh, shape, elementBytes, DeviceSample::allOf(mesh));
  double sum = 0;
  for (size_t p = 0; p < bytes.size(); ++p) {
    auto rank = static_cast<size_t>(mesh.rankAt(static_cast<int64_t>(p)));
    if (rank < weights.size())
      sum += weights[rank] * static_cast<double>(bytes[p]);
  }
  return std::llround(std::min(sum, 9e18));
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
