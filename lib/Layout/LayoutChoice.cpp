//===- LayoutChoice.cpp - Orders of dims that copy least ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bucket elimination over tables of costs. Requires tables of the right sizes;
// guarantees a choice that is never worse than row-major, the cheapest one
// where no table had to be left out.
//
// The node whose neighbours have the fewest choices together goes first: its
// best candidate is noted for each of those, and they share a new table.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Layout/LayoutChoice.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>
#include <tuple>

using namespace shardir;

namespace {

/// Bytes first, then how many tensors are not row-major.
struct Cost {
  int64_t bytes = 0, changes = 0;
  Cost operator+(const Cost &o) const {
    return {std::min(bytes + o.bytes, kForbiddenBytes), changes + o.changes};
  }
  bool operator<(const Cost &o) const {
    return std::tie(bytes, changes) < std::tie(o.bytes, o.changes);
  }
};

/// A function of some nodes' candidates; the last node varies fastest.
struct Table {
  std::vector<size_t> nodes; ///< increasing
  std::vector<Cost> entries;
};

/// One run of the elimination.
class Elimination {
public:
  Elimination(const LayoutGraph &graph, size_t maxTable);

  /// Fills in the cheapest candidates. Where no node is easy, the one with most
  /// neighbours, of those least often held, stays at what `candidates` has; it
  /// is counted in `held`. Returns whether that never happened.
  bool run(std::vector<size_t> &candidates, std::vector<size_t> &held);

private:
  void addTable(Table table);
  void removeTable(size_t table);
  void rank(size_t node);
  size_t tableSize(size_t node) const;
  void fix(size_t node, size_t candidate);
  void eliminate(size_t node);

  /// A node that has gone, and its best candidate by those of its neighbours.
  struct Step {
    size_t node;
    std::vector<size_t> neighbours;
    std::vector<size_t> best;
  };

  size_t maxTable;
  std::vector<size_t> counts; ///< candidates per node
  std::vector<Table> tables;
  std::vector<std::vector<size_t>> tablesOf;
  std::vector<std::multiset<size_t>> neighbours; ///< once per shared table
  std::vector<bool> gone;
  std::vector<size_t> sizes; ///< by which nodes stand in `queue`
  std::set<std::pair<size_t, size_t>> queue;
  std::vector<Step> steps;
};

} // namespace

