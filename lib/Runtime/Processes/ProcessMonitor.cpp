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
// between them. It alone looks for ranks that wait for each other and for
// deadlines. It also decides which failure was the first: others tell it of
// theirs and take over what it says. Who hears nothing of rank 0 for longer
// than any deadline ends by itself.
//
//===----------------------------------------------------------------------===//

#include "Core/Job.h"
#include "Core/Wait.h"
#include "ProcessTransport.h"

#include <cstring>

namespace shardir {
namespace runtime {

namespace {

constexpr double kRoundInterval = 0.05; ///< seconds
/// A process that takes longer to answer is named.
constexpr double kSilence = 0.25;
/// How long rank 0 waits for all to say what they did last.
constexpr double kLastWords = 1;
/// How much longer than a rank may take to unwind others wait for the last word
/// of rank 0.
constexpr double kPatience = 2;
constexpr uint64_t kStopped = UINT64_MAX; ///< in place of a round's number

/// A snapshot is a list of words: these, then RankStatus::kRecent ids, then
/// what was sent to each rank, then each group and what was begun in it.
enum Word : size_t {
  kRound,
  kProgress,
  kSteps,
  kState,
  kWaitKind,
  kWaitPeer,
  kWaitReceived,
  kWaitGroup,
  kWaitBegun,
  kPosted,
  kDone,
  kFixedWords
};

} // namespace

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
      sentPosts(size), sentMessages(size), remotes(self == 0 ? size : 0) {
  wait.transport = this;
  wait.rank = self;
  for (size_t r = 0; r < remotes.size(); ++r) {
    remotes[r].wait.transport = this;
    remotes[r].wait.rank = int(r);
    remotes[r].ended = remotes[r].stopped = r == 0;
  }
  heard = polled = Clock::now();
}

uint64_t ProcessTransport::sent(int from, int to,
                                ProcessWait::Kind kind) const {
  bool messages = kind == ProcessWait::Messages;
  if (from == self)
    return (messages ? sentMessages : sentPosts)[size_t(to)];
  const Remote &remote = remotes[size_t(from)];
  const std::vector<uint64_t> &counts =
      messages ? remote.sentMessages : remote.sentPosts;
  return counts.empty() ? 0 : counts[size_t(to)];
}

std::string ProcessTransport::snapshot(uint64_t round) {
  RankStatus &status = job.status(size_t(self));
  std::vector<uint64_t> words;
  uint64_t before;
  // Fields written between two equal counts of progress belong together.
  do {
    before = status.progress.load(std::memory_order_acquire);
    // A wait for the GPU is nobody's fault here, as compute is.
    bool waits = status.waitFor.load(std::memory_order_acquire) == &wait;
    words.assign(kFixedWords, 0);
    words[kRound] = round;
    words[kProgress] = before;
    words[kSteps] = status.steps.load(std::memory_order_acquire);
    words[kState] = uint64_t(status.state.load(std::memory_order_acquire));
    words[kWaitKind] = waits ? uint64_t(int(wait.kind)) : ProcessWait::None;
    words[kWaitPeer] = uint64_t(int64_t(wait.peer));
    words[kWaitReceived] = wait.received;
    words[kWaitGroup] = wait.group;
    words[kWaitBegun] = wait.begun;
    words[kPosted] = status.posted.load(std::memory_order_acquire);
    words[kDone] = status.done.load(std::memory_order_acquire);
    for (const std::atomic<int32_t> &id : status.recent)
      words.push_back(uint64_t(int64_t(id.load(std::memory_order_relaxed))));
    for (const std::atomic<uint64_t> &count : sentPosts)
      words.push_back(count);
    for (const std::atomic<uint64_t> &count : sentMessages)
      words.push_back(count);
    std::lock_guard<std::mutex> lock(begunMutex);
    for (auto [group, count] : begun)
      words.insert(words.end(), {group, count});
  } while (status.progress.load(std::memory_order_acquire) != before);
  return {reinterpret_cast<const char *>(words.data()),
          words.size() * sizeof(uint64_t)};
}

void ProcessTransport::readSnapshot(int from, const std::string &text) {
  std::vector<uint64_t> words(text.size() / sizeof(uint64_t));
  if (words.size() < kFixedWords + RankStatus::kRecent + 2 * size ||
      size_t(from) >= remotes.size())
    return;
  std::memcpy(words.data(), text.data(), text.size());
  Remote &remote = remotes[size_t(from)];
  RankStatus &status = job.status(size_t(from));
  auto store = [](auto &to, auto value) {
    to.store(value, std::memory_order_release);
  };
  store(status.waitFor, nullptr);
  remote.wait.kind = int(words[kWaitKind]);
  remote.wait.peer = int(int64_t(words[kWaitPeer]));
  remote.wait.received = words[kWaitReceived];
  remote.wait.group = words[kWaitGroup];
  remote.wait.begun = words[kWaitBegun];
  if (words[kWaitKind] != ProcessWait::None)
    store(status.waitFor, &remote.wait);
  store(status.state, int(words[kState]));
  store(status.posted, words[kPosted]);
  store(status.done, words[kDone]);
  auto at = words.begin() + kFixedWords;
  for (std::atomic<int32_t> &id : status.recent)
    store(id, int32_t(int64_t(*at++)));
  remote.sentPosts.assign(at, at + int64_t(size));
  at += int64_t(size);
  remote.sentMessages.assign(at, at + int64_t(size));
  at += int64_t(size);
  remote.begun.clear();
  for (; words.end() - at >= 2; at += 2)
    remote.begun.emplace_back(at[0], at[1]);
  store(status.steps, words[kSteps]);
  store(status.progress, words[kProgress]);
  if (words[kRound] == kStopped)
    remote.stopped = true;
  else
    remote.round = words[kRound];
}

void ProcessTransport::handle(const ProcessWorld::Notice &notice) {
  heard = Clock::now();
  switch (notice.kind) {
  case Ping: {
    uint64_t asked = 0;
    std::memcpy(&asked, notice.text.data(),
                std::min(sizeof(asked), notice.text.size()));
    world.notify(0, Status, run, snapshot(asked));
    break;
  }
  case Status:
    readSnapshot(notice.from, notice.text);
    break;
  case Ended:
    readSnapshot(notice.from, notice.text);
    if (size_t(notice.from) < remotes.size())
      remotes[size_t(notice.from)].ended = true;
    break;
  case Failed:
    job.fail(notice.text);
    break;
  case Stop:
    told = true;
    job.fail("another rank failed");
    world.notify(0, Status, run, snapshot(kStopped));
    break;
  case Final:
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
  int lost = world.lost();
  if (lost < 0 || concluded)
    return;
  world.broken = true;
  std::string text = "rank " + std::to_string(lost) + "'s process has ended";
  if (self == 0 && remotes[size_t(lost)].round > 0)
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
    for (size_t r = 1; r < size; ++r)
      world.notify(int(r), Final, run, "");
    concluded = true;
    return;
  }
  if (!answered || since(roundBegan) < kRoundInterval)
    return;
  roundComplete = round > 0;
  ++round;
  roundBegan = Clock::now();
  std::string number(reinterpret_cast<const char *>(&round), sizeof(round));
  for (size_t r = 1; r < size; ++r)
    if (!remotes[r].ended)
      world.notify(int(r), Ping, run, number);
}

void ProcessTransport::conclude() {
  if (!told) {
    told = true;
    stopBegan = Clock::now();
    for (size_t r = 1; r < size; ++r)
      world.notify(int(r), Stop, run, "");
  }
  bool all = true;
  for (const Remote &remote : remotes)
    all &= remote.stopped;
  if (!all && since(stopBegan) < kLastWords)
    return;
  std::string text = job.error() + "\n" + job.history();
  job.setError(text);
  for (size_t r = 1; r < size; ++r)
    world.notify(int(r), Final, run, text);
  concluded = true;
}

void ProcessTransport::follow() {
  if (job.failed()) {
    if (!told) {
      told = true;
      stopBegan = Clock::now();
      world.notify(0, Failed, run, job.error());
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
    world.notify(0, Ended, run, snapshot(round));
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
         since(roundBegan) > kSilence;
}

void ProcessTransport::settle() {
  settling = true;
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
          late = "rank " + std::to_string(r) + " has not ended the run";
      job.fail("deadline passed: " + late);
    }
    backoff.pause();
  }
  settleGpus();
  if (job.failed() && (!job.options.checksEach || job.options.nccl))
    world.dropGroups();
  world.endRun();
}

} // namespace runtime
} // namespace shardir
