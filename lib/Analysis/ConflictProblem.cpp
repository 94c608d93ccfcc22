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
/// More users than this are not looked at for each of them.
static constexpr size_t kManyUsers = 64;

ConflictProblem::ConflictProblem(PropagationSpace &space, PriceTable &prices,
                                 std::vector<const CandidateList *> candidates)
    : space(space), prices(prices), lists(std::move(candidates)) {
  variableOf.assign(space.numNodes(), -1);
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (lists[n] && lists[n]->all.size() > 1) {
      variableOf[n] = nodeOf.size();
      nodeOf.push_back(n);
      problem.domains.push_back(lists[n]->all.size());
      problem.names.push_back(space.name(n));
    }
  findRoots();
  for (int n : std::vector<int>(nodeOf))
    addNode(n);
  for (int v = 0, e = space.graph.values.size(); v < e; ++v)
    addValue(v);
  termsOf.resize(problem.domains.size());
  for (auto [i, term] : llvm::enumerate(problem.terms))
    for (int variable : term.variables)
      termsOf[variable].push_back(i);
}

void ConflictProblem::addNode(int n) {
  double executions = space.node(n).executions;
  std::vector<int64_t> key = {-1, lists[n]->id, int64_t(space.name(n)),
                              int64_t(executions)};
  for (const Port &port : space.ports(n))
    key.push_back(space.typeOf(port.value));
  auto &table = tables[key];
  if (!table) {
    auto costs = std::make_shared<std::vector<SearchCost>>();
    for (const Candidate &candidate : lists[n]->all) {
      SearchCost cost = scaled(prices.work(n, candidate), executions);
      cost.parts[3] = candidate.rank;
      cost.parts[4] = mixHash(space.name(n), candidate.hash) >> 24;
      costs->push_back(cost);
    }
    table = std::move(costs);
  }
  problem.terms.push_back({{variableOf[n]}, table});
}

/// A constraint that leaves no choice is one more name of its operand: what it
/// says is made where a user takes it as it says, and only there.
void ConflictProblem::findRoots() {
  rootOf.resize(space.graph.values.size());
  std::iota(rootOf.begin(), rootOf.end(), 0);
  for (int n = 0, e = space.numNodes(); n < e; ++n) {
    const PropagationGraph::Node &node = space.node(n);
    if (!node.isConstraint || !lists[n] || lists[n]->all.size() > 1 ||
        node.operands[0] < 0)
      continue;
    End from = space.producer(node.operands[0]);
    if (from.node >= 0 && lists[from.node] &&
        space.node(from.node).mesh == node.mesh)
      rootOf[node.results[0]] = rootOf[node.operands[0]];
  }
}

void ConflictProblem::addUsers(int value, int mesh, double made,
                               std::vector<User> &users) const {
  for (End user : space.users(value)) {
    const PropagationGraph::Node &node = space.node(user.node);
    if (!lists[user.node] || node.mesh != mesh)
      continue;
    bool isName = node.isConstraint && rootOf[node.results[0]] == rootOf[value];
    if (!isName || prices.constraintsAreMade())
      users.push_back({user, std::min(made, node.executions)});
    if (isName)
      addUsers(node.results[0], mesh, made, users);
  }
}

std::vector<ConflictProblem::User> ConflictProblem::usersOf(int value) const {
  std::vector<User> users;
  const PropagationGraph::Node &from = space.node(space.producer(value).node);
  addUsers(value, from.mesh, from.executions, users);
  return users;
}

PlacementId ConflictProblem::shown(const End &end, int candidate) const {
  const Port &port = space.ports(end.node)[end.port];
  const Candidate &own = lists[end.node]->all[candidate];
  return port.isResult || port.isAlias ? own.results[port.tensor]
                                       : own.operands[port.tensor];
}

