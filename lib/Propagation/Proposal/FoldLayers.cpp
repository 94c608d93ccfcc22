//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers from arguments to nodes, passes over the layers, the layers that are
// equal in all passes, and the graph without those between the first and the
// last of these. See FoldLayers.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "FoldLayers.h"

#include "Graph/SplitsTable.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace shardir;

namespace {

class LayerFolder {
public:
  LayerFolder(const PropagationGraph &graph,
              const std::vector<std::vector<int>> &groups)
      : graph(graph), groups(groups), layers(graph.nodes.size(), -1),
        passes(graph.nodes.size(), -1), positions(graph.nodes.size(), -1) {}

  std::optional<FoldedGraph> run();

private:
  /// The nodes of one pass in one layer.
  using Segment = std::vector<int>;
  struct Pass {
    int direction = 0; ///< 1 from the first layer to the last, -1 back
    std::map<int, Segment> segments = {};
  };

  bool findLayersOfArguments();
  void findLayersOfNodes();
  void findPasses();
  bool findEqualLayers();
  bool hasEqualOperands(int a, int b) const;
  bool isLeftOut(int n) const {
    return passes[n] >= 0 && layers[n] > low && layers[n] < high;
  }
  int standInFor(int n, int user) const;
  bool build(FoldedGraph &folded) const;

  const PropagationGraph &graph;
  const std::vector<std::vector<int>> &groups;
  int count = 0;              ///< of layers
  std::vector<int> layers;    ///< per node; -1 in front of the first
  std::vector<int> passes;    ///< per node
  std::vector<int> positions; ///< per node, in its segment
  std::vector<Pass> all;
  int low = 0, high = 0; ///< the equal layers that are kept
};

} // namespace

/// The number of layers is the size that most grouped arguments have.
bool LayerFolder::findLayersOfArguments() {
  std::map<size_t, size_t> arguments;
  for (const std::vector<int> &group : groups)
    if (group.size() > 2)
      arguments[group.size()] += group.size();
  size_t most = 0;
  for (auto [size, sum] : arguments)
    if (sum > most) {
      count = size;
      most = sum;
    }
  if (count == 0)
    return false;
  for (const std::vector<int> &group : groups) {
    size_t each = group.size() / count;
    bool isPeriodic = group.size() == each * count;
    // Several in one layer, such as both norms: layer by layer.
    for (size_t i = each; isPeriodic && each > 1 && i < group.size(); ++i)
      isPeriodic = group[i] - group[i - each] == group[each] - group[0];
    if (isPeriodic)
      for (auto [i, n] : llvm::enumerate(group))
        layers[n] = i / each;
  }
  return true;
}

void LayerFolder::findLayersOfNodes() {
  int present = -1;
  for (auto [n, node] : llvm::enumerate(graph.nodes)) {
    int own = layers[n];
    bool isResult = node.results.empty();
    for (int value : node.operands)
      if (value >= 0 && graph.values[value].producer >= 0) {
        int from = graph.values[value].producer;
        bool isArgument = graph.nodes[from].operands.empty() &&
                          !graph.nodes[from].rule->isRematerializable;
        if (layers[from] >= 0 && from < int(n) && (isArgument || isResult))
          own = layers[from];
      }
    present = own >= 0 ? own : present;
    layers[n] = present;
  }
}

void LayerFolder::findPasses() {
  int before = -1;
  for (int n = 0, e = graph.nodes.size(); n < e; ++n) {
    int layer = layers[n];
    if (layer < 0)
      continue;
    // Arguments, ops and results are passes of their own.
    auto kindOf = [&](int m) {
      const PropagationGraph::Node &node = graph.nodes[m];
      bool isArgument = node.operands.empty() && !node.rule->isRematerializable;
      return isArgument ? 0 : node.results.empty() ? 2 : 1;
    };
    if (all.empty() || kindOf(n) != kindOf(before)) {
      all.emplace_back();
    } else if (layer != layers[before]) {
      int step = layer - layers[before];
      if (std::abs(step) != 1 ||
          (all.back().direction && all.back().direction != step))
        all.emplace_back();
      else
        all.back().direction = step;
    }
    Segment &segment = all.back().segments[layer];
    passes[n] = all.size() - 1;
    positions[n] = segment.size();
    segment.push_back(n);
    before = n;
  }
}

/// True if two nodes read the same of the layers around them.
bool LayerFolder::hasEqualOperands(int a, int b) const {
  const auto &mine = graph.nodes[a].operands, &theirs = graph.nodes[b].operands;
  if (mine.size() != theirs.size())
    return false;
  for (auto [x, y] : llvm::zip(mine, theirs)) {
    if (x == y)
      continue;
    if (x < 0 || y < 0)
      return false;
    const PropagationGraph::Value &one = graph.values[x],
                                  &other = graph.values[y];
    int p = one.producer, q = other.producer;
    if (p < 0 || q < 0 || one.resultIndex != other.resultIndex ||
        passes[p] != passes[q] || positions[p] != positions[q] ||
        layers[p] - layers[a] != layers[q] - layers[b])
      return false;
  }
  return true;
}

