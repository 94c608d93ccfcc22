//===- ThreadsTransport.cpp - Ranks as threads of one process -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives over shared memory: each member publishes its buffers, waits for
// the others, pulls what it needs straight from them, and waits until nobody
// needs its own any more. Requires ThreadsTransport.h's protocol; guarantees
// that members compare their posts before anybody touches a buffer (X1).
//
//===----------------------------------------------------------------------===//

#include "ThreadsTransport.h"

#include "Core/Job.h"
#include "Core/Wait.h"
#include "Elements/Stream.h"

#include <algorithm>
#include <numeric>

namespace shardir {
namespace runtime {

namespace {
/// Rooted collectives that move more are shared evenly by their members.
constexpr size_t kShareBytes = size_t(128) << 10;

std::vector<int> allRanks(size_t n) {
  std::vector<int> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}
} // namespace

std::unique_ptr<Transport> makeThreadsTransport(Job &job) {
  return std::make_unique<ThreadsTransport>(job);
}

ThreadsTransport::ThreadsTransport(Job &job)
    : job(job), world(job, allRanks(job.numRanks())),
      messages(job.options.cuda ? makeCudaMessages() : makeHostMessages()) {}

std::unique_ptr<Communicator> ThreadsTransport::connect(RankContext &rank) {
  return std::make_unique<ThreadsCommunicator>(*this, rank);
}

std::string ThreadsTransport::leftover() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[key, channel] : channels)
    if (const Channel::Header *message = channel->leftover())
      return "collective mismatch: rank " + std::to_string(channel->from) +
             " posted " +
             job.program->metadata.collectives[size_t(message->id)].describe() +
             ", but rank " + std::to_string(channel->to) +
             " finished without receiving it";
  return "";
}

Group *ThreadsTransport::group(const std::vector<int> &ranks) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Group> &group = groups[ranks];
  if (!group)
    group = std::make_unique<Group>(job, ranks);
  return group.get();
}

Channel *ThreadsTransport::channel(int from, int to) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Channel> &channel = channels[{from, to}];
  if (!channel)
    channel = std::make_unique<Channel>(from, to, *messages);
  return channel.get();
}

/// One collective of one member, from posting to leaving.
class ThreadsCommunicator::Session {
public:
  Session(ThreadsCommunicator &c, Group &group, size_t place, const Post &post,
          const Buffers &buffers)
      : c(c), job(c.transport.job), group(group), place(place),
        member(group.members[place]), lane(group.lanes[member.lane]),
        sequence(member.phase.load(std::memory_order_relaxed) / 4 + 1) {
    member.post = post;
    member.buffers = buffers;
    if (post.id >= 0)
      c.mover->posting();
    // A destructor does not run for a constructor that throws.
    try {
      arrive(Group::Posted);
      waitFor(Group::Posted);
      if (job.options.trace)
        c.rank.readyTime = job.now();
      // Sequentially consistent, as the failure flag is: either this member
      // sees the failure, or whoever saw it sees this lane moving.
      lane.moving.store(true, std::memory_order_seq_cst);
      job.throwIfFailed();
      if (post.id >= 0)
        for (size_t i = 0; i < group.numLanes(); ++i)
          if (i != member.lane)
            c.checkPosts(group, place, group.boards[i]->post, group.leaders[i]);
      if (post.id >= 0)
        c.mover->posted(group, place);
    } catch (...) {
      retract();
      throw;
    }
  }

  /// This member has moved its data: waits for the others.
  void finish() {
    bool moves = member.post.id >= 0;
    if (moves)
      c.mover->moved();
    lane.moving.store(false, std::memory_order_release);
    arrive(Group::Done);
    waitFor(Group::Done);
    finished = true;
    if (moves)
      c.mover->finished(group, place);
  }

