//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Priority after priority: arrivals, candidates, choice. Requires a graph whose
// annotations verify; guarantees that annotations are kept (R1), that no axis
// splits two factors of one node (R4), and a result that does not depend on the
// order of nodes (R3).
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Propagation.h"

#include "ConflictProblem.h"
#include "Reasons.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace shardir;

std::optional<ConflictMode>
shardir::parseConflictMode(const std::string &text) {
  if (text == "search")
    return ConflictMode::Search;
  if (text == "greedy")
    return ConflictMode::Greedy;
  if (text == "shardy")
    return ConflictMode::Shardy;
  return std::nullopt;
}

namespace {

class Propagator {
public:
  Propagator(const PropagationGraph &graph, const PropagationCost &cost)
      : graph(graph), cost(cost), space(graph), prices(space, cost),
        decided(graph.nodes.size()) {}

  PropagationResult run();

private:
  using Node = PropagationGraph::Node;

  void decide(int64_t priority, bool isLast);
  std::vector<int> choose(const Arrivals &arrivals,
                          const std::vector<NodeSplits> &shardy,
                          const std::vector<const CandidateList *> &lists,
                          std::optional<ConflictProblem> &problem);
  /// The one sharding that is so, on the mesh of node n.
  std::shared_ptr<const PropagationResult::Sharding>
  share(int n, llvm::ArrayRef<SplitsId> splits,
        llvm::ArrayRef<PlacementId> results,
        llvm::ArrayRef<PlacementId> operands);
  const CandidateList &restrict(const PropagationCost::Choice &choice,
                                const CandidateList &list,
                                CandidateLists &candidates);
  void addAlternatives(int n, ConflictProblem &problem,
                       const CandidateList &list,
                       const std::vector<int> &chosen);
  void placeFresh(int n);
  void follow(int n);

  const PropagationGraph &graph;
  const PropagationCost &cost;
  PropagationSpace space;
  PriceTable prices;
  std::vector<NodeSplits> decided;
  PropagationResult result;
  std::vector<std::vector<Reason>> reasons; ///< as findReasons gives them
  NumbersMap<std::shared_ptr<const PropagationResult::Sharding>> shardings;
};

} // namespace

std::shared_ptr<const PropagationResult::Sharding>
Propagator::share(int n, llvm::ArrayRef<SplitsId> splits,
                  llvm::ArrayRef<PlacementId> results,
                  llvm::ArrayRef<PlacementId> operands) {
  std::vector<int64_t> key = {graph.nodes[n].mesh, int64_t(splits.size()),
                              int64_t(results.size())};
  for (llvm::ArrayRef<int> list : {splits, results, operands})
    key.insert(key.end(), list.begin(), list.end());
  auto &shared = shardings[key];
  if (shared)
    return shared;
  SplitsTable &table = space.table(n);
  PropagationResult::Sharding made;
  for (SplitsId id : splits)
    made.splits.push_back(table.splits(id));
  for (PlacementId id : results)
    made.results.push_back(table.placement(id));
  for (PlacementId id : operands)
    made.operands.push_back(table.placement(id));
  return shared = std::make_shared<const PropagationResult::Sharding>(
             std::move(made));
}

/// What is said of a candidate: its results, else its operands.
static llvm::ArrayRef<PlacementId> shownOf(const Candidate &candidate) {
  if (candidate.results.empty())
    return candidate.operands;
  return candidate.results;
}

const CandidateList &Propagator::restrict(const PropagationCost::Choice &choice,
                                          const CandidateList &list,
                                          CandidateLists &candidates) {
  SplitsTable &table = space.table(choice.node);
  return candidates.restrictTo(list, [&](const Candidate &candidate) {
    return llvm::equal(shownOf(candidate), choice.placements,
                       [&](PlacementId id, const Placement &placement) {
                         return table.placement(id) == placement;
                       });
  });
}

/// The place of a candidate in the list that it was taken from.
static int indexIn(const CandidateList &list, const Candidate &candidate) {
  auto isSame = [&](const Candidate &other) {
    return other.splits == candidate.splits &&
           other.operands == candidate.operands &&
           other.results == candidate.results;
  };
  return llvm::find_if(list.all, isSame) - list.all.begin();
}

