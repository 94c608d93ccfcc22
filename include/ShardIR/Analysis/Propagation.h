//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a few annotations to a placement for every value, on a graph of sharding
// rules that knows nothing of IR.
//
// Axes flow over factors from annotations, in rounds: in each round every node
// looks at what its neighbours had after the last one, so that the result does
// not depend on the order of nodes (R3). Where an axis arrives at two factors
// of one node, the cost of the redistributions around it and of its own work
// decides (R6). Rounds are repeated per priority. At the end, in order, terms
// that are owed pass through linear nodes where that does not move more bytes.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_PROPAGATION_H
#define SHARDIR_ANALYSIS_PROPAGATION_H

#include "ShardIR/Analysis/FactorSharding.h"

#include <limits>

namespace shardir {

/// What decides among candidates.
struct PropagationCost {
  bool byBytes = false;           ///< bytes, then work; else predicted time
  double bytesPerSecond = 5.0e9;  ///< of a link
  double flopsPerSecond = 5.0e10; ///< of one device
};

/// A program as propagation sees it. Values are edges: each has one producer
/// and some uses.
struct PropagationGraph {
  struct Value {
    std::vector<int64_t> shape;
    int64_t elementBytes = 4;
    int producer = -1; ///< node, with `resultIndex` among its results
    int resultIndex = 0;
    std::vector<std::pair<int, int>> uses; ///< (node, operand index)
  };
  struct Node {
    ShardingRule rule;
    std::vector<int> operands; ///< value, or -1 for what is not a tensor
    std::vector<int> results;
    std::string name; ///< for reasons: `argument 1 of @main`, `linalg.matmul`
    int mesh = 0;     ///< index into `meshes`
    /// How often the node runs per call of the function: more than once in a
    /// loop, 16 times for each trip count that is not known. An edge between
    /// two nodes counts as often as the one that runs less.
    double executions = 1;

    // Annotations. A node stands for a function argument (results alone), a
    // function result (operands alone), a constraint, or an op.
    FactorSplits annotated;         ///< splits given by the user, per factor
    std::vector<bool> closed;       ///< per factor: may not grow
    std::vector<int64_t> priority;  ///< per factor; kLastPriority if not said
    std::vector<AxisRef> forbidden; ///< axes that may not be used here
    std::optional<PartialKind> partial; ///< owed by annotation
    std::vector<AxisRef> partialAxes;
    /// An earlier run has decided: these are the results, partial included.
    bool isFixed = false;
    std::vector<Placement> fixedResults;
    /// Takes the placement of this node's result, whatever arrives, or -1.
    int alias = -1;
  };
  static constexpr int64_t kLastPriority = std::numeric_limits<int64_t>::max();

  std::vector<Mesh> meshes;
  std::vector<Value> values;
  /// In an order in which producers come first, but for what loops carry: that
  /// is a node whose operands are the initial and the next value.
  std::vector<Node> nodes;
};

/// What was decided, per node.
struct PropagationResult {
  struct Node {
    FactorSplits splits;
    std::vector<Placement> results;     ///< one per result, partial included
    std::vector<Placement> operands;    ///< what each operand should be
    std::vector<std::string> decidedBy; ///< per factor; empty: by nobody
  };
  std::vector<Node> nodes;
  int rounds = 0;
};

PropagationResult propagate(const PropagationGraph &graph,
                            const PropagationCost &cost);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_PROPAGATION_H
