//===- ThreadsTransport.h - Ranks as threads of one process -----*- C++ -*-===//
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
// phase publishes it for all of them, in the slot of the lane's first member:
// what crosses cores is one cache line per thread, however many ranks it runs.
//
// While a member uses others' buffers its lane is `moving`: no rank of a lane
// runs while another one moves data. Nobody looks at that unless the job fails:
// then a member leaves only when no lane is moving, for whoever set out before
// it saw the failure may still use this member's buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_THREADSTRANSPORT_H
#define SHARDIR_LIB_RUNTIME_THREADSTRANSPORT_H

#include "Channel.h"

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace shardir {
namespace runtime {

/// What one member brings to a collective.
struct Post {
  const void *in = nullptr;
  void *out = nullptr;
  const Route *route = nullptr; ///< its shape is what others compare
  int64_t count = 0;            ///< rooted collectives
  int64_t peer = 0;
  int32_t id = -1; ///< -1: a barrier
};

class Group final : public Rendezvous {
public:
  /// One cache line per member.
  struct alignas(64) Slot {
    std::atomic<uint64_t> phase{0};     ///< of this member
    std::atomic<uint64_t> lanePhase{0}; ///< of the lane that it stands for
    Post post;
  };
  static_assert(sizeof(Slot) == 64, "what crosses cores is one line");
  struct alignas(64) Lane {
    std::atomic<bool> moving{false};
    uint32_t members = 0, arrived = 0; ///< `arrived` is the thread's alone
  };
  enum Phase : uint64_t { Posted = 1, Done = 2 };
  static uint64_t phaseOf(uint64_t sequence, Phase p) {
    return 4 * sequence + p;
  }

  Group(const Job &job, std::vector<int> ranks);
  bool arrived(uint64_t target) const override {
    for (uint32_t leader : leaders)
      if (slots[leader].lanePhase.load(std::memory_order_acquire) < target)
        return false;
    return true;
  }
  int missing(uint64_t target) const override;

  const std::vector<int> ranks;
  const std::unique_ptr<Slot[]> slots;
  std::vector<uint32_t> laneOf;  ///< by place
  std::vector<uint32_t> leaders; ///< places, by lane
  std::unique_ptr<Lane[]> lanes;
};

class ThreadsTransport final : public Transport {
public:
  explicit ThreadsTransport(Job &job);
  std::unique_ptr<Communicator> connect(RankContext &rank) override;
  std::string leftover() override;

  Group *group(const std::vector<int> &ranks);
  Channel *channel(int from, int to);
  Job &job;
  Group world; ///< all ranks, for barriers alone

private:
  std::mutex mutex;
  std::map<std::vector<int>, std::unique_ptr<Group>> groups;
  Arena messages; ///< of all channels
  std::map<std::pair<int, int>, std::unique_ptr<Channel>> channels;
};

class ThreadsCommunicator final : public Communicator {
public:
  ThreadsCommunicator(ThreadsTransport &transport, RankContext &rank);
  void redistribute(int32_t id, const CollectiveSpec &spec, const Route &route,
                    const void *in, void *out) override;
  int64_t peer(int32_t id, const CollectiveSpec &spec, const PeerRoute &route,
               const void *in, void *out, int64_t count, int64_t peer) override;
  void barrier() override;

private:
  class Session;
  Group &cachedGroup(int32_t id, const std::vector<int> &ranks);
  void checkPosts(const Group &group, size_t place, size_t other);
  void pull(const CollectiveSpec &spec, const Route &route,
            const RoutePart &part, const Group &group, void *out);
  void pullTransfer(const Transfer &transfer, const Route &route,
                    const Group &group, size_t size, void *out, bool stream);
  /// Each member moves as much as the others, to or from whomever it concerns.
  void shareBroadcast(const Group &group, size_t place, size_t root,
                      size_t bytes);
  void reduceChunk(const Route &route, const RoutePart &part,
                   const Group &group, size_t size);
  void send(int32_t id, const CollectiveSpec &spec, Channel &channel,
            const void *in, int64_t count);
  void receive(int32_t id, const CollectiveSpec &spec, Channel &channel,
               void *out, int64_t count);

  ThreadsTransport &transport;
  RankContext &rank;
  const int spins;               ///< 0: others of this thread can use the time
  std::vector<Group *> groups;   ///< by collective: the last one used
  std::vector<const void *> ins; ///< reused, as all below
  std::vector<void *> outs;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_THREADSTRANSPORT_H
