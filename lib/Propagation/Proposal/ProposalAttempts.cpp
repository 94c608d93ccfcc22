//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs of the search's states: each is propagated once, with its
// annotations, several side by side where threads are free.
//
//===----------------------------------------------------------------------===//

#include "ProposalSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/Threading.h"

#include <algorithm>

using namespace shardir;

static std::string spell(const ProposalState &state) {
  std::string text = state.closed ? "closed" : "open";
  for (const std::vector<Splits> &dims : state.splits) {
    Placement placement = Placement::replicatedOfRank(dims.size());
    for (auto [dim, splits] : llvm::zip(placement.dims, dims))
      dim.splits = splits;
    text += toString(placement);
  }
  for (auto &[where, splits] : state.ops) {
    text += std::to_string(where.first) + "." + std::to_string(where.second);
    for (const Split &split : splits)
      text += toString(*split.axis);
  }
  return text;
}

void ProposalSearch::annotate(PropagationGraph &graph,
                              const ProposalState &state) const {
  for (int n : contractions) {
    graph.nodes[n].annotated.clear();
    graph.nodes[n].closed.clear();
    graph.nodes[n].priority.clear();
  }
  for (auto &[where, splits] : state.ops) {
    PropagationGraph::Node &node = graph.nodes[where.first];
    size_t factors = node.rule->factors.size();
    node.annotated.resize(factors);
    node.closed.assign(factors, false);
    node.priority.assign(factors, PropagationGraph::kLastPriority);
    node.annotated[where.second] = splits;
  }
  for (auto [i, dims] : llvm::zip(frees, state.splits)) {
    PropagationGraph::Node &node = graph.nodes[arguments[i]];
    node.annotated = dims;
    node.closed.assign(dims.size(), state.closed);
    node.priority.assign(dims.size(), PropagationGraph::kLastPriority);
  }
}

ProposalCandidate
ProposalSearch::evaluate(const PropagationResult &result) const {
  ProposalCandidate outcome;
  for (int n : arguments)
    outcome.arguments.push_back(normalForm(
        result.nodes[n].sharding->results[0], graph.meshes[graph.nodes[n].mesh],
        graph.values[graph.nodes[n].results[0]].shape));
  outcome.seconds = result.seconds;
  outcome.bytes = result.bytes;
  outcome.heldBytes = result.heldBytes;
  PredictedPeak peak = findPeak(graph, result);
  outcome.peakBytes = peak.bytes;
  outcome.peakNode = peak.node;
  outcome.fits =
      options.cost.memoryLimit <= 0 || peak.bytes <= options.cost.memoryLimit;
  return outcome;
}

const ProposalAttempt &ProposalSearch::attempt(const ProposalState &state) {
  auto [it, isNew] = attempts.try_emplace(spell(state));
  if (!isNew)
    return it->second;
  ++attemptCount;
  if (auto known = ahead.extract(it->first))
    it->second = std::move(known.mapped());
  else
    it->second = evaluate(graph, state);
  splitFactors.insert(it->second.splitFactors.begin(),
                      it->second.splitFactors.end());
  return it->second;
}

ProposalAttempt ProposalSearch::evaluate(PropagationGraph &own,
                                         const ProposalState &state) const {
  annotate(own, state);
  ProposalAttempt attempt;
  attempt.state = state;
  PropagationResult result = propagate(own, cost);
  attempt.outcome = evaluate(result);
  for (auto [i, n] : llvm::enumerate(contractions))
    for (auto [f, splits] : llvm::enumerate(result.nodes[n].sharding->splits))
      if (!splits.empty())
        attempt.splitFactors.push_back({int(i), int(f)});
  for (const Placement &placement : attempt.outcome.arguments)
    attempt.key += toString(placement);
  return attempt;
}

void ProposalSearch::lookAhead(
    int count, llvm::function_ref<std::optional<ProposalState>(int)> next) {
  constexpr unsigned kMostThreads = 8;
  unsigned threads = std::min(
      kMostThreads, llvm::hardware_concurrency().compute_thread_count());
  // An embedder's costs need not be safe to ask from several threads.
  if (threads < 2 || cost.costModel)
    return;
  std::vector<std::pair<std::string, ProposalState>> states;
  for (int i = 0; i < count && states.size() < threads; ++i) {
    std::optional<ProposalState> state = next(i);
    if (!state)
      continue;
    std::string text = spell(*state);
    // The first one is what comes next.
    if (attempts.count(text) || ahead.count(text)) {
      if (states.empty())
        return;
      continue;
    }
    states.push_back({std::move(text), std::move(*state)});
  }
  while (copies.size() < states.size())
    copies.push_back(graph);
  std::vector<ProposalAttempt> made(states.size());
  llvm::parallelFor(0, states.size(), [&](size_t i) {
    made[i] = evaluate(copies[i], states[i].second);
  });
  for (auto [state, attempt] : llvm::zip(states, made))
    ahead.emplace(std::move(state.first), std::move(attempt));
}
