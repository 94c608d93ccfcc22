//===- Halo.h - Overlapping shards, as values -------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shards that overlap (rule D6 of docs/Semantics.md): a block [s, e) of a
// dimension of N elements with a halo of [low, high] is [max(0, s - low),
// min(N, e + high)). An empty block stays empty, a replicated dimension
// replicated.
//
// More generally a shard holds what the blocks of another dimension, of
// `extent` elements, read through a window: element o reads the elements i with
// o * stride - low <= i * dilation <= o * stride + high. A convolution's output
// reads its input so, a slice its source, a padded tensor what it pads.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_HALO_H
#define SHARDIR_PLACEMENT_HALO_H

#include "ShardIR/Placement/Placement.h"
#include "ShardIR/Placement/PlacementFwd.h"

#include <utility>

namespace shardir {

/// The halo of one dimension: elements below and above the own block, none
/// negative; or, where `extent` is given, the window through which the blocks
/// of a dimension of that extent read, with `low` and `high` of either sign.
/// The blocks are those that the placement's splits cut of `extent`, and what
/// they read is one run: from the first element that the first of a block reads
/// to the last that the last one does, clipped to the dimension.
struct DimHalo {
  static constexpr int64_t kOwn = -1; ///< the blocks are the dimension's own
  int64_t low = 0;
  int64_t high = 0;
  int64_t extent = kOwn;
  int64_t stride = 1;   ///< at least 1
  int64_t dilation = 1; ///< at least 1
  /// An open window is one whose place is known at run time alone: `extent` and
  /// `shift`, by which what is read lies higher than `low` and `high` say, are
  /// those that decisions assume, until closed() sets them.
  bool isOpen = false;
  int64_t shift = 0; ///< of either sign; 0 unless open

  bool isWindow() const { return extent != kOwn; }
  /// Whether the shards are the blocks themselves.
  bool isZero() const { return !isWindow() && low == 0 && high == 0; }
  /// The same window once its numbers are known.
  DimHalo closed(int64_t actualExtent, int64_t actualShift) const {
    return {low - actualShift, high + actualShift, actualExtent, stride,
            dilation};
  }
  /// The elements [first, second) of a dimension of `size` that the block
  /// [begin, end) reads; empty for an empty block.
  std::pair<int64_t, int64_t> rows(int64_t begin, int64_t end,
                                   int64_t size) const;
  bool operator==(const DimHalo &o) const {
    return low == o.low && high == o.high && extent == o.extent &&
           stride == o.stride && dilation == o.dilation && isOpen == o.isOpen &&
           shift == o.shift;
  }
  bool operator!=(const DimHalo &o) const { return !(*this == o); }
};

/// The numbers of a window are at most this large, so that nothing that is
/// computed from them overflows.
constexpr int64_t kMaxWindow = int64_t(1) << 30;

/// `[[1, 1], [0, 2]]`; a window has its extent, stride and dilation as well:
/// `[[0, 2, 8, 1, 1]]`, and an open one its shift: `[[0, 2, 1022, 1, 1, 0]]`.
std::string toString(const Halo &halo);
std::string toString(const DimHalo &halo);
/// The numbers of one entry: [low, high], or all five, or six of an open one.
std::vector<int64_t> numbersOf(const DimHalo &halo);
/// The entry of 2, 5 or 6 such numbers.
DimHalo dimHaloOf(const std::vector<int64_t> &numbers);
/// How many dims have open windows.
size_t numOpenWindows(const Halo &halo);

/// The extents of which the splits of a placement with this halo cut blocks:
/// those of `shape`, but for windows; kUnknown for open ones.
std::vector<int64_t> blockShape(const std::vector<int64_t> &shape,
                                const Halo &halo);

/// The halo without what changes nothing: dims that `placement` leaves
/// replicated have none, unless a window reads a part of them, a window whose
/// blocks are the dim's own is [low, high] where these are not negative, one
/// through which each device reads its own block is none (on concrete meshes),
/// and a halo that is zero everywhere is empty.
Halo normalHalo(const Halo &halo, const Placement &placement, const Mesh &mesh,
                const std::vector<int64_t> &shape);

/// Checks that there is one entry per dim, that no number is out of its range,
/// and that what has a halo is one block: an integer that is not the last split
/// makes a shard of several pieces, which have no common neighbours. The extent
/// of a dim with a window must be known, for its clipping, unless it is open.
std::optional<PlacementError> verifyHalo(const Halo &halo,
                                         const Placement &placement,
                                         const Mesh &mesh,
                                         const std::vector<int64_t> &shape);

/// shardOf and localShape of the overlapping shards. Require what those
/// require, and a halo that verifies or is empty.
std::vector<DimShard> shardOf(const Placement &placement, const Halo &halo,
                              const Mesh &mesh,
                              const std::vector<int64_t> &shape,
                              int64_t position);
std::vector<int64_t> localShape(const Placement &placement, const Halo &halo,
                                const Mesh &mesh,
                                const std::vector<int64_t> &shape,
                                int64_t position);

/// uniformLocalExtent of the overlapping shards: an extent that is the same on
/// all devices, clipped blocks at the ends included.
std::optional<int64_t> uniformLocalExtent(const Placement &placement,
                                          const Halo &halo, const Mesh &mesh,
                                          int64_t dimSize, size_t dim);

} // namespace shardir

#endif // SHARDIR_PLACEMENT_HALO_H
