//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each priority: reachability, candidates, choice. Requires a graph whose
// annotations verify; guarantees that annotations are kept (R1), that no axis
// splits two factors of one node (R4), and a result that does not depend on the
// order of nodes (R3).
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Propagation/Propagation.h"

#include "ConflictProblem.h"
#include "Provenance/Provenance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

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
  /// `machine` is the default costs, perhaps with weights of ranks, which
  /// options.costModel replaces.
  Propagator(const PropagationGraph &graph, const PropagationOptions &options,
             const MachineCostModel &machine)
      : graph(graph), options(options), machine(machine), space(graph),
        costs(space, options.costModel ? *options.costModel : machine,
              options.mode, options.memoryWeight),
        decided(graph.nodes.size()) {}

  PropagationResult run();

private:
  using Node = PropagationGraph::Node;

  void decide(int64_t priority, bool isLast);
  void report(ConflictProblem &problem,
              const std::vector<const CandidateList *> &lists,
              const std::vector<int> &chosen);
  std::vector<int> choose(const ReachableShardings &reachable,
                          const std::vector<NodeSplits> &shardy,
                          ConflictProblem &problem);
  /// The one sharding that is so, on the mesh of node n.
  std::shared_ptr<const PropagationResult::Sharding>
  share(int n, llvm::ArrayRef<SplitsId> splits,
        llvm::ArrayRef<PlacementId> results,
        llvm::ArrayRef<PlacementId> operands);
  void addAlternatives(int n, ConflictProblem &problem,
                       const CandidateList &list,
                       const std::vector<int> &chosen);
  void placeRematerializable(int n);
  void follow(int n);

  const PropagationGraph &graph;
  const PropagationOptions &options;
  const MachineCostModel &machine;
  PropagationSpace space;
  CostTables costs;
  std::vector<NodeSplits> decided;
  PropagationResult result;
  std::vector<std::vector<RankedProvenance>> reasons; ///< of findProvenance
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

/// The placements that describe a candidate: its results', else its operands'.
static llvm::ArrayRef<PlacementId> shownOf(const Candidate &candidate) {
  if (candidate.results.empty())
    return candidate.operands;
  return candidate.results;
}

void Propagator::addAlternatives(int n, ConflictProblem &problem,
                                 const CandidateList &list,
                                 const std::vector<int> &chosen) {
  SplitsTable &table = space.table(n);
  // The candidate of least cost for each placement of the results.
  struct Found {
    bool isOther = true;
    SearchCost cost;
    std::string text;
    const Candidate *candidate = nullptr;
  };
  std::map<std::vector<PlacementId>, Found> found;
  for (auto [c, candidate] : llvm::enumerate(list.all)) {
    Found one;
    one.isOther = int(c) != chosen[n];
    one.cost = problem.localCost(n, c, chosen);
    one.cost += scaled(costs.compute(n, candidate), space.node(n).executions);
    one.candidate = &candidate;
    auto [it, isNew] = found.try_emplace(shownOf(candidate).vec(), one);
    if (!isNew && std::tie(one.isOther, one.cost) <
                      std::tie(it->second.isOther, it->second.cost))
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
    return std::tie(a.isOther, a.cost, a.text) <
           std::tie(b.isOther, b.cost, b.text);
  });
  sorted.resize(std::min(sorted.size(), PropagationResult::kMostAlternatives));
  for (const Found &one : sorted) {
    PropagationResult::Alternative alternative;
    for (PlacementId id : shownOf(*one.candidate))
      alternative.placements.push_back(table.placement(id));
    alternative.bytes = one.cost.parts[costs.bytesPart()];
    if (options.mode == CostMode::Time)
      alternative.seconds = double(one.cost.parts[0]) * 1e-12;
    alternative.isChosen = !one.isOther;
    result.nodes[n].alternatives.push_back(std::move(alternative));
  }
}

std::vector<int> Propagator::choose(const ReachableShardings &reachable,
                                    const std::vector<NodeSplits> &shardy,
                                    ConflictProblem &problem) {
  switch (options.conflicts) {
  case ConflictMode::Greedy:
    return problem.solveGreedy(reachable);
  case ConflictMode::Shardy:
    return problem.takeSplits(shardy);
  case ConflictMode::Search:
    return problem.solveLeast(problem.takeSplits(shardy), options.search,
                              result.search);
  }
  llvm_unreachable("unknown solver");
}

