//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a plan of the same variables and terms, whose sequence and held
// variables are all there are. Tables are immutable and shared: what was made
// of some tables is looked up by which they are and how they hang together, so
// that pointers stand for contents. Guarantees the least sum where nothing is
// held; of equal values of a variable the first.
//
//===----------------------------------------------------------------------===//

#include "BucketElimination.h"

#include "Graph/SplitsTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

/// The tables of one solve.
struct BucketElimination::Tables {
  /// Terms that are left, or the sums of terms, with their variables.
  struct Live {
    llvm::SmallVector<int, 4> variables;
    std::shared_ptr<const Table> costs;
    std::shared_ptr<const Firsts> firsts;
    /// Per entry whether its least is reached in several ways; null: in one.
    std::shared_ptr<const Flags> ties;
  };
  /// The result of eliminating a variable, by its inputs.
  struct Made {
    std::shared_ptr<const Table> costs;
    std::shared_ptr<const Firsts> firsts;
    std::shared_ptr<const Flags> ties, best;
  };
  /// How far a table moves on when one of the variables that are left, or the
  /// eliminated one, does.
  struct Walk {
    const Live *table;
    llvm::SmallVector<int64_t, 5> strides;
    int64_t own = 0, at = 0;
  };

  Tables(BucketElimination &solver, const std::vector<int> &assignment)
      : solver(solver), assignment(assignment), domains(solver.domains),
        of(domains.size()), isHeld(domains.size(), false) {}

  void add(Live live) {
    for (int v : live.variables)
      of[v].push_back(all.size());
    all.push_back(std::move(live));
  }
  void addTerm(const SearchTerm &term);
  Made eliminate(int v, llvm::ArrayRef<int> given,
                 llvm::SmallVectorImpl<Walk> &walks);

  BucketElimination &solver;
  const std::vector<int> &assignment;
  llvm::ArrayRef<int> domains;
  std::deque<Live> all;
  std::vector<llvm::SmallVector<int, 4>> of; ///< per variable, used ones too
  std::vector<bool> isHeld;
  NumbersMap<Live> fixed; ///< terms without what is held
  NumbersMap<Made> made;
};

std::shared_ptr<const BucketElimination::Firsts>
BucketElimination::firstsOf(const Table &costs) {
  auto firsts = std::make_shared<Firsts>();
  firsts->reserve(costs.size());
  for (const SearchCost &cost : costs)
    firsts->push_back(cost.parts.front());
  return firsts;
}

void BucketElimination::Tables::addTerm(const SearchTerm &term) {
  Live live;
  for (int v : term.variables)
    if (!isHeld[v])
      live.variables.push_back(v);
  if (live.variables.empty())
    return;
  live.costs = term.costs;
  if (live.variables.size() == term.variables.size()) {
    auto &known = solver.termFirsts[term.costs.get()];
    if (!known)
      known = firstsOf(*term.costs);
    live.firsts = known;
    return add(std::move(live));
  }
  // Fix what is held.
  std::vector<int64_t> key = {reinterpret_cast<intptr_t>(term.costs.get())};
  llvm::SmallVector<int64_t, 4> strides;
  int64_t stride = 1, from = 0;
  for (int v : llvm::reverse(term.variables)) {
    if (isHeld[v])
      from += stride * assignment[v];
    else
      strides.insert(strides.begin(), stride);
    stride *= domains[v];
  }
  key.push_back(from);
  for (int v : term.variables)
    key.push_back(isHeld[v] ? -1 : domains[v]);
  Live &known = fixed[key];
  if (!known.costs) {
    auto costs = std::make_shared<Table>();
    llvm::SmallVector<int, 4> at(live.variables.size(), 0);
    while (true) {
      costs->push_back((*term.costs)[from]);
      int i = int(at.size()) - 1;
      for (; i >= 0; --i) {
        from += strides[i];
        if (++at[i] < domains[live.variables[i]])
          break;
        from -= strides[i] * at[i];
        at[i] = 0;
      }
      if (i < 0)
        break;
    }
    known.firsts = firstsOf(*costs);
    known.costs = std::move(costs);
  }
  live.costs = known.costs;
  live.firsts = known.firsts;
  add(std::move(live));
}

