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

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <numeric>
#include <queue>
#include <set>

using namespace shardir;

namespace {

using Table = std::vector<SearchCost>;

/// One connected component, its variables numbered from 0.
struct Component {
  std::vector<int> domains;
  std::vector<uint64_t> names;
  std::vector<SearchTerm> terms;
};

class Solver {
public:
  Solver(const Component &component, const SearchOptions &options)
      : component(component), options(options),
        count(component.domains.size()) {}

  /// The variables that must be held for all tables to stay within the limit.
  /// `heldBefore` counts how often each was: those held least come first.
  std::vector<int> chooseHeld(const std::vector<int> &heldBefore);
  /// Solves for all variables that are not held; held ones keep `assignment`.
  /// Returns whether others cost as little.
  bool solve(const std::vector<int> &held, std::vector<int> &assignment);
  SearchCost cost(const std::vector<int> &assignment) const {
    SearchCost sum;
    for (const SearchTerm &term : component.terms)
      sum += costOf(term, component.domains, assignment);
    return sum;
  }

private:
  /// The order in which to eliminate, least table first; a variable whose table
  /// would pass the limit ends it, unless none is left.
  std::vector<int> order(const std::vector<bool> &isHeld, int &stuckAt,
                         const std::vector<int> &heldBefore);

  const Component &component;
  const SearchOptions &options;
  int count;
};

} // namespace

std::vector<int> Solver::order(const std::vector<bool> &isHeld, int &stuckAt,
                               const std::vector<int> &heldBefore) {
  std::vector<std::set<int>> neighbours(count);
  for (const SearchTerm &term : component.terms)
    for (int a : term.variables)
      for (int b : term.variables)
        if (a != b && !isHeld[a] && !isHeld[b])
          neighbours[a].insert(b);
  auto tableSize = [&](int v) {
    int64_t size = 1;
    for (int other : neighbours[v]) {
      size *= component.domains[other];
      if (size > options.tableLimit)
        return options.tableLimit + 1;
    }
    return size;
  };
  using Entry = std::pair<int64_t, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  std::vector<bool> isDone(isHeld);
  for (int v = 0; v < count; ++v)
    if (!isDone[v])
      queue.push({tableSize(v), v});
  std::vector<int> result;
  stuckAt = -1;
  while (!queue.empty()) {
    auto [size, v] = queue.top();
    queue.pop();
    if (isDone[v])
      continue;
    int64_t now = tableSize(v);
    if (now != size) {
      queue.push({now, v});
      continue;
    }
    if (now > options.tableLimit) {
      // Hold the variable that most others depend on.
      auto rank = [&](int candidate) {
        return std::make_tuple(-heldBefore[candidate],
                               int(neighbours[candidate].size()),
                               component.names[candidate]);
      };
      for (int u = 0; u < count; ++u)
        if (!isDone[u] && (stuckAt < 0 || rank(stuckAt) < rank(u)))
          stuckAt = u;
      return result;
    }
    isDone[v] = true;
    result.push_back(v);
    for (int a : neighbours[v]) {
      neighbours[a].erase(v);
      for (int b : neighbours[v])
        if (a != b)
          neighbours[a].insert(b);
    }
    for (int a : neighbours[v])
      queue.push({tableSize(a), a});
    neighbours[v].clear();
  }
  return result;
}

std::vector<int> Solver::chooseHeld(const std::vector<int> &heldBefore) {
  std::vector<bool> isHeld(count, false);
  std::vector<int> held;
  while (true) {
    int stuckAt = -1;
    order(isHeld, stuckAt, heldBefore);
    if (stuckAt < 0)
      return held;
    isHeld[stuckAt] = true;
    held.push_back(stuckAt);
  }
}

