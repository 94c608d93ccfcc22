//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prices by rule R6: under `time` predicted seconds, bytes, memory; under
// `bytes` bytes, local work, memory. All as integers (1e-12 s, bytes), so that
// sums are exact and equal costs are equal.
//
//===----------------------------------------------------------------------===//

#include "ConflictProblem.h"

#include "ShardIR/Placement/RedistributePlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

static int64_t toInteger(double number) {
  constexpr double most = 1e17;
  return int64_t(std::min(std::max(number, 0.0), most));
}

SearchCost shardir::scaled(const SearchCost &cost, double weight) {
  if (weight == 1 || cost.isInfinite())
    return cost;
  SearchCost result;
  for (size_t i = 0; i < cost.parts.size(); ++i)
    result.parts[i] = toInteger(double(cost.parts[i]) * weight);
  return result;
}

int64_t PriceTable::localBytes(int n, int value, PlacementId placement) {
  auto [it, isNew] = local.try_emplace(
      {space.typeOf(value), (int64_t(space.node(n).mesh) << 32) | placement},
      0);
  if (!isNew)
    return it->second;
  SplitsTable &table = space.table(n);
  return it->second = toInteger(shardir::localBytes(space.graph.values[value],
                                                    table.placement(placement),
                                                    table.mesh));
}