/// The distinct members of a multiset.
static std::vector<size_t> distinct(const std::multiset<size_t> &set) {
  std::vector<size_t> result(set.begin(), set.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Elimination::Elimination(const LayoutGraph &graph, size_t maxTable)
    : maxTable(maxTable), tablesOf(graph.nodes.size()),
      neighbours(graph.nodes.size()), gone(graph.nodes.size()),
      sizes(graph.nodes.size()) {
  for (const std::vector<int64_t> &bytes : graph.nodes)
    counts.push_back(bytes.size());
  for (size_t node = 0; node < counts.size(); ++node) {
    Table own{{node}, {}};
    for (size_t i = 0; i < counts[node]; ++i)
      own.entries.push_back({graph.nodes[node][i], i != 0});
    addTable(std::move(own));
  }
  for (const LayoutGraph::Edge &edge : graph.edges) {
    Table table{{std::min(edge.a, edge.b), std::max(edge.a, edge.b)}, {}};
    for (size_t i = 0; i < counts[table.nodes[0]]; ++i)
      for (size_t j = 0; j < counts[table.nodes[1]]; ++j)
        table.entries.push_back(
            {edge.bytes[edge.a < edge.b ? i * counts[edge.b] + j
                                        : j * counts[edge.b] + i],
             0});
    addTable(std::move(table));
  }
  for (size_t node = 0; node < counts.size(); ++node) {
    sizes[node] = tableSize(node);
    queue.insert({sizes[node], node});
  }
}

void Elimination::addTable(Table table) {
  size_t index = tables.size();
  for (size_t node : table.nodes) {
    tablesOf[node].push_back(index);
    for (size_t other : table.nodes)
      if (other != node)
        neighbours[node].insert(other);
  }
  tables.push_back(std::move(table));
}

void Elimination::removeTable(size_t table) {
  for (size_t node : tables[table].nodes) {
    std::vector<size_t> &list = tablesOf[node];
    list.erase(std::find(list.begin(), list.end(), table));
    for (size_t other : tables[table].nodes)
      if (other != node)
        neighbours[node].erase(neighbours[node].find(other));
  }
}

/// Entries of the table that is left when `node` goes, at most maxTable + 1.
/// Towards one neighbour that is no more than its candidates.
size_t Elimination::tableSize(size_t node) const {
  size_t size = 1, last = std::numeric_limits<size_t>::max(), number = 0;
  for (size_t other : neighbours[node]) {
    if (other == last)
      continue;
    last = other;
    ++number;
    size *= counts[other];
    if (number > 1 && size > maxTable)
      return maxTable + 1;
  }
  return std::min(size, maxTable);
}

void Elimination::rank(size_t node) {
  if (gone[node])
    return;
  queue.erase({sizes[node], node});
  sizes[node] = tableSize(node);
  queue.insert({sizes[node], node});
}

/// Leaves `node` one candidate: its tables lose it.
void Elimination::fix(size_t node, size_t candidate) {
  std::vector<size_t> around = distinct(neighbours[node]);
  for (size_t index : std::vector<size_t>(tablesOf[node])) {
    removeTable(index);
    Table rest;
    size_t inner = 1; // entries per candidate of `node`
    bool after = false;
    for (size_t other : tables[index].nodes) {
      if (other == node) {
        after = true;
        continue;
      }
      rest.nodes.push_back(other);
      inner *= after ? counts[other] : 1;
    }
    for (size_t i = 0; i < tables[index].entries.size(); ++i)
      if (i / inner % counts[node] == candidate)
        rest.entries.push_back(tables[index].entries[i]);
    tables[index] = {};
    if (!rest.nodes.empty())
      addTable(std::move(rest));
  }
  gone[node] = true;
  queue.erase({sizes[node], node});
  steps.push_back({node, {}, {candidate}});
  for (size_t other : around)
    rank(other);
}

void Elimination::eliminate(size_t node) {
  Step step{node, distinct(neighbours[node]), {}};
  std::vector<size_t> own = tablesOf[node];
  // How far one candidate of a node is apart in each of the tables.
  std::vector<std::vector<size_t>> strides(own.size());
  std::vector<size_t> ownStride(own.size());
  for (size_t t = 0; t < own.size(); ++t) {
    const Table &table = tables[own[t]];
    strides[t].resize(step.neighbours.size());
    size_t stride = 1;
    for (size_t i = table.nodes.size(); i-- > 0;) {
      if (table.nodes[i] == node)
        ownStride[t] = stride;
      else
        strides[t][std::lower_bound(step.neighbours.begin(),
                                    step.neighbours.end(), table.nodes[i]) -
                   step.neighbours.begin()] = stride;
      stride *= counts[table.nodes[i]];
    }
  }
  Table result{step.neighbours, {}};
  std::vector<size_t> at(step.neighbours.size());
  while (true) {
    Cost least;
    size_t best = 0;
    for (size_t candidate = 0; candidate < counts[node]; ++candidate) {
      Cost sum;
      for (size_t t = 0; t < own.size(); ++t) {
        size_t entry = candidate * ownStride[t];
        for (size_t i = 0; i < at.size(); ++i)
          entry += at[i] * strides[t][i];
        sum = sum + tables[own[t]].entries[entry];
      }
      if (candidate == 0 || sum < least) {
        least = sum;
        best = candidate;
      }
    }
    result.entries.push_back(least);
    step.best.push_back(best);
    size_t i = at.size();
    while (i > 0 && ++at[i - 1] == counts[step.neighbours[i - 1]])
      at[--i] = 0;
    if (i == 0)
      break;
  }
  for (size_t index : own) {
    removeTable(index);
    tables[index] = {};
  }
  gone[node] = true;
  queue.erase({sizes[node], node});
  if (!result.nodes.empty())
    addTable(std::move(result));
  for (size_t other : step.neighbours)
    rank(other);
  steps.push_back(std::move(step));
}

bool Elimination::run(std::vector<size_t> &candidates,
                      std::vector<size_t> &held) {
  // A tensor without a choice would only make tables wider.
  for (size_t node = 0; node < counts.size(); ++node)
    if (counts[node] == 1)
      fix(node, 0);
  bool exact = true;
  while (!queue.empty()) {
    auto [size, node] = *queue.begin();
    if (size <= maxTable) {
      eliminate(node);
      continue;
    }
    exact = false;
    size_t chosen = node;
    auto isBetter = [&](size_t a, size_t b) {
      if (held[a] != held[b])
        return held[a] < held[b];
      return neighbours[a].size() > neighbours[b].size();
    };
    for (auto [otherSize, other] : queue)
      if (isBetter(other, chosen))
        chosen = other;
    ++held[chosen];
    fix(chosen, candidates[chosen]);
  }
  for (size_t i = steps.size(); i-- > 0;) {
    const Step &step = steps[i];
    size_t entry = 0;
    for (size_t other : step.neighbours)
      entry = entry * counts[other] + candidates[other];
    candidates[step.node] = step.best[entry];
  }
  return exact;
}

int64_t LayoutGraph::cost(const std::vector<size_t> &candidates) const {
  int64_t sum = 0;
  for (size_t node = 0; node < nodes.size(); ++node)
    sum = std::min(sum + nodes[node][candidates[node]], kForbiddenBytes);
  for (const Edge &edge : edges)
    sum = std::min(sum + edge.bytes[candidates[edge.a] * nodes[edge.b].size() +
                                    candidates[edge.b]],
                   kForbiddenBytes);
  return sum;
}

LayoutChoice shardir::chooseLayouts(const LayoutGraph &graph, size_t maxTable) {
  assert(std::all_of(graph.edges.begin(), graph.edges.end(),
                     [&](const LayoutGraph::Edge &edge) {
                       return edge.a != edge.b &&
                              edge.bytes.size() ==
                                  graph.nodes[edge.a].size() *
                                      graph.nodes[edge.b].size();
                     }) &&
         "an edge has two nodes and a table over their candidates");
  LayoutChoice choice;
  choice.candidates.assign(graph.nodes.size(), 0);
  choice.rowMajorBytes = choice.bytes = graph.cost(choice.candidates);
  std::vector<size_t> held(graph.nodes.size());
  constexpr int kMaxRounds = 8;
  for (int round = 0; round < kMaxRounds; ++round) {
    std::vector<size_t> candidates = choice.candidates;
    choice.exact = Elimination(graph, maxTable).run(candidates, held);
    int64_t bytes = graph.cost(candidates);
    bool gained = bytes < choice.bytes;
    if (choice.exact || gained)
      choice.candidates = std::move(candidates);
    choice.bytes = std::min(choice.bytes, bytes);
    // Every round but an exact one holds others: a single one without gain may
    // be followed by one with.
    if (choice.exact || (!gained && round > 1))
      break;
  }
  return choice;
}
