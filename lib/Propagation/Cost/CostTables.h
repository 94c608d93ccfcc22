//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The answers of a cost model, each computed once, as sums that the search can
// compare.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_COST_COSTTABLES_H
#define SHARDIR_LIB_PROPAGATION_COST_COSTTABLES_H

#include "Candidates/Candidates.h"

#include "ShardIR/Propagation/CostModel.h"

namespace shardir {

/// `cost` times `weight`.
SearchCost scaled(const SearchCost &cost, double weight);

class CostTables {
public:
  /// `memoryWeight` as in PropagationOptions.
  CostTables(PropagationSpace &space, const PropagationCostModel &model,
             CostMode mode, double memoryWeight)
      : space(space), model(model), mode(mode), memoryWeight(memoryWeight) {}

  /// One redistribution of a value.
  SearchCost redistribute(int value, PlacementId from, PlacementId to);
  /// One execution of bringing a value from `from` to an operand that node n
  /// reads through a window: blocks with their halos (D6).
  SearchCost readWindow(int n, const Port &port, const Candidate &candidate,
                        PlacementId from);
  /// One execution of a node's own work.
  SearchCost compute(int n, const Candidate &candidate);
  /// The most bytes that a device holds of a value as node n has it.
  int64_t localBytes(int n, int value, PlacementId placement);
  /// True if reducing partials in place turns `from` into `to`, on the mesh of
  /// node n.
  bool isReductionInPlace(int n, PlacementId from, PlacementId to);

  /// The position of bytes received among the parts of a cost.
  int bytesPart() const { return mode == CostMode::Bytes ? 0 : 1; }

private:
  PropagationSpace &space;
  const PropagationCostModel &model;
  CostMode mode;
  double memoryWeight;
  NumbersMap<SearchCost> windowReads;
  llvm::DenseMap<std::pair<int64_t, int64_t>, SearchCost> redistributions;
  llvm::DenseMap<std::pair<int64_t, int64_t>, int64_t> local;
};

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_COST_COSTTABLES_H
