//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bucket elimination with the least table next, per connected component. Equal
// components, the layers of a stack, are solved once. Requires tables of the
// size that their variables' domains give; guarantees an assignment that no
// start is cheaper than, the least one where no variable had to be held.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Propagation/ConflictSearch.h"

#include "BucketElimination.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <numeric>
#include <set>

using namespace shardir;

namespace {

using Table = std::vector<SearchCost>;

/// The limit is never below this table size, whatever the work.
constexpr int64_t kLeastLimit = 256;

/// One connected component, its variables numbered from 0.
struct Component {
  std::vector<int> domains;
  std::vector<SearchTerm> terms;
  std::function<uint64_t(int)> name, kind; ///< null: by number
};

/// Solves for some variables after others where no order solves for all.
class HoldingSearch {
public:
  HoldingSearch(const Component &component, const EliminationGraph &graph,
                const SearchOptions &options)
      : component(component), graph(graph), options(options),
        limit(options.tableLimit), solver(component.domains, component.terms),
        heldBefore(component.domains.size(), 0) {}

  std::vector<int> run(const std::vector<std::vector<int>> &starts);

private:
  const EliminationPlan &planOf(int round);
  void improve(std::vector<int> &assignment, const std::vector<int> &known);
  std::vector<int> agreed(std::vector<int> assignment) const;
  SearchCost costOfAll(const std::vector<int> &assignment) const {
    SearchCost sum;
    for (const SearchTerm &term : component.terms)
      sum += costOf(term, component.domains, assignment);
    return sum;
  }

  const Component &component;
  const EliminationGraph &graph;
  const SearchOptions &options;
  int64_t limit;
  BucketElimination solver;
  std::vector<int> heldBefore;
  std::vector<EliminationPlan> plans;
};

} // namespace

/// The plan of one round is that of all starts: those variables are held that
/// were held least before.
const EliminationPlan &HoldingSearch::planOf(int round) {
  if (round == int(plans.size())) {
    EliminationPlan plan = graph.plan(limit, heldBefore);
    // Large tables are worth their time in small components alone: all rounds
    // together take time that grows with the component.
    int64_t most = options.work +
                   options.workPerVariable * int64_t(component.domains.size());
    while (plans.empty() && plan.work > most && limit > kLeastLimit) {
      limit = std::max(limit / 4, kLeastLimit);
      plan = graph.plan(limit, heldBefore);
    }
    for (int v : plan.held)
      ++heldBefore[v];
    plans.push_back(std::move(plan));
  }
  return plans[round];
}

/// Solves in rounds from `assignment`, until `known` is met.
void HoldingSearch::improve(std::vector<int> &assignment,
                            const std::vector<int> &known) {
  SearchCost reached = costOfAll(assignment);
  int idle = 0;
  for (int round = 0; round < options.rounds && idle < 3; ++round) {
    std::vector<int> next = assignment;
    solver.solve(planOf(round), next);
    SearchCost now = costOfAll(next);
    idle = now < reached ? 0 : idle + 1;
    if (now < reached) {
      reached = now;
      assignment = std::move(next);
    }
    // From there no round of an earlier start found anything better.
    if (assignment == known)
      break;
  }
}

/// Has variables that are alike take the value that most of them have: what
/// held variables left in one layer of a stack gives way to what most layers
/// found.
std::vector<int> HoldingSearch::agreed(std::vector<int> assignment) const {
  std::map<std::pair<uint64_t, int>, std::vector<int>> alike;
  for (int v = 0, e = assignment.size(); v < e; ++v)
    alike[{component.kind(v), component.domains[v]}].push_back(v);
  for (const auto &[key, variables] : alike) {
    std::vector<int> votes(key.second);
    for (int v : variables)
      ++votes[assignment[v]];
    int most = llvm::max_element(votes) - votes.begin();
    for (int v : variables)
      assignment[v] = most;
  }
  return assignment;
}