SearchCost ConflictProblem::valueCost(int value, const std::vector<User> &users,
                                      llvm::function_ref<int(int)> choice) {
  End from = space.producer(value);
  PlacementId has = shown(from, choice(from.node));
  llvm::SmallVector<std::pair<PlacementId, double>, 4> made;
  SearchCost sum;
  for (const User &user : users) {
    int n = user.end.node;
    const Port &port = space.ports(n)[user.end.port];
    if (!port.isAlias && !space.rule(n).operands[port.tensor].windows.empty()) {
      sum += scaled(prices.read(n, port, lists[n]->all[choice(n)], has),
                    user.weight);
      continue;
    }
    PlacementId wants = shown(user.end, choice(n));
    if (wants == has)
      continue;
    auto known = llvm::find_if(
        made, [&](const auto &other) { return other.first == wants; });
    if (known == made.end())
      made.push_back({wants, user.weight});
    else
      known->second = std::max(known->second, user.weight);
  }
  return sum += madeCost(value, has, made);
}

/// What is made for one user may be the source for another that wants less.
SearchCost
ConflictProblem::madeCost(int value, PlacementId has,
                          llvm::ArrayRef<std::pair<PlacementId, double>> made) {
  int from = space.producer(value).node;
  SearchCost sum;
  for (auto [wants, weight] : made) {
    SearchCost least = prices.change(value, has, wants);
    int64_t bytes = prices.localBytes(from, value, wants);
    for (auto [other, otherWeight] : made)
      if (prices.localBytes(from, value, other) > bytes)
        least = std::min(least, prices.change(value, other, wants));
    sum += scaled(least, weight);
  }
  return sum;
}

void ConflictProblem::addValue(int value) {
  End from = space.producer(value);
  if (from.node < 0 || !lists[from.node] || rootOf[value] != value)
    return;
  std::vector<User> users = usersOf(value);
  std::vector<int> nodes;
  auto note = [&](int n) {
    if (variableOf[n] >= 0 && !llvm::is_contained(nodes, n))
      nodes.push_back(n);
  };
  note(from.node);
  for (const User &user : users)
    note(user.end.node);
  if (users.empty() || nodes.empty())
    return;
  int64_t size = 1;
  for (int n : nodes)
    size = std::min(size * problem.domains[variableOf[n]], kDirectTable + 1);
  if (size > kDirectTable && nodes.size() > 2)
    return addWideValue(value, users, nodes);

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
  if (!table) {
    auto costs = std::make_shared<std::vector<SearchCost>>();
    llvm::SmallVector<int, 4> at(nodes.size(), 0);
    auto choice = [&](int n) {
      auto it = llvm::find(nodes, n);
      return it == nodes.end() ? 0 : at[it - nodes.begin()];
    };
    while (true) {
      costs->push_back(valueCost(value, users, choice));
      int i = int(at.size()) - 1;
      for (; i >= 0; --i) {
        if (++at[i] < problem.domains[variableOf[nodes[i]]])
          break;
        at[i] = 0;
      }
      if (i < 0)
        break;
    }
    table = std::move(costs);
  }
  if (llvm::all_of(*table,
                   [&](const SearchCost &c) { return c == table->front(); }))
    return;
  SearchTerm term;
  for (int n : nodes)
    term.variables.push_back(variableOf[n]);
  term.costs = table;
  problem.terms.push_back(std::move(term));
}