  ~Session() {
    if (!finished)
      retract();
  }

private:
  void arrive(Group::Phase phase) {
    uint64_t target = Group::phaseOf(sequence, phase);
    member.phase.store(target, std::memory_order_release);
    if (lane.members > 1) {
      if (++lane.arrived < lane.members)
        return;
      lane.arrived = 0;
      if (phase == Group::Posted && member.post.id >= 0)
        checkLane();
    }
    if (phase == Group::Posted)
      group.publish(lane, target);
    else
      group.publishDone(member.lane, target);
  }

  /// The members of other lanes compare their posts with the first one alone.
  void checkLane() {
    for (size_t i = lane.leader; i < group.size(); ++i)
      if (group.members[i].lane == member.lane)
        c.checkPosts(group, lane.leader, group.members[i].post, i);
  }

  void waitFor(Group::Phase phase) {
    uint64_t target = Group::phaseOf(sequence, phase);
    for (int left = c.spins; !group.arrived(target); cpuRelax())
      if (left-- <= 0)
        return job.waitSlowly(c.rank.rank, group, target);
  }

  void retract() {
    lane.moving.store(false, std::memory_order_release);
    for (size_t i = 0; i < group.numLanes(); ++i) {
      Backoff backoff(0);
      while (group.lanes[i].moving.load(std::memory_order_seq_cst))
        backoff.pause();
    }
  }

  ThreadsCommunicator &c;
  Job &job;
  Group &group;
  const size_t place;
  Group::Member &member;
  Group::Lane &lane;
  const uint64_t sequence;
  bool finished = false;
};

ThreadsCommunicator::ThreadsCommunicator(ThreadsTransport &transport,
                                         RankContext &rank)
    : transport(transport), rank(rank),
      mover(transport.job.options.cuda ? makeCudaMover(transport.job, rank)
                                       : makeHostMover()),
      spins(transport.job.sharesThread(size_t(rank.rank)) ? 0
            : transport.job.oversubscribed()              ? 20
                                                          : 100),
      groups(transport.job.program->metadata.collectives.size()) {}

Group &ThreadsCommunicator::cachedGroup(int32_t id,
                                        const std::vector<int> &ranks) {
  Group *&group = groups[size_t(id)];
  if (!group || group->ranks != ranks)
    group = transport.group(ranks);
  return *group;
}

void ThreadsCommunicator::awaitGpu(const Rendezvous &event) {
  transport.job.waitSlowly(rank.rank, event, 0);
}

void ThreadsCommunicator::barrier() {
  Session session(*this, transport.world, size_t(rank.rank), Post(), Buffers());
  session.finish();
}

void ThreadsCommunicator::checkPosts(const Group &group, size_t place,
                                     const Post &other, size_t otherPlace) {
  const Post &own = group.members[place].post;
  bool sameShape =
      own.route == other.route ||
      (own.route && other.route && own.route->shape == other.route->shape);
  if (own.id == other.id && own.count == other.count &&
      own.peer == other.peer && sameShape)
    return;
  const std::vector<CollectiveSpec> &table =
      transport.job.program->metadata.collectives;
  auto text = [&](const Post &post) {
    std::string s = table[size_t(post.id)].describe();
    if (post.route && table[size_t(post.id)].unknownExtents)
      s += " with shape " + shapeText(post.route->shape);
    if (post.route && post.count > 1)
      s += " in a bucket of " + std::to_string(post.count);
    if (!post.route)
      s += " of " + std::to_string(post.count) + " elements with root " +
           std::to_string(post.peer);
    return s;
  };
  transport.job.fail(
      "collective mismatch: rank " + std::to_string(group.ranks[place]) +
      " posted " + text(own) + ", but rank " +
      std::to_string(group.ranks[otherPlace]) + " posted " + text(other));
  throw JobFailed();
}

