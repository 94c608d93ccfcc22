//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost of redistributing one value for all of its users, as the
// redistributed stage shares redistributions: users that want one placement
// share it, and a placement may be made from another one. Requires one
// candidate per node; guarantees at most the cost of serving each user alone.
//
//===----------------------------------------------------------------------===//

#include "Solver/ConflictProblem.h"

#include "ShardIR/Placement/DeviceSample.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace shardir;

std::vector<ConflictProblem::User> ConflictProblem::usersOf(int value) const {
  std::vector<User> users;
  const PropagationGraph::Node &from = space.node(space.producer(value).node);
  for (End user : space.users(value)) {
    const PropagationGraph::Node &node = space.node(user.node);
    if (lists[user.node] && node.mesh == from.mesh)
      users.push_back({user, from.redistributionsFor(node)});
  }
  return users;
}

PlacementId ConflictProblem::placementAt(const End &end, int candidate) const {
  const Port &port = space.ports(end.node)[end.port];
  const Candidate &own = lists[end.node]->all[candidate];
  return port.isResult || port.isAlias ? own.results[port.tensor]
                                       : own.operands[port.tensor];
}

SearchCost
ConflictProblem::valueCost(int value, llvm::ArrayRef<User> users,
                           llvm::function_ref<int(int)> choice,
                           llvm::SmallVectorImpl<Redistribution> *steps) {
  End from = space.producer(value);
  PlacementId has = placementAt(from, choice(from.node));
  llvm::SmallVector<Target, 4> targets;
  llvm::SmallVector<const User *, 4> readers; ///< through windows
  SearchCost sum;
  for (const User &user : users) {
    int n = user.end.node;
    const Port &port = space.ports(n)[user.end.port];
    PlacementId wants = placementAt(user.end, choice(n));
    if (!port.isAlias && !space.rule(n).operands[port.tensor].windows.empty()) {
      // A pending reduction is shared with other users; then the window is
      // read.
      bool isReduced = costs.isReductionInPlace(from.node, has, wants);
      if (!isReduced) {
        readers.push_back(&user);
        continue;
      }
      sum += scaled(costs.readWindow(n, port, lists[n]->all[choice(n)], wants),
                    user.weight);
    }
    if (wants == has)
      continue;
    auto known = llvm::find_if(
        targets, [&](const Target &own) { return own.to == wants; });
    if (known == targets.end())
      targets.push_back({wants, user.weight});
    else
      known->weight = std::max(known->weight, user.weight);
  }
  // A window is read of a reduction that another user wants, if there is one.
  for (const User *user : readers) {
    int n = user->end.node;
    const Port &port = space.ports(n)[user->end.port];
    const Candidate &candidate = lists[n]->all[choice(n)];
    SearchCost least = costs.readWindow(n, port, candidate, has);
    for (const Target &target : targets)
      if (costs.isReductionInPlace(from.node, has, target.to))
        least =
            std::min(least, costs.readWindow(n, port, candidate, target.to));
    sum += scaled(least, user->weight);
  }
  return sum += treeCost(value, has, targets, steps);
}

/// A target starts from `has` or from a target of which devices hold more, so
/// that starts form a tree.
SearchCost
ConflictProblem::treeCost(int value, PlacementId has,
                          llvm::ArrayRef<Target> targets,
                          llvm::SmallVectorImpl<Redistribution> *steps) {
  SearchCost sum;
  int producer = space.producer(value).node;
  for (const Target &target : targets) {
    SearchCost least = costs.redistribute(value, has, target.to);
    PlacementId start = has;
    int64_t bytes =
        targets.size() > 1 ? costs.localBytes(producer, value, target.to) : 0;
    for (const Target &other :
         targets.size() > 1 ? targets : targets.take_front(0)) {
      if (costs.localBytes(producer, value, other.to) <= bytes)
        continue;
      SearchCost cost = costs.redistribute(value, other.to, target.to);
      if (cost < least) {
        least = cost;
        start = other.to;
      }
    }
    if (steps)
      steps->push_back({start, target.to, target.weight});
    sum += scaled(least, target.weight);
  }
  return sum;
}

