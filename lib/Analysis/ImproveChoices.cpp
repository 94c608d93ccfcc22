//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Local improvement of an answer where the tables of the search are not the
// whole truth: around values whose users were priced one by one, and where
// variables had to be held. Requires one candidate per node that has a list;
// guarantees an answer that costs no more, by what total() says, and that does
// not depend on the order of nodes.
//
//===----------------------------------------------------------------------===//

#include "ConflictProblem.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

namespace {

/// Choices that are tried on top of an answer.
struct Trial {
  const std::vector<int> &chosen;
  llvm::SmallDenseMap<int, int, 8> changed = llvm::SmallDenseMap<int, int, 8>();

  int operator()(int n) const {
    auto it = changed.find(n);
    return it == changed.end() ? chosen[n] : it->second;
  }
};

} // namespace

/// The parts of a cost that say which answer is better; those behind them are
/// for ties alone.
static bool isLess(const SearchCost &a, const SearchCost &b) {
  return std::tie(a.parts[0], a.parts[1], a.parts[2]) <
         std::tie(b.parts[0], b.parts[1], b.parts[2]);
}

SearchCost ConflictProblem::costAround(llvm::ArrayRef<int> nodes,
                                       llvm::function_ref<int(int)> choice,
                                       int without) {
  SearchCost sum;
  llvm::SmallVector<int, 16> seen;
  for (int n : nodes) {
    sum += scaled(prices.work(n, lists[n]->all[choice(n)]),
                  space.node(n).executions);
    auto add = [&](int value) {
      End from = space.producer(value);
      if (value == without || from.node < 0 || !lists[from.node] ||
          llvm::is_contained(seen, value))
        return;
      seen.push_back(value);
      sum += valueCost(value, choice);
    };
    for (const Port &port : space.ports(n)) {
      add(port.value);
      // What is made behind a constraint can be a source in front of it.
      for (int from = port.isResult ? -1 : space.producer(port.value).node;
           from >= 0 && space.node(from).isConstraint;) {
        int value = space.node(from).operands.front();
        if (value < 0)
          break;
        add(value);
        from = space.producer(value).node;
      }
    }
  }
  return sum;
}

/// The candidate of n that costs least next to what `trial` says, among those
/// that show `wanted` at `end`; among all if that is negative. The present one
/// where none is better, or -1 where none shows it.
int ConflictProblem::bestCandidate(int n, llvm::function_ref<int(int)> trial,
                                   const End *end, PlacementId wanted) {
  int best = -1;
  SearchCost least;
  // The order of candidates says nothing: of equal ones the present one, then
  // the one that ties go to elsewhere.
  auto isBefore = [&](int a, int b) {
    const Candidate &one = lists[n]->all[a], &two = lists[n]->all[b];
    return std::tie(one.rank, one.hash) < std::tie(two.rank, two.hash);
  };
  auto consider = [&](int c) {
    if (c == best || (end && shown(*end, c) != wanted))
      return;
    auto choice = [&](int other) { return other == n ? c : trial(other); };
    SearchCost sum =
        costAround(n, choice, end ? space.ports(n)[end->port].value : -1);
    if (best >= 0 && !isLess(sum, least) &&
        (isLess(least, sum) || best == trial(n) || !isBefore(c, best)))
      return;
    least = sum;
    best = c;
  };
  consider(trial(n));
  for (int c = 0, e = lists[n]->all.size(); c < e; ++c)
    consider(c);
  return best;
}

/// Into an order that does not depend on that of nodes.
void ConflictProblem::sortByName(llvm::SmallVectorImpl<End> &ends) {
  llvm::stable_sort(ends, [&](const End &a, const End &b) {
    return std::make_pair(space.fullName(a.node), a.port) <
           std::make_pair(space.fullName(b.node), b.port);
  });
}

/// The users of a value, and of what constraints make of it.
llvm::SmallVector<End, 8> ConflictProblem::readersOf(int value) const {
  llvm::SmallVector<End, 8> readers;
  std::vector<User> users = usersOf(value);
  for (const User &user : users)
    readers.push_back(user.end);
  for (const Beyond &reader : beyondOf(users))
    readers.push_back(reader.end);
  return readers;
}