void ThreadsCommunicator::redistribute(const std::vector<StepCall> &calls) {
  const StepCall &first = calls.front();
  auto partOf = [&](const StepCall &call) -> const RoutePart & {
    int64_t position = call.route->positionOfRank[size_t(rank.rank)];
    return call.route->parts[size_t(position)];
  };
  Post post;
  post.route = first.route;
  post.id = first.id;
  bucket.clear();
  for (const StepCall &call : calls) {
    rank.checkOverlap(*call.spec, partOf(call), call.in, call.out);
    if (calls.size() > 1)
      bucket.push_back({call.in, call.out});
  }
  post.count = int64_t(bucket.size());
  Group &group =
      cachedGroup(first.id, first.route->groups[partOf(first).group]);
  // Of a bucket the others find what is posted in this member's list.
  Session session(*this, group, partOf(first).place, post,
                  bucket.empty() ? Buffers{first.in, first.out}
                                 : Buffers{bucket.data(), nullptr});
  for (inBucket = 0; inBucket < calls.size(); ++inBucket)
    move(calls[inBucket], partOf(calls[inBucket]), group);
  session.finish();
}

void ThreadsCommunicator::move(const StepCall &call, const RoutePart &part,
                               const Group &group) {
  const Route &route = *call.route;
  size_t size = elementSize(call.spec->type);
  if (route.flatReduce)
    reduceChunk(*call.spec, route, part, group);
  else if (mover->pushes() && route.sameResult && group.size() > 2 &&
           size_t(part.resultCount) * size >= kStreamBytes)
    pushToAll(part, group, size, call.in);
  else
    pull(*call.spec, route, part, group, call.out);
}

void ThreadsCommunicator::reduceChunk(const CollectiveSpec &spec,
                                      const Route &route, const RoutePart &part,
                                      const Group &group) {
  auto count = size_t(part.resultCount);
  size_t members = group.ranks.size();
  // Whole cache lines, so that no two members write to one.
  size_t line = 64 / elementSize(spec.type);
  size_t chunk = ((count + members - 1) / members + line - 1) / line * line;
  size_t begin = std::min(count, part.place * chunk);
  size_t end = std::min(count, begin + chunk);
  if (begin == end)
    return;
  ins.clear();
  outs.clear();
  for (uint32_t source : part.transfers[0].sources)
    ins.push_back(buffersOf(group, source).in);
  // Own result last: it stays in this core's cache.
  for (size_t i = 1; i <= members; ++i)
    outs.push_back(buffersOf(group, (part.place + i) % members).out);
  mover->reduceRange(route, spec.type, ins, outs, begin, end);
}

void ThreadsCommunicator::pull(const CollectiveSpec &spec, const Route &route,
                               const RoutePart &part, const Group &group,
                               void *out) {
  size_t size = elementSize(spec.type);
  auto count = size_t(part.resultCount);
  if (part.identity)
    mover->fill(route.kind, spec.type, out, count);
  for (const Transfer &transfer : part.transfers) {
    ins.clear();
    for (uint32_t source : transfer.sources)
      ins.push_back(buffersOf(group, source).in);
    if (ins.size() == 1)
      mover->copy(transfer.plan, ins[0], out, size, count * size);
    else
      mover->reduce(route, spec.type, transfer.plan, ins, out);
  }
}

/// Reads what this member holds once, where each member for itself would read
/// it as often as there are members. Two of them are faster that way: measured.
void ThreadsCommunicator::pushToAll(const RoutePart &part, const Group &group,
                                    size_t size, const void *in) {
  outs.clear();
  for (size_t i = 1; i <= group.size(); ++i)
    outs.push_back(buffersOf(group, (part.place + i) % group.size()).out);
  for (const Transfer &transfer : part.transfers)
    if (transfer.sources[0] == part.place)
      mover->copyToAll(transfer.plan, in, outs, size);
}

