//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sweep over the nodes in order: what becomes alive, and what dies. Requires
// the result of propagating the same graph; guarantees a sum of whole tensors'
// shards, without the buffers inside of ops and collectives.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Memory/LiveRanges.h"
#include "ShardIR/Propagation/Propagation.h"

#include "PropagationSpace.h"

#include <algorithm>
#include <map>

using namespace shardir;

double shardir::predictPeak(const PropagationGraph &graph,
                            const PropagationResult &result) {
  return findPeak(graph, result).bytes;
}

PredictedPeak shardir::findPeak(const PropagationGraph &graph,
                                const PropagationResult &result) {
  int count = graph.nodes.size();
  // The last node that reads a value, be it for another one that is not stored.
  std::vector<int> ends(graph.values.size(), 0);
  auto endOf = [&](int user) {
    int end = user;
    for (int result : graph.nodes[user].results)
      if (result >= 0 && graph.values[result].aliveTogether == 0)
        end = std::max(end, ends[result]);
    return end;
  };
  for (const PropagationGraph::Node &node : llvm::reverse(graph.nodes))
    for (int result : node.results)
      if (result >= 0)
        for (auto [user, operand] : graph.values[result].uses)
          ends[result] = std::max(ends[result], endOf(user));
  std::map<int, int> loopEnds; // the last node in each loop
  for (auto [n, node] : llvm::enumerate(graph.nodes))
    loopEnds[node.loop] = int(n);
  LiveRanges<double> ranges(count);
  for (const PropagationGraph::Value &value : graph.values) {
    if (value.producer < 0)
      continue;
    const PropagationGraph::Node &producer = graph.nodes[value.producer];
    const Placement &has =
        result.nodes[value.producer].sharding->results[value.resultIndex];
    const Mesh &mesh = graph.meshes[producer.mesh];
    bool isArgument =
        producer.operands.empty() && !producer.rule->isRematerializable;
    int last = isArgument ? count - 1 : value.producer;
    std::map<std::string, std::pair<int, int>> copies;
    std::map<std::string, Placement> placements;
    for (auto [user, operand] : value.uses) {
      const std::vector<Placement> &wants =
          result.nodes[user].sharding->operands;
      if (operand >= int(wants.size()) || wants[operand] == has ||
          graph.nodes[user].mesh != producer.mesh) {
        last = std::max(last, endOf(user));
        continue;
      }
      std::string text = toString(wants[operand]);
      auto [it, isNew] = copies.try_emplace(text, user, user);
      it->second.first = std::min(it->second.first, user);
      it->second.second = std::max(it->second.second, user);
      placements.try_emplace(text, wants[operand]);
    }
    for (auto &[text, span] : copies) {
      last = std::max(last, span.first);
      bool isLong =
          graph.nodes[span.first].pass != graph.nodes[span.second].pass;
      ranges.hold(span.first, span.second,
                  localBytes(value, placements[text], mesh) *
                      (isLong ? value.aliveTogether : 1));
    }
    if (producer.loop >= 0)
      last = std::max(last, loopEnds[producer.loop]);
    int first = isArgument ? 0 : value.producer;
    ranges.hold(first, std::max(first, last),
                localBytes(value, has, mesh) * value.aliveTogether);
  }
  PredictedPeak peak;
  int node = 0;
  for (double bytes : ranges.held()) {
    if (bytes > peak.bytes)
      peak = {bytes, node};
    ++node;
  }
  return peak;
}
