//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph in which equal layers of a stack are left out, so that a search over
// it takes the time of a few layers.
//
// Layer 3 of a stack is known by its arguments: the fourth of each group of
// similar ones. A node belongs to the layer of the last argument that nodes up
// to it have read. Forward pass, backward pass and update each go through the
// layers once, and there the nodes of equal layers are equal and in one order.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_PROPOSAL_FOLDLAYERS_H
#define SHARDIR_LIB_PROPAGATION_PROPOSAL_FOLDLAYERS_H

#include "ShardIR/Propagation/Graph.h"

#include <optional>
#include <vector>

namespace shardir {

struct FoldedGraph {
  PropagationGraph graph;
  /// Per node of the full graph the node that stands for it.
  std::vector<int> standIn;
};

/// The graph without the layers between two equal ones, each of which counts as
/// executed for half of what is left out. `groups` are nodes of arguments, as
/// similarNodes finds them, each in the order of the program. Nothing where
/// fewer than three layers can be left out.
std::optional<FoldedGraph>
foldLayers(const PropagationGraph &graph,
           const std::vector<std::vector<int>> &groups);

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_PROPOSAL_FOLDLAYERS_H