/// Whether the closed form is known to be exact: every dim is a multiple of all
/// axes that either side cuts by or owes together.
static bool isExactlyPriced(const Placement &from, const Placement &to,
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

int64_t PriceTable::bytesOf(const RedistributePlan &plan, const Mesh &mesh,
                            const PropagationGraph::Value &value) const {
  return cost.deviceWeights.empty()
             ? planBytes(plan, mesh, value.shape, value.elementBytes)
             : planBytes(plan, mesh, value.shape, value.elementBytes,
                         cost.deviceWeights);
}

/// The least bytes of a change that owes nothing, where the closed form may be
/// wrong: what a device has afterwards and had not before (rule D3).
std::optional<int64_t>
PriceTable::bytesOfMove(const Placement &from, const Placement &to,
                        const Mesh &mesh,
                        const PropagationGraph::Value &value) const {
  // Looking at each of more takes long.
  static constexpr int64_t kMostDevices = 64;
  if (from.partial || to.partial || mesh.numDevices() > kMostDevices ||
      (cost.deviceWeights.empty() &&
       isExactlyPriced(from, to, mesh, value.shape)))
    return std::nullopt;
  RedistributePlan plan;
  plan.steps.push_back({CollectiveKind::Exchange, from, to, {}});
  return bytesOf(plan, mesh, value);
}

SearchCost PriceTable::change(int value, PlacementId from, PlacementId to) {
  if (from == to)
    return {};
  auto [it, isNew] = changes.try_emplace(
      {space.typeOf(value), (int64_t(from) << 32) | int64_t(to)});
  if (!isNew)
    return it->second;
  const PropagationGraph::Value &v = space.graph.values[value];
  SplitsTable &table = space.table(v.producer);
  Cost price =
      estimateRedistribute(table.placement(from), table.placement(to),
                           table.mesh, v.shape, v.elementBytes, cost.machine);
  SearchCost result;
  int64_t seconds = toInteger(price.seconds * 1e12);
  if (cost.mode == CostMode::Bytes) {
    result.parts[0] = toInteger(double(
        bytesOfMove(table.placement(from), table.placement(to), table.mesh, v)
            .value_or(price.bytes)));
  } else {
    // A change that moves nothing still copies what it makes.
    result.parts[0] =
        seconds + toInteger(double(localBytes(v.producer, value, to)) * 1e12 /
                            cost.memoryPerSecond);
    result.parts[1] = toInteger(double(price.bytes));
  }
  result.parts[2] = localBytes(v.producer, value, to);
  return changes[{space.typeOf(value), (int64_t(from) << 32) | int64_t(to)}] =
             result;
}

bool PriceTable::settle(int value, PlacementId from, PlacementId to) {
  if (cost.mode != CostMode::Bytes || from == to ||
      !settled
           .insert({space.typeOf(value), (int64_t(from) << 32) | int64_t(to)})
           .second)
    return false;
  const PropagationGraph::Value &v = space.graph.values[value];
  SplitsTable &table = space.table(v.producer);
  const Placement &source = table.placement(from),
                  &target = table.placement(to);
  if (cost.deviceWeights.empty() &&
      isExactlyPriced(source, target, table.mesh, v.shape))
    return false;
  PlanOptions options;
  options.elementBytes = v.elementBytes;
  options.deviceWeights = cost.deviceWeights;
  auto planned = planRedistribute(source, target, table.mesh, v.shape, options);
  auto *plan = std::get_if<RedistributePlan>(&planned);
  if (!plan)
    return false;
  int64_t bytes = toInteger(double(bytesOf(*plan, table.mesh, v)));
  change(value, from, to);
  SearchCost &known =
      changes[{space.typeOf(value), (int64_t(from) << 32) | int64_t(to)}];
  bool differs = known.parts[0] != bytes;
  known.parts[0] = bytes;
  return differs;
}

SearchCost PriceTable::read(int n, const Port &port, const Candidate &candidate,
                            PlacementId from) {
  PlacementId to = candidate.operands[port.tensor];
  std::vector<int64_t> key = {space.ruleClass(n), port.tensor,
                              space.typeOf(port.value), from, to};
  key.insert(key.end(), candidate.splits.begin(), candidate.splits.end());
  auto [it, isNew] = reads.try_emplace(key);
  if (!isNew)
    return it->second;
  SplitsTable &table = space.table(n);
  FactorSplits splits;
  for (SplitsId id : candidate.splits)
    splits.push_back(table.splits(id));
  // What is owed is reduced first.
  SearchCost result;
  if (table.placement(from).partial) {
    result = change(port.value, from, to);
    from = to;
  }
  // Terms are read like what they add up to.
  Placement terms = table.placement(from);
  terms.partial.reset();
  terms.partialAxes.clear();
  int64_t bytes =
      haloBytes(space.rule(n), port.tensor, terms, splits, table.mesh,
                space.graph.values[port.value].elementBytes)
          .value_or(0);
  result.parts[bytesPart()] += bytes;
  if (cost.mode == CostMode::Time && bytes)
    result.parts[0] += toInteger(
        (cost.machine.latency + double(bytes) / cost.machine.bandwidth) * 1e12);
  result.parts[2] += localBytes(n, port.value, to);
  return reads[key] = result;
}

bool PriceTable::owesOnly(int n, PlacementId from, PlacementId to) {
  SplitsTable &table = space.table(n);
  return table.placement(from).owesOnly(table.placement(to));
}

SearchCost PriceTable::work(int n, const Candidate &candidate) {
  const ShardingRule &rule = space.rule(n);
  SplitsTable &table = space.table(n);
  int64_t moved = 0, held = 0;
  bool reads = false, writes = false;
  using Moves = ShardingRule::Moves;
  for (const Port &port : space.ports(n)) {
    PlacementId placement = port.isResult || port.isAlias
                                ? candidate.results[port.tensor]
                                : candidate.operands[port.tensor];
    int64_t bytes = localBytes(n, port.value, placement);
    bool isSlice = rule.moves == Moves::Result
                       ? port.isResult
                       : !port.isResult && port.tensor == 0;
    if (rule.moves == Moves::All)
      moved += bytes;
    else if (isSlice)
      moved += 2 * bytes;
    held += port.isResult ? bytes : 0;
    (port.isResult ? writes : reads) = true;
  }
  SearchCost result;
  result.parts[2] = held;
  double extra = double(held) * cost.memoryWeight;
  if (cost.mode == CostMode::Bytes)
    result.parts[0] = toInteger(extra);
  else
    result.parts[0] = toInteger(extra * 1e12);
  // Arguments, results and constants do nothing themselves.
  if (!reads || !writes || rule.moves == Moves::Nothing)
    return result;
  double points = rule.moves == Moves::All ? 2 : 0;
  for (auto [f, factor] : llvm::enumerate(rule.factors)) {
    if (!factor.isIterated)
      continue;
    double size =
        double(factor.size == kUnknown ? kAssumedDimSize
                                       : std::max<int64_t>(factor.size, 1));
    points *= std::ceil(size / double(table.size(candidate.splits[f])));
  }
  int64_t seconds = toInteger(std::max(points / cost.flopsPerSecond,
                                       double(moved) / cost.memoryPerSecond) *
                              1e12);
  result.parts[cost.mode == CostMode::Bytes ? 1 : 0] += seconds;
  return result;
}
