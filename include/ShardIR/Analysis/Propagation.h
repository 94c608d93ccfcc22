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
// Per priority: (1) find out which splits can arrive at which factor of which
// node, from annotations, forward, backward and sideways; (2) an axis that
// arrives at one factor alone, along nodes where it always does, is taken; what
// is left are conflicts (R6); (3) choose, for all conflicts of the program at
// once, among the candidates of each node the ones of least cost
// (ConflictSearch.h). docs/Propagation.md follows one program through it.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_PROPAGATION_H
#define SHARDIR_ANALYSIS_PROPAGATION_H

#include "ShardIR/Analysis/ConflictSearch.h"
#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Placement/CostModel.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace shardir {

/// Who decides where candidates compete.
enum class ConflictMode {
  Search, ///< least cost over the program
  Greedy, ///< nodes nearest to annotations first, each by what it then sees
  Shardy, ///< Shardy's published rules: pass-through ops first, then all ops;
          ///< of axes that arrive at one time that of the larger tensor; no
          ///< costs
};
std::optional<ConflictMode> parseConflictMode(const std::string &text);

/// What is decided by cost: what several want; contractions whose operands
/// agree as well; or all, also what is wanted in one way alone.
enum class Weigh { Conflicts, Contractions, All };

/// What decides among candidates.
struct PropagationCost {
  CostMode mode = CostMode::Time;
  MachineModel machine;            ///< links that the mesh does not describe
  double flopsPerSecond = 5.0e10;  ///< of one device
  double memoryPerSecond = 1.0e10; ///< bytes, of one device
  /// Bytes of results count this many seconds (time) or bytes (bytes) each: how
  /// a memory limit is sought.
  double memoryWeight = 0;
  /// Bytes per device that predictPeak should stay below, 0 for no limit: the
  /// least memory weight is taken with which it does, else the one with the
  /// lowest peak.
  double memoryLimit = 0;
  ConflictMode conflicts = ConflictMode::Search;
  /// What competes although nothing else wants the axis: else it is taken, so
  /// that small programs show what large ones do.
  Weigh weigh = Weigh::Conflicts;
  /// Under `bytes`, by rank: bytes of a change of placement are the sum of
  /// those that devices receive, each with its weight. Else those of the device
  /// that receives most.
  std::vector<double> deviceWeights;
  /// A node that is placed so, if it can be: its results, else its operands.
  struct Choice {
    int node;
    std::vector<Placement> placements;
  };
  std::vector<Choice> choices; ///< the others are decided around them
  SearchOptions search;
};

/// A program as propagation sees it. Values are edges: each has one producer
/// and some uses. Loops make cycles.
struct PropagationGraph {
  struct Value {
    std::vector<int64_t> shape;
    int64_t elementBytes = 4;
    int producer = -1; ///< node, with `resultIndex` among its results
    int resultIndex = 0;
    /// (node, operand index). A fresh value has uses by nodes with another
    /// operand there where these stand for an equal op that has this one.
    llvm::SmallVector<std::pair<int, int>, 2> uses;
  };
  struct Node {
    SharedRule rule;
    llvm::SmallVector<int, 4> operands; ///< value, or -1: not a tensor
    llvm::SmallVector<int, 1> results;
    std::string name; ///< for reasons: `argument 1 of @main`, `linalg.matmul`
    /// What its annotation is called in reasons; `name` if empty.
    std::string annotation;
    int mesh = 0; ///< index into `meshes`
    /// How often it runs per call of the program; an unknown trip count counts
    /// 16 (R11). What is defined outside of a loop moves outside of it.
    double executions = 1;
    /// How often its results change placement at most: what is computed in a
    /// loop from what does not change there moves outside with the change.
    double mostChanges = std::numeric_limits<double>::infinity();
    /// How often what it makes is brought to `user`, if that wants it in
    /// another placement.
    double changesFor(const Node &user) const {
      return std::min({executions, mostChanges, user.executions});
    }

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
    /// A constraint: its result is its operand.
    bool isConstraint = false;
    /// Spreads a constant: what arrives passes through it as through any op,
    /// but each user is given what it wants at no cost, as if it were fresh.
    bool isSpread = false;
    /// A function result that takes the placement of this argument's node
    /// (R11), or -1.
    int alias = -1;
  };
  static constexpr int64_t kLastPriority = std::numeric_limits<int64_t>::max();

  std::vector<Mesh> meshes;
  std::vector<Value> values;
  std::vector<Node> nodes; ///< producers first, but for what goes round a loop
};

/// What was decided, per node.
struct PropagationResult {
  std::vector<double> deviceWeights; ///< of the prices that decided
  static constexpr size_t kMostAlternatives = 8;
  /// One way a node with a conflict could be sharded.
  struct Alternative {
    std::vector<Placement> placements; ///< of its results, else its operands
    /// Received around this node, per call, if all others stay as decided.
    int64_t bytes = 0;
    bool isChosen = false;
  };
  struct Sharding {
    FactorSplits splits;
    std::vector<Placement> results;  ///< one per result, partial included
    std::vector<Placement> operands; ///< what each operand should be
  };
  struct Node {
    /// Shared by nodes that chose the same; never null in an answer.
    std::shared_ptr<const Sharding> sharding;
    /// Whether other operands could give these results: the results alone do
    /// not say all that was decided.
    bool hasOtherOperands = false;
    /// Per factor: the annotation and the ops on the way from it, `argument 1
    /// of @main, through linalg.matmul`; empty: nobody. One more where
    /// something is owed: who decided that.
    std::vector<std::string> decidedBy;
    /// What was chosen, then the others, cheapest first, at most
    /// kMostAlternatives in all; empty where nothing competes.
    std::vector<Alternative> alternatives;
    /// What orders equal costs: a hash of what the node is in the program, not
    /// of where it stands.
    uint64_t name = 0;
  };
  std::vector<Node> nodes;
  /// What the program is predicted to cost, per call, on one device: what it
  /// receives, the seconds of the machine model (under CostMode::Bytes those of
  /// local work alone), and the bytes of all results, those of redistributions
  /// included (a measure of memory, no peak).
  double bytes = 0, seconds = 0, heldBytes = 0;
  SearchStatistics search;
};

PropagationResult propagate(const PropagationGraph &graph,
                            const PropagationCost &cost);

/// The most bytes that one device holds at one time if nodes run in order and
/// values live from their producer to their last user: arguments all the time,
/// redistributed copies from their first user to their last.
double predictPeak(const PropagationGraph &graph,
                   const PropagationResult &result);

/// The same, and the first node at which so much is alive.
struct PredictedPeak {
  double bytes = 0;
  int node = -1; ///< -1 for a graph without nodes
};
PredictedPeak findPeak(const PropagationGraph &graph,
                       const PropagationResult &result);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_PROPAGATION_H
