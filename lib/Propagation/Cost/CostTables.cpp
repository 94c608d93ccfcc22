//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders the parts of a cost by rule R6: under `time` predicted seconds, bytes,
// memory; under `bytes` bytes, seconds of local work, memory. All are integers
// (1e-12 s, bytes), so that sums are exact and equal costs are equal.
//
//===----------------------------------------------------------------------===//

#include "CostTables.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

static int64_t toInteger(double number) {
  constexpr double most = 1e17;
  return int64_t(std::min(std::max(number, 0.0), most));
}

static int64_t toPicoseconds(double seconds) {
  return toInteger(seconds * 1e12);
}

SearchCost shardir::scaled(const SearchCost &cost, double weight) {
  if (weight == 1 || cost.isInfinite())
    return cost;
  SearchCost result;
  for (size_t i = 0; i < cost.parts.size(); ++i)
    result.parts[i] = toInteger(double(cost.parts[i]) * weight);
  return result;
}

/// The cost of communication. Under CostMode::Bytes its seconds do not count:
/// they are a machine's.
static SearchCost orderCommunication(const PropagationCost &cost,
                                     CostMode mode) {
  SearchCost result;
  if (mode == CostMode::Bytes)
    result.parts = {cost.bytes, 0, cost.memory};
  else
    result.parts = {toPicoseconds(cost.seconds), cost.bytes, cost.memory};
  return result;
}

int64_t CostTables::localBytes(int n, int value, PlacementId placement) {
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

SearchCost CostTables::redistribute(int value, PlacementId from,
                                    PlacementId to) {
  if (from == to)
    return {};
  auto [it, isNew] = redistributions.try_emplace(
      {space.typeOf(value), (int64_t(from) << 32) | int64_t(to)});
  if (isNew) {
    const PropagationGraph::Value &v = space.graph.values[value];
    SplitsTable &table = space.table(v.producer);
    it->second =
        orderCommunication(model.redistribute(v, table.placement(from),
                                              table.placement(to), table.mesh),
                           mode);
  }
  return it->second;
}

SearchCost CostTables::readWindow(int n, const Port &port,
                                  const Candidate &candidate,
                                  PlacementId from) {
  PlacementId to = candidate.operands[port.tensor];
  std::vector<int64_t> key = {space.ruleClass(n), port.tensor,
                              space.typeOf(port.value), from, to};
  key.insert(key.end(), candidate.splits.begin(), candidate.splits.end());
  auto [it, isNew] = windowReads.try_emplace(key);
  if (!isNew)
    return it->second;
  SplitsTable &table = space.table(n);
  FactorSplits splits;
  for (SplitsId id : candidate.splits)
    splits.push_back(table.splits(id));
  // A partial is reduced first.
  SearchCost result;
  if (table.placement(from).partial) {
    result = redistribute(port.value, from, to);
    from = to;
  }
  // If it stays partial, its terms need the same halo as their sum.
  Placement source = table.placement(from);
  source.partial.reset();
  source.partialAxes.clear();
  PropagationCost halo =
      model.exchangeHalo(space.graph.values[port.value], source, space.node(n),
                         port.tensor, splits, table.mesh);
  halo.memory += localBytes(n, port.value, to);
  result += orderCommunication(halo, mode);
  return windowReads[key] = result;
}

bool CostTables::isReductionInPlace(int n, PlacementId from, PlacementId to) {
  SplitsTable &table = space.table(n);
  return table.placement(from).isPartialOf(table.placement(to));
}

SearchCost CostTables::compute(int n, const Candidate &candidate) {
  const ShardingRule &rule = space.rule(n);
  SplitsTable &table = space.table(n);
  llvm::SmallVector<int64_t, 8> blocks;
  for (SplitsId splits : candidate.splits)
    blocks.push_back(table.size(splits));
  llvm::SmallVector<int64_t, 4> operands(rule.operands.size(), 0),
      results(rule.results.size(), 0);
  int64_t elementBytes = std::numeric_limits<int64_t>::max();
  for (const Port &port : space.ports(n)) {
    if (port.isAlias)
      continue;
    PlacementId placement = port.isResult ? candidate.results[port.tensor]
                                          : candidate.operands[port.tensor];
    (port.isResult ? results : operands)[port.tensor] =
        localBytes(n, port.value, placement);
    if (!port.isResult)
      elementBytes =
          std::min(elementBytes, space.graph.values[port.value].elementBytes);
  }
  PropagationCost cost =
      model.compute({space.node(n), blocks, operands, results, elementBytes});
  double extra = double(cost.memory) * memoryWeight;
  SearchCost result;
  if (mode == CostMode::Bytes)
    result.parts = {cost.bytes + toInteger(extra), toPicoseconds(cost.seconds),
                    cost.memory};
  else
    result.parts = {toPicoseconds(cost.seconds) + toPicoseconds(extra),
                    cost.bytes, cost.memory};
  return result;
}
