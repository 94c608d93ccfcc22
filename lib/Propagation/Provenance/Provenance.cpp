//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A breadth-first search from the annotations over neighbours that share an
// axis. Of equally near annotations the first in the alphabet is named, so that
// the result does not depend on the order of nodes. Linear in the edges.
//
//===----------------------------------------------------------------------===//

#include "Provenance.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <map>
#include <set>

using namespace shardir;

namespace {

/// The way from an annotation.
struct Way {
  int length = 0;
  Provenance provenance;

  bool isKnown() const { return provenance.origin >= 0; }
  int origin() const { return provenance.origin; }
  /// The way on through op `n`.
  Way through(int n) const {
    Way way = *this;
    ++way.length;
    Provenance &own = way.provenance;
    if (own.through.size() == Provenance::kFirst + Provenance::kLast) {
      own.through.erase(own.through.begin() + Provenance::kFirst);
      ++own.omitted;
    }
    own.through.push_back(n);
    return way;
  }
};

} // namespace

std::string shardir::describe(const PropagationGraph &graph,
                              const Provenance &provenance) {
  if (provenance.origin < 0)
    return "";
  const PropagationGraph::Node &origin = graph.nodes[provenance.origin];
  std::string text =
      origin.annotation.empty() ? origin.name : origin.annotation;
  for (auto [i, n] : llvm::enumerate(provenance.through)) {
    if (i == Provenance::kFirst && provenance.omitted)
      text += ", " + std::to_string(provenance.omitted) + " more";
    text += (i ? ", " : ", through ") + graph.nodes[n].name;
  }
  return text;
}

static std::string textOf(const PropagationSpace &space, const Way &way) {
  return describe(space.graph, way.provenance);
}

/// The ways found in one round: of each key the one that comes first in the
/// alphabet.
template <typename Key> using Round = std::map<Key, Way>;

template <typename Key>
static void offer(Round<Key> &round, const PropagationSpace &space,
                  const Key &key, Way way) {
  auto [it, isNew] = round.try_emplace(key, way);
  if (!isNew && textOf(space, way) < textOf(space, it->second))
    it->second = std::move(way);
}

static bool isOp(const PropagationSpace &space, int n) {
  return !space.node(n).operands.empty() && !space.node(n).results.empty();
}

/// Finds the ways of splits that passed ops which were then decided otherwise:
/// along factors, whatever was decided there.
static void findRemainingWays(PropagationSpace &space,
                              const std::vector<NodeSplits> &decided,
                              std::vector<llvm::SmallVector<Way, 4>> &ways) {
  using State = std::tuple<int, int, SplitsId>; // node, factor, splits
  int remaining = 0;
  auto forDecided = [&](auto visit) {
    for (int n = 0, e = space.numNodes(); n < e; ++n)
      for (size_t f = 0; f < decided[n].size(); ++f)
        if (decided[n][f] && !space.isAlias(n) && !space.isRematerializable(n))
          visit(n, int(f));
  };
  forDecided([&](int n, int f) { remaining += !ways[n][f].isKnown(); });
  if (remaining == 0)
    return;
  Round<State> frontier;
  forDecided([&](int n, int f) {
    if (ways[n][f].isKnown())
      frontier.try_emplace({n, f, decided[n][f]}, ways[n][f]);
  });
  std::set<State> seen;
  for (auto &[state, way] : frontier)
    seen.insert(state);
  while (remaining && !frontier.empty()) {
    Round<State> found;
    for (auto &[state, way] : frontier) {
      int n = std::get<0>(state), factorFrom = std::get<1>(state);
      SplitsId shown = std::get<2>(state);
      if (space.isRematerializable(n))
        continue;
      Way next = isOp(space, n) && way.origin() != n ? way.through(n) : way;
      space.forNeighbours(n, [&](const Port &port, End end) {
        space.show(
            n, port, end.node, space.ports(end.node)[end.port],
            [&](int factor) -> llvm::ArrayRef<SplitsId> {
              return factor == factorFrom ? llvm::ArrayRef<SplitsId>(shown)
                                          : llvm::ArrayRef<SplitsId>();
            },
            [&](int factor, SplitsId reached) {
              State at = {end.node, factor, reached};
              if (space.rule(end.node).factors[factor].kind !=
                      FactorKind::Replicate &&
                  !seen.count(at))
                offer(found, space, at, next);
            });
      });
    }
    Round<std::pair<int, int>> resolved;
    for (auto &[state, way] : found) {
      seen.insert(state);
      auto [n, f, id] = state;
      if (decided[n][f] && !ways[n][f].isKnown() &&
          (space.table(n).uses(decided[n][f]) & space.table(n).uses(id)))
        offer(resolved, space, {n, f}, way);
    }
    for (auto &[key, way] : resolved) {
      ways[key.first][key.second] = way;
      --remaining;
    }
    frontier = std::move(found);
  }
}

/// The partial axes of a node's results, or of its operands if it has none.
static uint64_t partialAxesOf(PropagationSpace &space,
                              const PropagationResult &result, int n) {
  // Rematerializable values are placed later, for their users.
  if (!result.nodes[n].sharding)
    return 0;
  const PropagationResult::Sharding &own = *result.nodes[n].sharding;
  uint64_t bits = 0;
  for (const Placement &placement :
       own.results.empty() ? own.operands : own.results)
    for (const AxisRef &axis : placement.partialAxes)
      bits |= space.table(n).bitOf(axis);
  return bits;
}

