//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ways in which each node can be sharded, from what can arrive at it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_ANALYSIS_CANDIDATES_H
#define SHARDIR_LIB_ANALYSIS_CANDIDATES_H

#include "Arrivals.h"

namespace shardir {

/// One way to shard a node.
struct Candidate {
  NodeSplits splits;
  llvm::SmallVector<PlacementId, 3> operands; ///< one per operand of the rule
  llvm::SmallVector<PlacementId, 1> results;
  /// How far from the first choice: terms kept owed, then the more major dim of
  /// the results, then of the operands, then whole.
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
  CandidateLists(PropagationSpace &space, const Arrivals &arrivals)
      : space(space), arrivals(arrivals) {}

  /// The list of node n, which decides for itself.
  const CandidateList &get(int n);
  /// Those of `list` that `isWanted` takes; all if it takes none.
  const CandidateList &
  restrictTo(const CandidateList &list,
             llvm::function_ref<bool(const Candidate &)> isWanted);
  /// The candidate with these splits, or the one that agrees on most factors;
  /// of several the one that owes least.
  static int find(const CandidateList &list, const NodeSplits &splits);

private:
  /// An axis that the operands may owe, and the operands that do.
  struct Pass {
    Owed owed;
    llvm::SmallVector<int, 2> rules; ///< of rule.partials
  };
  std::vector<AxisRef> subAxesOf(int n);
  std::vector<SplitsId> optionsOf(int n, int factor,
                                  llvm::ArrayRef<AxisRef> subAxes);
  std::vector<Pass> passesOf(int n);
  void add(int n, const NodeSplits &splits, const std::vector<Pass> &passes,
           CandidateList &list);
  void addOwing(int n, const NodeSplits &splits,
                const std::vector<Pass> &passes, llvm::ArrayRef<int> chosen,
                CandidateList &list);
  int64_t rankOf(int n, const NodeSplits &splits, uint64_t owed);

  PropagationSpace &space;
  const Arrivals &arrivals;
  uint64_t reachable = 0; ///< axes that can arrive at the node at hand
  NumbersMap<int> ids;
  std::deque<CandidateList> lists;
};

} // namespace shardir

#endif // SHARDIR_LIB_ANALYSIS_CANDIDATES_H