bool LayerFolder::findEqualLayers() {
  // Each layer by what its nodes are, pass by pass.
  std::vector<uint64_t> names(count, 0);
  llvm::DenseMap<const ShardingRule *, uint64_t> hashes;
  for (auto [p, pass] : llvm::enumerate(all))
    for (auto &[layer, segment] : pass.segments) {
      uint64_t own = p;
      for (int n : segment) {
        const PropagationGraph::Node &node = graph.nodes[n];
        auto [hash, isNew] = hashes.try_emplace(&*node.rule, 0);
        if (isNew)
          hash->second = NumbersHash()(keyOf(node.rule));
        own = mixHash(mixHash(own, hash->second), node.mesh);
        own = mixHash(own, node.operands.size() + (node.alias >= 0 ? 64 : 0));
      }
      names[layer] = mixHash(names[layer], own);
    }
  int best = 0;
  for (int first = 0; first < count; ++first) {
    int last = first;
    while (last + 1 < count && names[last + 1] == names[first])
      ++last;
    if (last - first > best) {
      best = last - first;
      low = first;
      high = last;
    }
  }
  if (high - low < 4)
    return false;
  for (const Pass &pass : all)
    for (int layer = low + 2; layer < high; ++layer) {
      auto mine = pass.segments.find(low + 1),
           other = pass.segments.find(layer);
      if (mine == pass.segments.end() || other == pass.segments.end())
        continue;
      for (auto [a, b] : llvm::zip(mine->second, other->second))
        if (!hasEqualOperands(a, b))
          return false;
    }
  return true;
}

/// The kept node in the place of `n` for node `user`: that of the layer which
/// comes before it in a pass of the user's own, else of the nearer layer.
int LayerFolder::standInFor(int n, int user) const {
  if (!isLeftOut(n))
    return n;
  const Pass &pass = all[passes[n]];
  bool first =
      passes[user] == passes[n] ? pass.direction >= 0 : layers[user] <= low;
  return pass.segments.at(first ? low : high)[positions[n]];
}

bool LayerFolder::build(FoldedGraph &folded) const {
  double share = double(high - low + 1) / 2;
  std::vector<int> nodeIds(graph.nodes.size(), -1),
      valueIds(graph.values.size(), -1);
  PropagationGraph &out = folded.graph;
  out.meshes = graph.meshes;
  for (auto [n, node] : llvm::enumerate(graph.nodes)) {
    if (isLeftOut(n))
      continue;
    nodeIds[n] = out.nodes.size();
    out.nodes.push_back(node);
    bool isShared = passes[n] >= 0 && (layers[n] == low || layers[n] == high);
    out.nodes.back().pass = passes[n];
    if (isShared)
      out.nodes.back().executions *= share;
    for (int &value : out.nodes.back().results) {
      if (value < 0)
        continue;
      // A value for the next node of the pass, or for the pass itself, is alive
      // in one layer at a time.
      bool isArgument = node.operands.empty() && !node.rule->isRematerializable;
      bool isKept =
          isArgument || llvm::any_of(graph.values[value].uses,
                                     [&, n = n](std::pair<int, int> use) {
                                       return passes[use.first] != passes[n];
                                     });
      valueIds[value] = out.values.size();
      out.values.push_back(graph.values[value]);
      out.values.back().uses.clear();
      out.values.back().producer = nodeIds[n];
      if (isShared && isKept)
        out.values.back().aliveTogether *= share;
      value = valueIds[value];
    }
  }
  // Values that no node makes.
  for (auto [v, value] : llvm::enumerate(graph.values))
    if (value.producer < 0) {
      valueIds[v] = out.values.size();
      out.values.push_back(value);
      out.values.back().uses.clear();
    }
  for (auto [n, node] : llvm::enumerate(graph.nodes)) {
    if (nodeIds[n] < 0)
      continue;
    PropagationGraph::Node &own = out.nodes[nodeIds[n]];
    if (own.alias >= 0)
      own.alias = nodeIds[standInFor(own.alias, n)];
    for (auto [i, value] : llvm::enumerate(own.operands)) {
      if (value < 0)
        continue;
      int from = graph.values[value].producer;
      if (from >= 0) {
        int standIn = standInFor(from, n);
        // Producers stay in front of their users, but in loops.
        if (nodeIds[standIn] < 0 || (standIn >= int(n) && from < int(n)))
          return false;
        value = out.nodes[nodeIds[standIn]]
                    .results[graph.values[value].resultIndex];
      } else {
        value = valueIds[value];
      }
      if (value < 0)
        return false;
      out.values[value].uses.push_back({nodeIds[n], int(i)});
    }
  }
  // Uses by equals of a user that has another operand there.
  for (auto [v, value] : llvm::enumerate(graph.values))
    for (auto [user, operand] : value.uses)
      if (valueIds[v] >= 0 && nodeIds[user] >= 0 &&
          graph.nodes[user].operands[operand] != int(v))
        out.values[valueIds[v]].uses.push_back({nodeIds[user], operand});
  for (int n = 0, e = graph.nodes.size(); n < e; ++n)
    folded.standIn.push_back(
        nodeIds[isLeftOut(n) ? all[passes[n]].segments.at(low)[positions[n]]
                             : n]);
  return true;
}

std::optional<FoldedGraph> LayerFolder::run() {
  if (!findLayersOfArguments())
    return std::nullopt;
  findLayersOfNodes();
  findPasses();
  FoldedGraph folded;
  if (!findEqualLayers() || !build(folded))
    return std::nullopt;
  return folded;
}

std::optional<FoldedGraph>
shardir::foldLayers(const PropagationGraph &graph,
                    const std::vector<std::vector<int>> &groups) {
  return LayerFolder(graph, groups).run();
}