int64_t ThreadsCommunicator::peer(int32_t id, const CollectiveSpec &spec,
                                  const PeerRoute &route, const void *in,
                                  void *out, int64_t count, int64_t peer) {
  auto [groupIndex, place] = route.placeOfRank[size_t(rank.rank)];
  const std::vector<int> &members = route.groups[groupIndex];
  auto root = size_t(peer);
  size_t bytes = size_t(count) * elementSize(spec.type);
  if (spec.kind == OpKind::Send) {
    send(id, spec, *transport.channel(rank.rank, members[root]), in, count);
    return 0;
  }
  if (spec.kind == OpKind::Recv) {
    receive(id, spec, *transport.channel(members[root], rank.rank), out, count);
    return int64_t(members[root] == rank.rank ? 0 : bytes);
  }
  Group &group = cachedGroup(id, members);
  Post post;
  post.count = count;
  post.peer = int32_t(peer);
  post.id = id;
  Session session(*this, group, place, post, {in, out});
  bool isRoot = place == root;
  int64_t received = isRoot ? 0 : int64_t(bytes);
  auto copy = [&](void *to, const void *from) {
    if (to == from || !bytes)
      return;
    outs.assign(1, to);
    mover->copyBytes(outs, from, bytes, bytes);
  };
  // Of short messages each takes its own, so that it lies in its cache.
  bool share = bytes * members.size() >= kShareBytes;
  const char *rootIn = static_cast<const char *>(group.buffers(root).in);
  if (spec.kind == OpKind::Broadcast) {
    if (share)
      shareBroadcast(group, place, root, bytes);
    else
      copy(out, rootIn);
  } else if (spec.kind == OpKind::Scatter) {
    copy(out, rootIn + place * bytes);
  } else { // gather
    char *rootOut = static_cast<char *>(group.buffers(root).out);
    if (share)
      copy(rootOut + place * bytes, in);
    for (size_t i = 0; !share && isRoot && i < members.size(); ++i)
      copy(rootOut + i * bytes, group.buffers(i).in);
    received = isRoot ? int64_t((members.size() - 1) * bytes) : 0;
  }
  session.finish();
  return received;
}

void ThreadsCommunicator::shareBroadcast(const Group &group, size_t place,
                                         size_t root, size_t bytes) {
  size_t members = group.ranks.size();
  size_t chunk = ((bytes + members - 1) / members + 63) / 64 * 64;
  size_t begin = std::min(bytes, place * chunk);
  size_t end = std::min(bytes, begin + chunk);
  auto *from = static_cast<const char *>(group.buffers(root).in) + begin;
  outs.clear();
  for (size_t i = 0; i < members; ++i)
    if (group.buffers(i).out != group.buffers(root).in)
      outs.push_back(static_cast<char *>(group.buffers(i).out) + begin);
  mover->copyBytes(outs, from, end - begin, bytes);
}

void ThreadsCommunicator::send(int32_t id, const CollectiveSpec &spec,
                               Channel &channel, const void *in,
                               int64_t count) {
  Channel::Header header{id, spec.type, count};
  if (!channel.send(header, in))
    rank.fail("is out of memory: it sent a message of " +
              std::to_string(header.bytes()) +
              " bytes to a rank that does not receive yet");
}

void ThreadsCommunicator::receive(int32_t id, const CollectiveSpec &spec,
                                  Channel &channel, void *out, int64_t count) {
  Channel::Header expected{id, spec.type, count};
  channel.offer(expected, out);
  struct Retract {
    Channel &channel;
    ~Retract() { channel.retract(); }
  } retract{channel};
  uint64_t target = channel.nextMessage();
  for (int left = spins; left > 0 && !channel.arrived(target); --left)
    cpuRelax();
  if (!channel.arrived(target))
    transport.job.waitSlowly(rank.rank, channel, target);
  transport.job.throwIfFailed();
  if (transport.job.options.trace)
    rank.readyTime = transport.job.now();
  Channel::Header sent = channel.take(expected, out);
  if (!sent.matches(expected)) {
    transport.job.fail(
        "collective mismatch: rank " + std::to_string(rank.rank) + " posted " +
        spec.describe() + " for " + std::to_string(count) +
        " elements, but rank " + std::to_string(channel.from) + " posted " +
        transport.job.program->metadata.collectives[size_t(sent.id)]
            .describe() +
        " of " + std::to_string(sent.count));
    throw JobFailed();
  }
}

} // namespace runtime
} // namespace shardir
