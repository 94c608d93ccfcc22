//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Users that want a value in one placement share one redistribution. For values
// with few users a term says so directly; for others a variable of the value
// says in which placements it is made, and each user's choice must be among
// them. Equal terms share one table, so that equal parts of a program are equal
// problems.
//
//===----------------------------------------------------------------------===//

#include "ConflictProblem.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace shardir;

/// Tables up to this size stand for the users of a value directly.
static constexpr int64_t kDirectTable = 4096;
/// Values are made in at most this many different placements.
static constexpr size_t kMostPlacements = 6;
/// The largest table of one user of a value, its producer and what is made.
static constexpr int64_t kCopyTable = 1 << 12;

void ConflictProblem::build(const std::vector<NodeSplits> &preferred) {
  variableOf.assign(space.numNodes(), -1);
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (lists[n] && lists[n]->all.size() > 1) {
      variableOf[n] = nodeOf.size();
      nodeOf.push_back(n);
      problem.domains.push_back(lists[n]->all.size());
      names.push_back(space.name(n));
    }
  for (int n : std::vector<int>(nodeOf))
    addNode(n, preferred);
  for (int v = 0, e = space.graph.values.size(); v < e; ++v)
    addValue(v);
  termsOf.resize(problem.domains.size());
  for (auto [i, term] : llvm::enumerate(problem.terms))
    for (int variable : term.variables)
      termsOf[variable].push_back(i);
}

void ConflictProblem::addNode(int n, const std::vector<NodeSplits> &preferred) {
  // More than any rank, so that ties go by it first; whether a value stays
  // partial is not part of it.
  constexpr int64_t kOtherwise = int64_t(1) << 20;
  double executions = space.node(n).executions;
  int first =
      preferred.empty() ? -1 : CandidateLists::find(*lists[n], preferred[n]);
  std::vector<int64_t> key = {-1, lists[n]->id, int64_t(space.name(n)),
                              int64_t(executions), first};
  for (const Port &port : space.ports(n))
    key.push_back(space.typeOf(port.value));
  auto &table = tables[key];
  if (!table) {
    auto entries = std::make_shared<std::vector<SearchCost>>();
    for (const Candidate &candidate : lists[n]->all) {
      SearchCost cost = scaled(costs.compute(n, candidate), executions);
      bool isOther =
          first >= 0 && candidate.splits != lists[n]->all[first].splits;
      cost.parts[3] = candidate.rank + (isOther ? kOtherwise : 0);
      cost.parts[4] = mixHash(space.name(n), candidate.hash) >> 24;
      entries->push_back(cost);
    }
    table = std::move(entries);
  }
  problem.terms.push_back({{variableOf[n]}, table});
}

void ConflictProblem::addValue(int value) {
  End from = space.producer(value);
  if (from.node >= 0 && lists[from.node])
    addUsers(value, usersOf(value));
}

/// Calls `visit` with all ways to have a number below each limit, the last one
/// counting up first.
static void forAll(llvm::ArrayRef<int> limits,
                   llvm::function_ref<void(llvm::ArrayRef<int>)> visit) {
  llvm::SmallVector<int, 4> at(limits.size(), 0);
  for (int i = 0; i >= 0;) {
    visit(at);
    for (i = int(at.size()) - 1; i >= 0 && ++at[i] == limits[i]; --i)
      at[i] = 0;
  }
}

