//===- ProcessPeer.cpp - Rooted collectives and messages of processes -----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives that name a root or a peer, over processes. Requires and
// guarantees what ProcessTransport.h says; messages of `send` are buffered.
//
//===----------------------------------------------------------------------===//

#include "Core/Job.h"
#include "ProcessTransport.h"

#include <algorithm>
#include <cstring>

namespace shardir {
namespace runtime {

namespace {

std::vector<MessageBlock> blocksAt(int64_t offset, int64_t count,
                                   int64_t limit) {
  std::vector<MessageBlock> blocks;
  for (int64_t at = 0; at < count; at += limit)
    blocks.push_back({std::min(limit, count - at), offset + at, CopyPlan()});
  return blocks;
}

} // namespace

int64_t ProcessCommunicator::peer(int32_t id, const CollectiveSpec &spec,
                                  const PeerRoute &route, const void *in,
                                  void *out, int64_t count, int64_t peer) {
  auto [groupIndex, place] = route.placeOfRank[size_t(rank.rank)];
  const std::vector<int> &members = route.groups[groupIndex];
  auto root = size_t(peer);
  size_t size = elementSize(spec.type), bytes = size_t(count) * size;
  if (spec.kind == OpKind::Send) {
    sendMessage(id, spec, members[root], in, count);
    return 0;
  }
  if (spec.kind == OpKind::Recv) {
    receiveMessage(spec, members[root], out, count);
    return int64_t(members[root] == rank.rank ? 0 : bytes);
  }
  ProcessPost post = postOf(id, members);
  post.count = count;
  post.peer = peer;
  GroupWait wait =
      enter(members, post.group, hasGroup(members), [&] { return post; });
  bool isRoot = place == root;
  int64_t limit = limitsFor(size, members.size()).message;
  SchedulePhase phase;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i == place || count == 0 || (!isRoot && i != root))
      continue;
    int64_t there = int64_t(i) * count;
    bool sends = (spec.kind == OpKind::Gather) != isRoot;
    int64_t offset = isRoot && spec.kind != OpKind::Broadcast ? there : 0;
    if (sends) {
      BlockSend send;
      send.to = uint32_t(i);
      send.blocks = blocksAt(offset, count, limit);
      phase.sends.push_back(std::move(send));
    } else {
      BlockReceive receive;
      receive.sources = {uint32_t(i)};
      receive.blocks = blocksAt(offset, count, limit);
      phase.receives.push_back(std::move(receive));
    }
  }
  auto *from = static_cast<const char *>(in);
  auto *to = static_cast<char *>(out);
  if (isRoot && bytes) {
    if (spec.kind == OpKind::Scatter)
      from += place * bytes;
    if (spec.kind == OpKind::Gather)
      to += place * bytes;
    if (to != from)
      rank.move(to, from, bytes);
  }
  if (rank.gpu)
    moveOnGpu(members, place, wait,
              {{&phase, place, {in, out, spec.type, PartialKind::Sum}}});
  else if (!phase.sends.empty() || !phase.receives.empty())
    move(world.groupComm(members), wait, phase, {in, out, size, nullptr});
  if (spec.kind == OpKind::Gather)
    return isRoot ? int64_t((members.size() - 1) * bytes) : 0;
  return isRoot ? 0 : int64_t(bytes);
}

void ProcessCommunicator::sendMessage(int32_t id, const CollectiveSpec &spec,
                                      int to, const void *in, int64_t count) {
  MessageHead head;
  head.run = transport.run;
  head.id = id;
  head.count = count;
  head.bytes = uint64_t(count) * elementSize(spec.type);
  world.post(world.postsComm(), bytesOf(head), to, kMessage);
  // Buffered: two ranks that first send to each other must not both wait.
  if (head.bytes)
    world.post(world.postsComm(), dataToSend(in, size_t(head.bytes)), to,
               kMessage, /*cut=*/true);
  ++transport.sentMessages[size_t(to)];
}

void ProcessCommunicator::receiveData(int from, const MessageHead &head,
                                      void *to) {
  std::vector<MpiRequest> pieces;
  for (size_t at = 0; at < head.bytes; at += world.limits.message)
    pieces.push_back(
        world.receive(world.postsComm(), static_cast<char *>(to) + at,
                      std::min(world.limits.message, size_t(head.bytes) - at),
                      from, kMessage));
  pollUntil([&] {
    bool complete = true;
    for (MpiRequest &request : pieces)
      complete &= world.test(request);
    return complete;
  });
}

void ProcessCommunicator::dropData(int from, const MessageHead &head) {
  std::unique_ptr<char[]> dropped(new char[size_t(head.bytes) + 1]);
  receiveData(from, head, dropped.get());
}

MessageHead ProcessCommunicator::takeHead(int from) {
  while (true) {
    MessageHead head;
    MpiRequest request = nullptr;
    bool isAhead = false;
    if (std::optional<std::string> data = takeEarly(from, kMessage))
      std::memcpy(&head, data->data(), sizeof(head));
    else
      request =
          world.receive(world.postsComm(), &head, sizeof(head), from, kMessage);
    auto keep = [&] {
      world.early[{from, kMessage}].push_back(*bytesOf(head));
    };
    try {
      await(ProcessWait::Messages, 0, [&] {
        if (!isAhead && world.test(request)) {
          if (head.run <= transport.run)
            return -1;
          isAhead = true; // this run has failed
          keep();
        }
        return from;
      });
    } catch (...) {
      if (request && world.cancel(request))
        keep();
      throw;
    }
    if (head.run == transport.run) {
      ++receivedMessages[size_t(from)];
      return head;
    }
    dropData(from, head); // left over from a run that failed
  }
}

void ProcessCommunicator::receiveMessage(const CollectiveSpec &spec, int from,
                                         void *out, int64_t count) {
  MessageHead head = takeHead(from);
  if (job.options.trace)
    rank.readyTime = job.now();
  const CollectiveSpec &sent =
      job.program->metadata.collectives[size_t(head.id)];
  if (head.count != count || sent.type != spec.type) {
    dropData(from, head);
    job.fail("collective mismatch: rank " + std::to_string(rank.rank) +
             " posted " + spec.describe() + " for " + std::to_string(count) +
             " elements, but rank " + std::to_string(from) + " posted " +
             sent.describe() + " of " + std::to_string(head.count));
    throw JobFailed();
  }
  receiveIntoRank(from, head, out);
}

void ProcessCommunicator::carry(int from, int to, const void *in, void *out,
                                size_t bytes) {
  if (from == to) {
    if (bytes && in != out)
      std::memmove(out, in, bytes);
    return;
  }
  for (size_t at = 0; at < bytes; at += world.limits.message) {
    size_t n = std::min(world.limits.message, bytes - at);
    MpiRequest request =
        rank.rank == from
            ? world.send(world.postsComm(), static_cast<const char *>(in) + at,
                         n, to, kCarried)
            : world.receive(world.postsComm(), static_cast<char *>(out) + at, n,
                            from, kCarried);
    pollUntil([&] { return world.test(request); });
  }
}

} // namespace runtime
} // namespace shardir
