//===- ThreadsTransport.h - Ranks as threads of one process -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives between ranks that share memory: where they meet is in Group.h,
// how messages go from one to another in Channel.h, who moves the data in
// DataMover.h. Requires that all ranks are in this process; guarantees what
// Communicator.h asks for.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_THREADS_THREADSTRANSPORT_H
#define SHARDIR_LIB_RUNTIME_THREADS_THREADSTRANSPORT_H

#include "Core/Channel.h"
#include "Core/Group.h"

#include <map>
#include <mutex>
#include <vector>

namespace shardir {
namespace runtime {

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
  const std::unique_ptr<MessageStore> messages; ///< of all channels
  std::map<std::pair<int, int>, std::unique_ptr<Channel>> channels;
};

class alignas(kApart) ThreadsCommunicator final : public Communicator {
public:
  ThreadsCommunicator(ThreadsTransport &transport, RankContext &rank);
  void redistribute(const std::vector<StepCall> &calls) override;
  int64_t peer(int32_t id, const CollectiveSpec &spec, const PeerRoute &route,
               const void *in, void *out, int64_t count, int64_t peer) override;
  void barrier() override;
  void awaitGpu(const Rendezvous &event) override;

private:
  class Session;
  /// Of the collective at hand: of a bucket the one that `inBucket` counts.
  const Buffers &buffersOf(const Group &group, size_t place) const {
    const Buffers &posted = group.buffers(place);
    return bucket.empty() ? posted
                          : static_cast<const Buffers *>(posted.in)[inBucket];
  }
  void move(const StepCall &call, const RoutePart &part, const Group &group);
  Group &cachedGroup(int32_t id, const std::vector<int> &ranks);
  void checkPosts(const Group &group, size_t place, const Post &other,
                  size_t otherPlace);
  void pull(const CollectiveSpec &spec, const Route &route,
            const RoutePart &part, const Group &group, void *out);
  void pushToAll(const RoutePart &part, const Group &group, size_t size,
                 const void *in);
  /// Each member moves as much as the others, to or from whomever it concerns.
  void shareBroadcast(const Group &group, size_t place, size_t root,
                      size_t bytes);
  void reduceChunk(const CollectiveSpec &spec, const Route &route,
                   const RoutePart &part, const Group &group);
  void send(int32_t id, const CollectiveSpec &spec, Channel &channel,
            const void *in, int64_t count);
  void receive(int32_t id, const CollectiveSpec &spec, Channel &channel,
               void *out, int64_t count);

  ThreadsTransport &transport;
  RankContext &rank;
  const std::unique_ptr<DataMover> mover;
  const int spins;               ///< 0: others of this thread can use the time
  std::vector<Group *> groups;   ///< by collective: the last one used
  std::vector<const void *> ins; ///< reused, as all below
  std::vector<void *> outs;
  std::vector<Buffers> bucket; ///< this member's; empty: no bucket
  size_t inBucket = 0;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_THREADS_THREADSTRANSPORT_H