/// The costs of one value by the candidates of `nodes`. Candidates that place
/// it in the same way cost the same, unless one reads it through a window.
std::vector<SearchCost>
ConflictProblem::costsOfUsers(int value, llvm::ArrayRef<User> users,
                              llvm::ArrayRef<int> nodes) {
  End from = space.producer(value);
  std::vector<std::vector<int>> classes(nodes.size()); ///< by candidate
  std::vector<std::vector<int>> firsts(nodes.size());  ///< of each class
  llvm::SmallVector<int, 4> counts, domains;
  for (auto [i, n] : llvm::enumerate(nodes)) {
    std::vector<llvm::SmallVector<PlacementId, 4>> known;
    for (int c = 0, e = lists[n]->all.size(); c < e; ++c) {
      llvm::SmallVector<PlacementId, 4> placed;
      if (from.node == n)
        placed.push_back(placementAt(from, c));
      for (const User &user : users) {
        if (user.end.node != n)
          continue;
        const Port &port = space.ports(n)[user.end.port];
        bool isReader = !port.isAlias &&
                        !space.rule(n).operands[port.tensor].windows.empty();
        placed.push_back(isReader ? c : placementAt(user.end, c));
      }
      auto it = llvm::find(known, placed);
      classes[i].push_back(it - known.begin());
      if (it == known.end()) {
        known.push_back(std::move(placed));
        firsts[i].push_back(c);
      }
    }
    counts.push_back(firsts[i].size());
    domains.push_back(classes[i].size());
  }
  std::vector<SearchCost> ofClasses, all;
  forAll(counts, [&](llvm::ArrayRef<int> at) {
    ofClasses.push_back(valueCost(value, users, [&](int n) {
      size_t i = llvm::find(nodes, n) - nodes.begin();
      return i == nodes.size() ? 0 : firsts[i][at[i]];
    }));
  });
  all.reserve(std::accumulate(domains.begin(), domains.end(), size_t(1),
                              std::multiplies<size_t>()));
  forAll(domains, [&](llvm::ArrayRef<int> at) {
    size_t entry = 0;
    for (size_t i = 0; i < at.size(); ++i)
      entry = entry * counts[i] + classes[i][at[i]];
    all.push_back(ofClasses[entry]);
  });
  return all;
}

void ConflictProblem::addUsers(int value, std::vector<User> users) {
  End from = space.producer(value);
  std::vector<int> nodes;
  auto note = [&](int n) {
    if (variableOf[n] >= 0 && !llvm::is_contained(nodes, n))
      nodes.push_back(n);
  };
  auto sizeOf = [&] {
    int64_t size = 1;
    for (int n : nodes)
      size = std::min(size * problem.domains[variableOf[n]], kDirectTable + 1);
    return size;
  };
  note(from.node);
  for (const User &user : users)
    note(user.end.node);
  if (sizeOf() > kDirectTable && nodes.size() > 2) {
    // A window is read for its user alone, but for partials that are reduced in
    // front of it, which others share.
    auto readers = llvm::partition(users, [&](const User &user) {
      const Port &port = space.ports(user.end.node)[user.end.port];
      return port.isAlias ||
             space.rule(user.end.node).operands[port.tensor].windows.empty();
    });
    if (readers == users.end())
      return addWideValue(value, users);
    for (auto reader = readers; reader != users.end(); ++reader)
      addUsers(value, {*reader});
    users.erase(readers, users.end());
    return addUsers(value, std::move(users));
  }
  if (users.empty() || nodes.empty())
    return;

  std::vector<int64_t> key = {space.typeOf(value)};
  auto describe = [&](End end, double weight) {
    const Port &port = space.ports(end.node)[end.port];
    key.push_back(lists[end.node]->id);
    key.push_back(port.isResult || port.isAlias ? -1 - port.tensor
                                                : port.tensor);
    key.push_back(int64_t(weight));
    key.push_back(variableOf[end.node] < 0
                      ? -1
                      : llvm::find(nodes, end.node) - nodes.begin());
  };
  describe(from, 1);
  for (const User &user : users)
    describe(user.end, user.weight);
  auto &table = tables[key];
  if (!table)
    table = std::make_shared<std::vector<SearchCost>>(
        costsOfUsers(value, users, nodes));
  if (llvm::all_of(*table,
                   [&](const SearchCost &c) { return c == table->front(); }))
    return;
  SearchTerm term;
  for (int n : nodes)
    term.variables.push_back(variableOf[n]);
  term.costs = table;
  problem.terms.push_back(std::move(term));
}

void ConflictProblem::addTable(
    std::vector<int> variables, const std::vector<int64_t> &key,
    llvm::function_ref<void(std::vector<SearchCost> &)> fill) {
  auto &table = tables[key];
  if (!table) {
    auto entries = std::make_shared<std::vector<SearchCost>>();
    fill(*entries);
    table = std::move(entries);
  }
  problem.terms.push_back({std::move(variables), table});
}