void Propagator::addAlternatives(int n, ConflictProblem &problem,
                                 const CandidateList &list,
                                 const std::vector<int> &chosen) {
  SplitsTable &table = space.table(n);
  // One per placement of the results, the cheapest way to come there.
  struct Found {
    bool isOther = true;
    int64_t bytes = 0;
    std::string text;
    const Candidate *candidate = nullptr;
  };
  std::map<std::vector<PlacementId>, Found> found;
  for (auto [c, candidate] : llvm::enumerate(list.all)) {
    Found one;
    one.isOther = int(c) != chosen[n];
    one.bytes = problem.around(n, c, chosen).parts[prices.bytesPart()];
    one.candidate = &candidate;
    auto [it, isNew] = found.try_emplace(shownOf(candidate).vec(), one);
    if (!isNew && std::make_pair(one.isOther, one.bytes) <
                      std::make_pair(it->second.isOther, it->second.bytes))
      it->second = one;
  }
  // Ways that differ inside of the op alone are none that anybody sees.
  if (found.size() < 2)
    return;
  std::vector<Found> sorted;
  for (auto &[ids, one] : found) {
    for (PlacementId id : ids)
      one.text += toString(table.placement(id)) + ";";
    sorted.push_back(std::move(one));
  }
  llvm::sort(sorted, [](const Found &a, const Found &b) {
    return std::tie(a.isOther, a.bytes, a.text) <
           std::tie(b.isOther, b.bytes, b.text);
  });
  sorted.resize(std::min(sorted.size(), PropagationResult::kMostAlternatives));
  for (const Found &one : sorted) {
    PropagationResult::Alternative alternative;
    for (PlacementId id : shownOf(*one.candidate))
      alternative.placements.push_back(table.placement(id));
    alternative.bytes = one.bytes;
    alternative.isChosen = !one.isOther;
    result.nodes[n].alternatives.push_back(std::move(alternative));
  }
}

/// What is kept is the least by the planner's bytes. A closed form that
/// promised less than the planner has can mislead the search, so it searches
/// again with the prices that have turned out.
std::vector<int>
Propagator::choose(const Arrivals &arrivals,
                   const std::vector<NodeSplits> &shardy,
                   const std::vector<const CandidateList *> &lists,
                   std::optional<ConflictProblem> &problem) {
  static constexpr int kMostRounds = 8;
  std::vector<int> best;
  SearchCost least;
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = false;
    int inexact = result.search.inexact;
    std::vector<std::vector<int>> answers =
        problem->solve(arrivals, shardy, cost, result.search);
    if (cost.conflicts == ConflictMode::Search)
      problem->improve(answers.front(), result.search.inexact == inexact);
    for (std::vector<int> &answer : answers) {
      if (cost.mode == CostMode::Bytes)
        changed |= problem->settle(answer);
      SearchCost sum = problem->total(answer, prices);
      if (best.empty() || sum < least) {
        least = sum;
        best = std::move(answer);
      }
    }
    if (!changed || cost.conflicts != ConflictMode::Search)
      break;
    problem.emplace(space, prices, lists, shardy);
  }
  return best;
}

