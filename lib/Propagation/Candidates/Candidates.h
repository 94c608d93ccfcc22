//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ways in which each node can be sharded, from its reachable shardings.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_CANDIDATES_CANDIDATES_H
#define SHARDIR_LIB_PROPAGATION_CANDIDATES_CANDIDATES_H

#include "Reachability/ReachableShardings.h"

namespace shardir {

/// One way to shard a node.
struct Candidate {
  NodeSplits splits;
  llvm::SmallVector<PlacementId, 3> operands; ///< one per operand of the rule
  llvm::SmallVector<PlacementId, 1> results;
  /// How far from the first choice: axes kept partial, then the more major dim
  /// of the results, then of the operands, then replicated.
  int64_t rank = 0;
  uint64_t hash = 0; ///< of what it is, not of the order in which it was made
};

/// The candidates of one node; equal nodes share one list.
struct CandidateList {
  int id = 0;
  std::vector<Candidate> all; ///< at least one
};

class CandidateLists {
public:
  /// With `sharesLarge`, ops that compute much have those candidates alone in
  /// which most devices share the work.
  CandidateLists(PropagationSpace &space, const ReachableShardings &reachable,
                 bool sharesLarge)
      : space(space), reachable(reachable), sharesLarge(sharesLarge) {}

  /// The list of node n, which decides for itself.
  const CandidateList &get(int n);
  /// The candidate with these splits, or the one that agrees on most factors;
  /// of several the one with the fewest partial axes.
  static int find(const CandidateList &list, const NodeSplits &splits);

private:
  /// An axis over which operands may be partial, and the rules by which it
  /// passes.
  struct Pass {
    PartialTerm term;
    llvm::SmallVector<int, 2> rules; ///< of rule.partials
  };
  std::vector<AxisRef> subAxesOf(int n);
  std::vector<SplitsId> optionsOf(int n, int factor,
                                  llvm::ArrayRef<AxisRef> subAxes);
  std::vector<Pass> passesOf(int n);
  void add(int n, const NodeSplits &splits, const std::vector<Pass> &passes,
           CandidateList &list);
  void addPartial(int n, const NodeSplits &splits,
                  const std::vector<Pass> &passes, llvm::ArrayRef<int> chosen,
                  CandidateList &list);
  void dropRepeatedWork(int n, CandidateList &list);
  int64_t rankOf(int n, const NodeSplits &splits, uint64_t partialAxes);

  PropagationSpace &space;
  const ReachableShardings &reachable;
  bool sharesLarge;
  uint64_t reachableAxes = 0; ///< axes that can reach the node at hand
  NumbersMap<int> ids;
  std::deque<CandidateList> lists;
};

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_CANDIDATES_CANDIDATES_H