void ConflictProblem::addTable(std::vector<int> variables,
                               std::vector<SearchCost> costs,
                               const std::vector<int64_t> &key) {
  auto &table = tables[key];
  if (!table)
    table = std::make_shared<std::vector<SearchCost>>(std::move(costs));
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
  problem.names.push_back(mixHash(space.name(from.node), value >= 0));
  nodeOf.push_back(-1);
  std::vector<int64_t> key = {-4, space.typeOf(value), lists[from.node]->id,
                              space.ports(from.node)[from.port].tensor,
                              int64_t(weight)};
  llvm::append_range(key, wanted);
  std::vector<SearchCost> costs;
  for (size_t p = 0; p < sources; ++p) {
    costs.emplace_back();
    for (PlacementId id : wanted)
      costs.push_back(scaled(prices.change(value, shown(from, p), id), weight));
  }
  std::vector<int> variables = {copy};
  if (made >= 0)
    variables.insert(variables.begin(), made);
  addTable(std::move(variables), std::move(costs), key);
  for (const User &user : users) {
    const CandidateList &list = *lists[user.end.node];
    const Port &port = space.ports(user.end.node)[user.end.port];
    int own = variableOf[user.end.node];
    if (own == made && own >= 0)
      continue;
    // Without the copy where the table would be too large.
    bool sees = int64_t(sources * copies * list.all.size()) <= kCopyTable;
    std::vector<SearchCost> paid;
    for (size_t p = 0; p < sources; ++p)
      for (size_t i = 0; i < (sees ? copies : 1); ++i)
        for (size_t c = 0; c < list.all.size(); ++c) {
          PlacementId wants = shown(user.end, c);
          SearchCost least = prices.change(value, shown(from, p), wants);
          if (i > 0)
            least = std::min(least, prices.change(value, wanted[i - 1], wants));
          paid.push_back(scaled(least, user.weight));
        }
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
    addTable(std::move(variables), std::move(paid), ownKey);
  }
}

/// A value with many users that may all want it otherwise.
void ConflictProblem::addWideValue(int value, const std::vector<User> &users,
                                   const std::vector<int> &nodes) {
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
      note(shown(user.end, c), user.weight);
  int made = variableOf[from.node];
  size_t sources = lists[from.node]->all.size();
  if (wanted.size() > kMostPlacements)
    return addCopiedValue(value, users, wanted,
                          *std::max_element(weights.begin(), weights.end()));
  int placements = problem.domains.size();
  problem.domains.push_back(1 << wanted.size());
  problem.names.push_back(mixHash(space.name(from.node), value >= 0));
  nodeOf.push_back(-1);
  std::vector<int64_t> wantedKey = {-2, space.typeOf(value)};
  for (auto [id, weight] : llvm::zip(wanted, weights)) {
    wantedKey.push_back(id);
    wantedKey.push_back(int64_t(weight));
  }
  std::vector<SearchCost> costs;
  for (size_t p = 0; p < sources; ++p)
    for (unsigned set = 0; set < 1u << wanted.size(); ++set) {
      PlacementId has = shown(from, p);
      llvm::SmallVector<std::pair<PlacementId, double>> made;
      for (size_t i = 0; i < wanted.size(); ++i)
        if ((set & (1u << i)) && wanted[i] != has)
          made.push_back({wanted[i], weights[i]});
      costs.push_back(madeCost(value, has, made));
    }
  std::vector<int64_t> key = wantedKey;
  key.push_back(lists[from.node]->id);
  key.push_back(space.ports(from.node)[from.port].tensor);
  if (made >= 0)
    addTable({made, placements}, std::move(costs), key);
  else
    addTable({placements}, std::move(costs), key);
  for (const User &user : users) {
    std::vector<SearchCost> allowed;
    for (size_t c = 0; c < lists[user.end.node]->all.size(); ++c) {
      size_t i = llvm::find(wanted, shown(user.end, c)) - wanted.begin();
      for (unsigned set = 0; set < 1u << wanted.size(); ++set)
        allowed.push_back(set & (1u << i) ? SearchCost()
                                          : SearchCost::infinite());
    }
    const Port &port = space.ports(user.end.node)[user.end.port];
    std::vector<int64_t> own = wantedKey;
    own.push_back(-3);
    own.push_back(lists[user.end.node]->id);
    own.push_back(port.isAlias ? -1 - port.tensor : port.tensor);
    int variable = variableOf[user.end.node];
    if (variable >= 0)
      addTable({variable, placements}, std::move(allowed), own);
    else
      addTable({placements}, std::move(allowed), own);
  }
}

