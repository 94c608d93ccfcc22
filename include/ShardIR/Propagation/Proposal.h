//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Placements for arguments that nobody annotated (C12): a search over splits of
// arguments, each of which is tried by propagating it through the program
// (Propagation.h); its cost is that of the result.
//
// A step is "split dim d of these arguments over this axis", PartIR's tactic
// (Alabed et al., "PartIR: Composing SPMD Partitioning Strategies for Machine
// Learning", 2024), for all arguments at once with equal uses, such as one
// weight of every layer. A beam of states grows step by step; the best is then
// improved argument by argument. It is no exact search: what is guaranteed is
// that no candidate that was looked at is better than the one that is returned.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PROPAGATION_PROPOSAL_H
#define SHARDIR_PROPAGATION_PROPOSAL_H

#include "ShardIR/Propagation/Propagation.h"

namespace shardir {

struct ProposalOptions {
  /// `memoryLimit` is a hard limit of the predicted peak, 0 for none. Of those
  /// that fit, the candidate with the fewest bytes among those whose time
  /// exceeds the least by no more than the tolerance of `mode`; of equal bytes,
  /// the least seconds x peak^memoryWorth.
  PropagationOptions cost;
  /// Under CostMode::Time times that differ by less are equal to the model.
  double timeTolerance = 0.02;
  /// Under CostMode::Bytes what takes longer repeats compute on several
  /// devices.
  double bytesTolerance = 0.1;
  /// The search for the least time minimizes seconds x peak^memoryWorth: half
  /// the peak is worth 3.5 % of the time. Without it states that differ by less
  /// than the model can tell would lead the search.
  double memoryWorth = 0.05;
  /// How many states go on to the next step, per measure by which they are
  /// compared.
  int beam = 2;
  /// Nodes that may be propagated, all attempts together; at least so many
  /// attempts as there are first steps are made in any case.
  int64_t budget = 400000;
};

/// One way to place the arguments, and what the program then costs by
/// prediction, per call and device.
struct ProposalCandidate {
  std::vector<Placement> arguments; ///< in the order of the question
  double seconds = 0;
  double bytes = 0;     ///< received
  double heldBytes = 0; ///< of all results together
  double peakBytes = 0; ///< at one time
  int peakNode = -1;    ///< where
  bool fits = true;     ///< the memory limit
};

struct Proposal {
  /// Distinct ones, best first: those that fit before those that do not.
  std::vector<ProposalCandidate> candidates;
  int attempts = 0; ///< how often the program was propagated
  /// The decisions of propagation with the arguments of the first candidate.
  PropagationResult result;
  /// Arguments that were placed together, as indices into `arguments`.
  std::vector<std::vector<int>> groups;
};

/// Finds placements for the nodes `arguments` of a graph, each of which has no
/// operands, one result and one factor per dim. Those with an annotation keep
/// it. The result depends on the order of `arguments`, not on that of nodes.
Proposal propose(PropagationGraph graph, const std::vector<int> &arguments,
                 const ProposalOptions &options);

/// Sets of `nodes`, as indices into it, that have equal rules and
/// equal users, up to three ops away; in an order that depends
/// on these alone. Linear in the graph.
std::vector<std::vector<int>> similarNodes(const PropagationGraph &graph,
                                           const std::vector<int> &nodes);

} // namespace shardir

#endif // SHARDIR_PROPAGATION_PROPOSAL_H
