//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which arguments of a program play one role, such as the first weight of every
// layer. Colour refinement over a few rounds: enough to tell apart the weights
// of one layer, and too few to see which layer it is. Requires any propagation
// graph; guarantees an answer that does not depend on the order of nodes.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Propagation/Proposal.h"

#include "SplitsTable.h"

#include <cstring>
#include <map>

using namespace shardir;

/// A hash of a node without its neighbours; names of arguments are left out.
static uint64_t ownColour(const PropagationGraph::Node &node) {
  NumbersHash hash;
  uint64_t colour = mixHash(hash(keyOf(node.rule)), node.mesh);
  for (const double &count : {node.executions, node.maxRedistributions}) {
    int64_t bits;
    static_assert(sizeof(bits) == sizeof(count));
    std::memcpy(&bits, &count, sizeof(bits));
    colour = mixHash(colour, bits);
  }
  colour = mixHash(colour, node.alias >= 0);
  for (const Splits &splits : node.annotated) {
    colour = mixHash(colour, splits.size());
    for (const Split &split : splits)
      colour = mixHash(colour, split.isAxis() ? hashText(toString(*split.axis))
                                              : uint64_t(split.factor));
  }
  for (const AxisRef &axis : node.forbidden)
    colour = mixHash(colour, hashText(toString(axis)));
  return colour;
}

std::vector<std::vector<int>>
shardir::similarNodes(const PropagationGraph &graph,
                      const std::vector<int> &nodes) {
  constexpr int kRounds = 3;
  std::vector<uint64_t> colours;
  for (const PropagationGraph::Node &node : graph.nodes)
    colours.push_back(ownColour(node));
  for (int round = 0; round < kRounds; ++round) {
    std::vector<uint64_t> next(colours);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const PropagationGraph::Node &node = graph.nodes[n];
      for (int value : node.operands) {
        uint64_t from = 0;
        if (value >= 0 && graph.values[value].producer >= 0)
          from = mixHash(colours[graph.values[value].producer],
                         graph.values[value].resultIndex);
        next[n] = mixHash(next[n], from);
      }
      for (int value : node.results) {
        uint64_t users = 0; // a sum: users have no order
        if (value >= 0)
          for (auto [user, operand] : graph.values[value].uses)
            users += mixHash(colours[user], operand);
        next[n] = mixHash(next[n], users);
      }
    }
    colours = std::move(next);
  }
  std::map<uint64_t, std::vector<int>> byColour;
  for (size_t i = 0; i < nodes.size(); ++i)
    byColour[colours[nodes[i]]].push_back(i);
  std::vector<std::vector<int>> groups;
  for (auto &[colour, group] : byColour)
    groups.push_back(std::move(group));
  return groups;
}
