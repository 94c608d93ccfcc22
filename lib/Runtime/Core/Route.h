//===- Route.h - Who sends what to whom in one collective -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The movement of one collective for one shape, for all ranks: groups, pieces,
// bytes. Requires a collective of checked metadata and a concrete shape;
// guarantees that every rank derives the same route, so no counts are
// exchanged. Routes are built once per collective and shape and kept with the
// program: for all ranks where they share memory, else for one rank, in
// O(group) time and memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_ROUTE_H
#define SHARDIR_LIB_RUNTIME_CORE_ROUTE_H

#include "Elements/Copy.h"
#include "Elements/Reduce.h"
#include "ShardIR/Placement/PlacementFwd.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

namespace shardir {
namespace runtime {

struct CollectiveSpec;
struct Metadata;

/// Elements that come from one member of the group, or from several whose terms
/// are reduced in this order.
struct Transfer {
  std::vector<uint32_t> sources; ///< places in the group
  CopyPlan plan;
};

/// One rank's part in a collective.
struct RoutePart {
  size_t group = 0;                          ///< index into Route::groups
  size_t place = 0;                          ///< this rank's place in it
  int64_t operandCount = 0, resultCount = 0; ///< elements of its shards
  int64_t bytes = 0;                         ///< received, as reports count it
  /// Whether the result is the identity but for what `transfers` bring.
  bool identity = false;
  /// Elements of the result's buffer on a rank that the result's mesh lacks:
  /// they become zeros.
  int64_t zeros = 0;
  /// Every element of the result is in exactly one, unless `identity`.
  std::vector<Transfer> transfers;
};

/// The regular patterns of messages, which an engine's collective moves in one
/// call. All members of a group find the same one.
enum class Pattern {
  General,
  AllGather,     ///< each member gets the operands of all
  AllToAll,      ///< each gets some of others, from one or from several terms
  ReduceScatter, ///< each gets one part of the reduced operands of all
  AllReduce      ///< each gets the reduced operands of all
};

/// Things that a transport has derived from a route, kept with it.
struct RoutePlan {
  virtual ~RoutePlan();
};

struct Route : std::enable_shared_from_this<Route> {
  /// The index into `parts` of a rank's part, -1 where it has none.
  int64_t indexOf(int rank) const {
    if (!isLocal)
      return positionOfRank[size_t(rank)];
    return rank == self ? selfIndex : -1;
  }
  /// The part of the member of group `group` at `place`, of a route of all.
  const RoutePart &partAt(size_t group, size_t place) const {
    return parts[size_t(positionOfRank[size_t(groups[group][place])])];
  }

  /// Whether the route is that of rank `self` alone. `groups` then has its
  /// group only, and `parts` its own part.
  bool isLocal = false;
  int self = -1;
  int64_t selfIndex = -1;
  /// Of a route of one rank, the same for all members: the pattern, the most
  /// elements of an operand or a result, and whether all results have as many.
  Pattern pattern = Pattern::General;
  int64_t largest = 0;
  bool evenResults = true;
  /// Of a route of one rank: the elements that each member receives from it, by
  /// place; nothing for itself. Each call computes them in O(group): most
  /// schedules do without.
  std::function<std::vector<CopyPlan>()> sends;
  int64_t terms = 1; ///< that are reduced for an element
  std::vector<int64_t> shape;
  std::vector<int64_t> known; ///< what the call told: extents and windows
  int64_t elements = 0;       ///< of the whole tensor
  std::vector<std::vector<int>> groups; ///< ranks, by mesh position
  /// By mesh position; between two meshes, by rank among those of either; of a
  /// route of one rank, its own.
  std::vector<RoutePart> parts;
  std::vector<int64_t> positionOfRank; ///< index into `parts`; -1: not in them
  int64_t zeros = 0; ///< RoutePart::zeros of the ranks that are not in `parts`
  /// Whether all members have the same whole operand and result: each then
  /// reduces one chunk and stores it into every result.
  bool flatReduce = false;
  /// Whether all members get the same result, each element from one of them:
  /// each may then store what it holds into every result.
  bool sameResult = false;
  ReduceFn reduce = nullptr;           ///< set where terms are reduced
  PartialKind kind = PartialKind::Sum; ///< of `reduce` and `identity`
  /// Of the one rank that this process runs; set by its transport.
  mutable std::shared_ptr<RoutePlan> plan;
};

/// The route of a collective between two meshes. No reduction.
std::unique_ptr<Route> buildCrossRoute(const CollectiveSpec &spec,
                                       const Mesh &from, const Mesh &to,
                                       std::vector<int64_t> shape,
                                       int64_t ranks);

/// The groups of a rooted or point-to-point collective.
struct PeerRoute {
  std::vector<std::vector<int>> groups; ///< ranks by flattened coordinate
  std::vector<std::pair<size_t, size_t>> placeOfRank; ///< group, place in it
  std::vector<bool> inMesh;                           ///< by rank
};

/// All routes of a program, built on first use.
class RouteCache {
public:
  explicit RouteCache(const Metadata &metadata) : metadata(metadata) {}
  /// The route of all ranks, or of `rank` alone unless that is kAllRanks (two
  /// meshes and halos have routes of all ranks only). `dims` holds the unknown
  /// extents. Null with `error` set if a size is negative, too large, or one
  /// that the placements cannot cut.
  std::shared_ptr<const Route> get(int32_t id, const int64_t *dims,
                                   std::string &error, int rank = kAllRanks);
  static constexpr int kAllRanks = -1;
  const PeerRoute *getPeer(int32_t id);

private:
  const Metadata &metadata;
  std::mutex mutex;
  std::map<std::tuple<int32_t, int, std::vector<int64_t>>,
           std::shared_ptr<Route>>
      routes;
  std::map<int32_t, std::unique_ptr<PeerRoute>> peers;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_ROUTE_H
