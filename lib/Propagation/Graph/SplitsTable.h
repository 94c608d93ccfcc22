//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits and placements on one mesh as small numbers, so that propagation
// compares and hashes integers. Equal values have equal numbers; numbers follow
// the order of first use, hashes the values alone.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_PROPAGATION_GRAPH_SPLITSTABLE_H
#define SHARDIR_LIB_PROPAGATION_GRAPH_SPLITSTABLE_H

#include "ShardIR/Analysis/FactorSharding.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <unordered_map>

namespace shardir {

using SplitsId = int; ///< 0: no splits
using PlacementId = int;

/// A hash of numbers that is the same on every machine.
uint64_t mixHash(uint64_t seed, uint64_t value);
uint64_t hashText(const std::string &text);

struct NumbersHash {
  size_t operator()(const std::vector<int64_t> &numbers) const {
    uint64_t hash = numbers.size();
    for (int64_t number : numbers)
      hash = mixHash(hash, number);
    return hash;
  }
};
/// Looks values up by what they are made from.
template <typename T>
using NumbersMap = std::unordered_map<std::vector<int64_t>, T, NumbersHash>;

class SplitsTable {
public:
  explicit SplitsTable(const Mesh &mesh);

  SplitsId get(const Splits &splits);
  const Splits &splits(SplitsId id) const { return entries[id].splits; }
  /// The axes that it uses, a bit each, and those that overlap any of them.
  uint64_t uses(SplitsId id) const { return entries[id].uses; }
  uint64_t blocks(SplitsId id) const;
  /// Depends on the splits alone.
  uint64_t hash(SplitsId id) const { return entries[id].hash; }
  /// Whether a device has several parts of a dim: an integer before an axis.
  bool isStrided(SplitsId id) const { return entries[id].isStrided; }
  /// How many devices it cuts for.
  int64_t size(SplitsId id) const { return entries[id].size; }
  bool isPrefix(SplitsId prefix, SplitsId longer) const;
  /// All that it starts with and that end in an axis, the shortest first, it
  /// itself last; not the empty one.
  llvm::ArrayRef<SplitsId> prefixes(SplitsId id);
  /// The same on a factor of this size: in front of a prefix whose last axis
  /// does not divide what is left of the size, that with the part of the axis
  /// which does.
  llvm::ArrayRef<SplitsId> parts(SplitsId id, int64_t size);
  /// The same blocks of a dim of this extent in normal form (P8).
  SplitsId normal(SplitsId id, int64_t extent);

  /// The bit of an axis, and those that overlap it.
  uint64_t bitOf(const AxisRef &axis) { return uint64_t(1) << atom(axis); }
  uint64_t blocksOf(const AxisRef &axis) { return overlaps[atom(axis)]; }
  /// The axes of a set of bits, in mesh order.
  std::vector<AxisRef> axesOfBits(uint64_t bits) const;

  PlacementId getPlacement(const Placement &placement);
  const Placement &placement(PlacementId id) const { return placements[id]; }

  const Mesh &mesh;

private:
  struct Entry {
    Splits splits;
    uint64_t uses = 0, hash = 0;
    int64_t size = 1;
    bool isStrided = false;
    std::vector<SplitsId> prefixes;
  };
  int atom(const AxisRef &axis);

  std::deque<Entry> entries;
  std::unordered_map<uint64_t, std::vector<SplitsId>> byHash;
  std::vector<AxisRef> atoms;
  std::vector<uint64_t> overlaps;
  llvm::DenseMap<std::pair<SplitsId, int64_t>, SplitsId> normals;
  llvm::DenseMap<std::pair<SplitsId, int64_t>, std::vector<SplitsId>> cuts;
  std::deque<Placement> placements;
  std::unordered_map<Placement, PlacementId> placementIds;
};

} // namespace shardir

#endif // SHARDIR_LIB_PROPAGATION_GRAPH_SPLITSTABLE_H
