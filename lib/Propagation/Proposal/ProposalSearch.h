//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search behind Proposal.h. ProposalSteps.cpp has how one state becomes
// another, ProposalAttempts.cpp what a state costs, Proposal.cpp which ones are
// tried and kept. Requires what Proposal.h says; guarantees that the cost of a
// state is computed once.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_PROPOSAL_PROPOSALSEARCH_H
#define SHARDIR_LIB_PROPAGATION_PROPOSAL_PROPOSALSEARCH_H

#include "ShardIR/Propagation/Proposal.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace shardir {

/// The annotations: per free argument, per dim; and on ops, by node and factor,
/// for the splits that they bring to arguments, unless arguments are closed.
struct ProposalState {
  std::vector<std::vector<Splits>> splits;
  std::map<std::pair<int, int>, Splits> ops;
  bool closed = false;
};

/// "Split dim `dim` of the arguments of `group` over `axis`"; of group -1, all:
/// the dim of which a device has most. For ops a factor of those of an op
/// group: the heads of attention where they are a part of a weight's dim.
struct ProposalStep {
  int group;
  int dim;
  int axis;
  bool isOp = false;
};

struct ProposalAttempt {
  ProposalState state;
  ProposalCandidate outcome;
  std::string key; ///< the outcome's placements
  /// Factors of contractions that are split, by index.
  std::vector<std::pair<int, int>> splitFactors;
};

/// Nodes that are placed together: of arguments without annotation, in the
/// order of the arguments, and of contractions.
struct ProposalGroups {
  std::vector<std::vector<int>> arguments, contractions;
};

/// By equal surroundings; the first and the last layer of a stack are with the
/// layers between.
ProposalGroups findGroups(const PropagationGraph &graph,
                          const std::vector<int> &arguments);

class ProposalSearch {
public:
  ProposalSearch(PropagationGraph &graph, const std::vector<int> &arguments,
                 const ProposalGroups &groups, const ProposalOptions &options);
  /// The candidates that were looked at, best first.
  std::vector<ProposalCandidate> run();
  int numAttempts() const { return attemptCount; }
  /// The outcome of the graph with all arguments closed as they are in `from`,
  /// within the memory limit if `isLimited`.
  std::pair<PropagationResult, ProposalCandidate>
  propagateClosed(const ProposalCandidate &from, bool isLimited);
  using Rank = std::tuple<bool, double, double, double, std::string>;
  Rank rank(const ProposalCandidate &outcome, std::string key = "") const;
  /// Ranks by bytes from now on what is as fast as the fastest of these that
  /// fits, within the tolerance.
  void setFastEnough(llvm::ArrayRef<const ProposalCandidate *> known);

private:
  const Mesh &meshOf(int free) const {
    return graph.meshes[graph.nodes[arguments[frees[free]]].mesh];
  }
  const std::vector<int64_t> &shapeOf(int free) const {
    return graph.values[graph.nodes[arguments[frees[free]]].results[0]].shape;
  }
  const Placement &placed(const ProposalAttempt &attempt, int free) const {
    return attempt.outcome.arguments[frees[free]];
  }
  bool hasBudget() const {
    return int64_t(attemptCount) * int64_t(graph.nodes.size()) < options.budget;
  }

  void annotate(PropagationGraph &graph, const ProposalState &state) const;
  ProposalCandidate evaluate(const PropagationResult &result) const;
  const ProposalAttempt &attempt(const ProposalState &state);
  ProposalAttempt evaluate(PropagationGraph &own,
                           const ProposalState &state) const;
  /// Computes the costs of states that may come next, one per thread: `next` is
  /// called with 0, 1, … up to `count`, until there is one for each.
  void lookAhead(int count,
                 llvm::function_ref<std::optional<ProposalState>(int)> next);
  ProposalState closed(const ProposalCandidate &from) const;
  bool isUsed(const ProposalAttempt &attempt, const std::string &axis) const;
  bool isInterchangeable(const ProposalAttempt &from, const Mesh &mesh,
                         int axis) const;
  bool canSplit(int free, const Placement &placement, int dim,
                const MeshAxis &axis) const;
  std::optional<ProposalState> grow(const ProposalAttempt &from,
                                    ProposalStep step) const;
  std::optional<ProposalState> growOps(const ProposalAttempt &from,
                                       ProposalStep step) const;
  std::optional<ProposalState> moved(const ProposalState &from, int group,
                                     int axis, int dim) const;
  double leading(const ProposalCandidate &outcome) const;
  double weighted(const ProposalCandidate &outcome) const;
  Rank rank(const ProposalAttempt &attempt) const {
    return rank(attempt.outcome, attempt.key);
  }
  double measure(const ProposalAttempt &attempt, double weight) const;
  std::vector<const ProposalAttempt *>
  select(std::vector<const ProposalAttempt *> found) const;
  const ProposalAttempt *
  least(llvm::ArrayRef<const ProposalAttempt *> among) const;
  /// A step, and the state to which it led.
  struct Taken {
    ProposalStep step;
    const ProposalAttempt *attempt;
  };
  std::vector<ProposalStep> allSteps() const;
  std::vector<Taken> firstRound(const ProposalAttempt &base,
                                std::vector<ProposalStep> &steps);
  std::vector<const ProposalAttempt *>
  extend(std::vector<const ProposalAttempt *> beam,
         llvm::ArrayRef<ProposalStep> steps, const ProposalAttempt *best);
  std::vector<const ProposalAttempt *> grow();
  const ProposalAttempt *descend(const ProposalAttempt *best);
  const ProposalAttempt *economize(const ProposalAttempt *best,
                                   std::vector<const ProposalAttempt *> all);

  PropagationGraph &graph;
  const std::vector<int> &arguments;
  const ProposalOptions &options;
  PropagationOptions cost;                ///< without the limit
  std::vector<int> frees;                 ///< indices into `arguments`
  std::vector<std::vector<int>> groups;   ///< of indices into `frees`
  std::vector<int> contractions;          ///< nodes
  std::vector<std::vector<int>> opGroups; ///< of indices into these
  /// Factors of contractions that an attempt has split, by index.
  std::set<std::pair<int, int>> splitFactors;
  std::set<std::string> annotatedAxes;
  std::optional<double> fastEnough; ///< seconds; see setFastEnough
  std::map<std::string, ProposalAttempt> attempts; ///< by annotations
  /// The same of states that were looked at ahead.
  std::map<std::string, ProposalAttempt> ahead;
  std::vector<PropagationGraph> copies; ///< one per thread
  int attemptCount = 0;
};

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_PROPOSAL_PROPOSALSEARCH_H
