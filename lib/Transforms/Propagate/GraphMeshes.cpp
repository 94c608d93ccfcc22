//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which mesh each node's values are on (R10). Requires a graph with all of its
// nodes and uses, of which some are known to be on a mesh; guarantees one for
// each node, the first of the module where nothing says otherwise.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include <map>

using namespace mlir;
using namespace shardir;

/// A value's mesh is its annotation's, else its producer's, else its users'
/// (R10): known meshes flow forward, then backward, then on to what is beside
/// either. An op whose operands come
/// from several meshes waits for what its results say.
void GraphBuilder::inferMeshes() {
  auto take = [&](int n, int from) {
    if (meshKnown[n] || !meshKnown[from])
      return;
    graph.nodes[n].mesh = graph.nodes[from].mesh;
    meshKnown[n] = true;
  };
  auto producers = [&](int n) {
    SmallVector<int> result;
    for (int value : graph.nodes[n].operands)
      if (value >= 0)
        result.push_back(graph.values[value].producer);
    return result;
  };
  for (int n = 0, e = graph.nodes.size(); n < e; ++n) {
    SmallVector<int> meshesOfOperands;
    for (int producer : producers(n))
      if (meshKnown[producer] &&
          !graph.nodes[producer].rule->isRematerializable &&
          !llvm::is_contained(meshesOfOperands, graph.nodes[producer].mesh))
        meshesOfOperands.push_back(graph.nodes[producer].mesh);
    if (meshesOfOperands.size() > 1)
      continue;
    if (meshesOfOperands.size() == 1 && !meshKnown[n]) {
      graph.nodes[n].mesh = meshesOfOperands.front();
      meshKnown[n] = true;
    }
    for (int producer : producers(n))
      take(n, producer);
  }
  // Of several the one that most users have; a constraint, which may be there
  // to move the value on, counts less than others.
  auto ofUsers = [&](int n) -> std::optional<int> {
    std::map<int, std::pair<int, int>> votes;
    for (int value : graph.nodes[n].results)
      if (value >= 0)
        for (auto [user, operand] : graph.values[value].uses)
          if (meshKnown[user]) {
            auto &[all, others] = votes[graph.nodes[user].mesh];
            ++all;
            others += !isa_and_nonnull<ConstrainOp>(origins[user].op);
          }
    if (votes.empty())
      return std::nullopt;
    return std::max_element(
               votes.begin(), votes.end(),
               [](const auto &a, const auto &b) { return a.second < b.second; })
        ->first;
  };
  // Operands of equal ops may come after the op that represents them.
  int count = graph.nodes.size();
  for (int i = 0, e = repeated.empty() ? count : 2 * count; i < e; ++i) {
    int n = count - 1 - i % count;
    if (meshKnown[n])
      continue;
    if (std::optional<int> mesh = ofUsers(n)) {
      graph.nodes[n].mesh = *mesh;
      meshKnown[n] = true;
    }
  }
  // Sideways, step by step: what is next to nodes of a known mesh, by an
  // operand or else by users, all at once, so that no order of nodes decides.
  SmallVector<int> next;
  for (int n = 0; n < count; ++n)
    if (!meshKnown[n])
      next.push_back(n);
  // An operand of an equal op is also a neighbour of the node that represents
  // the op.
  llvm::DenseMap<int, SmallVector<int>> readByEquals;
  for (auto [v, value] : llvm::enumerate(graph.values))
    for (auto [user, operand] : value.uses)
      if (graph.nodes[user].operands[operand] != int(v))
        readByEquals[user].push_back(value.producer);
  while (!next.empty()) {
    SmallVector<std::pair<int, int>> found;
    for (int n : next) {
      if (meshKnown[n])
        continue;
      SmallVector<int> known = llvm::filter_to_vector(
          producers(n), [&](int producer) { return meshKnown[producer]; });
      if (!known.empty())
        found.push_back({n, graph.nodes[known.front()].mesh});
      else if (std::optional<int> mesh = ofUsers(n))
        found.push_back({n, *mesh});
    }
    next.clear();
    for (auto [n, mesh] : found) {
      graph.nodes[n].mesh = mesh;
      meshKnown[n] = true;
      llvm::append_range(next, producers(n));
      if (auto equals = readByEquals.find(n); equals != readByEquals.end())
        llvm::append_range(next, equals->second);
      for (int value : graph.nodes[n].results)
        if (value >= 0)
          for (auto [user, operand] : graph.values[value].uses)
            next.push_back(user);
    }
  }
  for (Graph::Node &node : graph.nodes)
    if (node.alias >= 0)
      node.mesh = graph.nodes[node.alias].mesh;
}