bool Solver::solve(const std::vector<int> &held, std::vector<int> &assignment) {
  std::vector<bool> isHeld(count, false);
  for (int v : held)
    isHeld[v] = true;
  int stuckAt = -1;
  std::vector<int> sequence =
      order(isHeld, stuckAt, std::vector<int>(count, 0));

  // Tables that are still there, by the variables they depend on.
  struct Live {
    llvm::SmallVector<int, 4> variables;
    std::shared_ptr<const Table> costs;
    /// Per entry whether its least is reached in several ways; null: in one.
    std::shared_ptr<const std::vector<uint8_t>> ties;
  };
  bool isAmbiguous = false;
  std::vector<Live> tables;
  std::vector<llvm::SmallVector<int, 4>> tablesOf(count);
  auto add = [&](Live live) {
    for (int v : live.variables)
      tablesOf[v].push_back(tables.size());
    tables.push_back(std::move(live));
  };
  for (const SearchTerm &term : component.terms) {
    Live live;
    for (int v : term.variables)
      if (!isHeld[v])
        live.variables.push_back(v);
    if (live.variables.size() == term.variables.size()) {
      live.costs = term.costs;
      add(std::move(live));
      continue;
    }
    if (live.variables.empty())
      continue;
    // Fix what is held.
    auto costs = std::make_shared<Table>();
    std::vector<int> values(assignment);
    for (int v : live.variables)
      values[v] = 0;
    while (true) {
      costs->push_back(costOf(term, component.domains, values));
      int i = live.variables.size() - 1;
      for (; i >= 0; --i) {
        if (++values[live.variables[i]] < component.domains[live.variables[i]])
          break;
        values[live.variables[i]] = 0;
      }
      if (i < 0)
        break;
    }
    live.costs = std::move(costs);
    add(std::move(live));
  }

  // What each eliminated variable is to be, given those that come after it.
  struct Choice {
    int variable;
    llvm::SmallVector<int, 4> given;
    std::vector<uint8_t> best;
  };
  std::vector<Choice> choices;
  for (int v : sequence) {
    Choice choice;
    choice.variable = v;
    for (int t : tablesOf[v])
      for (int u : tables[t].variables)
        if (u != v && !llvm::is_contained(choice.given, u))
          choice.given.push_back(u);
    llvm::sort(choice.given);
    int64_t size = 1;
    for (int u : choice.given)
      size *= component.domains[u];
    // How far each table moves on when one of the given variables, or v, does.
    struct Walk {
      const SearchCost *costs;
      const uint8_t *ties;
      llvm::SmallVector<int64_t, 5> strides;
      int64_t own = 0, at = 0;
    };
    llvm::SmallVector<Walk, 6> walks;
    for (int t : tablesOf[v]) {
      Walk walk;
      walk.costs = tables[t].costs->data();
      walk.ties = tables[t].ties ? tables[t].ties->data() : nullptr;
      walk.strides.assign(choice.given.size(), 0);
      int64_t stride = 1;
      for (int u : llvm::reverse(tables[t].variables)) {
        if (u == v)
          walk.own = stride;
        else
          walk.strides[llvm::find(choice.given, u) - choice.given.begin()] =
              stride;
        stride *= component.domains[u];
      }
      walks.push_back(std::move(walk));
    }
    auto reduced = std::make_shared<Table>();
    auto ties = std::make_shared<std::vector<uint8_t>>();
    bool anyTies = false;
    reduced->reserve(size);
    ties->reserve(size);
    choice.best.reserve(size);
    llvm::SmallVector<int, 4> at(choice.given.size(), 0);
    std::vector<int64_t> firsts(component.domains[v]);
    for (int64_t entry = 0; entry < size; ++entry) {
      // The first parts say which values need a look at the others.
      int64_t leastFirst = std::numeric_limits<int64_t>::max();
      for (int value = 0; value < component.domains[v]; ++value) {
        int64_t first = 0;
        for (const Walk &walk : walks)
          first = std::min(
              first + walk.costs[walk.at + value * walk.own].parts.front(),
              SearchCost::kInfinite);
        firsts[value] = first;
        leastFirst = std::min(leastFirst, first);
      }
      SearchCost least = SearchCost::infinite();
      int best = -1;
      bool tied = false;
      for (int value = 0; value < component.domains[v]; ++value) {
        if (firsts[value] != leastFirst)
          continue;
        SearchCost sum;
        for (const Walk &walk : walks)
          sum += walk.costs[walk.at + value * walk.own];
        if (best < 0 || sum < least) {
          least = sum;
          best = value;
          tied = false;
        } else if (sum == least) {
          tied = true;
        }
      }
      for (const Walk &walk : walks)
        tied |= walk.ties && walk.ties[walk.at + best * walk.own];
      ties->push_back(tied);
      anyTies |= tied;
      reduced->push_back(least);
      choice.best.push_back(best);
      for (int i = int(at.size()) - 1; i >= 0; --i) {
        bool wraps = ++at[i] == component.domains[choice.given[i]];
        for (Walk &walk : walks)
          walk.at += wraps ? -walk.strides[i] * (at[i] - 1) : walk.strides[i];
        if (!wraps)
          break;
        at[i] = 0;
      }
    }
    llvm::SmallVector<int, 4> used = tablesOf[v];
    for (int t : used)
      for (int u : tables[t].variables)
        llvm::erase(tablesOf[u], t);
    if (choice.given.empty())
      isAmbiguous |= ties->front();
    else
      add({choice.given, std::move(reduced),
           anyTies ? std::move(ties) : nullptr});
    choices.push_back(std::move(choice));
  }
  for (const Choice &choice : llvm::reverse(choices)) {
    size_t entry = 0;
    for (int u : choice.given)
      entry = entry * component.domains[u] + assignment[u];
    assignment[choice.variable] = choice.best[entry];
  }
  return isAmbiguous;
}

/// The least assignment of one component.
static std::vector<int>
solveComponent(const Component &component,
               const std::vector<std::vector<int>> &starts,
               const SearchOptions &options, bool &isExact, bool &isAmbiguous) {
  Solver solver(component, options);
  size_t count = component.domains.size();
  std::vector<int> heldBefore(count, 0);
  std::vector<int> held = solver.chooseHeld(heldBefore);
  isExact = held.empty();
  std::vector<int> best(count, 0);
  isAmbiguous = false;
  if (isExact) {
    isAmbiguous = solver.solve(held, best);
    return best;
  }
  SearchCost least = SearchCost::infinite();
  bool isFirst = true;
  std::vector<std::vector<int>> from = starts;
  if (from.empty())
    from.push_back(best);
  for (std::vector<int> assignment : from) {
    std::fill(heldBefore.begin(), heldBefore.end(), 0);
    SearchCost reached = solver.cost(assignment);
    int idle = 0;
    for (int round = 0; round < options.rounds && idle < 3; ++round) {
      held = solver.chooseHeld(heldBefore);
      for (int v : held)
        ++heldBefore[v];
      std::vector<int> next = assignment;
      solver.solve(held, next);
      SearchCost now = solver.cost(next);
      idle = now < reached ? 0 : idle + 1;
      if (now < reached) {
        reached = now;
        assignment = std::move(next);
      }
    }
    if (isFirst || reached < least) {
      least = reached;
      best = assignment;
      isFirst = false;
    }
  }
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
      component.names.push_back(problem.names.empty() ? v : problem.names[v]);
      key.push_back(problem.domains[v]);
    }
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
