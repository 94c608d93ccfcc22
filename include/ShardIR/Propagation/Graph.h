//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program as propagation sees it: nodes with sharding rules, connected by
// values, without IR. `shardir-propagate` builds one from a function; an
// embedder can fill one with nodes and values of its own. A function argument
// is a node with one result, a function result a node with one operand, each
// with a rule of one factor per dim.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PROPAGATION_GRAPH_H
#define SHARDIR_PROPAGATION_GRAPH_H

#include "ShardIR/Analysis/FactorSharding.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace shardir {

/// Values are edges: each has one producer and any number of uses. Loops make
/// cycles.
struct PropagationGraph {
  struct Value {
    std::vector<int64_t> shape;
    int64_t elementBytes = 4;
    int producer = -1;   ///< a node
    int resultIndex = 0; ///< among the results of `producer`
    /// (node, operand index). Where one node stands for several equal ops, it
    /// has the operands of one of them; a value of a copied node (isCopied)
    /// that another of these ops has as its operand lists the node too.
    llvm::SmallVector<std::pair<int, int>, 2> uses;
    /// The number of equal values that are alive at the same time: more than 1
    /// if the graph has one layer for many. 0 for a value without memory of its
    /// own, whose operands are alive until its last user.
    double aliveTogether = 1;
  };
  /// A function argument (no operands), a function result (no results), a
  /// constraint, or an op.
  struct Node {
    SharedRule rule;
    llvm::SmallVector<int, 4> operands; ///< values; -1 if not a tensor
    llvm::SmallVector<int, 1> results;  ///< values; -1 if not a tensor
    /// As provenance spells it: `argument 1 of @main`, `linalg.matmul`.
    std::string name;
    /// The spelling of the node's own annotation in provenance; `name` if
    /// empty.
    std::string annotation;
    int mesh = 0; ///< index into `meshes`
    /// Executions per call of the program.
    double executions = 1;
    /// The number of the innermost loop around it, or -1. Buffers of a loop's
    /// body are allocated once, so its values are alive together.
    int loop = -1;
    /// An upper bound on how often its results are redistributed: a node in a
    /// loop whose operands do not change there is hoisted together with the
    /// redistribution of its result (R11 of docs/Semantics.md).
    double maxRedistributions = std::numeric_limits<double>::infinity();
    /// How often a redistribution from this node to `user` runs. One end
    /// outside of a loop moves the redistribution out of the loop.
    double redistributionsFor(const Node &user) const {
      return std::min({executions, maxRedistributions, user.executions});
    }

    // Annotations.
    FactorSplits annotated;         ///< splits given by the user, per factor
    std::vector<bool> closed;       ///< per factor: may not grow
    std::vector<int64_t> priority;  ///< per factor; kLastPriority if not given
    std::vector<AxisRef> forbidden; ///< axes that may not be used here
    std::optional<PartialKind> partial; ///< annotated as pending reduction
    std::vector<AxisRef> partialAxes;
    /// Decided by an earlier run: `fixedResults` are the results' placements.
    bool isFixed = false;
    std::vector<Placement> fixedResults;
    /// A constraint: its result is its operand.
    bool isConstraint = false;
    /// Of a constraint: axes pass from its operand to its users, and from its
    /// users to its operand.
    bool passesForward = true, passesBackward = true;
    /// Broadcasts a constant: shardings propagate through it, but each user
    /// gets the placement that it needs at no cost.
    bool isBroadcastConstant = false;
    /// True if each user can have a copy of the node in a placement of its own.
    bool isCopied() const {
      return rule->isRematerializable || isBroadcastConstant;
    }
    /// For a function result that takes the placement of an argument (R11): the
    /// node of that argument; else -1.
    int alias = -1;
    /// Where `aliveTogether` is more than 1: the pass over the layers (forward,
    /// backward) that the node is in. A copy that two passes use is alive
    /// twice.
    int pass = 0;
  };
  static constexpr int64_t kLastPriority = std::numeric_limits<int64_t>::max();

  std::vector<Mesh> meshes;
  std::vector<Value> values;
  /// Producers come before users, except for loop-carried values.
  std::vector<Node> nodes;
};

/// The first fault of a graph that was made by hand: an index out of range,
/// values and nodes that do not name each other, a rule or an annotation that
/// does not fit. Nothing if there is none.
std::optional<std::string> verifyGraph(const PropagationGraph &graph);

} // namespace shardir

#endif // SHARDIR_PROPAGATION_GRAPH_H
