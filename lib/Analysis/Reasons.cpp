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

#include <map>

using namespace shardir;

namespace {

/// The way from an annotation: its first and last ops, and how many there are.
struct Way {
  int origin = -1;
  int length = 0;
  llvm::SmallVector<int, 3> first;
  llvm::SmallVector<int, 2> last;

  bool isKnown() const { return origin >= 0; }
  /// The way on through op `n`.
  Way through(int n) const {
    Way way = *this;
    ++way.length;
    if (way.first.size() < 3) {
      way.first.push_back(n);
      return way;
    }
    if (way.last.size() == 2)
      way.last.erase(way.last.begin());
    way.last.push_back(n);
    return way;
  }
};

} // namespace

static std::string textOf(const PropagationSpace &space, const Way &way) {
  std::string text = space.node(way.origin).name;
  const char *separator = ", through ";
  auto add = [&](const std::string &name) {
    text += separator + name;
    separator = ", ";
  };
  for (int n : way.first)
    add(space.node(n).name);
  int hidden = way.length - int(way.first.size() + way.last.size());
  if (hidden > 0)
    add(std::to_string(hidden) + " more");
  for (int n : way.last)
    add(space.node(n).name);
  return text;
}

std::vector<std::vector<std::string>>
shardir::findReasons(PropagationSpace &space,
                     const std::vector<NodeSplits> &decided) {
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
  auto isOp = [&](int n) {
    return !space.node(n).operands.empty() && !space.node(n).results.empty();
  };
  SplitsId one = 0;
  while (!frontier.empty()) {
    // What arrives in this round, the best of it per factor.
    std::map<std::pair<int, int>, std::pair<Way, std::string>> found;
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
                if (isOp(n) && way.origin != n)
                  way = way.through(n);
                std::string text = textOf(space, way);
                auto [it, isNew] = found.try_emplace({end.node, factor});
                if (isNew || text < it->second.second)
                  it->second = {std::move(way), std::move(text)};
              });
        }
      });
    frontier.clear();
    for (auto &[key, value] : found) {
      ways[key.first][key.second] = std::move(value.first);
      if (frontier.empty() || frontier.back() != key.first)
        frontier.push_back(key.first);
    }
  }
  std::vector<std::vector<std::string>> reasons(count);
  for (int n = 0; n < count; ++n)
    for (const Way &way : ways[n])
      reasons[n].push_back(way.isKnown() ? textOf(space, way) : "");
  return reasons;
}
