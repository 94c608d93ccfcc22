//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_PIECE_H
#define SHARDIR_PLACEMENT_PIECE_H

#include <cstdint>
#include <vector>

namespace shardir {

/// One rectangular piece of a redistribution between non-partial placements,
/// or a term of one: which local elements of `source`'s shard make which
/// local elements of the receiver's. Index sets are per dimension, as runs
/// [start, start + length) of source and destination local indices with equal
/// lengths, in increasing order of both.
struct Piece {
  struct Run {
    int64_t source = 0, destination = 0, length = 0;
  };
  int64_t source = 0;                 ///< mesh position that holds it
  std::vector<std::vector<Run>> runs; ///< per dimension
  int64_t elements() const;
};

} // namespace shardir

#endif // SHARDIR_PLACEMENT_PIECE_H
