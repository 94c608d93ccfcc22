//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nearest annotation from which the splits of each factor can have come
// along the decided shardings, and the ops on the way (R7).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_PROVENANCE_PROVENANCE_H
#define SHARDIR_LIB_PROPAGATION_PROVENANCE_PROVENANCE_H

#include "Reachability/ReachableShardings.h"

namespace shardir {

/// A provenance with what it takes to choose among several.
struct RankedProvenance {
  Provenance provenance;
  std::string text; ///< of the provenance; empty if no annotation decided
  int length = 0;   ///< ops on the way

  /// True if this one is to be named rather than the other: the nearer
  /// annotation, then the one that comes first in the alphabet, so that the
  /// choice does not depend on the order of nodes (R7).
  bool isBefore(const RankedProvenance &other) const {
    return std::tie(length, text) < std::tie(other.length, other.text);
  }
};

/// The provenance of each node's factors, then of its partial axes. `result`
/// holds the shardings of all nodes that are not rematerializable.
std::vector<std::vector<RankedProvenance>>
findProvenance(PropagationSpace &space, const std::vector<NodeSplits> &decided,
               const PropagationResult &result);

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_PROVENANCE_PROVENANCE_H