void Propagator::decide(int64_t priority, bool isLast) {
  Arrivals arrivals(space, decided, priority, cost.weigh);
  arrivals.findPossible();
  arrivals.findCertain();
  CandidateLists candidates(space, arrivals);
  std::vector<const CandidateList *> all(space.numNodes(), nullptr);
  bool competes = false;
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (!space.isFollower(n) && !space.isFree(n)) {
      all[n] = &candidates.get(n);
      competes |= all[n]->all.size() > 1;
    }
  std::vector<const CandidateList *> lists = all;
  for (const PropagationCost::Choice &choice : cost.choices)
    if (isLast && lists[choice.node])
      lists[choice.node] = &restrict(choice, *lists[choice.node], candidates);
  std::vector<int> chosen(space.numNodes(), 0);
  std::vector<NodeSplits> shardy;
  if (competes && cost.conflicts != ConflictMode::Greedy)
    shardy = arrivals.firstCome();
  std::optional<ConflictProblem> problem(std::in_place, space, prices, lists,
                                         shardy);
  if (competes)
    chosen = choose(arrivals, shardy, lists, problem);
  // What is told counts bytes as reports do.
  PropagationCost plain = cost;
  plain.memoryWeight = 0;
  plain.deviceWeights.clear();
  PriceTable work(space, plain);
  if (isLast) {
    for (int n = 0, e = space.numNodes(); n < e; ++n)
      if (lists[n] != all[n])
        chosen[n] = indexIn(*all[n], lists[n]->all[chosen[n]]);
    lists = all;
    if (!cost.deviceWeights.empty() || !cost.choices.empty())
      problem.emplace(space, work, lists, shardy);
    SearchCost total = problem->total(chosen, work);
    result.bytes = double(total.parts[prices.bytesPart()]);
    result.seconds = double(total.parts[1 - prices.bytesPart()]) * 1e-12;
    result.heldBytes = double(total.parts[2]);
  }
  for (int n = 0, e = space.numNodes(); n < e; ++n) {
    decided[n] = arrivals.floor(n);
    if (lists[n])
      decided[n] = lists[n]->all[chosen[n]].splits;
    if (!isLast || !lists[n])
      continue;
    const Candidate &candidate = lists[n]->all[chosen[n]];
    result.nodes[n].sharding =
        share(n, candidate.splits, candidate.results, candidate.operands);
    result.nodes[n].hasOtherOperands =
        llvm::any_of(lists[n]->all, [&](const Candidate &other) {
          return other.results == candidate.results &&
                 other.operands != candidate.operands;
        });
    result.nodes[n].name = space.fullName(n);
    if (lists[n]->all.size() > 1)
      addAlternatives(n, *problem, *lists[n], chosen);
  }
}

/// What most users want (R5); of equal wishes the one that needs least room.
void Propagator::placeFresh(int n) {
  const Node &node = graph.nodes[n];
  PropagationResult::Node &out = result.nodes[n];
  SplitsTable &table = space.table(n);
  FactorSplits splits(node.rule->factors.size());
  std::vector<Placement> results, operands;
  std::vector<Reason> found(node.rule->factors.size());
  for (const TensorFactors &factors : node.rule->results)
    results.push_back(Placement::replicatedOfRank(factors.dims.size()));
  for (const Port &port : space.ports(n)) {
    if (!port.isResult)
      continue;
    struct Wish {
      const Placement *placement;
      llvm::SmallVector<End, 2> users;
    };
    llvm::SmallVector<Wish, 4> wishes;
    for (End user : space.users(port.value)) {
      const Port &own = space.ports(user.node)[user.port];
      const PropagationResult::Node &other = result.nodes[user.node];
      if (graph.nodes[user.node].mesh != node.mesh || own.isAlias ||
          !other.sharding || own.tensor >= int(other.sharding->operands.size()))
        continue;
      const Placement &wanted = other.sharding->operands[own.tensor];
      auto wish = llvm::find_if(wishes, [&](const Wish &known) {
        return known.placement == &wanted || *known.placement == wanted;
      });
      if (wish == wishes.end())
        wish = wishes.insert(wishes.end(), Wish{&wanted, {}});
      wish->users.push_back(user);
    }
    const Wish *best = nullptr;
    auto rank = [&](const Wish &wish) {
      return std::make_pair(
          -int(wish.users.size()),
          prices.localBytes(n, port.value,
                            table.getPlacement(*wish.placement)));
    };
    if (wishes.size() > 1)
      llvm::sort(wishes, [](const Wish &a, const Wish &b) {
        return toString(*a.placement) < toString(*b.placement);
      });
    for (const Wish &wish : wishes)
      if (!best || rank(wish) < rank(*best))
        best = &wish;
    if (!best)
      continue;
    const TensorFactors &factors = node.rule->results[port.tensor];
    const Placement &placement = *best->placement;
    FactorSplits own = projectTensor(node.rule, factors, placement, table.mesh);
    for (auto &&[all, one] : llvm::zip(splits, own))
      if (all.empty())
        all = one;
    results[port.tensor] = placement;
    // The reason is that of its users which has the nearest annotation.
    auto offer = [](Reason &own, const Reason &other) {
      if (!other.text.empty() && (own.text.empty() || other.isBefore(own)))
        own = other;
    };
    llvm::ArrayRef<Reason> owed;
    for (End end : best->users) {
      const Node &user = graph.nodes[end.node];
      const Port &theirs = space.ports(end.node)[end.port];
      const std::vector<Reason> &given = reasons[end.node];
      for (auto [mine, other] :
           llvm::zip(factors.dims, user.rule->operands[theirs.tensor].dims))
        for (int f : mine)
          for (int g : other)
            if (!splits[f].empty() && g < int(given.size()))
              offer(found[f], given[g]);
      if (given.size() <= user.rule->factors.size())
        continue;
      llvm::ArrayRef<Reason> terms =
          llvm::ArrayRef(given).drop_front(user.rule->factors.size());
      if (owed.empty() ||
          std::lexicographical_compare(
              terms.begin(), terms.end(), owed.begin(), owed.end(),
              [](const Reason &a, const Reason &b) { return a.isBefore(b); }))
        owed = terms;
    }
    if (placement.partial)
      llvm::append_range(found, owed);
  }
  reasons[n] = std::move(found);
  for (auto [i, factors] : llvm::enumerate(node.rule->operands)) {
    auto operand = composeTensor(node.rule, factors, splits, table.mesh);
    operands.push_back(
        operand ? *operand : Placement::replicatedOfRank(factors.dims.size()));
    // A fill owes through the tensor that it fills.
    if (!results.empty() && results[0].partial &&
        llvm::any_of(node.rule->partials, [&](const PartialRule &partial) {
          return llvm::is_contained(partial.operands, int(i));
        })) {
      operands.back().partial = results[0].partial;
      operands.back().partialAxes = results[0].partialAxes;
    }
  }
  llvm::SmallVector<SplitsId> splitsIds;
  llvm::SmallVector<PlacementId> resultIds, operandIds;
  for (const Splits &own : splits)
    splitsIds.push_back(table.get(own));
  for (const Placement &own : results)
    resultIds.push_back(table.getPlacement(own));
  for (const Placement &own : operands)
    operandIds.push_back(table.getPlacement(own));
  out.sharding = share(n, splitsIds, resultIds, operandIds);
}

