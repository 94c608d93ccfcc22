//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which splits can reach which factor (R6: an axis reaches a value only along
// factors, from an annotation), and which of these are uncontested.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_REACHABILITY_REACHABLESHARDINGS_H
#define SHARDIR_LIB_PROPAGATION_REACHABILITY_REACHABLESHARDINGS_H

#include "Graph/PropagationSpace.h"

#include <deque>

namespace shardir {

/// The splits of one node's factors, one entry per factor.
using NodeSplits = llvm::SmallVector<SplitsId, 4>;

class ReachableShardings {
public:
  /// `decided` is what each node has from earlier priorities, `current` what is
  /// annotated with the present one; nothing of either changes.
  ReachableShardings(PropagationSpace &space,
                     const std::vector<NodeSplits> &decided, int64_t priority,
                     bool weighUncontested);

  /// All splits that can reach each factor: the least fixed point.
  void findPossible();
  /// The uncontested splits: those that reach a factor however conflicts are
  /// decided.
  void findUncontested();
  /// One state by first come, first served, without costs: Shardy's rules.
  std::vector<NodeSplits> runShardyBaseline();

  /// The splits that can reach a factor, decided ones not included.
  llvm::ArrayRef<SplitsId> possible(int n, int factor) const {
    return reachable[n][factor];
  }
  /// Per factor what it has in any case, at least what is decided.
  const NodeSplits &certain(int n) const { return sure[n]; }
  const NodeSplits &floor(int n) const { return floors[n]; }
  /// The terms of which `result` may be partial.
  llvm::ArrayRef<PartialTerm> terms(int n, int result) const {
    return resultTerms[n].empty() ? llvm::ArrayRef<PartialTerm>()
                                  : resultTerms[n][result];
  }
  /// The terms of partial operands that pass the node.
  llvm::ArrayRef<PartialTerm> passing(int n) const { return passes[n]; }
  /// How far, in nodes, the nearest annotation is.
  int distance(int n) const { return levels[n]; }

private:
  SplitsId accept(int n, int factor, SplitsId id, const NodeSplits &floor);
  bool usersAgree(int n, int factor, uint64_t axes);
  bool isComputed(int n) const;
  bool othersAgree(End from, int n, const Port &port, int factor,
                   uint64_t axes);
  bool operandsAgree(int n, int factor, uint64_t axes, bool carriedOnly);
  bool shardingsCompete(int n, int factor);
  bool fitTogether(int n);
  bool competes(int n, int factor);
  void findCarried();
  void findContested();
  bool enlarges(int n) const;
  std::vector<uint64_t> findUserBrought();
  bool updateTerms(int n);
  bool mayGrow(int n, int factor) const;
  template <typename Step> void untilStable(std::vector<int> nodes, Step step);

  PropagationSpace &space;
  bool weighUncontested;
  std::vector<NodeSplits> floors, sure;
  std::vector<uint64_t> forbidden; ///< per node, axes
  /// Annotated with a later priority: not there yet, but its axes are taken.
  std::vector<NodeSplits> reserved;
  std::vector<llvm::SmallVector<llvm::SmallVector<SplitsId, 2>, 4>> reachable;
  std::vector<llvm::SmallVector<llvm::SmallVector<PartialTerm, 2>, 1>>
      resultTerms;
  std::vector<llvm::SmallVector<PartialTerm, 2>> passes;
  std::vector<int> levels;
  /// Per node, the axes that it can have, those of them that it has from
  /// annotations in front of it, and those that it is in a conflict about.
  std::vector<uint64_t> reached, carried, contested;
};

/// Looks at nodes until nothing changes; `step` tells whether one has.
template <typename Step>
void ReachableShardings::untilStable(std::vector<int> nodes, Step step) {
  std::vector<bool> isQueued(space.numNodes(), false);
  std::deque<int> queue;
  auto push = [&](int n) {
    if (!isQueued[n] && !space.isAlias(n)) {
      isQueued[n] = true;
      queue.push_back(n);
    }
  };
  for (int n : nodes)
    push(n);
  while (!queue.empty()) {
    int n = queue.front();
    queue.pop_front();
    isQueued[n] = false;
    step(n, push);
  }
}

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_REACHABILITY_REACHABLESHARDINGS_H
