//===- MpiTransport.cpp - Ranks as processes of an MPI job ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives over processes. Requires MpiTransport.h's protocol; guarantees
// that posts are compared before a byte of data moves (X1), and that whoever
// leaves a failed job takes back what it has asked MPI for, so that a later run
// finds no trace of it: posts and messages carry the number of their run.
//
//===----------------------------------------------------------------------===//

#include "MpiTransport.h"

#include "Core/Job.h"
#include "Core/Wait.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>

namespace shardir {
namespace runtime {

namespace {

enum Tag : int { kPost = 1, kMessage = 2, kCarried = 3 };

/// Whole all-reduces up to here take one phase: what it moves more costs less
/// than a second wait.
constexpr size_t kWholeBytes = size_t(8) << 10;
/// A failed job's rank waits as long for posts that may be on their way: who
/// has them all goes on to move data, and needs this rank for that.
constexpr double kPostsOnTheWay = 0.1;

/// FNV-1a, the same on all processes.
class Hash {
public:
  template <class T> Hash &add(const T *data, size_t n) {
    auto *bytes = reinterpret_cast<const unsigned char *>(data);
    for (size_t i = 0; i < n * sizeof(T); ++i)
      value = (value ^ bytes[i]) * 0x100000001b3u;
    return *this;
  }
  uint64_t value = 0xcbf29ce484222325u;
};

template <class T> std::shared_ptr<const std::string> bytesOf(const T &value) {
  return std::make_shared<std::string>(reinterpret_cast<const char *>(&value),
                                       sizeof(T));
}

std::vector<MpiBlock> blocksAt(int64_t offset, int64_t count, int64_t limit) {
  std::vector<MpiBlock> blocks;
  for (int64_t at = 0; at < count; at += limit)
    blocks.push_back({std::min(limit, count - at), offset + at, CopyPlan()});
  return blocks;
}

} // namespace

std::unique_ptr<Transport> makeMpiTransport(Job &job, ProcessWorld &world,
                                            uint64_t run) {
  return std::make_unique<MpiTransport>(job, world, run);
}

std::unique_ptr<Communicator> MpiTransport::connect(RankContext &rank) {
  return std::make_unique<MpiCommunicator>(*this, rank);
}

MpiCommunicator::MpiCommunicator(MpiTransport &transport, RankContext &rank)
    : transport(transport), world(transport.world), rank(rank),
      job(transport.job), spins(transport.job.oversubscribed() ? 20 : 2000),
      receivedPosts(transport.size), receivedMessages(transport.size),
      schedules(transport.job.program->metadata.collectives.size()) {
  if (rank.gpu)
    nccl = std::make_unique<NcclMove>(
        *job.options.nccl, *rank.gpu,
        [this](const std::function<bool()> &done) { pollUntil(done); });
}

MpiCommunicator::~MpiCommunicator() {
  // MPI may still write there.
  if (world.broken)
    new MpiScratch(std::move(scratch));
}

MpiPost MpiCommunicator::postOf(int32_t id,
                                const std::vector<int> &group) const {
  MpiPost post;
  post.run = transport.run;
  post.program = transport.programHash;
  post.group = Hash().add(group.data(), group.size()).value;
  post.id = id;
  return post;
}

MpiBlockLimits MpiCommunicator::limitsFor(size_t elementSize,
                                          size_t members) const {
  // On a GPU, whole messages: one group of NCCL's moves them all.
  if (rank.gpu)
    return {INT64_MAX, INT64_MAX, int64_t(kWholeBytes / elementSize)};
  // With many members, smaller blocks: each may stage one from each other.
  size_t staged = std::max(world.limits.staging / std::max<size_t>(members, 1),
                           std::min<size_t>(world.limits.staging, 64 << 10));
  auto elements = [&](size_t bytes) {
    return std::max<int64_t>(1, int64_t(bytes / elementSize));
  };
  return {elements(world.limits.message),
          elements(std::min(staged, world.limits.message)),
          int64_t(kWholeBytes / elementSize)};
}

/// Polls `missing()` until it gives -1: a rank that this one waits for.
template <class F>
void MpiCommunicator::await(MpiWait::Kind kind, F &&missing) {
  RankStatus &status = job.status(size_t(rank.rank));
  MpiWait &wait = transport.wait;
  const std::vector<uint64_t> &received =
      kind == MpiWait::Messages ? receivedMessages : receivedPosts;
  int left = spins, shown = -1;
  Backoff backoff(0);
  std::chrono::steady_clock::time_point failedAt;
  bool gaveUp = false;
  int r;
  while ((r = missing()) >= 0) {
    if (job.failed()) {
      auto now = std::chrono::steady_clock::now();
      if (failedAt == std::chrono::steady_clock::time_point())
        failedAt = now;
      std::chrono::duration<double> since = now - failedAt;
      if ((gaveUp =
               kind == MpiWait::Messages || since.count() > kPostsOnTheWay))
        break;
    }
    if (left-- > 0) {
      cpuRelax();
      continue;
    }
    if (r != shown) {
      status.waitFor.store(nullptr, std::memory_order_release);
      wait.kind = kind;
      wait.peer = r;
      wait.received = received[size_t(r)];
      status.waitFor.store(&wait, std::memory_order_release);
      status.advance();
      shown = r;
    }
    backoff.pause();
  }
  if (shown >= 0) {
    status.waitFor.store(nullptr, std::memory_order_release);
    status.advance();
  }
  if (gaveUp)
    throw JobFailed();
}

std::optional<std::string> MpiCommunicator::takeEarly(int from, int tag) {
  auto it = world.early.find({from, tag});
  if (it == world.early.end() || it->second.empty())
    return std::nullopt;
  std::string data = std::move(it->second.front());
  it->second.pop_front();
  return data;
}

void MpiCommunicator::receivePost(Awaited &a) {
  if (std::optional<std::string> data = takeEarly(a.rank, kPost))
    std::memcpy(&a.post, data->data(), sizeof(MpiPost));
  else
    a.request = world.receive(world.postsComm(), &a.post, sizeof(MpiPost),
                              a.rank, kPost);
}

void MpiCommunicator::meet(const std::vector<int> &group, MpiPost post) {
  for (int r : group) {
    if (r == rank.rank)
      continue;
    post.messages = transport.sentMessages[size_t(r)];
    world.post(world.postsComm(), bytesOf(post), r, kPost);
    ++transport.sentPosts[size_t(r)];
  }
  awaited.clear();
  awaited.reserve(group.size()); // MPI writes into the elements
  for (int r : group) {
    if (r == rank.rank)
      continue;
    awaited.push_back({r, {}, nullptr, false});
    receivePost(awaited.back());
  }
  size_t complete = 0;
  try {
    await(MpiWait::Posts, [&] {
      for (; complete < awaited.size(); ++complete) {
        Awaited &a = awaited[complete];
        while (!a.isAhead && world.test(a.request) &&
               a.post.run < transport.run)
          receivePost(a); // left over from a run that failed
        if (!a.isAhead && !a.request && a.post.run > transport.run) {
          // That rank has left this run, which has failed, for the next one.
          a.isAhead = true;
          world.early[{a.rank, kPost}].push_back(*bytesOf(a.post));
        }
        if (a.isAhead || a.request)
          return a.rank;
        ++receivedPosts[size_t(a.rank)];
        // Others may never come where this one is somewhere else.
        if (a.post.id != post.id || a.post.group != post.group)
          check(post, a.rank, a.post);
      }
      return -1;
    });
  } catch (...) {
    for (Awaited &a : awaited)
      if (a.request && world.cancel(a.request) && a.post.run > transport.run)
        world.early[{a.rank, kPost}].push_back(*bytesOf(a.post));
    throw;
  }
  if (job.options.trace)
    rank.readyTime = job.now();
  for (const Awaited &a : awaited)
    check(post, a.rank, a.post);
}

std::string MpiCommunicator::describe(const MpiPost &post) const {
  const CollectiveSpec &spec =
      job.program->metadata.collectives[size_t(post.id)];
  std::string s = spec.describe();
  if (spec.kind != OpKind::Redistribute)
    return s + " of " + std::to_string(post.count) + " elements with root " +
           std::to_string(post.peer);
  if (post.count > 1)
    s += " in a bucket of " + std::to_string(post.count);
  if (spec.unknownExtents)
    s += " with shape " +
         shapeText({post.dims, post.dims + std::min<size_t>(size_t(post.rank),
                                                            MpiPost::kShown)});
  return s;
}

void MpiCommunicator::check(const MpiPost &own, int other,
                            const MpiPost &post) {
  std::string a = "rank " + std::to_string(rank.rank);
  std::string b = "rank " + std::to_string(other);
  if (post.program != own.program) {
    job.fail(a + " runs another program than " + b +
             ": start all processes with the same file");
    throw JobFailed();
  }
  if (own.id == post.id && own.group == post.group && own.count == post.count &&
      own.peer == post.peer && own.shape == post.shape) {
    if (own.id >= 0 || post.messages == receivedMessages[size_t(other)])
      return;
    // Sent before that post, so it comes without anybody's help.
    MpiMessageHead head = takeHead(other);
    dropData(other, head);
    job.fail("collective mismatch: " + b + " posted " +
             job.program->metadata.collectives[size_t(head.id)].describe() +
             ", but " + a + " finished without receiving it");
    throw JobFailed();
  }
  const std::vector<CollectiveSpec> &table = job.program->metadata.collectives;
  std::string text = "collective mismatch: ";
  if (post.id < 0)
    text += a + " is in " + table[size_t(own.id)].describe() + ", but " + b +
            " has finished without it";
  else if (own.id < 0)
    text += b + " is in " + table[size_t(post.id)].describe() + ", but " + a +
            " has finished without it";
  else
    text += a + " posted " + describe(own) + ", but " + b + " posted " +
            describe(post);
  job.fail(text);
  throw JobFailed();
}

void MpiCommunicator::barrier() {
  std::vector<int> all(transport.size);
  for (size_t r = 0; r < all.size(); ++r)
    all[r] = int(r);
  meet(all, postOf(-1, all));
  job.throwIfFailed();
}

/// Polls `done()` even where the job fails, for the others count on this rank,
/// but not for ever.
template <class F> void MpiCommunicator::finishMoving(F &&done) {
  RankStatus &status = job.status(size_t(rank.rank));
  // Everybody is here, and data moves while MPI is called: who slept would slow
  // down both ends.
  int left = spins;
  std::chrono::steady_clock::time_point failedAt;
  bool advanced = false;
  while (!done(advanced)) {
    if (advanced) {
      status.advance();
      advanced = false;
      left = spins;
      continue;
    }
    if (job.failed()) {
      auto now = std::chrono::steady_clock::now();
      if (failedAt == std::chrono::steady_clock::time_point())
        failedAt = now;
      std::chrono::duration<double> since = now - failedAt;
      if (since.count() > 0.5 * job.options.grace) {
        world.broken = true;
        job.poison(); // MPI may write into this rank's memory
        throw JobFailed();
      }
    }
    if (left-- > 0)
      cpuRelax();
    else
      sched_yield();
  }
}

void MpiCommunicator::pollUntil(const std::function<bool()> &done) {
  finishMoving([&](bool &) { return done(); });
}

void MpiCommunicator::move(MpiComm comm, const MpiPhase &phase,
                           const MpiBuffers &buffers) {
  MpiMove move(world, comm, phase, buffers, scratch);
  finishMoving([&](bool &advanced) {
    advanced = move.poll();
    return move.done();
  });
  scratch.reset();
}

const MpiSchedule &MpiCommunicator::scheduleOf(const StepCall &call) {
  Cached &cached = schedules[size_t(call.id)];
  if (cached.route != call.route) {
    int64_t index = call.route->indexOf(rank.rank);
    size_t group = call.route->parts[size_t(index)].group;
    cached.schedule =
        makeMpiSchedule(*call.route, index,
                        limitsFor(elementSize(call.spec->type),
                                  call.route->groups[group].size()));
    cached.route = call.route;
  }
  return cached.schedule;
}

void MpiCommunicator::redistribute(const std::vector<StepCall> &calls) {
  const Route &first = *calls.front().route;
  auto partOf = [&](const Route &route) -> const RoutePart & {
    return route.parts[size_t(route.indexOf(rank.rank))];
  };
  for (const StepCall &call : calls)
    rank.checkOverlap(*call.spec, partOf(*call.route), call.in, call.out);
  const std::vector<int> &group = first.groups[partOf(first).group];
  MpiPost post = postOf(calls.front().id, group);
  post.count = calls.size() > 1 ? int64_t(calls.size()) : 0;
  post.shape = Hash().add(first.shape.data(), first.shape.size()).value;
  post.rank = int32_t(first.shape.size());
  std::copy_n(first.shape.begin(),
              std::min(first.shape.size(), MpiPost::kShown), post.dims);
  meet(group, post);
  if (rank.gpu) {
    for (const StepCall &call : calls)
      redistributeOnGpu(*call.spec, *call.route, partOf(*call.route),
                        scheduleOf(call), call.in, call.out);
    return;
  }
  std::vector<MpiBuffers> buffers;
  std::vector<std::unique_ptr<char[]>> copies;
  size_t numPhases = 0;
  for (const StepCall &call : calls) {
    const RoutePart &part = partOf(*call.route);
    const std::vector<MpiPhase> &phases = scheduleOf(call).phases;
    size_t size = elementSize(call.spec->type);
    if (part.identity)
      fillIdentity(call.route->kind, call.spec->type, call.out,
                   size_t(part.resultCount));
    buffers.push_back({call.in, call.out, size, call.route->reduce,
                       buffers.size(), calls.size()});
    // In place and in one phase, the result would overwrite what is being sent.
    if (call.in == call.out && phases.size() == 1 && !phases[0].sends.empty()) {
      copies.emplace_back(new char[size_t(part.operandCount) * size]);
      std::memcpy(copies.back().get(), call.in,
                  size_t(part.operandCount) * size);
      buffers.back().in = copies.back().get();
    }
    numPhases = std::max(numPhases, phases.size());
  }
  MpiComm comm = group.size() > 1 ? world.groupComm(group) : nullptr;
  for (size_t phase = 0; phase < numPhases; ++phase)
    movePhase(comm, calls, buffers, phase);
}

void MpiCommunicator::movePhase(MpiComm comm,
                                const std::vector<StepCall> &calls,
                                const std::vector<MpiBuffers> &buffers,
                                size_t phase) {
  std::deque<MpiMove> moves;
  for (size_t i = 0; i < calls.size(); ++i) {
    const std::vector<MpiPhase> &phases = scheduleOf(calls[i]).phases;
    if (phase >= phases.size())
      continue;
    MpiBuffers now = buffers[i];
    for (const CopyPlan &plan : phases[phase].local)
      if (now.in != now.out)
        plan.copy(now.in, now.out, now.size);
    if (phases[phase].sendsResult)
      now.in = now.out;
    moves.emplace_back(world, comm, phases[phase], now, scratch);
  }
  finishMoving([&](bool &advanced) {
    bool done = true;
    for (MpiMove &move : moves)
      if (!move.done()) {
        advanced |= move.poll();
        done &= move.done();
      }
    return done;
  });
  scratch.reset();
}

int64_t MpiCommunicator::peer(int32_t id, const CollectiveSpec &spec,
                              const PeerRoute &route, const void *in, void *out,
                              int64_t count, int64_t peer) {
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
  MpiPost post = postOf(id, members);
  post.count = count;
  post.peer = peer;
  meet(members, post);
  bool isRoot = place == root;
  int64_t limit = limitsFor(size, members.size()).message;
  MpiPhase phase;
  for (size_t i = 0; i < members.size(); ++i) {
    if (i == place || count == 0 || (!isRoot && i != root))
      continue;
    int64_t there = int64_t(i) * count;
    bool sends = (spec.kind == OpKind::Gather) != isRoot;
    int64_t offset = isRoot && spec.kind != OpKind::Broadcast ? there : 0;
    if (sends) {
      MpiSend send;
      send.to = uint32_t(i);
      send.blocks = blocksAt(offset, count, limit);
      phase.sends.push_back(std::move(send));
    } else {
      MpiReceive receive;
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
    moveOnGpu(members, place, phase, {in, out, spec.type, PartialKind::Sum});
  else if (!phase.sends.empty() || !phase.receives.empty())
    move(world.groupComm(members), phase, {in, out, size, nullptr});
  if (spec.kind == OpKind::Gather)
    return isRoot ? int64_t((members.size() - 1) * bytes) : 0;
  return isRoot ? 0 : int64_t(bytes);
}

void MpiCommunicator::sendMessage(int32_t id, const CollectiveSpec &spec,
                                  int to, const void *in, int64_t count) {
  MpiMessageHead head;
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

void MpiCommunicator::receiveData(int from, const MpiMessageHead &head,
                                  void *to) {
  std::vector<MpiRequest> pieces;
  for (size_t at = 0; at < head.bytes; at += world.limits.message)
    pieces.push_back(
        world.receive(world.postsComm(), static_cast<char *>(to) + at,
                      std::min(world.limits.message, size_t(head.bytes) - at),
                      from, kMessage));
  finishMoving([&](bool &) {
    bool complete = true;
    for (MpiRequest &request : pieces)
      complete &= world.test(request);
    return complete;
  });
}

void MpiCommunicator::dropData(int from, const MpiMessageHead &head) {
  std::unique_ptr<char[]> dropped(new char[size_t(head.bytes) + 1]);
  receiveData(from, head, dropped.get());
}

MpiMessageHead MpiCommunicator::takeHead(int from) {
  while (true) {
    MpiMessageHead head;
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
      await(MpiWait::Messages, [&] {
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

void MpiCommunicator::receiveMessage(const CollectiveSpec &spec, int from,
                                     void *out, int64_t count) {
  MpiMessageHead head = takeHead(from);
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

void MpiCommunicator::carry(int from, int to, const void *in, void *out,
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
    finishMoving([&](bool &) { return world.test(request); });
  }
}

} // namespace runtime
} // namespace shardir