/// A value that its users may want in more ways than sets of them can be told
/// apart: one of these ways, or none, is made for all of them, and what else is
/// wanted each user pays for itself.
void ConflictProblem::addCopiedValue(int value, const std::vector<User> &users,
                                     const std::vector<PlacementId> &wanted,
                                     double weight) {
  End from = space.producer(value);
  size_t sources = lists[from.node]->all.size();
  int made = variableOf[from.node];
  int copy = problem.domains.size();
  size_t copies = wanted.size() + 1;
  problem.domains.push_back(copies);
  names.push_back(mixHash(space.name(from.node), 1));
  nodeOf.push_back(-1);
  producerOf[copy] = from.node;
  std::vector<int64_t> key = {-4, space.typeOf(value), lists[from.node]->id,
                              space.ports(from.node)[from.port].tensor,
                              int64_t(weight)};
  llvm::append_range(key, wanted);
  std::vector<int> variables = {copy};
  if (made >= 0)
    variables.insert(variables.begin(), made);
  addTable(std::move(variables), key, [&](std::vector<SearchCost> &entries) {
    for (size_t p = 0; p < sources; ++p) {
      entries.emplace_back();
      for (PlacementId id : wanted)
        entries.push_back(scaled(
            costs.redistribute(value, placementAt(from, p), id), weight));
    }
  });
  for (const User &user : users) {
    const CandidateList &list = *lists[user.end.node];
    const Port &port = space.ports(user.end.node)[user.end.port];
    int own = variableOf[user.end.node];
    if (own == made && own >= 0)
      continue;
    // Without the copy where the table would be too large.
    bool sees = int64_t(sources * copies * list.all.size()) <= kCopyTable;
    variables.clear();
    if (made >= 0)
      variables.push_back(made);
    if (sees)
      variables.push_back(copy);
    if (own >= 0)
      variables.push_back(own);
    if (variables.empty())
      continue;
    std::vector<int64_t> ownKey = key;
    ownKey.insert(ownKey.end(), {sees, list.id, port.tensor, port.isAlias,
                                 int64_t(user.weight)});
    addTable(std::move(variables), ownKey, [&](std::vector<SearchCost> &paid) {
      // From each placement that the source or a copy may have, to each that
      // the user may want.
      std::vector<PlacementId> starts, ends;
      auto indexIn = [](std::vector<PlacementId> &ids, PlacementId id) {
        auto it = llvm::find(ids, id);
        if (it != ids.end())
          return size_t(it - ids.begin());
        ids.push_back(id);
        return ids.size() - 1;
      };
      std::vector<size_t> startOf, endOf;
      for (size_t i = 0; i < sources + copies - 1; ++i)
        startOf.push_back(indexIn(starts, i < sources ? placementAt(from, i)
                                                      : wanted[i - sources]));
      for (size_t c = 0; c < list.all.size(); ++c)
        endOf.push_back(indexIn(ends, placementAt(user.end, c)));
      std::vector<std::vector<SearchCost>> costsFrom(starts.size());
      for (auto [start, row] : llvm::zip(starts, costsFrom))
        for (PlacementId end : ends)
          row.push_back(costs.redistribute(value, start, end));
      paid.reserve(sources * copies * list.all.size());
      for (size_t p = 0; p < sources; ++p)
        for (size_t i = 0; i < (sees ? copies : 1); ++i)
          for (size_t c = 0; c < list.all.size(); ++c) {
            SearchCost least = costsFrom[startOf[p]][endOf[c]];
            if (i > 0)
              least = std::min(least,
                               costsFrom[startOf[sources + i - 1]][endOf[c]]);
            paid.push_back(scaled(least, user.weight));
          }
    });
  }
}