BucketElimination::Tables::Made
BucketElimination::Tables::eliminate(int v, llvm::ArrayRef<int> given,
                                     llvm::SmallVectorImpl<Walk> &walks) {
  int domain = domains[v];
  int64_t size = 1;
  for (int u : given)
    size *= domains[u];
  auto costs = std::make_shared<Table>();
  auto firsts = std::make_shared<Firsts>();
  auto ties = std::make_shared<Flags>();
  auto best = std::make_shared<Flags>();
  costs->reserve(size);
  firsts->reserve(size);
  ties->reserve(size);
  best->reserve(size);
  bool anyTies = false;
  llvm::SmallVector<int, 4> at(given.size(), 0);
  // Tables without the last of `given` are summed once for all of its values.
  auto inner = llvm::partition(walks, [&](const Walk &walk) {
    return !given.empty() && walk.strides.back() == 0;
  });
  llvm::ArrayRef<Walk> outerWalks(walks.begin(), inner),
      innerWalks(inner, walks.end());
  std::vector<int64_t> outer(domain), sums(domain);
  std::vector<SearchCost> outerCosts(domain);
  std::vector<bool> isSummed(domain); ///< whether its outer cost is known
  auto addFirsts = [&](llvm::ArrayRef<Walk> own, std::vector<int64_t> &to) {
    for (const Walk &walk : own) {
      const int64_t *firsts = walk.table->firsts->data() + walk.at;
      for (int value = 0; value < domain; ++value)
        to[value] = std::min(to[value] + firsts[value * walk.own],
                             SearchCost::kInfinite);
    }
  };
  auto addCosts = [](llvm::ArrayRef<Walk> own, int value, SearchCost &to) {
    for (const Walk &walk : own)
      to += (*walk.table->costs)[walk.at + value * walk.own];
  };
  for (int64_t entry = 0; entry < size; ++entry) {
    if (given.empty() || at.back() == 0) {
      std::fill(outer.begin(), outer.end(), 0);
      addFirsts(outerWalks, outer);
      isSummed.assign(domain, false);
    }
    // The first parts say which values need a look at the others.
    sums = outer;
    addFirsts(innerWalks, sums);
    int64_t leastFirst = *std::min_element(sums.begin(), sums.end());
    SearchCost least;
    int chosen = -1;
    bool tied = false;
    for (int value = 0; value < domain; ++value) {
      if (sums[value] != leastFirst)
        continue;
      if (!isSummed[value]) {
        outerCosts[value] = SearchCost();
        addCosts(outerWalks, value, outerCosts[value]);
        isSummed[value] = true;
      }
      SearchCost sum = outerCosts[value];
      addCosts(innerWalks, value, sum);
      if (chosen < 0 || sum < least) {
        least = sum;
        chosen = value;
        tied = false;
      } else if (sum == least) {
        tied = true;
      }
    }
    for (const Walk &walk : walks)
      tied |=
          walk.table->ties && (*walk.table->ties)[walk.at + chosen * walk.own];
    ties->push_back(tied);
    anyTies |= tied;
    costs->push_back(least);
    firsts->push_back(leastFirst);
    best->push_back(chosen);
    for (int i = int(at.size()) - 1; i >= 0; --i) {
      bool wraps = ++at[i] == domains[given[i]];
      for (Walk &walk : walks)
        walk.at += wraps ? -walk.strides[i] * (at[i] - 1) : walk.strides[i];
      if (!wraps)
        break;
      at[i] = 0;
    }
  }
  if (!anyTies)
    ties = nullptr;
  return {std::move(costs), std::move(firsts), std::move(ties),
          std::move(best)};
}

bool BucketElimination::solve(const EliminationPlan &plan,
                              std::vector<int> &assignment) {
  Tables tables(*this, assignment);
  for (int v : plan.held)
    tables.isHeld[v] = true;
  for (const SearchTerm &term : terms)
    tables.addTerm(term);

  // The best value of each eliminated variable, given those that come after it.
  struct Choice {
    int variable;
    llvm::SmallVector<int, 4> given;
    std::shared_ptr<const Flags> best;
  };
  std::vector<Choice> choices;
  choices.reserve(plan.sequence.size());
  std::vector<bool> isUsed(domains.size(), false);
  bool isAmbiguous = false;
  llvm::SmallVector<Tables::Walk, 6> walks;
  std::vector<int64_t> key;
  for (int v : plan.sequence) {
    isUsed[v] = true;
    Choice choice;
    choice.variable = v;
    walks.clear();
    for (int t : tables.of[v]) {
      const Tables::Live &live = tables.all[t];
      // A table with another eliminated variable is part of a later one.
      if (llvm::any_of(live.variables,
                       [&](int u) { return u != v && isUsed[u]; }))
        continue;
      walks.emplace_back().table = &live;
      for (int u : live.variables)
        if (u != v && !llvm::is_contained(choice.given, u))
          choice.given.push_back(u);
    }
    llvm::sort(choice.given);
    // That comes last which the fewest tables are of.
    auto tablesOf = [&](int u) {
      return llvm::count_if(walks, [&](const Tables::Walk &walk) {
        return llvm::is_contained(walk.table->variables, u);
      });
    };
    if (!choice.given.empty()) {
      auto least = llvm::min_element(choice.given, [&](int a, int b) {
        return tablesOf(a) < tablesOf(b);
      });
      std::rotate(least, least + 1, choice.given.end());
    }
    key = {domains[v]};
    for (int u : choice.given)
      key.push_back(domains[u]);
    for (Tables::Walk &walk : walks) {
      walk.strides.assign(choice.given.size(), 0);
      int64_t stride = 1;
      for (int u : llvm::reverse(walk.table->variables)) {
        if (u == v)
          walk.own = stride;
        else
          walk.strides[llvm::find(choice.given, u) - choice.given.begin()] =
              stride;
        stride *= domains[u];
      }
      key.push_back(reinterpret_cast<intptr_t>(walk.table->costs.get()));
      key.push_back(reinterpret_cast<intptr_t>(walk.table->ties.get()));
      key.push_back(walk.own);
      llvm::append_range(key, walk.strides);
    }
    Tables::Made &made = tables.made[key];
    if (!made.best)
      made = tables.eliminate(v, choice.given, walks);
    choice.best = made.best;
    if (choice.given.empty())
      isAmbiguous |= made.ties && made.ties->front();
    else
      tables.add({choice.given, made.costs, made.firsts, made.ties});
    choices.push_back(std::move(choice));
  }
  for (const Choice &choice : llvm::reverse(choices)) {
    size_t entry = 0;
    for (int u : choice.given)
      entry = entry * domains[u] + assignment[u];
    assignment[choice.variable] = (*choice.best)[entry];
  }
  return isAmbiguous;
}