/// A result in an argument's place lies as the argument does.
void Propagator::follow(int n) {
  const PropagationResult::Node &from = result.nodes[graph.nodes[n].alias];
  PropagationResult::Sharding own;
  own.splits = from.sharding->splits;
  own.operands = from.sharding->results;
  result.nodes[n].sharding =
      std::make_shared<const PropagationResult::Sharding>(std::move(own));
  result.nodes[n].decidedBy = from.decidedBy;
}

PropagationResult Propagator::run() {
  result.nodes.resize(graph.nodes.size());
  reasons.resize(graph.nodes.size());
  std::set<int64_t> priorities = {PropagationGraph::kLastPriority};
  for (const Node &node : graph.nodes)
    for (auto [f, splits] : llvm::enumerate(node.annotated))
      if (!splits.empty() && !node.priority.empty())
        priorities.insert(node.priority[f]);
  for (int64_t priority : priorities)
    decide(priority, priority == *priorities.rbegin());
  // Ways lead on through what spreads a constant, where its users have put it.
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (space.isFree(n) && !space.isFresh(n)) {
      placeFresh(n);
      const FactorSplits &splits = result.nodes[n].sharding->splits;
      for (auto [f, own] : llvm::enumerate(splits))
        decided[n][f] = space.table(n).get(own);
    }
  reasons = findReasons(space, decided, result);
  for (int n = space.numNodes() - 1; n >= 0; --n)
    if (space.isFresh(n) && !space.isFollower(n))
      placeFresh(n);
  for (auto [node, own] : llvm::zip(result.nodes, reasons))
    for (Reason &reason : own)
      node.decidedBy.push_back(std::move(reason.text));
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (space.isFollower(n))
      follow(n);
  return std::move(result);
}

PropagationResult shardir::propagate(const PropagationGraph &graph,
                                     const PropagationCost &cost) {
  PropagationResult best = Propagator(graph, cost).run();
  if (cost.memoryLimit <= 0)
    return best;
  double least = predictPeak(graph, best);
  PropagationCost frugal = cost;
  // A byte held counts from a thousandth of a byte received to a million.
  double unit = cost.mode == CostMode::Bytes ? 1 : 1 / cost.machine.bandwidth;
  for (double weight = 1e-3; weight <= 1e6 && least > cost.memoryLimit;
       weight *= 10) {
    frugal.memoryWeight = weight * unit;
    PropagationResult next = Propagator(graph, frugal).run();
    double peak = predictPeak(graph, next);
    if (peak >= least)
      continue;
    least = peak;
    best = std::move(next);
  }
  return best;
}