/// Lets all users of a value, also those behind a constraint, and with
/// `moveProducer` what makes it, take one placement, and what is next to them
/// follow.
bool ConflictProblem::moveValue(int value, llvm::ArrayRef<End> readers,
                                PlacementId wanted, bool moveProducer,
                                std::vector<int> &chosen) {
  Trial trial{chosen};
  llvm::SmallVector<End, 8> ends;
  if (moveProducer)
    ends.push_back(space.producer(value));
  llvm::append_range(ends, readers);
  sortByName(ends);
  llvm::SmallVector<int, 16> nodes;
  auto take = [&](int n, int c) {
    if (c < 0 || c == trial(n))
      return;
    trial.changed[n] = c;
    if (!llvm::is_contained(nodes, n))
      nodes.push_back(n);
  };
  for (const End &end : ends)
    if (variableOf[end.node] >= 0 && shown(end, trial(end.node)) != wanted)
      take(end.node, bestCandidate(end.node, trial, &end, wanted));
  if (nodes.empty())
    return false;
  // What is next to these follows where that is better for it.
  llvm::SmallVector<End, 8> next;
  for (int n : nodes)
    for (const Port &port : space.ports(n)) {
      if (port.value == value)
        continue;
      auto note = [&](End end) {
        if (end.node >= 0 && variableOf[end.node] >= 0 &&
            !llvm::is_contained(nodes, end.node))
          next.push_back(end);
      };
      note(space.producer(port.value));
      for (End user : space.users(port.value))
        note(user);
    }
  sortByName(next);
  for (const End &end : next)
    if (!llvm::is_contained(nodes, end.node))
      take(end.node, bestCandidate(end.node, trial, nullptr, 0));
  auto gain = [&] {
    auto before = [&](int n) { return chosen[n]; };
    return std::make_pair(costAround(nodes, trial, -1),
                          costAround(nodes, before, -1));
  };
  auto [after, before] = gain();
  // Who is better off without the others goes back.
  for (int n : llvm::SmallVector<int, 16>(nodes)) {
    int own = trial.changed[n];
    trial.changed.erase(n);
    SearchCost without = costAround(nodes, trial, -1);
    if (isLess(without, after))
      after = without;
    else
      trial.changed[n] = own;
  }
  if (!isLess(after, before))
    return false;
  for (auto [n, c] : trial.changed)
    chosen[n] = c;
  return true;
}

void ConflictProblem::improve(std::vector<int> &chosen, bool isExact) {
  // Where the search was exact only the values with rough prices matter.
  std::vector<int> values = roughValues;
  if (!isExact)
    for (int v = 0, e = space.graph.values.size(); v < e; ++v)
      if (int n = space.producer(v).node;
          n >= 0 && lists[n] && !llvm::is_contained(roughValues, v) &&
          (variableOf[n] >= 0 ||
           llvm::any_of(usersOf(v), [&](const User &user) {
             return variableOf[user.end.node] >= 0;
           })))
        values.push_back(v);
  if (values.empty() || values.size() > kMostImproved)
    return;
  auto key = [&](int value) {
    End from = space.producer(value);
    return std::make_pair(space.fullName(from.node), from.port);
  };
  llvm::sort(values, [&](int a, int b) { return key(a) < key(b); });
  for (int round = 0; round < kImproveRounds; ++round) {
    bool changed = false;
    for (int value : values) {
      End from = space.producer(value);
      std::vector<PlacementId> wanted;
      auto note = [&](const End &end) {
        if (variableOf[end.node] < 0)
          return;
        for (size_t c = 0; c < lists[end.node]->all.size(); ++c)
          if (PlacementId id = shown(end, c); !llvm::is_contained(wanted, id))
            wanted.push_back(id);
      };
      note(from);
      if (space.users(value).size() > kManyUsers)
        continue;
      llvm::SmallVector<End, 8> readers = readersOf(value);
      for (const End &reader : readers)
        note(reader);
      SplitsTable &table = space.table(from.node);
      llvm::sort(wanted, [&](PlacementId a, PlacementId b) {
        return toString(table.placement(a)) < toString(table.placement(b));
      });
      for (PlacementId id : wanted)
        for (bool moveProducer : {false, true})
          changed |= moveValue(value, readers, id, moveProducer, chosen);
    }
    if (!changed)
      return;
  }
}
