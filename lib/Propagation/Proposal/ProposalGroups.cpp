//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which arguments take a step of the search together, and which contractions.
// Requires and guarantees what ProposalSearch.h says.
//
//===----------------------------------------------------------------------===//

#include "ProposalSearch.h"

#include "llvm/ADT/STLExtras.h"

using namespace shardir;

static bool isAnnotated(const PropagationGraph::Node &node) {
  return node.isFixed || node.partial || !node.forbidden.empty() ||
         llvm::is_contained(node.closed, true) ||
         llvm::any_of(node.annotated,
                      [](const Splits &splits) { return !splits.empty(); });
}

/// A product with a sum: what takes a program's time.
static bool isContraction(const ShardingRule &rule) {
  return rule.operands.size() > 1 &&
         llvm::any_of(rule.factors, [](const Factor &factor) {
           return factor.kind == FactorKind::Reduction;
         });
}

/// Adds the first and the last layer of a stack, whose neighbours are others,
/// to the groups of the layers between: where a group's arguments are equally
/// far from each other, those as far in front of it and behind it that are of
/// the same type and in a smaller group. `groups` are indices into `nodes`.
static void joinLayers(std::vector<std::vector<int>> &groups,
                       const PropagationGraph &graph,
                       const std::vector<int> &nodes) {
  std::vector<int> groupOf(nodes.size());
  for (auto [g, group] : llvm::enumerate(groups))
    for (int i : group)
      groupOf[i] = g;
  auto isAlike = [&](int i, int j) {
    const PropagationGraph::Node &a = graph.nodes[nodes[i]],
                                 &b = graph.nodes[nodes[j]];
    return a.mesh == b.mesh &&
           graph.values[a.results[0]].shape ==
               graph.values[b.results[0]].shape &&
           graph.values[a.results[0]].elementBytes ==
               graph.values[b.results[0]].elementBytes;
  };
  for (int g = 0, e = groups.size(); g < e; ++g) {
    std::vector<int> &group = groups[g];
    if (group.size() < 2)
      continue;
    int stride = group[1] - group[0];
    auto take = [&](int i) {
      if (i < 0 || i >= int(nodes.size()) ||
          groups[groupOf[i]].size() >= group.size() || !isAlike(i, group[0]))
        return false;
      llvm::erase(groups[groupOf[i]], i);
      group.push_back(i);
      llvm::sort(group);
      groupOf[i] = g;
      return true;
    };
    bool isRegular = true;
    for (size_t i = 1; i < group.size(); ++i)
      isRegular &= group[i] - group[i - 1] == stride;
    while (isRegular &&
           (take(group.front() - stride) || take(group.back() + stride)))
      ;
  }
  llvm::erase_if(groups,
                 [](const std::vector<int> &group) { return group.empty(); });
}

ProposalGroups shardir::findGroups(const PropagationGraph &graph,
                                   const std::vector<int> &arguments) {
  auto toNodes = [](std::vector<std::vector<int>> groups,
                    const std::vector<int> &nodes) {
    for (std::vector<int> &group : groups)
      for (int &i : group)
        i = nodes[i];
    return groups;
  };
  std::vector<int> frees, contractions;
  for (int n : arguments)
    if (!isAnnotated(graph.nodes[n]) && !graph.nodes[n].rule->factors.empty())
      frees.push_back(n);
  std::vector<std::vector<int>> groups = similarNodes(graph, frees);
  joinLayers(groups, graph, frees);
  llvm::sort(groups); // by their first argument
  for (auto [n, node] : llvm::enumerate(graph.nodes))
    if (!isAnnotated(node) && isContraction(node.rule))
      contractions.push_back(n);
  return {toNodes(std::move(groups), frees),
          toNodes(similarNodes(graph, contractions), contractions)};
}
