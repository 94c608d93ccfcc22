//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why each factor has its splits (R7): the nearest annotation from which they
// can have come along what was decided, and the ops on the way.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_ANALYSIS_REASONS_H
#define SHARDIR_LIB_ANALYSIS_REASONS_H

#include "Arrivals.h"

namespace shardir {

struct Reason {
  std::string text; ///< the annotation and the way from it
  int length = 0;   ///< ops on the way

  /// Whether this one is to be named rather than the other (R7).
  bool isBefore(const Reason &other) const {
    return std::tie(length, text) < std::tie(other.length, other.text);
  }
};

/// Per node and factor, empty where nothing is split or nobody decided; one
/// more per node that owes something. `result` has the placements of all nodes
/// that are not fresh.
std::vector<std::vector<Reason>>
findReasons(PropagationSpace &space, const std::vector<NodeSplits> &decided,
            const PropagationResult &result);

} // namespace shardir

#endif // SHARDIR_LIB_ANALYSIS_REASONS_H
