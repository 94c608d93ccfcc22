//===- MessageMove.h - Moves the data of one collective ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One phase of a schedule in flight. Requires that every member of the group
// runs the same phase; guarantees that nothing waits for a particular message:
// each block goes on when it can, packed, unpacked or reduced by the thread
// that polls, with two blocks per message in memory at a time.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_MESSAGEMOVE_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_MESSAGEMOVE_H

#include "MessageSchedule.h"
#include "Processes/ProcessWorld.h"

#include <memory>
#include <vector>

namespace shardir {
namespace runtime {

/// Memory that is kept between collectives, up to a limit.
class MoveScratch {
public:
  void *take(size_t bytes);
  void reset();

private:
  struct Chunk {
    std::unique_ptr<char[]> data;
    size_t size = 0, used = 0;
  };
  std::vector<Chunk> chunks;
};

struct MoveBuffers {
  const void *in = nullptr;
  void *out = nullptr;
  size_t size = 1;           ///< bytes of an element
  ReduceFn reduce = nullptr; ///< where a transfer has several sources
  /// Of an engine's reductions.
  shardir_element_type type = SHARDIR_F32;
  PartialKind kind = PartialKind::Sum;
  /// Of as many collectives at one time this is the one of number `place`.
  size_t place = 0, together = 1;
};

/// Brings a block from `staging`, by source, to the result: reduced where there
/// are several sources.
void finishReceive(const BlockReceive &receive, size_t block,
                   const std::vector<char *> &staging,
                   const MoveBuffers &buffers);

class MessageMove {
public:
  /// Posts what can be posted. `comm` is the group's: its ranks are places.
  MessageMove(ProcessWorld &world, MpiComm comm, const SchedulePhase &phase,
              const MoveBuffers &buffers, MoveScratch &scratch);
  /// Goes on where messages have arrived or left. Whether any have.
  bool poll();
  bool done() const { return open == 0; }
  /// A place in the group that something is still on the way from or to.
  int waitsFor() const;

private:
  /// A block of a message in flight.
  struct Slot {
    const BlockSend *send = nullptr;
    const BlockReceive *receive = nullptr;
    size_t message = 0, block = 0;
    std::vector<char *> staging; ///< by source
    std::vector<MpiRequest> requests;
  };
  void addSlots(const BlockSend *send, const BlockReceive *receive);
  void post(Slot &slot);
  void finish(Slot &slot);
  /// Apart from those of collectives that move at the same time.
  int tagOf(uint32_t transfer) const {
    return int(transfer * buffers.together + buffers.place);
  }

  ProcessWorld &world;
  MpiComm comm;
  const MoveBuffers buffers;
  MoveScratch &scratch;
  std::vector<Slot> slots;
  std::vector<size_t> next; ///< by message: the block to be posted next
  size_t open = 0;          ///< slots that are not done
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_MESSAGEMOVE_H
