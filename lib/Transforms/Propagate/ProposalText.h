//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The candidates that a search for placements compared, for people and as JSON.
// Requires candidates of one function; guarantees the same text for the same
// candidates.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_PROPAGATE_PROPOSALTEXT_H
#define SHARDIR_LIB_TRANSFORMS_PROPAGATE_PROPOSALTEXT_H

#include "ShardIR/Propagation/Proposal.h"

#include "llvm/Support/JSON.h"

namespace shardir {

/// One argument that takes part: its number in the signature, its mesh, and its
/// name, if it has one.
struct ProposedArgument {
  int number = 0;
  const Mesh *mesh = nullptr;
  std::string name;
};

/// `columns of argument 1 and rows of layers.*.o.weight over "tp"`, or `nothing
/// split`. Arguments of rank 2 have rows and columns, others dims. Those whose
/// names differ in numbers alone, as in repeated layers, are one pattern; where
/// only some of these are meant, it says how many.
std::string describeSplits(const ProposalCandidate &candidate,
                           llvm::ArrayRef<ProposedArgument> arguments);

/// `1.200e-03 s, 4096 bytes received, 65536 bytes held at the peak`.
std::string describeCost(const ProposalCandidate &candidate);

/// The candidates of one function's search: docs/Proposing.md has the keys.
llvm::json::Object toJson(llvm::StringRef function, const Proposal &proposal,
                          llvm::ArrayRef<ProposedArgument> arguments,
                          const ProposalOptions &options);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_PROPAGATE_PROPOSALTEXT_H