std::vector<int>
HoldingSearch::run(const std::vector<std::vector<int>> &starts) {
  std::vector<int> best;
  auto tryFrom = [&](std::vector<int> assignment) {
    improve(assignment, best);
    if (best.empty() || costOfAll(assignment) < costOfAll(best))
      best = std::move(assignment);
  };
  for (const std::vector<int> &start : starts)
    tryFrom(start);
  if (component.kind && options.rounds > 1)
    tryFrom(agreed(best));
  return best;
}

/// The least assignment of one component by a plan that holds nothing;
/// `isAmbiguous` if there are others that cost as much.
static std::vector<int> solveExactly(const Component &component,
                                     const EliminationPlan &plan,
                                     bool &isAmbiguous) {
  std::vector<int> best(component.domains.size(), 0);
  isAmbiguous =
      BucketElimination(component.domains, component.terms).solve(plan, best);
  return best;
}

/// So that a plan does not depend on the order of variables.
static void setNames(EliminationGraph &graph, const Component &component) {
  if (!component.name)
    return;
  std::vector<uint64_t> names;
  for (int v = 0, e = component.domains.size(); v < e; ++v)
    names.push_back(component.name(v));
  graph.setNames(names);
}

/// The best assignment that was found of a component beyond the limits.
static std::vector<int>
solveHolding(const Component &component,
             const std::vector<std::vector<int>> &starts,
             const SearchOptions &options) {
  EliminationGraph graph(component.domains, component.terms);
  setNames(graph, component);
  std::vector<int> first(component.domains.size(), 0);
  return HoldingSearch(component, graph, options)
      .run(starts.empty() ? std::vector<std::vector<int>>{first} : starts);
}

/// How much work a component may take that is solved exactly by wide tables:
/// those with the least, as many as are allowed together, whatever their order.
static int64_t mostWideWork(std::vector<int64_t> works, int64_t allowed) {
  llvm::sort(works);
  int64_t most = 0, sum = 0;
  for (size_t i = 0; i < works.size();) {
    size_t end = i;
    for (; end < works.size() && works[end] == works[i]; ++end)
      sum = std::min(sum + works[end], allowed + 1);
    if (sum > allowed)
      break;
    most = works[i];
    i = end;
  }
  return most;
}

const SearchCost &shardir::costOf(const SearchTerm &term,
                                  const std::vector<int> &domains,
                                  const std::vector<int> &assignment) {
  size_t entry = 0;
  for (int v : term.variables)
    entry = entry * domains[v] + assignment[v];
  return (*term.costs)[entry];
}

SearchCost shardir::costOf(const SearchProblem &problem,
                           const std::vector<int> &assignment) {
  SearchCost sum;
  for (const SearchTerm &term : problem.terms)
    sum += costOf(term, problem.domains, assignment);
  return sum;
}

