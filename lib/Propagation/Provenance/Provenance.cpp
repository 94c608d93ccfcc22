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

/// A path of neighbours from an annotation to a factor of a node.
struct Path {
  int length = 0;
  Provenance provenance;

  bool isKnown() const { return provenance.origin >= 0; }
  int origin() const { return provenance.origin; }
  /// The path with op `n` behind it.
  Path through(int n) const {
    Path path = *this;
    ++path.length;
    Provenance &own = path.provenance;
    if (own.through.size() == Provenance::kFirst + Provenance::kLast) {
      own.through.erase(own.through.begin() + Provenance::kFirst);
      ++own.omitted;
    }
    own.through.push_back(n);
    return path;
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

static std::string textOf(const PropagationSpace &space, const Path &path) {
  return describe(space.graph, path.provenance);
}

/// The paths found in one round: of each key the one that comes first in the
/// alphabet.
template <typename Key> using Round = std::map<Key, Path>;

template <typename Key>
static void offer(Round<Key> &round, const PropagationSpace &space,
                  const Key &key, Path path) {
  auto [it, isNew] = round.try_emplace(key, path);
  if (!isNew && textOf(space, path) < textOf(space, it->second))
    it->second = std::move(path);
}

static bool isOp(const PropagationSpace &space, int n) {
  return !space.node(n).operands.empty() && !space.node(n).results.empty();
}

/// Finds the paths of splits that passed ops which were then decided otherwise:
/// follows factors, whatever was decided for the nodes in between.
static void findRemainingPaths(PropagationSpace &space,
                               const std::vector<NodeSplits> &decided,
                               std::vector<llvm::SmallVector<Path, 4>> &paths) {
  using State = std::tuple<int, int, SplitsId>; // node, factor, splits
  int remaining = 0;
  auto forDecided = [&](auto visit) {
    for (int n = 0, e = space.numNodes(); n < e; ++n)
      for (size_t f = 0; f < decided[n].size(); ++f)
        if (decided[n][f] && !space.isAlias(n) && !space.isRematerializable(n))
          visit(n, int(f));
  };
  forDecided([&](int n, int f) { remaining += !paths[n][f].isKnown(); });
  if (remaining == 0)
    return;
  Round<State> frontier;
  forDecided([&](int n, int f) {
    if (paths[n][f].isKnown())
      frontier.try_emplace({n, f, decided[n][f]}, paths[n][f]);
  });
  std::set<State> seen;
  for (auto &[state, path] : frontier)
    seen.insert(state);
  while (remaining && !frontier.empty()) {
    Round<State> found;
    for (auto &[state, path] : frontier) {
      int n = std::get<0>(state), factorFrom = std::get<1>(state);
      SplitsId shown = std::get<2>(state);
      if (space.isRematerializable(n))
        continue;
      Path next = isOp(space, n) && path.origin() != n ? path.through(n) : path;
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
    for (auto &[state, path] : found) {
      seen.insert(state);
      auto [n, f, id] = state;
      if (decided[n][f] && !paths[n][f].isKnown() &&
          (space.table(n).uses(decided[n][f]) & space.table(n).uses(id)))
        offer(resolved, space, {n, f}, path);
    }
    for (auto &[key, path] : resolved) {
      paths[key.first][key.second] = path;
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

/// One partial axis of a node, and the path to it.
struct PartialVariant {
  uint64_t axis;
  Path path;
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
                    const std::vector<llvm::SmallVector<Path, 4>> &paths,
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
    auto give = [&](uint64_t given, const Path &path) {
      forBits(given & bits,
              [&](uint64_t bit) { partials[n].push_back({bit, path}); });
      missing[n] &= ~given;
    };
    if (space.node(n).partial) {
      Path own;
      own.provenance.origin = n;
      give(bits, own);
    } else {
      for (auto [f, factor] : llvm::enumerate(space.rule(n).factors))
        if (factor.kind == FactorKind::Reduction && paths[n][f].isKnown())
          give(table.blocks(decided[n][f]), paths[n][f]);
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
              bool passesOn = isOp(space, n) && own.path.origin() != n;
              offer(found, space, {user.node, own.axis},
                    passesOn ? own.path.through(n) : own.path);
            }
      }
    frontier.clear();
    for (auto &[key, path] : found) {
      auto [n, axis] = key;
      partials[n].push_back({axis, std::move(path)});
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
  std::vector<llvm::SmallVector<Path, 4>> paths(count);
  std::vector<int> frontier;
  for (int n = 0; n < count; ++n) {
    const PropagationGraph::Node &node = space.node(n);
    paths[n].resize(decided[n].size());
    if (space.isAlias(n))
      continue;
    SplitsTable &table = space.table(n);
    bool isOrigin = false;
    for (auto [f, splits] : llvm::enumerate(node.annotated))
      if (SplitsId given = table.get(splits);
          given && table.uses(given) == table.uses(decided[n][f])) {
        paths[n][f].provenance.origin = n;
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
          if (!decided[n][g] || !paths[n][g].isKnown())
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
                if (!has || paths[end.node][factor].isKnown() ||
                    !(table.uses(has) & table.uses(id)))
                  return;
                Path path = paths[n][g];
                if (isOp(space, n) && path.origin() != n)
                  path = path.through(n);
                offer(found, space, {end.node, factor}, std::move(path));
              });
        }
      });
    frontier.clear();
    for (auto &[key, path] : found) {
      paths[key.first][key.second] = std::move(path);
      if (frontier.empty() || frontier.back() != key.first)
        frontier.push_back(key.first);
    }
  }
  findRemainingPaths(space, decided, paths);
  std::vector<llvm::SmallVector<PartialVariant, 1>> partials =
      findPartialVariants(space, decided, paths, result);
  std::vector<std::vector<RankedProvenance>> found(count);
  auto ranked = [&](const Path &path) {
    return RankedProvenance{path.provenance, textOf(space, path), path.length};
  };
  for (int n = 0; n < count; ++n) {
    for (const Path &path : paths[n])
      found[n].push_back(ranked(path));
    for (const PartialVariant &own : partials[n])
      found[n].push_back(ranked(own.path));
  }
  return found;
}
