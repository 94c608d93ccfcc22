//===- MpiSchedule.h - A rank's messages in one collective ------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks that a rank sends to and receives from its group, derived from
// the route that all of them know. Requires a built route; guarantees that
// sender and receiver cut a transfer into the same blocks without telling each
// other, that what is contiguous is sent and received in place, and that all
// else is packed once, block by block. No MPI in here.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_MPISCHEDULE_H
#define SHARDIR_LIB_RUNTIME_MPISCHEDULE_H

#include "Core/Route.h"

#include <cstdint>
#include <vector>

namespace shardir {
namespace runtime {

/// Elements of a transfer that travel together, one message for each source.
struct MpiBlock {
  int64_t elements = 0;
  /// Where the array's elements begin, if they are contiguous there; else -1.
  int64_t offset = -1;
  /// Between the array and the block: from the operand into it, or out of it
  /// into the result.
  CopyPlan plan;
};

struct MpiSend {
  uint32_t to = 0;       ///< place in the group
  uint32_t transfer = 0; ///< its tag: the index in the receiver's list, or 0
  std::vector<MpiBlock> blocks;
  /// Whether all blocks are sent from where they are.
  bool inPlace = true;
};

struct MpiReceive {
  uint32_t transfer = 0;
  std::vector<uint32_t> sources; ///< places, in the order of reduction
  std::vector<MpiBlock> blocks;
  /// Whether all blocks are received where they belong: one source, contiguous.
  bool inPlace = true;
  /// The index in `sources` of this rank's own term, or -1, and its blocks in
  /// the operand.
  int own = -1;
  std::vector<MpiBlock> ownBlocks;
};

struct MpiPhase {
  /// Whether the result, rather than the operand, is sent.
  bool sendsResult = false;
  std::vector<MpiSend> sends;
  std::vector<MpiReceive> receives;
  std::vector<CopyPlan> local; ///< from the operand straight into the result
};

/// Phases follow one another; inside one, all messages may overlap.
struct MpiSchedule {
  std::vector<MpiPhase> phases;
};

/// Elements per block.
struct MpiBlockLimits {
  int64_t message; ///< what goes straight from place to place
  int64_t staged;  ///< what is packed, unpacked or reduced
  /// Operands up to here are reduced whole by every member, which takes one
  /// phase where chunks take two.
  int64_t whole;
};

/// The messages of the rank whose part in the route is `index`.
MpiSchedule makeMpiSchedule(const Route &route, int64_t index,
                            const MpiBlockLimits &limits);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_MPISCHEDULE_H