/// A value with many users that may all want it otherwise.
void ConflictProblem::addWideValue(int value, const std::vector<User> &users) {
  End from = space.producer(value);
  std::vector<PlacementId> wanted;
  std::vector<double> weights;
  auto note = [&](PlacementId id, double weight) {
    auto it = llvm::find(wanted, id);
    if (it == wanted.end()) {
      wanted.push_back(id);
      weights.push_back(weight);
    } else {
      double &own = weights[it - wanted.begin()];
      own = std::max(own, weight);
    }
  };
  for (const User &user : users)
    for (size_t c = 0; c < lists[user.end.node]->all.size(); ++c)
      note(placementAt(user.end, c), user.weight);
  int made = variableOf[from.node];
  size_t sources = lists[from.node]->all.size();
  if (wanted.size() > kMostPlacements)
    return addCopiedValue(value, users, wanted,
                          *std::max_element(weights.begin(), weights.end()));
  int placements = problem.domains.size();
  problem.domains.push_back(1 << wanted.size());
  names.push_back(mixHash(space.name(from.node), 1));
  nodeOf.push_back(-1);
  producerOf[placements] = from.node;
  std::vector<int64_t> wantedKey = {-2, space.typeOf(value)};
  for (auto [id, weight] : llvm::zip(wanted, weights)) {
    wantedKey.push_back(id);
    wantedKey.push_back(int64_t(weight));
  }
  auto fillSets = [&](std::vector<SearchCost> &entries) {
    for (size_t p = 0; p < sources; ++p)
      for (unsigned set = 0; set < 1u << wanted.size(); ++set) {
        PlacementId has = placementAt(from, p);
        llvm::SmallVector<Target> made;
        for (size_t i = 0; i < wanted.size(); ++i)
          if ((set & (1u << i)) && wanted[i] != has)
            made.push_back({wanted[i], weights[i]});
        entries.push_back(treeCost(value, has, made));
      }
  };
  std::vector<int64_t> key = wantedKey;
  key.push_back(lists[from.node]->id);
  key.push_back(space.ports(from.node)[from.port].tensor);
  if (made >= 0)
    addTable({made, placements}, key, fillSets);
  else
    addTable({placements}, key, fillSets);
  for (const User &user : users) {
    auto fillAllowed = [&](std::vector<SearchCost> &allowed) {
      for (size_t c = 0; c < lists[user.end.node]->all.size(); ++c) {
        size_t i =
            llvm::find(wanted, placementAt(user.end, c)) - wanted.begin();
        for (unsigned set = 0; set < 1u << wanted.size(); ++set)
          allowed.push_back(set & (1u << i) ? SearchCost()
                                            : SearchCost::infinite());
      }
    };
    const Port &port = space.ports(user.end.node)[user.end.port];
    std::vector<int64_t> own = wantedKey;
    own.push_back(-3);
    own.push_back(lists[user.end.node]->id);
    own.push_back(port.isAlias ? -1 - port.tensor : port.tensor);
    int variable = variableOf[user.end.node];
    if (variable >= 0)
      addTable({variable, placements}, own, fillAllowed);
    else
      addTable({placements}, own, fillAllowed);
  }
}

SearchCost ConflictProblem::total(const std::vector<int> &chosen) {
  SearchCost sum;
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (lists[n])
      sum += scaled(costs.compute(n, lists[n]->all[chosen[n]]),
                    space.node(n).executions);
  auto choice = [&](int n) { return chosen[n]; };
  for (int v = 0, e = space.graph.values.size(); v < e; ++v) {
    End from = space.producer(v);
    if (from.node >= 0 && lists[from.node])
      sum += valueCost(v, usersOf(v), choice);
  }
  return sum;
}

SearchCost ConflictProblem::localCost(int n, int candidate,
                                      const std::vector<int> &chosen) {
  auto choice = [&](int other) {
    return other == n ? candidate : chosen[other];
  };
  SearchCost sum;
  std::vector<int> seen;
  for (const Port &port : space.ports(n)) {
    int value = port.value;
    End from = space.producer(value);
    if (from.node < 0 || !lists[from.node] || llvm::is_contained(seen, value))
      continue;
    seen.push_back(value);
    // With many users, what this one adds: looking at all of them for each
    // would take quadratic time.
    if (space.users(value).size() > kManyUsers && from.node != n) {
      sum += scaled(costs.redistribute(
                        value, placementAt(from, choice(from.node)),
                        port.isAlias
                            ? lists[n]->all[candidate].results[port.tensor]
                            : lists[n]->all[candidate].operands[port.tensor]),
                    space.node(from.node).redistributionsFor(space.node(n)));
      continue;
    }
    sum += valueCost(value, usersOf(value), choice);
  }
  return sum;
}