namespace {

/// One partial axis of a node, and the way to it.
struct PartialVariant {
  uint64_t axis;
  Way way;
};

} // namespace

template <typename Visit> static void forBits(uint64_t bits, Visit visit) {
  for (; bits; bits &= bits - 1)
    visit(bits & -bits);
}

/// For each partial axis of a node the annotation that split a reduction by it,
/// or that is partial itself, then the ops that pass partials on.
static std::vector<llvm::SmallVector<PartialVariant, 1>>
findPartialVariants(PropagationSpace &space,
                    const std::vector<NodeSplits> &decided,
                    const std::vector<llvm::SmallVector<Way, 4>> &ways,
                    const PropagationResult &result) {
  int count = space.numNodes();
  std::vector<llvm::SmallVector<PartialVariant, 1>> partials(count);
  std::vector<uint64_t> missing(count, 0);
  std::vector<int> frontier;
  for (int n = 0; n < count; ++n) {
    uint64_t bits = space.isAlias(n) ? 0 : partialAxesOf(space, result, n);
    missing[n] = bits;
    if (!bits)
      continue;
    SplitsTable &table = space.table(n);
    auto give = [&](uint64_t given, const Way &way) {
      forBits(given & bits,
              [&](uint64_t bit) { partials[n].push_back({bit, way}); });
      missing[n] &= ~given;
    };
    if (space.node(n).partial) {
      Way own;
      own.provenance.origin = n;
      give(bits, own);
    } else {
      for (auto [f, factor] : llvm::enumerate(space.rule(n).factors))
        if (factor.kind == FactorKind::Reduction && ways[n][f].isKnown())
          give(table.blocks(decided[n][f]), ways[n][f]);
    }
    if (!partials[n].empty())
      frontier.push_back(n);
  }
  while (!frontier.empty()) {
    Round<std::pair<int, uint64_t>> found;
    for (int n : frontier)
      for (const Port &port : space.ports(n)) {
        if (!port.isResult)
          continue;
        for (End user : space.users(port.value))
          for (const PartialVariant &own : partials[n])
            if (missing[user.node] & own.axis) {
              bool passesOn = isOp(space, n) && own.way.origin() != n;
              offer(found, space, {user.node, own.axis},
                    passesOn ? own.way.through(n) : own.way);
            }
      }
    frontier.clear();
    for (auto &[key, way] : found) {
      auto [n, axis] = key;
      partials[n].push_back({axis, std::move(way)});
      missing[n] &= ~axis;
      if (frontier.empty() || frontier.back() != n)
        frontier.push_back(n);
    }
  }
  return partials;
}

std::vector<std::vector<RankedProvenance>>
shardir::findProvenance(PropagationSpace &space,
                        const std::vector<NodeSplits> &decided,
                        const PropagationResult &result) {
  int count = space.numNodes();
  std::vector<llvm::SmallVector<Way, 4>> ways(count);
  std::vector<int> frontier;
  for (int n = 0; n < count; ++n) {
    const PropagationGraph::Node &node = space.node(n);
    ways[n].resize(decided[n].size());
    if (space.isAlias(n))
      continue;
    SplitsTable &table = space.table(n);
    bool isOrigin = false;
    for (auto [f, splits] : llvm::enumerate(node.annotated))
      if (SplitsId given = table.get(splits);
          given && table.uses(given) == table.uses(decided[n][f])) {
        ways[n][f].provenance.origin = n;
        isOrigin = true;
      }
    if (isOrigin)
      frontier.push_back(n);
  }
  SplitsId one = 0;
  while (!frontier.empty()) {
    Round<std::pair<int, int>> found;
    for (int n : frontier)
      space.forNeighbours(n, [&](const Port &port, End end) {
        SplitsTable &table = space.table(n);
        for (int g = 0, e = decided[n].size(); g < e; ++g) {
          if (!decided[n][g] || !ways[n][g].isKnown())
            continue;
          space.show(
              n, port, end.node, space.ports(end.node)[end.port],
              [&](int factor) -> llvm::ArrayRef<SplitsId> {
                one = decided[n][factor];
                return factor == g ? llvm::ArrayRef<SplitsId>(one)
                                   : llvm::ArrayRef<SplitsId>();
              },
              [&](int factor, SplitsId id) {
                SplitsId has = decided[end.node][factor];
                if (!has || ways[end.node][factor].isKnown() ||
                    !(table.uses(has) & table.uses(id)))
                  return;
                Way way = ways[n][g];
                if (isOp(space, n) && way.origin() != n)
                  way = way.through(n);
                offer(found, space, {end.node, factor}, std::move(way));
              });
        }
      });
    frontier.clear();
    for (auto &[key, way] : found) {
      ways[key.first][key.second] = std::move(way);
      if (frontier.empty() || frontier.back() != key.first)
        frontier.push_back(key.first);
    }
  }
  findRemainingWays(space, decided, ways);
  std::vector<llvm::SmallVector<PartialVariant, 1>> partials =
      findPartialVariants(space, decided, ways, result);
  std::vector<std::vector<RankedProvenance>> found(count);
  auto ranked = [&](const Way &way) {
    return RankedProvenance{way.provenance, textOf(space, way), way.length};
  };
  for (int n = 0; n < count; ++n) {
    for (const Way &way : ways[n])
      found[n].push_back(ranked(way));
    for (const PartialVariant &own : partials[n])
      found[n].push_back(ranked(own.way));
  }
  return found;
}
