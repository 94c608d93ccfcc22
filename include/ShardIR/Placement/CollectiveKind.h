//===- CollectiveKind.h - The kinds of collective ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_COLLECTIVEKIND_H
#define SHARDIR_PLACEMENT_COLLECTIVEKIND_H

#include <optional>
#include <string>

namespace shardir {

/// The kinds of step a redistribution is made of. The first two are local.
enum class CollectiveKind {
  Slice,       ///< drop what the new placement does not hold; no communication
  MakePartial, ///< a device's term is what it holds of its new shard, the rest
               ///< is the identity; no communication (Placement/Terms.h)
  AllGather,
  AllReduce,
  ReduceScatter,
  AllToAll,
  Permute,
  Exchange,     ///< sparse point-to-point with exact counts
  HaloExchange, ///< what an overlapping shard holds and the old one does not
};
/// `all_gather`, … as in the IR and in reports.
const char *stringifyCollectiveKind(CollectiveKind kind);
std::optional<CollectiveKind> parseCollectiveKind(const std::string &text);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_COLLECTIVEKIND_H