/// Gives the variables of values the cheapest that the nodes' allow.
std::vector<int> ConflictProblem::complete(std::vector<int> assignment) {
  assignment.resize(problem.domains.size(), 0);
  for (size_t v = 0; v < nodeOf.size(); ++v) {
    if (nodeOf[v] >= 0)
      continue;
    SearchCost least = SearchCost::infinite();
    int best = problem.domains[v] - 1;
    for (int value = 0; value < problem.domains[v]; ++value) {
      assignment[v] = value;
      SearchCost sum;
      for (int t : termsOf[v])
        sum += costOf(problem.terms[t], problem.domains, assignment);
      if (sum < least) {
        least = sum;
        best = value;
      }
    }
    assignment[v] = best;
  }
  return assignment;
}

std::vector<int> ConflictProblem::toAssignment(const std::vector<int> &chosen) {
  std::vector<int> assignment(problem.domains.size(), 0);
  for (size_t v = 0; v < nodeOf.size(); ++v)
    if (nodeOf[v] >= 0)
      assignment[v] = chosen[nodeOf[v]];
  return complete(std::move(assignment));
}

std::vector<int>
ConflictProblem::toChoices(const std::vector<int> &assignment) const {
  std::vector<int> chosen(space.numNodes(), 0);
  for (size_t v = 0; v < nodeOf.size(); ++v)
    if (nodeOf[v] >= 0)
      chosen[nodeOf[v]] = assignment[v];
  return chosen;
}

std::vector<int>
ConflictProblem::solveGreedy(const ReachableShardings &reachable) {
  std::vector<int> sequence;
  for (size_t v = 0; v < nodeOf.size(); ++v)
    if (nodeOf[v] >= 0)
      sequence.push_back(v);
  llvm::sort(sequence, [&](int a, int b) {
    return std::make_tuple(reachable.distance(nodeOf[a]), names[a], a) <
           std::make_tuple(reachable.distance(nodeOf[b]), names[b], b);
  });
  std::vector<int> assignment(problem.domains.size(), 0);
  std::vector<bool> isChosen(problem.domains.size(), false);
  for (int v : sequence) {
    isChosen[v] = true;
    SearchCost least;
    int best = -1;
    for (int value = 0; value < problem.domains[v]; ++value) {
      assignment[v] = value;
      SearchCost sum;
      for (int t : termsOf[v]) {
        const SearchTerm &term = problem.terms[t];
        if (llvm::all_of(term.variables, [&](int u) { return isChosen[u]; }))
          sum += costOf(term, problem.domains, assignment);
      }
      if (best < 0 || sum < least) {
        least = sum;
        best = value;
      }
    }
    assignment[v] = best;
  }
  return toChoices(assignment);
}

std::vector<int>
ConflictProblem::takeSplits(const std::vector<NodeSplits> &splits) {
  std::vector<int> chosen(space.numNodes(), 0);
  for (int n : nodeOf)
    if (n >= 0)
      chosen[n] = CandidateLists::find(*lists[n], splits[n]);
  return chosen;
}

std::vector<int> ConflictProblem::solveLeast(const std::vector<int> &start,
                                             const SearchOptions &options,
                                             SearchStatistics &statistics) {
  problem.name = [&](int variable) {
    int n = nodeOf[variable];
    return n < 0 ? mixHash(space.structuralHash(producerOf[variable]), 1)
                 : space.structuralHash(n);
  };
  problem.kind = [&](int variable) { return names[variable]; };
  problem.tieBreak = [&](int variable, int value) {
    int n = nodeOf[variable];
    return n < 0 ? int64_t(0)
                 : int64_t(mixHash(space.structuralHash(n),
                                   lists[n]->all[value].hash) >>
                           24);
  };
  std::vector<std::vector<int>> starts = {toAssignment(start)};
  // Variables that a search holds at their values of `start` may keep the ones
  // between them there, too. The second start is each node's first candidate,
  // which no rule prefers and equal nodes share. Searches of one round are to
  // be short, and go without it.
  if (options.rounds > 1)
    starts.push_back(toAssignment(std::vector<int>(space.numNodes(), 0)));
  return toChoices(searchLeast(problem, starts, options, &statistics));
}
