//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a few annotations to a placement for every value.
//
// Per priority: (1) find the shardings that can reach each factor of each node
// from annotations, forward, backward and sideways; (2) keep those that nothing
// competes with; (3) choose among the candidates of all other nodes at once
// (R6 of docs/Semantics.md). docs/Propagation.md follows one program through
// these steps.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PROPAGATION_PROPAGATION_H
#define SHARDIR_PROPAGATION_PROPAGATION_H

#include "ShardIR/Propagation/ConflictSearch.h"
#include "ShardIR/Propagation/CostModel.h"

namespace shardir {

/// The solver that decides conflicts.
enum class ConflictMode {
  Search, ///< least cost over the program
  Greedy, ///< nodes nearest to annotations first, each by what is decided
  Shardy, ///< Shardy's published rules, without costs: pass-through ops first,
          ///< then all ops; of two shardings that meet, the larger tensor's
};
std::optional<ConflictMode> parseConflictMode(const std::string &text);

struct PropagationOptions {
  /// The order in which parts of a cost are compared.
  CostMode mode = CostMode::Time;
  /// Costs of redistributions and work; a MachineCostModel if null.
  std::shared_ptr<const PropagationCostModel> costModel;
  MachineModel machine;       ///< of the default costs
  DeviceRates rates;          ///< of the default costs
  PlanCache *plans = nullptr; ///< of the default costs
  ConflictMode conflicts = ConflictMode::Search;
  /// Also weighs shardings that nothing competes with against doing without
  /// them. Otherwise an uncontested axis is always used, so that a small
  /// program is placed as a large one is.
  bool weighUncontested = false;
  /// Under CostMode::Bytes with the default costs: how often the search is
  /// repeated with weights of ranks, where ranks do not receive equally
  /// much. Keeps the answer whose rank that receives most receives least.
  int balanceRounds = 0;
  /// Each byte of a result counts this many seconds (Time) or received bytes
  /// (Bytes).
  double memoryWeight = 0;
  /// Bytes per device that predictPeak should not exceed, 0 for no limit. The
  /// least memory weight is taken that achieves it, else the one with the
  /// lowest peak.
  double memoryLimit = 0;
  /// Finds provenance and alternatives, which decisions do not need.
  bool explain = true;
  SearchOptions search;
};

/// The annotation that a split came from, and the ops that it came through.
struct Provenance {
  /// Of a long way the first and the last so many nodes are kept.
  static constexpr int kFirst = 3, kLast = 2;
  int origin = -1; ///< the node with the annotation; -1: none decided
  llvm::SmallVector<int, kFirst + kLast> through = {}; ///< nodes
  int omitted = 0; ///< nodes behind the first kFirst

  bool operator==(const Provenance &other) const {
    return origin == other.origin && through == other.through &&
           omitted == other.omitted;
  }
};

/// `argument 1 of @main, through linalg.matmul`; empty if no annotation
/// decided.
std::string describe(const PropagationGraph &graph,
                     const Provenance &provenance);

/// The decision, per node.
struct PropagationResult {
  static constexpr size_t kMostAlternatives = 8;
  /// One way to shard a node that has several.
  struct Alternative {
    std::vector<Placement> placements; ///< of its results, else its operands
    /// Received for the values around this node, per call, if all other nodes
    /// stay as decided.
    int64_t bytes = 0;
    /// Under CostMode::Time: predicted for those redistributions and the work
    /// of this node, per call.
    std::optional<double> seconds = std::nullopt;
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
    /// True where other operand placements give the same results: then the
    /// results alone do not tell what was decided.
    bool hasOtherOperands = false;
    /// One per factor, then one for each partial axis.
    std::vector<Provenance> decidedBy;
    /// The chosen one, then the others from the lowest cost on, at most
    /// kMostAlternatives in all; empty where nothing competes.
    std::vector<Alternative> alternatives;
    /// Orders nodes of equal cost: a hash of the node and its surroundings,
    /// independent of its position.
    uint64_t name = 0;
  };
  std::vector<Node> nodes;
  /// The predicted cost of the program, per call, on one device: bytes
  /// received, seconds (under CostMode::Bytes those of local work alone), and
  /// the bytes of all results and redistributed copies together (a measure of
  /// memory, no peak).
  double bytes = 0, seconds = 0, heldBytes = 0;
  /// By rank, bytes received per call; only where ranks were balanced. On one
  /// mesh of more than MachineCostModel::kMaxPlannedDevices, of the devices of
  /// a sample (Placement/DeviceSample.h), which has one that receives most.
  std::vector<int64_t> received;
  SearchStatistics search;
};

/// Ends the process with a message if verifyGraph finds a fault.
PropagationResult propagate(const PropagationGraph &graph,
                            const PropagationOptions &options);

/// The most bytes that one device holds at one time if nodes run in order and
/// values live from their producer to their last user, or to the end of the
/// loop that they are made in: arguments all the time, redistributed copies
/// from their first user to their last.
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

#endif // SHARDIR_PROPAGATION_PROPAGATION_H
