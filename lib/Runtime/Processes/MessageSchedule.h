//===- MessageSchedule.h - A rank's messages in one collective --*- C++ -*-===//
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
// else is packed once, block by block. Where an engine has collectives, a
// regular pattern is one call of the engine instead of messages, whose layout
// all members find alike. No MPI in here.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_MESSAGESCHEDULE_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_MESSAGESCHEDULE_H

#include "Core/Messages.h"
#include "Core/Route.h"

#include <cstdint>
#include <vector>

namespace shardir {
namespace runtime {

/// Elements of a transfer that travel together, one message for each source.
struct MessageBlock {
  int64_t elements = 0;
  /// Where the array's elements begin, if they are contiguous there; else -1.
  int64_t offset = -1;
  /// Between the array and the block: from the operand into it, or out of it
  /// into the result.
  CopyPlan plan;
};

struct BlockSend {
  uint32_t to = 0;       ///< place in the group
  uint32_t transfer = 0; ///< its tag: the index in the receiver's list, or 0
  std::vector<MessageBlock> blocks;
  /// Whether all blocks are sent from where they are.
  bool inPlace = true;
};

struct BlockReceive {
  uint32_t transfer = 0;
  std::vector<uint32_t> sources; ///< places, in the order of reduction
  std::vector<MessageBlock> blocks;
  /// Whether all blocks are received where they belong: one source, contiguous.
  bool inPlace = true;
  /// The index in `sources` of this rank's own term, or -1, and its blocks in
  /// the operand.
  int own = -1;
  std::vector<MessageBlock> ownBlocks;
};

/// How a phase is carried out.
enum class PhaseWay { Messages, AllGather, AllToAll, AllReduce, ReduceScatter };

struct SchedulePhase {
  PhaseWay way = PhaseWay::Messages;
  /// Of a call: the pieces of its operand and of its result in bytes, by place.
  /// Pieces are blocks of `sends` and `receives`, each of which has one.
  MessageLayout in, out;
  /// Bytes that are packed before a call, and unpacked or reduced after it; 0
  /// where the call works on the buffers themselves.
  size_t packed = 0, staged = 0;
  /// Of AllReduce the elements; of ReduceScatter those of each member, and
  /// those of a piece where all are made of one size.
  int64_t elements = 0;
  int64_t piece = 0; ///< of AllReduce, the most elements of one call of MPI
  std::vector<int> counts;
  /// Whether the result, rather than the operand, is sent.
  bool sendsResult = false;
  std::vector<BlockSend> sends;
  std::vector<BlockReceive> receives;
  std::vector<CopyPlan> local; ///< from the operand straight into the result
};

/// Phases follow one another; inside one, all messages may overlap.
struct MessageSchedule {
  std::vector<SchedulePhase> phases;
};

/// Elements per block.
struct BlockLimits {
  int64_t message; ///< what goes straight from place to place
  int64_t staged;  ///< what is packed, unpacked or reduced
  /// Operands up to here are reduced whole by every member, which takes one
  /// phase where chunks take two.
  int64_t whole;
  /// Of an engine's calls: the elements that one may stage (0: there are no
  /// calls), the bytes of an element, and whether the engine reduces.
  int64_t call = 0;
  size_t size = 1;
  bool reduces = false;
  /// Whether the engine wants pieces of one size to reduce and scatter, and has
  /// no call from each to each, as NCCL.
  bool even = false;
};

/// The messages of the rank whose part in the route is `index`.
MessageSchedule makeMpiSchedule(const Route &route, int64_t index,
                                const BlockLimits &limits);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_MESSAGESCHEDULE_H
