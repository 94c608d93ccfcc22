//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the changes of one value cost, as the redistributed stage shares them:
// one tree per value, whose parts may start from one another, and from what is
// made of it behind a constraint. Requires one candidate per node; guarantees
// the least tree for up to four placements, and no more than each on its own
// would cost for more.
//
//===----------------------------------------------------------------------===//

#include "ConflictProblem.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

/// Up to so many placements of a value are made from one another exactly.
static constexpr size_t kExactTree = 4;

std::vector<ConflictProblem::User> ConflictProblem::usersOf(int value) const {
  std::vector<User> users;
  const PropagationGraph::Node &from = space.node(space.producer(value).node);
  for (End user : space.users(value)) {
    const PropagationGraph::Node &node = space.node(user.node);
    if (lists[user.node] && node.mesh == from.mesh)
      users.push_back({user, from.changesFor(node)});
  }
  return users;
}

PlacementId ConflictProblem::shown(const End &end, int candidate) const {
  const Port &port = space.ports(end.node)[end.port];
  const Candidate &own = lists[end.node]->all[candidate];
  return port.isResult || port.isAlias ? own.results[port.tensor]
                                       : own.operands[port.tensor];
}

std::vector<ConflictProblem::Beyond>
ConflictProblem::beyondOf(const std::vector<User> &users) const {
  std::vector<Beyond> beyond;
  // Nobody else starts from it.
  if (users.size() < 2)
    return beyond;
  auto isConstraint = [&](const User &user) {
    return space.node(user.end.node).isConstraint &&
           !space.ports(user.end.node)[user.end.port].isAlias;
  };
  for (const User &user : users) {
    if (!isConstraint(user))
      continue;
    std::vector<int> constraints = {user.end.node};
    for (size_t i = 0; i < constraints.size(); ++i)
      for (const Port &port : space.ports(constraints[i])) {
        if (!port.isResult)
          continue;
        // Other regions run at other times.
        double executions = space.node(user.end.node).executions;
        for (const User &other : usersOf(port.value)) {
          int n = other.end.node;
          const Port &own = space.ports(n)[other.end.port];
          if (user.weight != executions ||
              space.node(n).executions != executions ||
              (!own.isAlias &&
               !space.rule(n).operands[own.tensor].windows.empty()))
            continue;
          beyond.push_back({other.end, user.end.node});
          if (isConstraint(other))
            constraints.push_back(n);
        }
      }
  }
  return beyond;
}

SearchCost ConflictProblem::valueCost(int value, const std::vector<User> &users,
                                      const std::vector<Beyond> &beyond,
                                      llvm::function_ref<int(int)> choice) {
  End from = space.producer(value);
  PlacementId has = shown(from, choice(from.node));
  llvm::SmallVector<Made, 4> made;
  llvm::SmallVector<std::pair<int, int>, 2> constraints; ///< node, in `made`
  SearchCost sum;
  for (const User &user : users) {
    int n = user.end.node;
    const Port &port = space.ports(n)[user.end.port];
    PlacementId wants = shown(user.end, choice(n));
    if (!port.isAlias && !space.rule(n).operands[port.tensor].windows.empty()) {
      // What is only owed is reduced as for other users, then read.
      bool isReduced = prices.owesOnly(from.node, has, wants);
      sum += scaled(prices.read(n, port, lists[n]->all[choice(n)],
                                isReduced ? wants : has),
                    user.weight);
      if (!isReduced)
        continue;
    }
    auto known =
        llvm::find_if(made, [&](const Made &own) { return own.to == wants; });
    if (!beyond.empty() && space.node(n).isConstraint)
      constraints.push_back({n, wants == has ? -1 : int(known - made.begin())});
    if (wants == has)
      continue;
    if (known == made.end())
      made.push_back({wants, user.weight});
    else
      known->weight = std::max(known->weight, user.weight);
  }
  llvm::SmallVector<Given, 4> given;
  for (const Beyond &reader : beyond)
    for (auto [n, after] : constraints)
      if (n == reader.constraint)
        given.push_back({shown(reader.end, choice(reader.end.node)), after});
  return sum += madeCost(value, has, made, given);
}

/// What is made for one user may be the source for another: the least tree over
/// what is made, as redistributions are shared later. Exact for few of them; of
/// more, what holds less may start from what holds more.
SearchCost ConflictProblem::madeCost(int value, PlacementId has,
                                     llvm::ArrayRef<Made> made,
                                     llvm::ArrayRef<Given> given) {
  SearchCost sum;
  if (made.size() == 1 && given.empty())
    return scaled(prices.change(value, has, made[0].to), made[0].weight);
  if (made.size() > kExactTree) {
    int from = space.producer(value).node;
    for (int i = 0, e = made.size(); i < e; ++i) {
      PlacementId wants = made[i].to;
      SearchCost least = prices.change(value, has, wants);
      int64_t bytes = prices.localBytes(from, value, wants);
      for (const Made &other : made)
        if (prices.localBytes(from, value, other.to) > bytes)
          least = std::min(least, prices.change(value, other.to, wants));
      // What a constraint asks for is made before what is made of it.
      if (llvm::none_of(given, [&](const Given &g) { return g.after == i; }))
        for (const Given &source : given)
          least = std::min(least, prices.change(value, source.to, wants));
      sum += scaled(least, made[i].weight);
    }
    return sum;
  }
  // least[set]: of having made exactly these, one after another.
  llvm::SmallVector<SearchCost, 16> least(size_t(1) << made.size(),
                                          SearchCost::infinite());
  least[0] = {};
  for (size_t set = 0; set + 1 < least.size(); ++set)
    for (size_t next = 0; next < made.size(); ++next) {
      if (set & (size_t(1) << next))
        continue;
      SearchCost own = prices.change(value, has, made[next].to);
      for (size_t other = 0; other < made.size(); ++other)
        if (set & (size_t(1) << other))
          own = std::min(own,
                         prices.change(value, made[other].to, made[next].to));
      for (const Given &source : given)
        if (source.after < 0 || (set & (size_t(1) << source.after)))
          own = std::min(own, prices.change(value, source.to, made[next].to));
      SearchCost all = least[set];
      all += scaled(own, made[next].weight);
      SearchCost &best = least[set | (size_t(1) << next)];
      best = std::min(best, all);
    }
  return least.back();
}

bool ConflictProblem::settle(const std::vector<int> &chosen) {
  bool changed = false;
  for (int v = 0, e = space.graph.values.size(); v < e; ++v) {
    End from = space.producer(v);
    if (from.node < 0 || !lists[from.node])
      continue;
    llvm::SmallVector<PlacementId, 4> all = {shown(from, chosen[from.node])};
    auto note = [&](const End &end) {
      PlacementId wants = shown(end, chosen[end.node]);
      if (!llvm::is_contained(all, wants))
        all.push_back(wants);
    };
    std::vector<User> users = usersOf(v);
    for (const User &user : users)
      note(user.end);
    for (const Beyond &reader : beyondOf(users))
      note(reader.end);
    bool isTree = all.size() <= kExactTree + 1;
    for (PlacementId a :
         isTree ? llvm::ArrayRef(all) : llvm::ArrayRef(all).take_front())
      for (PlacementId b : llvm::ArrayRef(all).drop_front())
        changed |= prices.settle(v, a, b);
  }
  return changed;
}