void Propagator::decide(int64_t priority, bool isLast) {
  ReachableShardings reachable(space, decided, priority,
                               options.weighUncontested);
  reachable.findPossible();
  reachable.findUncontested();
  // Bytes come before work: no sum of them may be saved by much of that (R6).
  CandidateLists candidates(space, reachable,
                            options.mode == CostMode::Bytes &&
                                options.conflicts == ConflictMode::Search);
  std::vector<const CandidateList *> lists(space.numNodes(), nullptr);
  bool competes = false;
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (!space.isAlias(n) && !space.isFree(n)) {
      lists[n] = &candidates.get(n);
      competes |= lists[n]->all.size() > 1;
    }
  std::vector<int> chosen(space.numNodes(), 0);
  std::vector<NodeSplits> shardy;
  if (competes && options.conflicts != ConflictMode::Greedy)
    shardy = reachable.runShardyBaseline();
  ConflictProblem problem(space, costs, lists);
  if (competes) {
    problem.build(shardy);
    chosen = choose(reachable, shardy, problem);
  }
  for (int n = 0, e = space.numNodes(); n < e; ++n) {
    decided[n] = reachable.floor(n);
    if (lists[n])
      decided[n] = lists[n]->all[chosen[n]].splits;
  }
  if (!isLast)
    return;
  if (options.balanceRounds > 0 && !options.costModel)
    result.received = problem.received(chosen, machine);
  if (machine.rankWeights.empty() && options.memoryWeight == 0)
    return report(problem, lists, chosen);
  // Figures are without weights.
  MachineCostModel unweighted = machine;
  unweighted.rankWeights.clear();
  CostTables plain(space, options.costModel ? *options.costModel : unweighted,
                   options.mode, /*memoryWeight=*/0);
  ConflictProblem plainProblem(space, plain, lists);
  report(plainProblem, lists, chosen);
}

/// Fills the result but for what is rematerializable.
void Propagator::report(ConflictProblem &problem,
                        const std::vector<const CandidateList *> &lists,
                        const std::vector<int> &chosen) {
  SearchCost total = problem.total(chosen);
  result.bytes = double(total.parts[costs.bytesPart()]);
  result.seconds = double(total.parts[1 - costs.bytesPart()]) * 1e-12;
  result.heldBytes = double(total.parts[2]);
  for (int n = 0, e = space.numNodes(); n < e; ++n) {
    if (!lists[n])
      continue;
    const Candidate &candidate = lists[n]->all[chosen[n]];
    result.nodes[n].sharding =
        share(n, candidate.splits, candidate.results, candidate.operands);
    result.nodes[n].hasOtherOperands =
        llvm::any_of(lists[n]->all, [&](const Candidate &other) {
          return other.results == candidate.results &&
                 other.operands != candidate.operands;
        });
    if (options.explain)
      result.nodes[n].name = space.structuralHash(n);
    if (options.explain && lists[n]->all.size() > 1)
      addAlternatives(n, problem, *lists[n], chosen);
  }
}