SearchCost ConflictProblem::total(const std::vector<int> &chosen,
                                  PriceTable &work) {
  SearchCost sum;
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (lists[n])
      sum += scaled(work.work(n, lists[n]->all[chosen[n]]),
                    space.node(n).executions);
  auto choice = [&](int n) { return chosen[n]; };
  for (int v = 0, e = space.graph.values.size(); v < e; ++v) {
    End from = space.producer(v);
    if (from.node >= 0 && lists[from.node] && rootOf[v] == v)
      sum += valueCost(v, usersOf(v), choice);
  }
  return sum;
}

SearchCost ConflictProblem::around(int n, int candidate,
                                   const std::vector<int> &chosen) {
  auto choice = [&](int other) {
    return other == n ? candidate : chosen[other];
  };
  SearchCost sum;
  std::vector<int> seen;
  for (const Port &port : space.ports(n)) {
    int value = rootOf[port.value];
    End from = space.producer(value);
    if (from.node < 0 || !lists[from.node] || llvm::is_contained(seen, value))
      continue;
    seen.push_back(value);
    // With many users, what this one adds: looking at all of them for each
    // would take quadratic time.
    if (space.users(value).size() > kManyUsers && from.node != n) {
      sum += scaled(
          prices.change(value, shown(from, choice(from.node)),
                        port.isAlias
                            ? lists[n]->all[candidate].results[port.tensor]
                            : lists[n]->all[candidate].operands[port.tensor]),
          std::min(space.node(from.node).executions, space.node(n).executions));
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

/// Nodes nearest to annotations first, each the cheapest by what is chosen.
std::vector<int> ConflictProblem::greedy(const Arrivals &arrivals) {
  std::vector<int> sequence;
  for (size_t v = 0; v < nodeOf.size(); ++v)
    if (nodeOf[v] >= 0)
      sequence.push_back(v);
  llvm::sort(sequence, [&](int a, int b) {
    return std::make_tuple(arrivals.distance(nodeOf[a]), problem.names[a], a) <
           std::make_tuple(arrivals.distance(nodeOf[b]), problem.names[b], b);
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
  return complete(std::move(assignment));
}

std::vector<int> ConflictProblem::solve(const Arrivals &arrivals,
                                        const std::vector<NodeSplits> &shardy,
                                        const PropagationCost &cost,
                                        SearchStatistics &statistics) {
  problem.tieBreak = [&](int variable, int value) {
    int n = nodeOf[variable];
    return n < 0 ? int64_t(0)
                 : int64_t(
                       mixHash(space.fullName(n), lists[n]->all[value].hash) >>
                       24);
  };
  std::vector<std::vector<int>> starts;
  if (cost.conflicts != ConflictMode::Shardy)
    starts.push_back(greedy(arrivals));
  if (cost.conflicts != ConflictMode::Greedy) {
    std::vector<int> assignment(problem.domains.size(), 0);
    for (size_t v = 0; v < nodeOf.size(); ++v)
      if (nodeOf[v] >= 0)
        assignment[v] =
            CandidateLists::find(*lists[nodeOf[v]], shardy[nodeOf[v]]);
    starts.push_back(complete(std::move(assignment)));
  }
  if (cost.conflicts == ConflictMode::Search)
    starts.insert(starts.begin(),
                  searchLeast(problem, starts, cost.search, &statistics));
  // Where users of a value were priced one by one the search's sum is not the
  // whole truth: what is kept is the least by that.
  std::vector<int> best;
  SearchCost least;
  for (const std::vector<int> &assignment : starts) {
    std::vector<int> chosen(space.numNodes(), 0);
    for (size_t v = 0; v < nodeOf.size(); ++v)
      if (nodeOf[v] >= 0)
        chosen[nodeOf[v]] = assignment[v];
    SearchCost sum = starts.size() > 1 ? total(chosen, prices) : SearchCost();
    if (best.empty() || sum < least) {
      least = sum;
      best = std::move(chosen);
    }
  }
  return best;
}
