//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which splits can arrive at which factor (R6: an axis reaches a value only
// along factors, from an annotation), and which arrive there in any case.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_ANALYSIS_ARRIVALS_H
#define SHARDIR_LIB_ANALYSIS_ARRIVALS_H

#include "PropagationSpace.h"

#include <deque>

namespace shardir {

/// What one node's factors have; one entry per factor.
using NodeSplits = llvm::SmallVector<SplitsId, 4>;

class Arrivals {
public:
  /// `decided` is what each node has from earlier priorities, `current` what is
  /// annotated with the present one; nothing of either changes.
  Arrivals(PropagationSpace &space, const std::vector<NodeSplits> &decided,
           int64_t priority, Weigh weigh);

  /// All splits that may arrive, along any way: the least fixed point.
  void findPossible();
  /// What arrives wherever else conflicts are decided: along nodes where it
  /// competes with nothing.
  void findCertain();
  /// One state by first come, first served, without costs: Shardy's rules.
  std::vector<NodeSplits> firstCome();

  /// Per factor, all that may arrive, what is decided not included.
  llvm::ArrayRef<SplitsId> possible(int n, int factor) const {
    return arrived[n][factor];
  }
  /// Per factor what it has in any case, at least what is decided.
  const NodeSplits &certain(int n) const { return sure[n]; }
  const NodeSplits &floor(int n) const { return floors[n]; }
  /// What operand `tensor` or result `tensor` may owe.
  llvm::ArrayRef<Owed> owed(int n, int result) const {
    return owes[n].empty() ? llvm::ArrayRef<Owed>() : owes[n][result];
  }
  /// What may be owed by the operands and pass the node.
  llvm::ArrayRef<Owed> passing(int n) const { return passes[n]; }
  /// How far, in nodes, the nearest annotation is.
  int distance(int n) const { return levels[n]; }

private:
  SplitsId accept(int n, int factor, SplitsId id, const NodeSplits &floor);
  bool usersAgree(int n, int factor, uint64_t axes);
  bool isComputed(int n) const;
  bool othersAgree(End from, int n, const Port &port, int factor,
                   uint64_t axes);
  bool operandsAgree(int n, int factor, uint64_t axes, bool carriedOnly);
  bool arrivalsCompete(int n, int factor);
  bool fitTogether(int n);
  bool competes(int n, int factor);
  void findCarried();
  void findContested();
  bool enlarges(int n) const;
  std::vector<uint64_t> findAsked();
  bool updateOwed(int n);
  bool mayGrow(int n, int factor) const;
  template <typename Step> void untilStable(std::vector<int> nodes, Step step);

  PropagationSpace &space;
  Weigh weigh;
  std::vector<NodeSplits> floors, sure;
  std::vector<uint64_t> forbidden; ///< per node, axes
  /// Annotated with a later priority: not there yet, but its axes are taken.
  std::vector<NodeSplits> reserved;
  std::vector<llvm::SmallVector<llvm::SmallVector<SplitsId, 2>, 4>> arrived;
  std::vector<llvm::SmallVector<llvm::SmallVector<Owed, 2>, 1>> owes;
  std::vector<llvm::SmallVector<Owed, 2>> passes;
  std::vector<int> levels;
  /// Per node, the axes that it can have, those of them that it has from
  /// annotations in front of it, and those that it is in a conflict about.
  std::vector<uint64_t> reached, carried, contested;
};

/// Looks at nodes until nothing changes; `step` tells whether one has.
template <typename Step>
void Arrivals::untilStable(std::vector<int> nodes, Step step) {
  std::vector<bool> isQueued(space.numNodes(), false);
  std::deque<int> queue;
  auto push = [&](int n) {
    if (!isQueued[n] && !space.isFollower(n)) {
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

#endif // SHARDIR_LIB_ANALYSIS_ARRIVALS_H
