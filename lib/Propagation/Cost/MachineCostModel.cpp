//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The default costs. Requires placements in normal form; guarantees costs that
// depend on shapes, rules and meshes alone. Axes and dims of unknown size count
// as assumed.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Propagation/CostModel.h"

#include "Graph/PropagationSpace.h"

#include "ShardIR/Placement/DeviceSample.h"
#include "ShardIR/Placement/RedistributePlan.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace shardir;

/// True if the closed form is known to be exact: every dim is a multiple of all
/// axes together that either side splits by or is partial over.
static bool isEstimateExact(const Placement &from, const Placement &to,
                            const Mesh &mesh,
                            const std::vector<int64_t> &shape) {
  int64_t devices = 1;
  auto isUsed = [&](const MeshAxis &axis) {
    for (const Placement *placement : {&from, &to}) {
      auto names = [&](const AxisRef &own) { return own.name == axis.name; };
      if (llvm::any_of(placement->partialAxes, names))
        return true;
      for (size_t d = 0; d < placement->dims.size(); ++d)
        if (llvm::any_of(placement->axesOf(d), names))
          return true;
    }
    return false;
  };
  for (const MeshAxis &axis : mesh.axes)
    if (isUsed(axis))
      devices *= std::max<int64_t>(1, axis.assumedSize());
  return llvm::all_of(shape, [&](int64_t extent) {
    return extent != kUnknown && extent % devices == 0;
  });
}

PropagationCost
MachineCostModel::redistribute(const PropagationGraph::Value &value,
                               const Placement &from, const Placement &to,
                               const Mesh &mesh) const {
  Cost estimate = estimateRedistribute(from, to, mesh, value.shape,
                                       value.elementBytes, machine);
  PropagationCost cost;
  cost.bytes = estimate.bytes;
  cost.memory = int64_t(localBytes(value, to, mesh));
  // A redistribution that moves nothing still copies its result.
  cost.seconds = estimate.seconds + double(cost.memory) / rates.memoryBandwidth;
  if (mode != CostMode::Bytes || mesh.numDevices() > kMaxPlannedDevices ||
      (rankWeights.empty() && isEstimateExact(from, to, mesh, value.shape)))
    return cost;
  RedistributePlan planned{plan(value, from, to, mesh)};
  if (!planned.steps.empty())
    cost.bytes = rankWeights.empty()
                     ? planBytes(planned, mesh, value.shape, value.elementBytes)
                     : planBytes(planned, mesh, value.shape, value.elementBytes,
                                 rankWeights);
  return cost;
}

PropagationCost MachineCostModel::exchangeHalo(
    const PropagationGraph::Value &value, const Placement &from,
    const PropagationGraph::Node &node, int operand, const FactorSplits &splits,
    const Mesh &mesh) const {
  PropagationCost cost;
  auto step = haloStep(node.rule, operand, from, splits, mesh);
  if (!step)
    return cost;
  std::vector<int64_t> shape = shapeOf(node.rule, node.rule->operands[operand]);
  auto received = [&](const DeviceSample &sample) {
    return bytesReceived({*step}, mesh, shape, value.elementBytes, sample);
  };
  if (rankWeights.empty()) {
    DeviceSample sample(mesh);
    sample.add(*step, shape);
    cost.bytes = *llvm::max_element(received(sample));
  } else {
    double sum = 0;
    for (auto [p, bytes] : llvm::enumerate(received(DeviceSample::allOf(mesh))))
      if (size_t rank = mesh.rankAt(p); rank < rankWeights.size())
        sum += double(bytes) * rankWeights[rank];
    cost.bytes = int64_t(std::ceil(sum));
  }
  // Neighbours exchange along all axes of the step at one time.
  for (const AxisRef &axis : groupAxes(*step, mesh, shape))
    if (int index = mesh.axisIndex(axis.name); cost.bytes && index >= 0) {
      Link link = machine.linkOf(mesh.axes[size_t(index)]);
      cost.seconds = std::max(cost.seconds, link.latency + double(cost.bytes) /
                                                               link.bandwidth);
    }
  return cost;
}

PropagationCost MachineCostModel::compute(const LocalOp &op) const {
  const ShardingRule &rule = op.node.rule;
  using Moves = ShardingRule::Moves;
  PropagationCost cost;
  for (int64_t bytes : op.resultBytes)
    cost.memory += bytes;
  // Arguments, results and constants do nothing themselves.
  auto isEmpty = [](int64_t bytes) { return bytes == 0; };
  if (llvm::all_of(op.operandBytes, isEmpty) ||
      llvm::all_of(op.resultBytes, isEmpty) || rule.moves == Moves::Nothing)
    return cost;
  int64_t moved = 0;
  double points = 0;
  if (rule.moves == Moves::All) {
    for (int64_t bytes :
         llvm::concat<const int64_t>(op.operandBytes, op.resultBytes))
      moved += bytes;
    points = 2;
    for (auto [factor, blocks] : llvm::zip_equal(rule.factors, op.blocks)) {
      if (!factor.isIterated)
        continue;
      double size =
          double(factor.size == kUnknown ? kAssumedDimSize
                                         : std::max<int64_t>(factor.size, 1));
      points *= std::ceil(size / double(blocks));
    }
  } else {
    // The slice is read and written.
    moved = 2 * (rule.moves == Moves::Result ? cost.memory
                                             : op.operandBytes.front());
  }
  cost.seconds = std::max(points / rates.flopsOf(op.elementBytes),
                          double(moved) / rates.memoryBandwidth);
  return cost;
}

std::vector<CollectiveStep>
MachineCostModel::plan(const PropagationGraph::Value &value,
                       const Placement &from, const Placement &to,
                       const Mesh &mesh) const {
  PlanOptions options;
  options.elementBytes = value.elementBytes;
  options.deviceWeights = rankWeights;
  options.cache = plans;
  auto planned = planRedistribute(from, to, mesh, value.shape, options);
  auto *plan = std::get_if<RedistributePlan>(&planned);
  return plan ? std::move(plan->steps) : std::vector<CollectiveStep>();
}