std::vector<int> shardir::searchLeast(
    const SearchProblem &problem, const std::vector<std::vector<int>> &starts,
    const SearchOptions &options, SearchStatistics *statistics) {
  int count = problem.domains.size();
  std::vector<int> parent(count);
  std::iota(parent.begin(), parent.end(), 0);
  auto root = [&](int v) {
    while (parent[v] != v)
      v = parent[v] = parent[parent[v]];
    return v;
  };
  for (const SearchTerm &term : problem.terms)
    for (int v : term.variables) {
      int a = root(term.variables[0]), b = root(v);
      parent[std::max(a, b)] = std::min(a, b);
    }
  std::vector<std::vector<int>> members(count);
  std::vector<std::vector<int>> termsOf(count);
  std::vector<int> local(count);
  for (int v = 0; v < count; ++v) {
    std::vector<int> &own = members[root(v)];
    local[v] = own.size();
    own.push_back(v);
  }
  for (auto [i, term] : llvm::enumerate(problem.terms))
    if (!term.variables.empty())
      termsOf[root(term.variables[0])].push_back(i);

  // Components are equal if their variables, in order, have the same domains
  // and the same tables. Starts matter where a component is not solved exactly:
  // such ones are solved again.
  std::map<std::vector<int64_t>, std::vector<int>> solved;
  std::vector<int> assignment(count, 0);
  struct Wide {
    int root;
    Component component;
    std::vector<int64_t> key;
    EliminationPlan plan; ///< holds nothing, or cannot be
  };
  std::vector<Wide> wide;
  auto assign = [&](int c, const std::vector<int> &values) {
    for (auto [v, value] : llvm::zip(members[c], values))
      assignment[v] = value;
  };
  auto solve = [&](int c, Component &component, std::vector<int64_t> &key,
                   const EliminationPlan *plan) {
    bool isAmbiguous = false;
    std::vector<int> least;
    if (plan) {
      least = solveExactly(component, *plan, isAmbiguous);
    } else {
      std::vector<std::vector<int>> own;
      for (const std::vector<int> &start : starts) {
        own.emplace_back();
        for (int v : members[c])
          own.back().push_back(start[v]);
      }
      least = solveHolding(component, own, options);
    }
    if (isAmbiguous && problem.tieBreak) {
      // Variables with equal neighbours may differ farther away.
      for (auto [i, v] : llvm::enumerate(members[c])) {
        auto costs = std::make_shared<Table>(problem.domains[v]);
        for (int value = 0; value < problem.domains[v]; ++value)
          (*costs)[value].parts.back() = problem.tieBreak(v, value);
        component.terms.push_back({{int(i)}, std::move(costs)});
      }
      bool ignored;
      least = solveExactly(component, *plan, ignored);
    }
    if (statistics) {
      ++statistics->solved;
      statistics->inexact += !plan;
      statistics->ambiguous += isAmbiguous;
    }
    assign(c, least);
    if (plan && !isAmbiguous)
      solved.emplace(std::move(key), std::move(least));
  };
  for (int c = 0; c < count; ++c) {
    if (members[c].empty())
      continue;
    if (statistics)
      ++statistics->components;
    Component component;
    std::vector<int64_t> key;
    for (int v : members[c]) {
      component.domains.push_back(problem.domains[v]);
      key.push_back(problem.domains[v]);
    }
    if (problem.name)
      component.name = [&, c](int v) { return problem.name(members[c][v]); };
    if (problem.kind)
      component.kind = [&, c](int v) { return problem.kind(members[c][v]); };
    for (int t : termsOf[c]) {
      SearchTerm term = problem.terms[t];
      for (int &v : term.variables) {
        v = local[v];
        key.push_back(v);
      }
      key.push_back(-1);
      key.push_back(reinterpret_cast<intptr_t>(term.costs.get()));
      component.terms.push_back(std::move(term));
    }
    if (auto known = solved.find(key); known != solved.end()) {
      assign(c, known->second);
      continue;
    }
    EliminationGraph graph(component.domains, component.terms);
    std::vector<int> never(component.domains.size(), 0);
    EliminationPlan plan = graph.plan(options.tableLimit, never);
    if (plan.held.empty()) {
      solve(c, component, key, &plan);
      continue;
    }
    if (int(component.domains.size()) <= options.wideVariables &&
        options.wideLimit > options.tableLimit) {
      setNames(graph, component);
      plan = graph.plan(options.wideLimit, never);
    }
    wide.push_back({c, std::move(component), std::move(key), std::move(plan)});
  }
  std::vector<int64_t> works;
  std::set<llvm::ArrayRef<int64_t>> keys;
  for (const Wide &own : wide)
    if (own.plan.held.empty() && keys.insert(own.key).second)
      works.push_back(own.plan.work);
  int64_t most = mostWideWork(std::move(works), options.wideWork);
  for (Wide &own : wide) {
    auto known = solved.find(own.key);
    if (known != solved.end())
      assign(own.root, known->second);
    else
      solve(own.root, own.component, own.key,
            own.plan.held.empty() && own.plan.work <= most ? &own.plan
                                                           : nullptr);
  }
  return assignment;
}
