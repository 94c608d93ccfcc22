//===- ProcessMonitor.cpp - Watches over ranks in other processes ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The watchdogs of all processes together. Requires that each process' watchdog
// calls observe() while its rank runs, and settle() then; guarantees that all
// processes of a run end it with the same message (X2).
//
// Rank 0 asks all others what they do, in rounds: it asks again only when all
// have answered, so what two rounds find unchanged was true at one time,
// between them. In a deep tree an answer is a sum of progress, and the age of
// the oldest step: all tell what they do where the sum does not change, or
// where a step is older than the deadline. Rank 0 alone looks for ranks that
// wait for each other and for deadlines. It also decides which failure was the
// first: others tell it of theirs and take over what it says. Questions and
// answers go along a tree (WatchTree.h), so that no process talks to many;
// whoever asked last is a rank's parent. Who hears nothing of rank 0 for longer
// than any deadline ends by itself.
//
//===----------------------------------------------------------------------===//

#include "Core/Job.h"
#include "Core/Wait.h"
#include "ProcessTransport.h"

#include <algorithm>
#include <cstring>

namespace shardir {
namespace runtime {

namespace {

constexpr double kRoundInterval = 0.05; ///< seconds
/// More for many ranks, each of which may say some 200 bytes to rank 0.
constexpr double kRoundIntervalEach = 1e-4;
/// A process that takes longer to answer is named, or half of the deadline
/// where that is less; a packet that was lost is sent again within. For each
/// process between it and rank 0 it has kReplaced more.
constexpr double kSilence = 2;
/// After longer, the children of a process are asked in its place.
constexpr double kReplaced = 0.1;
/// How long rank 0 waits for all to say what they did last.
constexpr double kLastWords = 1;
/// How much longer than a rank may take to unwind others wait for the last word
/// of rank 0.
constexpr double kPatience = 2;
} // namespace

double ProcessTransport::roundInterval() const {
  return std::max(kRoundInterval, double(size) * kRoundIntervalEach);
}

int ProcessWait::missing(uint64_t) const {
  int k = kind, p = peer;
  if (k == Group)
    return transport->self == 0 ? transport->behind(group, begun) : -1;
  if (k == None || p < 0)
    return -1;
  // A message that was sent and not received yet is on its way: no rank is
  // missing.
  if (transport->self == 0 && transport->sent(p, rank, Kind(k)) > received)
    return -1;
  return p;
}

ProcessTransport::ProcessTransport(Job &job, ProcessWorld &world, uint64_t run)
    : job(job), world(world), run(run), self(world.rank), size(job.numRanks()),
      programHash(Hash()
                      .add(job.program->metadata.json.data(),
                           job.program->metadata.json.size())
                      .value),
      sentPosts(size), sentMessages(size), tree(self, int(size)),
      remotes(self == 0 ? size : 0), parent(tree.parentOf(self)),
      sumsUp(!tree.isShallow()) {
  wait.transport = this;
  wait.rank = self;
  ping.isFull = !sumsUp;
  for (size_t r = 0; r < remotes.size(); ++r) {
    remotes[r].wait.transport = this;
    remotes[r].wait.rank = int(r);
    remotes[r].ended = remotes[r].stopped = r == 0;
  }
  heard = polled = stepped = progressed = made;
}

uint64_t ProcessTransport::sent(int from, int to,
                                ProcessWait::Kind kind) const {
  bool messages = kind == ProcessWait::Messages;
  if (from == self)
    return (messages ? sentMessages : sentPosts)[size_t(to)];
  const Remote &remote = remotes[size_t(from)];
  const Counts &counts = messages ? remote.sentMessages : remote.sentPosts;
  auto it = std::lower_bound(counts.begin(), counts.end(),
                             std::make_pair(uint64_t(to), uint64_t(0)));
  return it == counts.end() || it->first != uint64_t(to) ? 0 : it->second;
}

void ProcessTransport::relay(Kind kind, const std::string &text) {
  forEachChild(
      [&](int r, WatchTree::Child &) { world.notify(r, kind, run, text); });
}

void ProcessTransport::replaceSilent() {
  bool asks = round > 0 && since(roundBegan) > kReplaced;
  bool stops = stopping && since(stopBegan) > kReplaced;
  if (!asks && !stops)
    return;
  std::vector<int> silent;
  forEachChild([&](int r, WatchTree::Child &child) {
    if (!child.replaced &&
        ((stops && !child.stopped) || (asks && child.heard != round)))
      silent.push_back(r);
  });
  for (int r : silent) {
    tree.child(r).replaced = true;
    for (int below : tree.childrenOf(r)) {
      if (round > 0)
        world.notify(below, Ping, run, *bytesOf(ping));
      if (stopping)
        world.notify(below, Stop, run, "");
    }
  }
}

/// The next one on the way to rank 0 whose process has not ended.
int ProcessTransport::above() const {
  int r = parent;
  while (r > 0 && world.isGone(r))
    r = tree.parentOf(r);
  return r;
}

void ProcessTransport::handle(const ProcessWorld::Notice &notice) {
  switch (notice.kind) {
  case Ping: {
    std::memcpy(&ping, notice.text.data(),
                std::min(sizeof(ping), notice.text.size()));
    heard = Clock::now();
    // Whom it had told may not have passed it on.
    if (notice.from != parent)
      told = false;
    parent = notice.from;
    round = ping.round;
    roundBegan = Clock::now();
    goingUp.clear();
    marks.clear();
    answer(ping.isFull);
    relay(Ping, notice.text);
    break;
  }
  case Status:
    readStatus(notice);
    break;
  case Failed:
    job.fail(notice.text);
    break;
  case Stop:
    heard = Clock::now();
    if (!stopping)
      stopBegan = heard;
    told = stopping = isUrgent = true;
    parent = notice.from;
    job.fail("another rank failed");
    addSnapshot(kStopped);
    relay(Stop, "");
    break;
  case Final:
    relay(Final, notice.text);
    if (!notice.text.empty()) {
      job.fail(notice.text);
      job.setError(notice.text);
    }
    told = concluded = true;
    break;
  default:
    break;
  }
}

void ProcessTransport::noticeLoss() {
  std::string fault = world.fault();
  if (!fault.empty() && !concluded) {
    world.broken = true;
    job.fail(fault);
  }
  int lost = world.lost();
  if (lost < 0 || concluded)
    return;
  world.broken = true;
  std::string text = "rank " + std::to_string(lost) + "'s process has ended";
  if (self == 0 && remotes[size_t(lost)].told != Clock::time_point())
    text += "; it was last seen " + job.whereabouts(lost);
  job.fail(text);
  // Rank 0 tells the others. Where it is the one, they all see it, and the
  // first of them says so.
  if (self == 0) {
    for (size_t r = 1; r < size; ++r)
      if (world.isGone(int(r)))
        remotes[r].stopped = remotes[r].ended = true;
  } else if (world.isGone(0)) {
    world.unheard = self == (lost == 0 ? 1 : 0);
    job.setError(job.error() + "\n" + job.history());
    concluded = true;
  }
}

Transport::Sight ProcessTransport::observe() {
  try {
    // A rank may hold MPI for long, where it moves much at once.
    noteSteps();
    if (world.poll(0.02))
      polled = Clock::now();
    else if (!job.failed() && since(polled) > job.options.timeout) {
      world.broken = world.unheard = true;
      job.fail("deadline passed: rank " + std::to_string(self) +
               " has been inside MPI for " +
               std::to_string(int64_t(since(polled))) + " s");
    }
    ProcessWorld::Notice notice;
    while (world.next(run, notice))
      handle(notice);
    noticeLoss();
    watchGpus();
    if (!concluded)
      self == 0 ? lead() : follow();
    if (!concluded)
      replaceSilent();
    if (!concluded && self != 0)
      passOn();
  } catch (const std::exception &e) {
    world.broken = world.unheard = true;
    job.fail("rank " + std::to_string(self) + " lost the others: " + e.what());
    concluded = true;
  }
  if (self != 0 || job.failed())
    return Sight::None;
  bool fresh = roundComplete;
  roundComplete = false;
  return fresh || size == 1 ? Sight::Consistent : Sight::Stale;
}

void ProcessTransport::lead() {
  if (job.failed()) {
    conclude();
    return;
  }
  bool answered = true, allEnded = true;
  for (const Remote &remote : remotes) {
    answered &= remote.ended || remote.round == round;
    allEnded &= remote.ended;
  }
  if (settling && allEnded) {
    relay(Final, "");
    concluded = true;
    return;
  }
  if (!answered || since(roundBegan) < roundInterval())
    return;
  if (round > 0)
    endRound();
  ping.round = ++round;
  roundBegan = Clock::now();
  progress = loops;
  oldest = sinceStep();
  relay(Ping, *bytesOf(ping));
}

/// Takes in a round in which all have answered; decides what the next one asks.
void ProcessTransport::endRound() {
  if (!sumsUp) {
    ping.isFull = roundComplete = true;
    return;
  }
  bool isSame = progress == lastProgress;
  lastProgress = progress;
  if (isSame && ping.isFull)
    detailed = progress;
  roundComplete = isSame && detailed == progress;
  bool isLate = oldest >= 1000 * job.options.timeout;
  if (!isLate && !ping.isFull)
    for (size_t r = 1; r < size; ++r)
      if (RankStatus &status = job.status(r); status.stepped < roundBegan)
        status.stepped = status.progressed = roundBegan;
  ping.isFull = isLate || (isSame && detailed != progress);
}

void ProcessTransport::conclude() {
  if (!told) {
    told = stopping = true;
    stopBegan = Clock::now();
    relay(Stop, "");
  }
  bool all = true;
  for (const Remote &remote : remotes)
    all &= remote.stopped;
  if (!all && since(stopBegan) < kLastWords)
    return;
  std::string text = job.error() + "\n" + job.history();
  job.setError(text);
  relay(Final, text);
  concluded = true;
}

void ProcessTransport::follow() {
  if (job.failed()) {
    if (!told) {
      told = true;
      stopBegan = Clock::now();
      world.notify(above(), Failed, run, job.error());
    } else if (stopBegan == Clock::time_point()) {
      stopBegan = Clock::now();
    }
    if (since(stopBegan) > job.options.grace + kPatience + kLastWords) {
      job.setError(job.error() + "\n" + job.history());
      concludeAlone();
    }
    return;
  }
  if (settling && !toldEnd) {
    toldEnd = true;
    if (sumsUp) {
      if (ends.empty())
        endsBegan = Clock::now();
      ends += textOf({uint32_t(self), 0, 1, 0});
    } else {
      isUrgent = true;
      addSnapshot(round);
    }
  }
  double silent = since(heard);
  if (silent > job.options.timeout + world.politeness()) {
    job.fail("deadline passed: rank 0 has not answered for " +
             std::to_string(int64_t(silent)) + " s; rank " +
             std::to_string(self) + " is " + job.whereabouts(self));
    concludeAlone();
  }
}

void ProcessTransport::concludeAlone() {
  world.broken = true;
  // Where no launcher ends the others when one has ended, the first one speaks.
  world.unheard = !world.someHaveLeft();
  world.leave();
  concluded = true;
}

bool ProcessTransport::isSilent(int rank) const {
  if (self != 0 || rank == 0)
    return false;
  const Remote &remote = remotes[size_t(rank)];
  return !remote.ended && !remote.stopped && remote.round != round &&
         since(roundBegan) > std::min(kSilence, job.options.timeout / 2) +
                                 kReplaced * (tree.depthOf(rank) - 1);
}

double ProcessTransport::toldAgo(int rank) const {
  if (self != 0 || rank == 0 || !sumsUp)
    return 0;
  Clock::time_point told = remotes[size_t(rank)].told;
  return since(told == Clock::time_point() ? made : told);
}

void ProcessTransport::settle() {
  settling = true;
  // Where all have ended well, nobody waits for a word of rank 0.
  concluded = concluded || job.isSealed();
  if (job.abandoned())
    world.broken = true;
  Clock::time_point began = Clock::now();
  Backoff backoff(0);
  while (!concluded) {
    observe();
    if (self == 0 && !job.failed() && since(began) > job.options.timeout) {
      std::string late;
      for (size_t r = 1; r < size && late.empty(); ++r)
        if (!remotes[r].ended)
          late = "rank " + std::to_string(r) + " has not ended the run" +
                 (isSilent(int(r)) ? ", and its process does not answer" : "");
      job.fail("deadline passed: " + late);
    }
    backoff.pause();
  }
  settleGpus();
  if (job.failed())
    world.dropGroups(size);
  world.endRun();
}

} // namespace runtime
} // namespace shardir
