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
// theirs and take over what it says. Questions and answers go along a tree
// (WatchTree.h), so that no process talks to many; whoever asked last is a
// rank's parent. Who hears nothing of rank 0 for longer than any deadline ends
// by itself.
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
/// More for many ranks, each of which says some 200 bytes to rank 0.
constexpr double kRoundIntervalEach = 1e-4;
/// A process that takes longer to answer is named, or half of the deadline
/// where that is less; a packet that was lost is sent again within. For each
/// process between it and rank 0 it has kReplaced more.
constexpr double kSilence = 2;
/// After longer, the children of a process are asked in its place.
constexpr double kReplaced = 0.1;
/// Answers wait as long for those of others.
constexpr double kGather = 0.05;
/// How long rank 0 waits for all to say what they did last.
constexpr double kLastWords = 1;
/// How much longer than a rank may take to unwind others wait for the last word
/// of rank 0.
constexpr double kPatience = 2;
constexpr uint64_t kStopped = UINT64_MAX; ///< in place of a round's number

/// A snapshot is a list of words: these, then RankStatus::kRecent ids, then
/// pairs: ranks and the posts that were sent to them, ranks and messages,
/// groups and what was begun in them.
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
  kNumPosts,    ///< of the pairs of posts
  kNumMessages, ///< of the pairs of messages
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
      sentPosts(size), sentMessages(size), tree(self, int(size)),
      remotes(self == 0 ? size : 0), parent(tree.parentOf(self)) {
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
  const Counts &counts = messages ? remote.sentMessages : remote.sentPosts;
  auto it = std::lower_bound(counts.begin(), counts.end(),
                             std::make_pair(uint64_t(to), uint64_t(0)));
  return it == counts.end() || it->first != uint64_t(to) ? 0 : it->second;
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
    auto addCounts = [&](Word number, auto &counts) {
      for (size_t r = 0; r < counts.size(); ++r)
        if (uint64_t count = counts[r]) {
          words.insert(words.end(), {r, count});
          ++words[number];
        }
    };
    addCounts(kNumPosts, sentPosts);
    addCounts(kNumMessages, sentMessages);
    std::lock_guard<std::mutex> lock(begunMutex);
    for (auto [group, count] : begun)
      words.insert(words.end(), {group, count});
  } while (status.progress.load(std::memory_order_acquire) != before);
  return {reinterpret_cast<const char *>(words.data()),
          words.size() * sizeof(uint64_t)};
}

void ProcessTransport::readSnapshot(int from, const char *text, size_t bytes) {
  std::vector<uint64_t> words(bytes / sizeof(uint64_t));
  if (words.size() < kFixedWords + RankStatus::kRecent ||
      size_t(from) >= remotes.size())
    return;
  std::memcpy(words.data(), text, words.size() * sizeof(uint64_t));
  if (words.size() < kFixedWords + RankStatus::kRecent +
                         2 * (words[kNumPosts] + words[kNumMessages]))
    return;
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
  auto take = [&](auto &pairs, uint64_t count) {
    pairs.clear();
    for (; count > 0; --count, at += 2)
      pairs.emplace_back(at[0], at[1]);
  };
  take(remote.sentPosts, words[kNumPosts]);
  take(remote.sentMessages, words[kNumMessages]);
  take(remote.begun, uint64_t(words.end() - at) / 2);
  store(status.steps, words[kSteps]);
  store(status.progress, words[kProgress]);
  if (words[kRound] == kStopped)
    remote.stopped = true;
  else
    remote.round = words[kRound];
}

void ProcessTransport::addSnapshot(uint64_t number) {
  std::string text = snapshot(number);
  SnapshotHead head{uint32_t(self), settling, text.size()};
  goingUp.append(reinterpret_cast<const char *>(&head), sizeof(head));
  goingUp += text;
}

void ProcessTransport::readStatus(const ProcessWorld::Notice &notice) {
  StatusHead head;
  if (notice.text.size() < sizeof(head))
    return;
  std::memcpy(&head, notice.text.data(), sizeof(head));
  WatchTree::Child &child = tree.child(notice.from);
  child.stopped |= head.stopped != 0;
  if (head.round == round) {
    child.heard = round;
    child.replaced = false;
  }
  if (head.complete)
    child.complete = head.round;
  const char *at = notice.text.data() + sizeof(head);
  const char *end = notice.text.data() + notice.text.size();
  if (self != 0) {
    goingUp.append(at, end);
    isUrgent |= stopping || settling;
    return;
  }
  SnapshotHead each;
  for (; size_t(end - at) >= sizeof(each); at += each.bytes) {
    std::memcpy(&each, at, sizeof(each));
    at += sizeof(each);
    if (each.bytes > size_t(end - at) || each.rank >= size)
      return;
    readSnapshot(int(each.rank), at, each.bytes);
    remotes[each.rank].ended |= each.ended != 0;
  }
}

void ProcessTransport::relay(Kind kind, const std::string &text) {
  forEachChild(
      [&](int r, WatchTree::Child &) { world.notify(r, kind, run, text); });
}

static std::string textOf(uint64_t number) {
  return {reinterpret_cast<const char *>(&number), sizeof(number)};
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
        world.notify(below, Ping, run, textOf(round));
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

void ProcessTransport::passOn() {
  if (goingUp.empty())
    return;
  StatusHead head{round, 1, stopping};
  forEachChild([&](int, WatchTree::Child &child) {
    head.complete &= child.complete == round;
  });
  if (!head.complete && !isUrgent && since(roundBegan) < kGather)
    return;
  std::string text(reinterpret_cast<const char *>(&head), sizeof(head));
  world.notify(above(), Status, run, text + goingUp);
  goingUp.clear();
  isUrgent = false;
}

void ProcessTransport::handle(const ProcessWorld::Notice &notice) {
  switch (notice.kind) {
  case Ping: {
    uint64_t asked = 0;
    std::memcpy(&asked, notice.text.data(),
                std::min(sizeof(asked), notice.text.size()));
    heard = Clock::now();
    // Whom it had told may not have passed it on.
    if (notice.from != parent)
      told = false;
    parent = notice.from;
    round = asked;
    roundBegan = Clock::now();
    goingUp.clear();
    addSnapshot(stopping ? kStopped : round);
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
  if (!answered ||
      since(roundBegan) <
          std::max(kRoundInterval, double(size) * kRoundIntervalEach))
    return;
  roundComplete = round > 0;
  ++round;
  roundBegan = Clock::now();
  relay(Ping, textOf(round));
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
    toldEnd = isUrgent = true;
    addSnapshot(round);
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
  if (job.failed())
    world.dropGroups(size);
  world.endRun();
}

} // namespace runtime
} // namespace shardir
