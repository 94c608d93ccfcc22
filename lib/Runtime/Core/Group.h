//===- Group.h - Ranks that meet in a collective ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rendezvous of ranks that share memory. Requires that the members of a
// group post in the same order; guarantees that ranks synchronise only with the
// members of the group at hand, so that independent groups run side by side.
//
// A member goes through two phases per collective, numbered by sequence: posted
// (its buffers may be used by others) and done (it has finished with theirs).
// Members that share a thread form a lane. The last of a lane to come to a
// phase publishes it for all of them on the lane's board, where their buffers
// stand side by side: what crosses cores is a line or two per thread, however
// many ranks it runs.
//
// While a member uses others' buffers its lane is `moving`: no rank of a lane
// runs while another one moves data. Nobody looks at that unless the job fails:
// then a member leaves only when no lane is moving, for whoever set out before
// it saw the failure may still use this member's buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_GROUP_H
#define SHARDIR_LIB_RUNTIME_CORE_GROUP_H

#include "Communicator.h"

#include <atomic>
#include <memory>
#include <vector>

namespace shardir {
namespace runtime {

/// The parameters of a collective on which all members must agree.
struct Post {
  const Route *route = nullptr; ///< its shape is what others compare
  int64_t count = 0;            ///< rooted collectives
  int32_t peer = 0;             ///< a place in the group
  int32_t id = -1;              ///< -1: a barrier
};

/// The buffers of one member of a collective.
struct Buffers {
  const void *in = nullptr;
  void *out = nullptr;
};

class Group final : public Rendezvous {
public:
  /// The state of a member, for its own thread and the watchdog.
  struct alignas(kApart) Member {
    std::atomic<uint64_t> phase{0};
    Post post;
    Buffers buffers;
    uint32_t lane = 0;
  };
  /// The state that one thread publishes to the others; the buffers of more
  /// members follow.
  struct alignas(64) Board {
    std::atomic<uint64_t> posted{0}; ///< the last one that all have posted
    Post post;                       ///< of the lane's first member
    Buffers buffers;
  };
  static_assert(sizeof(Board) == 64 && sizeof(Post) == 24,
                "a thread with two members shows one line");
  /// The last one that a lane has done: apart from the board, which members of
  /// other lanes may still read then.
  struct alignas(kApart) Finish {
    std::atomic<uint64_t> done{0};
  };
  struct alignas(kApart) Lane {
    std::atomic<bool> moving{false};
    uint32_t members = 0, arrived = 0; ///< `arrived` is the thread's alone
    uint32_t leader = 0;               ///< its first member
    Board *board = nullptr;
  };
  enum Phase : uint64_t { Posted = 1, Done = 2 };
  static uint64_t phaseOf(uint64_t sequence, Phase p) {
    return 4 * sequence + p;
  }

  Group(const Job &job, std::vector<int> ranks);

  bool arrived(uint64_t target) const override {
    bool done = target % 4 == Done;
    for (size_t i = 0; i < boards.size(); ++i)
      if ((done ? finishes[i].done : boards[i]->posted)
              .load(std::memory_order_acquire) < target)
        return false;
    return true;
  }
  int missing(uint64_t target) const override;

  size_t size() const { return ranks.size(); }
  size_t numLanes() const { return boards.size(); }
  /// The buffers on the board of the member's lane.
  const Buffers &buffers(size_t place) const { return *buffersOf[place]; }
  /// Shows what the lane's members bring and says that they have posted. All at
  /// once: others look at the board all the time, and each look takes its line
  /// away.
  void publish(const Lane &lane, uint64_t target);
  /// Says that the members of a lane have done with the others' buffers.
  void publishDone(size_t lane, uint64_t target) {
    finishes[lane].done.store(target, std::memory_order_release);
  }

  const std::vector<int> ranks;
  const std::unique_ptr<Member[]> members;
  std::unique_ptr<Lane[]> lanes;
  std::vector<const Board *> boards; ///< by lane
  std::vector<uint32_t> leaders;     ///< by lane: apart from what lanes write

private:
  struct alignas(kApart) Line {
    char bytes[kApart];
  };
  std::unique_ptr<Finish[]> finishes; ///< by lane
  std::unique_ptr<Line[]> memory;     ///< of the boards
  std::vector<Buffers *> buffersOf;   ///< by place
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_GROUP_H
