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

std::vector<int64_t> ConflictProblem::received(const std::vector<int> &chosen,
                                               const MachineCostModel &model) {
  std::vector<int64_t> all;
  std::map<std::array<int64_t, 3>, std::vector<int64_t>> known;
  auto choice = [&](int n) { return chosen[n]; };
  for (int v = 0, e = space.graph.values.size(); v < e; ++v) {
    End from = space.producer(v);
    if (from.node < 0 || !lists[from.node])
      continue;
    llvm::SmallVector<Redistribution, 4> steps;
    std::vector<User> users = usersOf(v);
    valueCost(v, users, choice, &steps);
    SplitsTable &table = space.table(from.node);
    auto add = [&](const std::vector<int64_t> &own, double weight) {
      all.resize(std::max(all.size(), own.size()), 0);
      for (auto [sum, bytes] : llvm::zip(all, own))
        sum += int64_t(double(bytes) * weight);
    };
    for (const User &user : users) {
      int n = user.end.node;
      const Port &port = space.ports(n)[user.end.port];
      if (port.isAlias || space.rule(n).operands[port.tensor].windows.empty())
        continue;
      const Candidate &own = lists[n]->all[chosen[n]];
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
      for (SplitsId id : own.splits)
        splits.push_back(space.table(n).splits(id));
      add(haloBytes(space.rule(n), port.tensor, source, splits, table.mesh,
                    space.graph.values[v].elementBytes),
          user.weight);
    }
    for (const Redistribution &step : steps) {
      auto [it, isNew] =
          known.try_emplace({space.typeOf(v), step.from, step.to});
      if (isNew)
        it->second =
            model.received(space.graph.values[v], table.placement(step.from),
                           table.placement(step.to), table.mesh);
      add(it->second, step.weight);
    }
  }
  return all;
}
