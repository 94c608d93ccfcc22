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

#include "ShardIR/Analysis/ConflictSearch.h"

#include "BucketElimination.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <numeric>

using namespace shardir;

namespace {

using Table = std::vector<SearchCost>;

/// Smaller tables are not asked for, whatever the work.
constexpr int64_t kLeastLimit = 256;

/// One connected component, its variables numbered from 0.
struct Component {
  std::vector<int> domains;
  std::vector<SearchTerm> terms;
  std::function<uint64_t(int)> name; ///< null: by number
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

std::vector<int>
HoldingSearch::run(const std::vector<std::vector<int>> &starts) {
  std::vector<int> best;
  SearchCost least;
  for (std::vector<int> assignment : starts) {
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
      if (assignment == best)
        break;
    }
    if (best.empty() || reached < least) {
      least = reached;
      best = std::move(assignment);
    }
  }
  return best;
}

/// The least assignment of one component.
static std::vector<int>
solveComponent(const Component &component,
               const std::vector<std::vector<int>> &starts,
               const SearchOptions &options, bool &isExact, bool &isAmbiguous) {
  EliminationGraph graph(component.domains, component.terms);
  std::vector<int> best(component.domains.size(), 0);
  EliminationPlan plan = graph.plan(options.tableLimit, best);
  isExact = plan.held.empty();
  isAmbiguous = false;
  if (!isExact) {
    if (component.name) {
      std::vector<uint64_t> names;
      for (int v = 0, e = component.domains.size(); v < e; ++v)
        names.push_back(component.name(v));
      graph.setNames(names);
    }
    return HoldingSearch(component, graph, options)
        .run(starts.empty() ? std::vector<std::vector<int>>{best} : starts);
  }
  BucketElimination solver(component.domains, component.terms);
  isAmbiguous = solver.solve(plan, best);
  return best;
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
  // such ones are solved anew.
  std::map<std::vector<int64_t>, std::vector<int>> solved;
  std::vector<int> assignment(count, 0);
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
    auto known = solved.find(key);
    if (known == solved.end()) {
      if (statistics)
        ++statistics->solved;
      std::vector<std::vector<int>> own;
      for (const std::vector<int> &start : starts) {
        own.emplace_back();
        for (int v : members[c])
          own.back().push_back(start[v]);
      }
      bool isExact = true, isAmbiguous = false;
      std::vector<int> least =
          solveComponent(component, own, options, isExact, isAmbiguous);
      if (isAmbiguous && problem.tieBreak) {
        // Variables that look alike from near may differ from afar.
        for (auto [i, v] : llvm::enumerate(members[c])) {
          auto costs = std::make_shared<Table>(problem.domains[v]);
          for (int value = 0; value < problem.domains[v]; ++value)
            (*costs)[value].parts.back() = problem.tieBreak(v, value);
          component.terms.push_back({{int(i)}, std::move(costs)});
        }
        bool ignored;
        least = solveComponent(component, own, options, isExact, ignored);
      }
      if (statistics) {
        statistics->inexact += !isExact;
        statistics->ambiguous += isAmbiguous;
      }
      if (isExact && !isAmbiguous)
        known = solved.emplace(std::move(key), least).first;
      else {
        for (auto [v, value] : llvm::zip(members[c], least))
          assignment[v] = value;
        continue;
      }
    }
    for (auto [v, value] : llvm::zip(members[c], known->second))
      assignment[v] = value;
  }
  return assignment;
}
