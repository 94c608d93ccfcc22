//===- ProcessTransport.cpp - Ranks as processes of one job ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives over processes. Requires ProcessTransport.h's protocol;
// guarantees that posts are compared before a byte of data moves (X1), and that
// whoever leaves a failed job cancels the messages it has asked for, so that a
// later run finds no trace of it: posts and messages carry the number of their
// run.
//
//===----------------------------------------------------------------------===//

#include "ProcessTransport.h"

#include "Core/Job.h"
#include "Core/Wait.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <numeric>

namespace shardir {
namespace runtime {

namespace {

/// Whole all-reduces up to here take one phase: what it moves more costs less
/// than a second wait.
constexpr size_t kWholeBytes = size_t(8) << 10;
} // namespace

std::unique_ptr<Transport> makeProcessTransport(Job &job, ProcessWorld &world,
                                                uint64_t run) {
  return std::make_unique<ProcessTransport>(job, world, run);
}

std::unique_ptr<Communicator> ProcessTransport::connect(RankContext &rank) {
  return std::make_unique<ProcessCommunicator>(*this, rank);
}

ProcessCommunicator::ProcessCommunicator(ProcessTransport &transport,
                                         RankContext &rank)
    : transport(transport), world(transport.world), rank(rank),
      job(transport.job), spins(transport.job.oversubscribed() ? 20 : 2000),
      receivedPosts(transport.size), receivedMessages(transport.size) {
  if (!rank.gpu)
    return;
  ncclCalls = std::make_unique<NcclCalls>(
      *job.options.nccl,
      [this](const std::function<bool()> &done) { pollUntil(done); });
  nccl = std::make_unique<NcclMove>(*ncclCalls, *rank.gpu);
}

ProcessCommunicator::~ProcessCommunicator() {
  if (world.broken)
    leave();
}

ProcessPost ProcessCommunicator::postOf(int32_t id,
                                        const std::vector<int> &group) const {
  ProcessPost post;
  post.run = transport.run;
  post.program = transport.programHash;
  post.group = Hash().add(group.data(), group.size()).value;
  post.id = id;
  if (id < 0)
    post.setText(describeRun());
  return post;
}

BlockLimits ProcessCommunicator::limitsFor(size_t elementSize,
                                           size_t members) const {
  // On a GPU, whole messages: one group of NCCL's moves them all, and stages as
  // much as a call would.
  if (rank.gpu)
    return {INT64_MAX,
            INT64_MAX,
            int64_t(kWholeBytes / elementSize),
            INT_MAX / int64_t(elementSize),
            elementSize,
            /*reduces=*/false,
            /*even=*/true};
  // With many members, smaller blocks: each may stage one from each other.
  size_t staged = std::max(world.limits.staging / std::max<size_t>(members, 1),
                           std::min<size_t>(world.limits.staging, 64 << 10));
  auto elements = [&](size_t bytes) {
    return std::max<int64_t>(1, int64_t(bytes / elementSize));
  };
  return {elements(world.limits.message),
          elements(std::min(staged, world.limits.message)),
          int64_t(kWholeBytes / elementSize),
          world.hasCollectives() ? elements(world.limits.staging) : 0,
          elementSize};
}

void ProcessCommunicator::await(ProcessWait::Kind kind, double seconds,
                                const std::function<int()> &missing) {
  RankStatus &status = job.status(size_t(rank.rank));
  ProcessWait &wait = transport.wait;
  const std::vector<uint64_t> &received =
      kind == ProcessWait::Messages ? receivedMessages : receivedPosts;
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
      if ((gaveUp = since.count() > seconds ||
                    (seconds > kPostsOnTheWay && transport.concluded)))
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

std::optional<std::string> ProcessCommunicator::takeEarly(int from, int tag) {
  auto it = world.early.find({from, tag});
  if (it == world.early.end() || it->second.empty())
    return std::nullopt;
  std::string data = std::move(it->second.front());
  it->second.pop_front();
  return data;
}

void ProcessCommunicator::receivePost(Awaited &a) {
  if (std::optional<std::string> data = takeEarly(a.rank, kPost))
    std::memcpy(&a.post, data->data(), sizeof(ProcessPost));
  else
    a.request = world.receive(world.postsComm(), &a.post, sizeof(ProcessPost),
                              a.rank, kPost);
}

void ProcessCommunicator::sendPost(int to, ProcessPost post) {
  post.messages = transport.sentMessages[size_t(to)];
  world.post(world.postsComm(), bytesOf(post), to, kPost);
  ++transport.sentPosts[size_t(to)];
}

void ProcessCommunicator::meet(const std::vector<int> &group,
                               const ProcessPost &post) {
  std::vector<int> others;
  for (int r : group)
    if (r != rank.rank)
      others.push_back(r);
  for (int r : others)
    sendPost(r, post);
  collectPosts(others, post, kPostsOnTheWay);
}

void ProcessCommunicator::collectPosts(const std::vector<int> &others,
                                       const ProcessPost &post,
                                       double seconds) {
  awaited.clear();
  awaited.reserve(others.size()); // messages are written into the elements
  for (int r : others) {
    awaited.push_back({r, post, nullptr, false});
    receivePost(awaited.back());
  }
  size_t complete = 0;
  try {
    await(ProcessWait::Posts, seconds, [&] {
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

std::string ProcessCommunicator::describe(const ProcessPost &post) const {
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
         shapeText(
             {post.dims, post.dims + std::min<size_t>(size_t(post.rank),
                                                      ProcessPost::kShown)});
  return s;
}

void ProcessCommunicator::check(const ProcessPost &own, int other,
                                const ProcessPost &post) {
  std::string a = "rank " + std::to_string(rank.rank);
  std::string b = "rank " + std::to_string(other);
  bool isOtherProgram = post.program != own.program;
  if (isOtherProgram && (own.id >= 0 || post.id >= 0)) {
    job.fail(a + " runs another program than " + b);
    throw JobFailed();
  }
  if (!isOtherProgram && own.id == post.id && own.group == post.group &&
      own.count == post.count && own.peer == post.peer &&
      own.shape == post.shape) {
    if (own.id >= 0 || post.messages == receivedMessages[size_t(other)])
      return;
    // Sent before that post, so it comes without anybody's help.
    MessageHead head = takeHead(other);
    dropData(other, head);
    job.fail("collective mismatch: " + b + " posted " +
             job.program->metadata.collectives[size_t(head.id)].describe() +
             ", but " + a + " finished without receiving it");
    throw JobFailed();
  }
  const std::vector<CollectiveSpec> &table = job.program->metadata.collectives;
  std::string text = "collective mismatch: ";
  if (post.id < 0 && own.id < 0)
    text = a + " runs " + own.text() + ", but " + b + " runs " + post.text() +
           (own.text() != post.text() ? ""
            : isOtherProgram          ? " as another file"
                                      : " with other extents or options") +
           " (run " + std::to_string(own.run) +
           "): all processes must run the same programs and functions with "
           "the same extents and options, in one order";
  else if (post.id < 0)
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

void ProcessCommunicator::barrier() {
  finishStarted(started.numPushed());
  std::vector<int> all(transport.size);
  std::iota(all.begin(), all.end(), 0);
  // When all are known to be in the same run, posts alone say who is where.
  if (job.options.checksEach && hasAgreed)
    meet(all, postOf(-1, {}));
  else
    agree();
  hasAgreed = true;
  job.throwIfFailed();
  if (rank.gpu)
    prepareGpuGroups(all);
}

/// Polls `done()` even where the job fails, for the others count on this rank,
/// but not for ever, and not long where they may never come.
void ProcessCommunicator::finishMoving(
    const GroupWait &wait, const std::function<bool(bool &)> &done) {
  RankStatus &status = job.status(size_t(rank.rank));
  // Where everybody is here, data moves while messages are tested: a rank that
  // slept would slow down both ends.
  int left = spins;
  bool advanced = false, isShown = false;
  Backoff backoff(0);
  std::chrono::steady_clock::time_point failedAt;
  auto advance = [&] {
    if (isShown)
      status.waitFor.store(nullptr, std::memory_order_release);
    isShown = false;
    status.advance();
  };
  while (!done(advanced)) {
    if (advanced) {
      advance();
      advanced = false;
      left = spins;
      continue;
    }
    if (job.failed()) {
      auto now = std::chrono::steady_clock::now();
      if (failedAt == std::chrono::steady_clock::time_point())
        failedAt = now;
      std::chrono::duration<double> since = now - failedAt;
      if (since.count() >
          (wait.isChecked ? 0.5 * job.options.grace : kPostsOnTheWay)) {
        advance();
        world.broken = world.broken || wait.isChecked;
        leave();
        throw JobFailed();
      }
    }
    if (left-- > 0) {
      cpuRelax();
      continue;
    }
    if (!wait.isChecked && !isShown) {
      transport.wait.kind = ProcessWait::Group;
      transport.wait.group = wait.group;
      transport.wait.begun = wait.begun;
      status.waitFor.store(&transport.wait, std::memory_order_release);
      status.advance();
      isShown = true;
    }
    if (wait.isChecked)
      sched_yield();
    else
      backoff.pause();
  }
  if (isShown)
    advance();
}

void ProcessCommunicator::pollUntil(const std::function<bool()> &done) {
  finishMoving({}, [&](bool &) { return done(); });
}

void ProcessCommunicator::move(MpiComm comm, const GroupWait &wait,
                               const SchedulePhase &phase,
                               const MoveBuffers &buffers) {
  MessageMove move(world, comm, phase, buffers, scratch);
  finishMoving(wait, [&](bool &advanced) {
    advanced = move.poll();
    return move.done();
  });
  scratch.reset();
}

ProcessCommunicator::Plan &ProcessCommunicator::planOf(const StepCall &call) {
  const Route &route = *call.route;
  bool reduces =
      !job.options.orderedReductions &&
      (rank.gpu ? nccl::reductionOf(call.spec->type, route.kind).has_value()
                : enginesReduce(call.spec->type, route.kind));
  auto *plan = static_cast<Plan *>(route.plan.get());
  if (plan && plan->reduces == reduces && plan->rank == rank.rank)
    return *plan;
  auto made = std::make_shared<Plan>();
  int64_t index = route.indexOf(rank.rank);
  const std::vector<int> &group =
      route.groups[route.parts[size_t(index)].group];
  BlockLimits limits = limitsFor(elementSize(call.spec->type), group.size());
  limits.reduces = reduces;
  made->schedule = makeMpiSchedule(route, index, limits);
  made->reduces = reduces;
  made->rank = rank.rank;
  made->group = Hash().add(group.data(), group.size()).value;
  route.plan = made;
  return *made;
}

ProcessPost
ProcessCommunicator::postOf(const std::vector<StepCall> &calls) const {
  const Route &first = *calls.front().route;
  ProcessPost post = postOf(calls.front().id, groupOf(calls));
  post.count = calls.size() > 1 ? int64_t(calls.size()) : 0;
  post.shape = Hash().add(first.shape.data(), first.shape.size()).value;
  post.rank = int32_t(first.shape.size());
  std::copy_n(first.shape.begin(),
              std::min(first.shape.size(), ProcessPost::kShown), post.dims);
  return post;
}

const RoutePart &ProcessCommunicator::partOf(const Route &route) const {
  return route.parts[size_t(route.indexOf(rank.rank))];
}

const std::vector<int> &
ProcessCommunicator::groupOf(const std::vector<StepCall> &calls) const {
  const Route &first = *calls.front().route;
  return first.groups[partOf(first).group];
}

GroupWait ProcessCommunicator::admit(const std::vector<StepCall> &calls,
                                     bool beside) {
  for (const StepCall &call : calls)
    rank.checkOverlap(*call.spec, partOf(*call.route), call.in, call.out);
  const std::vector<int> &group = groupOf(calls);
  Plan &plan = planOf(calls.front());
  Plan::Channel &channel = beside ? plan.beside : plan.inLine;
  bool isMade = channel.generation == world.generation;
  GroupWait wait = enter(group, plan.group, isMade || hasGroup(group, beside),
                         [&] { return postOf(calls); });
  if (!rank.gpu && !isMade && group.size() > 1)
    channel.comm = world.groupComm(group, beside);
  channel.generation = world.generation;
  return wait;
}

Flight ProcessCommunicator::flightOf(const std::vector<StepCall> &calls,
                                     const GroupWait &wait, bool beside) {
  const Plan &first = planOf(calls.front());
  std::vector<Flight::Item> items;
  for (const StepCall &call : calls)
    items.push_back({call, &partOf(*call.route), &planOf(call).schedule});
  return Flight(world, (beside ? first.beside : first.inLine).comm, items,
                wait);
}

void ProcessCommunicator::redistribute(const std::vector<StepCall> &calls) {
  GroupWait wait = admit(calls, /*beside=*/false);
  if (rank.gpu)
    return redistributeOnGpu(calls, wait);
  flight.emplace(flightOf(calls, wait, /*beside=*/false));
  finishMoving(wait, [&](bool &advanced) {
    advanced = flight->poll(scratch);
    return flight->done();
  });
  flight.reset();
}

void ProcessCommunicator::start(const std::vector<StepCall> &calls) {
  GroupWait wait = admit(calls, /*beside=*/true);
  started.push(flightOf(calls, wait, /*beside=*/true));
}

void ProcessCommunicator::finish(const void *out) {
  finishStarted(started.upTo(out));
}

void ProcessCommunicator::finishStarted(uint64_t count) {
  for (uint64_t done; (done = started.numDone()) < count;)
    finishMoving(started.firstWait(), [&](bool &advanced) {
      advanced = started.poll();
      return started.numDone() > done;
    });
}

void ProcessCommunicator::abandon() {
  auto until = std::chrono::steady_clock::now() +
               std::chrono::duration<double>(kPostsOnTheWay);
  while (started.numDone() < started.numPushed()) {
    if (std::chrono::steady_clock::now() > until)
      return leave();
    started.poll();
  }
}

void ProcessCommunicator::leave() {
  job.poison(); // messages may arrive in this rank's memory
  new MoveScratch(std::move(scratch));
  if (flight)
    new Flight(std::move(*flight));
  flight.reset();
  started.leave();
}

} // namespace runtime
} // namespace shardir
