//===- ProcessStatus.cpp - What a rank tells the watchdogs ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers to rank 0's questions, on their way up the watchdogs' tree: snapshots
// of what a rank does, or marks and numbers that are summed up on the way.
// Requires ProcessMonitor.cpp's rounds; guarantees that rank 0 knows who has
// answered a round, and that in a deep tree a round in which it asks for no
// snapshots brings it a message of some 50 bytes from each process that it
// asks.
//
//===----------------------------------------------------------------------===//

#include "Core/Job.h"
#include "ProcessTransport.h"

#include <algorithm>
#include <cstring>

namespace shardir {
namespace runtime {

namespace {

constexpr double kSnapshotBytes = 256;
/// How much of what ranks do comes to rank 0 in a second though it does not
/// ask, so that it can tell where one was last that has ended.
constexpr double kUnaskedBytes = 2000;
/// Answers wait as long for those of others.
constexpr double kGather = 0.05;

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
  kStepAge,     ///< milliseconds
  kProgressAge, ///< the same of parallel loops, too
  kNumPosts,    ///< of the pairs of posts
  kNumMessages, ///< of the pairs of messages
  kFixedWords
};

} // namespace

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
    words[kStepAge] = uint64_t(1000 * since(stepped));
    words[kProgressAge] = uint64_t(1000 * since(progressed));
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
  remote.told = Clock::now();
  status.stepped = remote.told - std::chrono::milliseconds(words[kStepAge]);
  status.progressed =
      remote.told - std::chrono::milliseconds(words[kProgressAge]);
  store(status.steps, words[kSteps]);
  store(status.progress, words[kProgress]);
  if (words[kRound] == kStopped)
    remote.stopped = true;
  else
    remote.round = words[kRound];
}

void ProcessTransport::addSnapshot(uint64_t number) {
  std::string text = snapshot(number);
  goingUp += textOf({uint32_t(self), 0, settling, text.size()}) + text;
}

void ProcessTransport::noteSteps() {
  const RankStatus &status = job.status(size_t(self));
  uint64_t now = status.steps.load(std::memory_order_acquire);
  uint64_t all = status.progress.load(std::memory_order_acquire);
  if (now != steps)
    stepped = Clock::now();
  if (all != loops)
    progressed = Clock::now();
  steps = now;
  loops = all;
}

uint32_t ProcessTransport::sinceStep() const {
  bool runs = job.status(size_t(self)).state.load() < RankStatus::Finished;
  return runs ? uint32_t(1000 * since(stepped)) : 0;
}

void ProcessTransport::answer(bool isFull) {
  noteSteps();
  progress = loops;
  oldest = sinceStep();
  double unasked = roundInterval() * kUnaskedBytes / kSnapshotBytes;
  auto turns = uint64_t(double(size) / std::max(1.0, unasked));
  if (stopping || isFull || (round + uint64_t(self)) % turns == 0)
    addSnapshot(stopping ? kStopped : round);
  else
    marks += textOf({uint32_t(self), 0, 0, 0});
}

template <class F> void ProcessTransport::forSubtree(int rank, F &&f) const {
  f(rank);
  for (int below : tree.childrenOf(rank))
    forSubtree(below, f);
}

void ProcessTransport::readMark(const Entry &entry, uint64_t answered) {
  auto mark = [&](int r) {
    Remote &remote = remotes[size_t(r)];
    if (answered > remote.round)
      remote.round = answered;
    if (!entry.ended || remote.ended)
      return;
    remote.ended = true;
    RankStatus &status = job.status(size_t(r));
    status.waitFor.store(nullptr, std::memory_order_release);
    status.state.store(RankStatus::Finished, std::memory_order_release);
  };
  if (entry.isSubtree)
    forSubtree(int(entry.rank), mark);
  else
    mark(int(entry.rank));
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
    progress += head.progress;
    oldest = std::max(oldest, head.oldest);
  }
  child.ended |= head.ended != 0;
  std::string text = notice.text.substr(sizeof(head));
  if (head.complete) {
    child.complete = head.round;
    text += textOf({uint32_t(notice.from), 1, 0, 0});
  }
  const char *at = text.data(), *end = at + text.size();
  Entry each;
  for (; size_t(end - at) >= sizeof(each); at += each.bytes) {
    std::memcpy(&each, at, sizeof(each));
    const char *entry = at;
    at += sizeof(each);
    if (each.bytes > size_t(end - at) || each.rank >= size)
      return;
    if (self != 0) {
      if (each.bytes == 0 && each.ended && ends.empty())
        endsBegan = Clock::now();
      (each.bytes > 0 ? goingUp
       : each.ended   ? ends
                      : marks)
          .append(entry, at + each.bytes);
      isUrgent |= each.bytes > 0 && (stopping || settling);
    } else if (each.bytes == 0) {
      readMark(each, each.ended ? 0 : head.round);
    } else {
      readSnapshot(int(each.rank), at, each.bytes);
      remotes[each.rank].ended |= each.ended != 0;
    }
  }
}

void ProcessTransport::passOn() {
  StatusHead head{round, progress, oldest, 1, stopping, toldEnd};
  forEachChild([&](int, WatchTree::Child &child) {
    head.complete &= child.complete == round;
    head.ended &= child.ended;
  });
  // One mark for all, or those that have come if others take long.
  bool endIsDue = !ends.empty() && (head.ended || since(endsBegan) >= kGather);
  if (goingUp.empty() && marks.empty() && !endIsDue)
    return;
  if (!head.complete && !isUrgent && !endIsDue && since(roundBegan) < kGather)
    return;
  std::string text = *bytesOf(head) + goingUp;
  if (!head.complete)
    text += marks;
  if (endIsDue)
    text += head.ended ? textOf({uint32_t(self), 1, 1, 0}) : ends;
  world.notify(above(), Status, run, text);
  goingUp.clear();
  marks.clear();
  progress = 0;
  if (endIsDue)
    ends.clear();
  isUrgent = false;
}

} // namespace runtime
} // namespace shardir