namespace {
/// Steps on one mesh, and how often they run.
struct WeightedSteps {
  const Mesh *mesh;
  std::vector<CollectiveStep> steps;
  std::vector<int64_t> shape;
  int64_t elementBytes;
  std::vector<double> weights; ///< of each place that they run at
};
} // namespace

/// Sums what all steps together give each device of a sample, or, on few
/// devices and on several meshes, each rank.
static std::vector<int64_t> sumReceived(llvm::ArrayRef<WeightedSteps> all) {
  if (all.empty())
    return {};
  const Mesh &mesh = *all.front().mesh;
  bool isSampled = mesh.numDevices() > MachineCostModel::kMaxPlannedDevices &&
                   llvm::all_of(all, [&](const WeightedSteps &own) {
                     return own.mesh == &mesh || *own.mesh == mesh;
                   });
  DeviceSample sample(mesh);
  if (isSampled)
    for (const WeightedSteps &own : all)
      for (const CollectiveStep &step : own.steps)
        sample.add(step, own.shape);
  std::vector<int64_t> sum;
  for (const WeightedSteps &own : all) {
    auto received =
        bytesReceived(own.steps, *own.mesh, own.shape, own.elementBytes,
                      isSampled ? sample : DeviceSample::allOf(*own.mesh));
    for (auto [p, bytes] : llvm::enumerate(received)) {
      size_t at = isSampled ? p : own.mesh->rankAt(p);
      sum.resize(std::max(sum.size(), at + 1), 0);
      for (double weight : own.weights)
        sum[at] += int64_t(double(bytes) * weight);
    }
  }
  return sum;
}

std::vector<int64_t> ConflictProblem::received(const std::vector<int> &chosen,
                                               const MachineCostModel &model) {
  std::vector<WeightedSteps> all;
  std::map<std::array<int64_t, 3>, size_t> known; // layers repeat
  auto choice = [&](int n) { return chosen[n]; };
  for (int v = 0, e = space.graph.values.size(); v < e; ++v) {
    End from = space.producer(v);
    if (from.node < 0 || !lists[from.node])
      continue;
    llvm::SmallVector<Redistribution, 4> steps;
    std::vector<User> users = usersOf(v);
    valueCost(v, users, choice, &steps);
    SplitsTable &table = space.table(from.node);
    const PropagationGraph::Value &own = space.graph.values[v];
    for (const User &user : users) {
      int n = user.end.node;
      const Port &port = space.ports(n)[user.end.port];
      if (port.isAlias || space.rule(n).operands[port.tensor].windows.empty())
        continue;
      const Candidate &candidate = lists[n]->all[chosen[n]];
      PlacementId has = placementAt(from, chosen[from.node]);
      PlacementId wants = placementAt(user.end, chosen[n]);
      // As valueCost and readWindow: a partial is reduced first.
      auto reduced = llvm::find_if(steps, [&](const Redistribution &step) {
        return costs.isReductionInPlace(from.node, has, step.to);
      });
      if (reduced != steps.end()) {
        has = reduced->to;
      } else if (table.placement(has).partial) {
        steps.push_back({has, wants, user.weight});
        has = wants;
      }
      Placement source = table.placement(has);
      source.partial.reset();
      source.partialAxes.clear();
      FactorSplits splits;
      for (SplitsId id : candidate.splits)
        splits.push_back(space.table(n).splits(id));
      const ShardingRule &rule = space.rule(n);
      if (auto step = haloStep(rule, port.tensor, source, splits, table.mesh))
        all.push_back({&table.mesh,
                       {std::move(*step)},
                       shapeOf(rule, rule.operands[port.tensor]),
                       own.elementBytes,
                       {user.weight}});
    }
    for (const Redistribution &step : steps) {
      std::array<int64_t, 3> key = {space.typeOf(v), step.from, step.to};
      auto [it, isNew] = known.try_emplace(key, all.size());
      if (isNew)
        all.push_back({&table.mesh,
                       model.plan(own, table.placement(step.from),
                                  table.placement(step.to), table.mesh),
                       own.shape,
                       own.elementBytes,
                       {}});
      all[it->second].weights.push_back(step.weight);
    }
  }
  return sumReceived(all);
}
