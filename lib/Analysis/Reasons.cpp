//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search in breadth from the annotations, over neighbours that share an axis.
// Of equally near annotations the one that is spelled first is named, so that
// reasons do not depend on the order of nodes. Work is linear in the edges.
//
//===----------------------------------------------------------------------===//

#include "Reasons.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <map>
#include <set>

using namespace shardir;

namespace {

/// The way from an annotation: its first and last ops, and how many there are.
/// Every factor of a program has one, so it is small.
struct Way {
  static constexpr int kFirst = 3, kLast = 2;
  int origin = -1;
  int length = 0;
  std::array<int, kFirst> first = {};
  std::array<int, kLast> last = {}; ///< behind the first ones, latest last

  bool isKnown() const { return origin >= 0; }
  /// The way on through op `n`.
  Way through(int n) const {
    Way way = *this;
    if (length < kFirst) {
      way.first[length] = n;
    } else {
      way.last[0] = last[1];
      way.last[1] = n;
    }
    ++way.length;
    return way;
  }
};

} // namespace

static std::string textOf(const PropagationSpace &space, const Way &way) {
  const PropagationGraph::Node &origin = space.node(way.origin);
  std::string text =
      origin.annotation.empty() ? origin.name : origin.annotation;
  const char *separator = ", through ";
  auto add = [&](const std::string &name) {
    text += separator + name;
    separator = ", ";
  };
  for (int i = 0; i < std::min(way.length, Way::kFirst); ++i)
    add(space.node(way.first[i]).name);
  int behind = way.length - Way::kFirst;
  if (behind > Way::kLast)
    add(std::to_string(behind - Way::kLast) + " more");
  for (int i = std::max(0, Way::kLast - behind); i < Way::kLast; ++i)
    add(space.node(way.last[i]).name);
  return text;
}

/// The ways found in one round, the best of each key: that of the annotation
/// that is spelled first, so that the order of nodes does not matter.
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

/// Ways of splits that came through ops which then took others: along factors,
/// whatever was decided there. Nodes that are resolved lead on.
static void findRemainingWays(PropagationSpace &space,
                              const std::vector<NodeSplits> &decided,
                              std::vector<llvm::SmallVector<Way, 4>> &ways) {
  using State = std::tuple<int, int, SplitsId>; // node, factor, splits
  int remaining = 0;
  auto forDecided = [&](auto visit) {
    for (int n = 0, e = space.numNodes(); n < e; ++n)
      for (size_t f = 0; f < decided[n].size(); ++f)
        if (decided[n][f] && !space.isFollower(n) && !space.isFresh(n))
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
      auto [n, g, id] = state;
      if (space.isFresh(n))
        continue;
      Way next = isOp(space, n) && way.origin != n ? way.through(n) : way;
      int factorFrom = g;
      SplitsId shown = id;
      space.forNeighbours(n, [&](const Port &port, End end) {
        space.show(
            n, port, end.node, space.ports(end.node)[end.port],
            [&](int factor) -> llvm::ArrayRef<SplitsId> {
              return factor == factorFrom ? llvm::ArrayRef<SplitsId>(shown)
                                          : llvm::ArrayRef<SplitsId>();
            },
            [&](int factor, SplitsId arrived) {
              State at = {end.node, factor, arrived};
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

/// The axes that a node's results owe, or its operands where it has no result.
static uint64_t owedBy(PropagationSpace &space, const PropagationResult &result,
                       int n) {
  // Fresh values are placed later, by their users.
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

/// One axis that a node owes, and why.
struct OwedWay {
  uint64_t axis;
  Way way;
};

} // namespace

template <typename Visit> static void forBits(uint64_t bits, Visit visit) {
  for (; bits; bits &= bits - 1)
    visit(bits & -bits);
}

/// Who decided what is owed: for each axis the annotation that split a
/// reduction by it, or that of the term itself, then on along what passes it.
static std::vector<llvm::SmallVector<OwedWay, 1>>
findOwedWays(PropagationSpace &space, const std::vector<NodeSplits> &decided,
             const std::vector<llvm::SmallVector<Way, 4>> &ways,
             const PropagationResult &result) {
  int count = space.numNodes();
  std::vector<llvm::SmallVector<OwedWay, 1>> owed(count);
  std::vector<uint64_t> missing(count, 0);
  std::vector<int> frontier;
  for (int n = 0; n < count; ++n) {
    uint64_t bits = space.isFollower(n) ? 0 : owedBy(space, result, n);
    missing[n] = bits;
    if (!bits)
      continue;
    SplitsTable &table = space.table(n);
    auto give = [&](uint64_t given, const Way &way) {
      forBits(given & bits,
              [&](uint64_t bit) { owed[n].push_back({bit, way}); });
      missing[n] &= ~given;
    };
    if (space.node(n).partial) {
      Way own;
      own.origin = n;
      give(bits, own);
    } else {
      for (auto [f, factor] : llvm::enumerate(space.rule(n).factors))
        if (factor.kind == FactorKind::Reduction && ways[n][f].isKnown())
          give(table.blocks(decided[n][f]), ways[n][f]);
    }
    if (!owed[n].empty())
      frontier.push_back(n);
  }
  while (!frontier.empty()) {
    Round<std::pair<int, uint64_t>> found;
    for (int n : frontier)
      for (const Port &port : space.ports(n)) {
        if (!port.isResult)
          continue;
        for (End user : space.users(port.value))
          for (const OwedWay &own : owed[n])
            if (missing[user.node] & own.axis) {
              bool passesOn = isOp(space, n) && own.way.origin != n;
              offer(found, space, {user.node, own.axis},
                    passesOn ? own.way.through(n) : own.way);
            }
      }
    frontier.clear();
    for (auto &[key, way] : found) {
      auto [n, axis] = key;
      owed[n].push_back({axis, std::move(way)});
      missing[n] &= ~axis;
      if (frontier.empty() || frontier.back() != n)
        frontier.push_back(n);
    }
  }
  return owed;
}

std::vector<std::vector<Reason>>
shardir::findReasons(PropagationSpace &space,
                     const std::vector<NodeSplits> &decided,
                     const PropagationResult &result) {
  int count = space.numNodes();
  std::vector<llvm::SmallVector<Way, 4>> ways(count);
  std::vector<int> frontier;
  for (int n = 0; n < count; ++n) {
    const PropagationGraph::Node &node = space.node(n);
    ways[n].resize(decided[n].size());
    if (space.isFollower(n))
      continue;
    SplitsTable &table = space.table(n);
    bool isOrigin = false;
    for (auto [f, splits] : llvm::enumerate(node.annotated))
      if (SplitsId given = table.get(splits);
          given && table.uses(given) == table.uses(decided[n][f])) {
        ways[n][f].origin = n;
        isOrigin = true;
      }
    if (isOrigin)
      frontier.push_back(n);
  }
  SplitsId one = 0;
  while (!frontier.empty()) {
    // What arrives in this round, the best of it per factor.
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
                if (isOp(space, n) && way.origin != n)
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
  std::vector<llvm::SmallVector<OwedWay, 1>> owed =
      findOwedWays(space, decided, ways, result);
  std::vector<std::vector<Reason>> reasons(count);
  for (int n = 0; n < count; ++n) {
    for (const Way &way : ways[n])
      reasons[n].push_back(
          way.isKnown() ? Reason{textOf(space, way), way.length} : Reason());
    for (const OwedWay &own : owed[n])
      reasons[n].push_back({textOf(space, own.way), own.way.length});
  }
  return reasons;
}
