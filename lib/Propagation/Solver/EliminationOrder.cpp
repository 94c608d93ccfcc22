//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The greedy order of bucket elimination on the graph of shared terms, kept up
// to date as variables go: those that are left around an eliminated one become
// neighbours of one another, and a held one goes without a trace. Holding one
// leaves what was eliminated before as it is, as its table only shrinks, so
// that one pass finds the order and all that must be held.
//
//===----------------------------------------------------------------------===//

#include "EliminationOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>
#include <queue>

using namespace shardir;

EliminationGraph::EliminationGraph(llvm::ArrayRef<int> domains,
                                   llvm::ArrayRef<SearchTerm> terms)
    : domains(domains), ranks(domains.size()), neighbours(domains.size()) {
  std::iota(ranks.begin(), ranks.end(), 0);
  for (const SearchTerm &term : terms)
    for (int a : term.variables)
      for (int b : term.variables)
        if (a != b)
          neighbours[a].push_back(b);
  for (auto &own : neighbours) {
    llvm::sort(own);
    own.erase(llvm::unique(own), own.end());
  }
}

void EliminationGraph::setNames(llvm::ArrayRef<uint64_t> names) {
  std::vector<int> byName(domains.size());
  std::iota(byName.begin(), byName.end(), 0);
  llvm::stable_sort(byName, [&](int a, int b) { return names[a] < names[b]; });
  for (auto [rank, v] : llvm::enumerate(byName))
    ranks[v] = rank;
}

namespace shardir {

class EliminationPlanner {
public:
  EliminationPlanner(const EliminationGraph &graph, int64_t limit,
                     llvm::ArrayRef<int> heldBefore)
      : graph(graph), limit(limit), heldBefore(heldBefore),
        count(graph.domains.size()), neighbours(graph.neighbours),
        degrees(count), sizes(count, -1), isGone(count, false) {
    for (int v = 0; v < count; ++v) {
      degrees[v] = neighbours[v].size();
      resize(v);
    }
  }

  EliminationPlan run();

private:
  /// Table size, rank by name, variable: the least is next.
  using Entry = std::tuple<int64_t, int, int>;
  /// Times held before (negative), degree, rank by name, variable: the largest
  /// is held.
  using Hub = std::tuple<int, int, int, int>;

  /// Lists longer than this are not looked through again and again.
  static constexpr size_t kLongList = 32;

  void resize(int v);
  void connect(int a, int b);
  void remove(int v);
  int chooseHeld();
  Hub hubOf(int v) const {
    return {-heldBefore[v], degrees[v], graph.ranks[v], v};
  }

  const EliminationGraph &graph;
  int64_t limit;
  llvm::ArrayRef<int> heldBefore;
  int count;
  /// With some that are gone, until somebody looks.
  std::vector<llvm::SmallVector<int, 6>> neighbours;
  std::vector<int> degrees;   ///< of neighbours that are left
  std::vector<int64_t> sizes; ///< of the table in the queue's valid entry
  std::vector<bool> isGone;
  llvm::DenseSet<std::pair<int, int>> longPairs; ///< known to be neighbours
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
  std::priority_queue<Hub> hubs; ///< filled on first use
  bool hasHubs = false;
};

} // namespace shardir

/// Brings the entry of v in the queue up to date.
void EliminationPlanner::resize(int v) {
  auto &own = neighbours[v];
  int64_t size = 1;
  for (size_t i = 0; i < own.size() && size <= limit;) {
    if (isGone[own[i]]) {
      own[i] = own.back();
      own.pop_back();
      continue;
    }
    size *= graph.domains[own[i++]];
  }
  size = std::min(size, limit + 1);
  if (size == sizes[v])
    return;
  sizes[v] = size;
  queue.push({size, graph.ranks[v], v});
}

/// Makes two variables neighbours, if they are not.
void EliminationPlanner::connect(int a, int b) {
  if (neighbours[a].size() > neighbours[b].size())
    std::swap(a, b);
  if (neighbours[a].size() > kLongList &&
      !longPairs.insert(std::minmax(a, b)).second)
    return;
  if (llvm::is_contained(neighbours[a], b))
    return;
  neighbours[a].push_back(b);
  neighbours[b].push_back(a);
  ++degrees[a];
  ++degrees[b];
}

void EliminationPlanner::remove(int v) {
  isGone[v] = true;
  llvm::erase_if(neighbours[v], [&](int a) { return isGone[a]; });
  for (int a : neighbours[v])
    --degrees[a];
}

int EliminationPlanner::chooseHeld() {
  if (!hasHubs) {
    hasHubs = true;
    for (int v = 0; v < count; ++v)
      if (!isGone[v])
        hubs.push(hubOf(v));
  }
  while (true) {
    Hub hub = hubs.top();
    hubs.pop();
    int v = std::get<3>(hub);
    if (isGone[v])
      continue;
    if (hub == hubOf(v))
      return v;
    // It has lost neighbours; who has won some was pushed at once.
    if (hub > hubOf(v))
      hubs.push(hubOf(v));
  }
}

EliminationPlan EliminationPlanner::run() {
  EliminationPlan plan;
  while (!queue.empty()) {
    auto [size, rank, v] = queue.top();
    queue.pop();
    if (isGone[v] || size != sizes[v])
      continue;
    if (size > limit) {
      // Others may be as large; this one is still to be done.
      queue.push({size, rank, v});
      int held = chooseHeld();
      plan.held.push_back(held);
      remove(held);
      for (int a : neighbours[held])
        resize(a);
      continue;
    }
    plan.sequence.push_back(v);
    plan.work += size * graph.domains[v];
    remove(v);
    const auto &around = neighbours[v];
    for (size_t i = 0; i < around.size(); ++i)
      for (size_t j = i + 1; j < around.size(); ++j)
        connect(around[i], around[j]);
    for (int a : around) {
      resize(a);
      if (hasHubs)
        hubs.push(hubOf(a));
    }
  }
  return plan;
}

EliminationPlan EliminationGraph::plan(int64_t limit,
                                       llvm::ArrayRef<int> heldBefore) const {
  return EliminationPlanner(*this, limit, heldBefore).run();
}