/// Takes the placement of most users (R5); of several the smallest.
void Propagator::placeRematerializable(int n) {
  const Node &node = graph.nodes[n];
  PropagationResult::Node &out = result.nodes[n];
  SplitsTable &table = space.table(n);
  FactorSplits splits(node.rule->factors.size());
  std::vector<Placement> results, operands;
  std::vector<RankedProvenance> found(node.rule->factors.size());
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
          costs.localBytes(n, port.value, table.getPlacement(*wish.placement)));
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
    auto offer = [](RankedProvenance &own, const RankedProvenance &other) {
      if (!other.text.empty() && (own.text.empty() || other.isBefore(own)))
        own = other;
    };
    llvm::ArrayRef<RankedProvenance> nearest;
    for (End end : best->users) {
      const Node &user = graph.nodes[end.node];
      const Port &theirs = space.ports(end.node)[end.port];
      const std::vector<RankedProvenance> &given = reasons[end.node];
      for (auto [mine, other] :
           llvm::zip(factors.dims, user.rule->operands[theirs.tensor].dims))
        for (int f : mine)
          for (int g : other)
            if (!splits[f].empty() && g < int(given.size()))
              offer(found[f], given[g]);
      if (given.size() <= user.rule->factors.size())
        continue;
      llvm::ArrayRef<RankedProvenance> terms =
          llvm::ArrayRef(given).drop_front(user.rule->factors.size());
      if (nearest.empty() ||
          std::lexicographical_compare(
              terms.begin(), terms.end(), nearest.begin(), nearest.end(),
              [](const RankedProvenance &a, const RankedProvenance &b) {
                return a.isBefore(b);
              }))
        nearest = terms;
    }
    if (placement.partial)
      llvm::append_range(found, nearest);
  }
  reasons[n] = std::move(found);
  for (auto [i, factors] : llvm::enumerate(node.rule->operands)) {
    auto operand = composeTensor(node.rule, factors, splits, table.mesh);
    operands.push_back(
        operand ? *operand : Placement::replicatedOfRank(factors.dims.size()));
    // A fill is partial as the tensor that it fills is.
    if (!results.empty() && results[0].partial &&
        llvm::any_of(node.rule->partials,
                     [&, i = i](const PartialRule &partial) {
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

/// An alias has the placement of the node that it is an alias of, as a result
/// that is written into an argument has.
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
    if (space.isFree(n) && !space.isRematerializable(n)) {
      placeRematerializable(n);
      const FactorSplits &splits = result.nodes[n].sharding->splits;
      for (auto [f, own] : llvm::enumerate(splits))
        decided[n][f] = space.table(n).get(own);
    }
  if (options.explain)
    reasons = findProvenance(space, decided, result);
  for (int n = space.numNodes() - 1; n >= 0; --n)
    if (space.isRematerializable(n) && !space.isAlias(n))
      placeRematerializable(n);
  for (auto [node, own] : llvm::zip(result.nodes, reasons))
    for (RankedProvenance &each : own)
      node.decidedBy.push_back(std::move(each.provenance));
  for (int n = 0, e = space.numNodes(); n < e; ++n)
    if (space.isAlias(n))
      follow(n);
  return std::move(result);
}

/// An answer within the memory limit; if none is found, that with the lowest
/// peak.
static PropagationResult propagateWithin(const PropagationGraph &graph,
                                         const PropagationOptions &options,
                                         const MachineCostModel &machine) {
  PropagationResult best = Propagator(graph, options, machine).run();
  if (options.memoryLimit <= 0)
    return best;
  double least = predictPeak(graph, best);
  if (least <= options.memoryLimit)
    return best;
  PropagationOptions frugal = options;
  // A byte held counts from a thousandth of a byte received to a million.
  double unit =
      options.mode == CostMode::Bytes ? 1 : 1 / options.machine.bandwidth;
  auto fitsAt = [&](double weight) {
    frugal.memoryWeight = weight * unit;
    PropagationResult next = Propagator(graph, frugal, machine).run();
    double peak = predictPeak(graph, next);
    bool fits = peak <= options.memoryLimit;
    if (fits || peak < least) {
      least = peak;
      best = std::move(next);
    }
    return fits;
  };
  // A search is long for a large program: powers of 1000, then those of 10
  // below the first that fits.
  for (double weight : {1e-3, 1.0, 1e3, 1e6}) {
    if (!fitsAt(weight))
      continue;
    if (weight >= 1 && !fitsAt(weight / 100))
      fitsAt(weight / 10);
    break;
  }
  return best;
}

/// Sums of bytes count, per redistribution, the rank that receives most in it,
/// which need not be the same one each time. So ranks are weighted, and from
/// round to round those that receive most count for more (the multiplicative
/// weights method: Arora, Hazan, Kale, Theory of Computing 8, 2012).
static PropagationResult balance(const PropagationGraph &graph,
                                 const PropagationOptions &options,
                                 MachineCostModel machine,
                                 PropagationResult best) {
  std::vector<int64_t> received = best.received;
  if (received.empty() || llvm::any_of(graph.meshes, [](const Mesh &mesh) {
        return mesh.numRanks() > MachineCostModel::kMaxPlannedDevices;
      }))
    return best;
  machine.rankWeights.assign(received.size(), 1.0 / double(received.size()));
  for (int round = 1; round <= options.balanceRounds; ++round) {
    PropagationResult answer = propagateWithin(graph, options, machine);
    received = answer.received;
    received.resize(machine.rankWeights.size(), 0);
    double most = double(*llvm::max_element(received)), sum = 0;
    if (most < double(*llvm::max_element(best.received)))
      best = std::move(answer);
    if (llvm::all_equal(received))
      break;
    for (auto [weight, bytes] :
         llvm::zip_equal(machine.rankWeights, received)) {
      for (int i = 0; most > 0 && i < 3 * round; ++i)
        weight *= (double(bytes) + most) / (2 * most);
      sum += weight;
    }
    for (double &weight : machine.rankWeights)
      weight /= sum;
  }
  return best;
}

PropagationResult shardir::propagate(const PropagationGraph &graph,
                                     const PropagationOptions &options) {
  if (auto fault = verifyGraph(graph))
    llvm::reportFatalUsageError("propagate: " + llvm::Twine(*fault));
  MachineCostModel machine(options.mode);
  machine.machine = options.machine;
  machine.rates = options.rates;
  machine.plans = options.plans;
  PropagationResult result = propagateWithin(graph, options, machine);
  if (result.received.empty())
    return result;
  auto most = [](const PropagationResult &answer) {
    return answer.received.empty() ? 0 : *llvm::max_element(answer.received);
  };
  // Sums of bytes count too much where ranks receive at different times, so
  // that using every axis may be better.
  if (options.weighUncontested) {
    PropagationOptions plain = options;
    plain.weighUncontested = false;
    PropagationResult other = propagateWithin(graph, plain, machine);
    if (most(other) < most(result))
      result = std::move(other);
  }
  return balance(graph, options, std::move(machine), std::move(result));
}
