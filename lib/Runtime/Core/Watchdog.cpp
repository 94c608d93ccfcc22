//===- Watchdog.cpp - Watches the ranks of a job --------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The caller of a job looks at its ranks every few milliseconds. Requires only
// what ranks publish in RankStatus; guarantees that a job ends (X2): a cycle of
// ranks that wait for each other, or a wait for a rank that has finished, is
// found at once (X1), anything else when nothing has moved for the timeout.
//
// A verdict needs two looks between which no rank's progress counter moved:
// then all that was read was true at one time.
//
//===----------------------------------------------------------------------===//

#include "Job.h"

#include "Wait.h"

#include <algorithm>
#include <map>

namespace shardir {
namespace runtime {

using SteadyClock = std::chrono::steady_clock;

/// How often the caller looks for the end of a job before it sleeps.
static constexpr int kSpins = 2000;

void Job::watch() {
  // Small programs end before a sleeping caller would wake up.
  if (!crowded && size_t(availableCores()) > workers.size())
    for (int i = 0; i < kSpins && running.load(std::memory_order_acquire); ++i)
      cpuRelax();
  auto interval = std::chrono::microseconds(10000);
  std::unique_lock<std::mutex> lock(mutex);
  SteadyClock::time_point failedAt;
  while (!ended.wait_for(lock, interval, [&] { return running == 0; })) {
    interval = std::min(interval * 2, std::chrono::microseconds(20000));
    lock.unlock();
    if (options.cancelled && options.cancelled->load() && !failed())
      fail("the host has aborted the run");
    Transport::Sight sight = ranksTransport->observe();
    if (!failed() && sight != Transport::Sight::None)
      examine(sight == Transport::Sight::Consistent);
    lock.lock();
    if (!failed())
      continue;
    SteadyClock::time_point now = SteadyClock::now();
    if (failedAt == SteadyClock::time_point())
      failedAt = now;
    std::chrono::duration<double> since = now - failedAt;
    if (since.count() > options.grace && running > 0) {
      left = true;
      self = shared_from_this();
      return;
    }
  }
}

uint64_t Job::progressSum() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < ranks.size(); ++i)
    sum += statuses[i].progress.load(std::memory_order_acquire);
  return sum;
}

void Job::examine(bool consistent) {
  bool isLate = noteProgress();
  uint64_t sum = progressSum();
  if (sum != lastSum) {
    lastSum = sum;
    unchanged = 0;
  } else if (consistent && ++unchanged >= 2) {
    checkDeadlock(sum);
  }
  if (isLate && !failed())
    checkDeadlines();
}

bool Job::noteProgress() {
  SteadyClock::time_point now = SteadyClock::now();
  bool isLate = false;
  for (size_t i = 0; i < clocks.size(); ++i) {
    Clock &clock = clocks[i];
    uint64_t progress = statuses[i].progress.load(std::memory_order_acquire);
    uint64_t steps = statuses[i].steps.load(std::memory_order_acquire);
    if (progress != clock.progress)
      clock.progressed = now;
    if (steps != clock.steps)
      clock.stepped = now;
    // Whoever is elsewhere may have told of it late.
    if (!isHere(i) && statuses[i].stepped != RankStatus::Time()) {
      clock.stepped = statuses[i].stepped;
      clock.progressed = statuses[i].progressed;
    }
    clock.progress = progress;
    clock.steps = steps;
    std::chrono::duration<double> since = now - clock.stepped;
    if (since.count() <= options.timeout)
      clock.stuck = {};
    else
      isLate |= statuses[i].state.load() < RankStatus::Finished;
  }
  return isLate;
}

/// For each rank, one that it waits for, or -1.
std::vector<int> Job::waitingFor() {
  std::vector<int> result;
  // Thousands of ranks may wait for one thing: ask it once.
  std::map<std::pair<const Rendezvous *, uint64_t>, int> known;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const Rendezvous *what =
        statuses[i].waitFor.load(std::memory_order_acquire);
    uint64_t target = statuses[i].waitTarget.load(std::memory_order_acquire);
    auto [it, isNew] = known.emplace(std::make_pair(what, target), -1);
    if (isNew && what)
      it->second = what->missing(target);
    result.push_back(it->second);
  }
  return result;
}

void Job::checkDeadlock(uint64_t sum) {
  std::vector<int> next = waitingFor();
  std::string message;
  for (size_t i = 0; i < next.size() && message.empty(); ++i) {
    // A rank that has finished waits for the others: that is no fault.
    if (next[i] < 0 || statuses[i].state.load() != RankStatus::Running)
      continue;
    if (statuses[size_t(next[i])].state.load() >= RankStatus::Finished) {
      message = "rank " + std::to_string(i) + " is " + whereabouts(int(i)) +
                ", but rank " + std::to_string(next[i]) +
                " has finished without it";
      continue;
    }
    // As many steps as there are ranks: on a cycle, or at its end.
    int at = int(i);
    for (size_t step = 0; step < next.size() && at >= 0; ++step)
      at = next[size_t(at)];
    if (at < 0)
      continue;
    int first = at;
    message = "ranks wait for each other:";
    do {
      message += (at == first ? " rank " : "; rank ") + std::to_string(at) +
                 " waits for rank " + std::to_string(next[size_t(at)]) + " " +
                 whereabouts(at);
      at = next[size_t(at)];
    } while (at != first);
  }
  if (!message.empty() && progressSum() == sum)
    fail("collective mismatch: " + message);
}

void Job::checkDeadlines() {
  SteadyClock::time_point now = SteadyClock::now();
  // A rank that others have just ceased to keep waiting needs a moment.
  double moment = std::min(options.timeout, 1.0) / 2;
  // One inside a collective may wait for its turn on the thread of another that
  // computes, which is then to be named.
  auto isStuck = [&](size_t i) {
    bool isInCollective = statuses[i].posted.load(std::memory_order_acquire) >
                          statuses[i].done.load(std::memory_order_acquire);
    return clocks[i].stuck != SteadyClock::time_point() &&
           std::chrono::duration<double>(now - clocks[i].stuck).count() >
               moment * (isInCollective ? 2 : 1);
  };
  auto late = [&](SteadyClock::time_point since) {
    return std::chrono::duration<double>(now - since).count() > options.timeout;
  };
  std::vector<int> next = waitingFor();
  int silent = -1, computing = -1, waiting = -1, culprit = -1, any = -1;
  for (size_t i = 0; i < next.size(); ++i) {
    if (statuses[i].state.load() >= RankStatus::Finished)
      continue;
    if (any < 0 && next[i] >= 0)
      any = int(i);
    if (!late(clocks[i].stepped))
      continue;
    if (silent < 0 && ranksTransport->isSilent(int(i)))
      silent = int(i);
    if (next[i] < 0) {
      if (clocks[i].stuck == SteadyClock::time_point())
        clocks[i].stuck = now;
      // Nobody keeps this rank from getting on, so that its loops count.
      if (computing < 0 && isStuck(i) && late(clocks[i].progressed))
        computing = int(i);
      continue;
    }
    clocks[i].stuck = {};
    // Whoever is at the end of a chain of waits computes. As long as it meets
    // other ranks, it may only be late.
    int at = int(i);
    for (size_t step = 0; step < next.size() && next[size_t(at)] >= 0; ++step)
      at = next[size_t(at)];
    if (waiting < 0 && late(clocks[size_t(at)].stepped) &&
        (next[size_t(at)] >= 0 || isStuck(size_t(at)) ||
         statuses[size_t(at)].state.load() >= RankStatus::Finished)) {
      waiting = int(i);
      culprit = at;
    }
  }
  // While one process does not answer, what is known of the others is old.
  if (silent >= 0)
    culprit = silent;
  else if (culprit < 0)
    culprit = computing;
  if (culprit >= 0)
    failForTimeout(culprit, waiting >= 0 ? waiting : any);
}

void Job::failForTimeout(int culprit, int waiting) {
  std::string seconds = std::to_string(options.timeout);
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.back() == '.')
    seconds.pop_back();
  std::string message = "deadline passed: no progress for " + seconds + " s";
  message +=
      "; rank " + std::to_string(culprit) + " is " + whereabouts(culprit);
  if (waiting >= 0 && waiting != culprit)
    message += ", while rank " + std::to_string(waiting) + " waits " +
               whereabouts(waiting);
  fail(message + "; raise --timeout if it only needs longer");
}

std::string Job::whereabouts(int r) {
  RankStatus &status = statuses[size_t(r)];
  const std::vector<CollectiveSpec> &table = program->metadata.collectives;
  uint64_t done = status.done.load(std::memory_order_acquire);
  uint64_t posted = status.posted.load(std::memory_order_acquire);
  std::string remark;
  if (double ago = ranksTransport->toldAgo(r); ago >= 1)
    remark += " (as of " + std::to_string(int64_t(ago)) + " s ago)";
  if (ranksTransport->isSilent(r))
    remark += ", and its process does not answer";
  auto name = [&](uint64_t n) {
    int32_t id =
        status.recent[n % RankStatus::kRecent].load(std::memory_order_relaxed);
    return size_t(id) < table.size() ? table[size_t(id)].describe()
                                     : std::string("a collective");
  };
  int state = status.state.load(std::memory_order_acquire);
  if (posted > done)
    return "in " + name(done) + remark;
  if (state == RankStatus::Starting)
    return "not started yet" + remark;
  if (state >= RankStatus::Finished)
    return "finished" + remark;
  return (posted ? "in compute after " + name(posted - 1)
                 : "in compute before its first collective") +
         remark;
}

std::string Job::history() {
  const std::vector<CollectiveSpec> &table = program->metadata.collectives;
  constexpr size_t kShown = 64;
  std::string text = "last collectives of each rank, newest first:";
  for (size_t i = 0; i < ranks.size() && i < kShown; ++i) {
    RankStatus &status = statuses[i];
    uint64_t done = status.done.load(std::memory_order_acquire);
    uint64_t posted = status.posted.load(std::memory_order_acquire);
    text += "\n  rank " + std::to_string(i) + ": " + whereabouts(int(i));
    uint64_t oldest =
        posted > RankStatus::kRecent ? posted - RankStatus::kRecent : 0;
    for (uint64_t n = posted; n > oldest; --n) {
      int32_t id = status.recent[(n - 1) % RankStatus::kRecent].load(
          std::memory_order_relaxed);
      if (size_t(id) >= table.size())
        continue;
      text += "\n    " + std::string(n > done ? "waits in" : "done") + " #" +
              std::to_string(n - 1) + " " + table[size_t(id)].describe();
    }
  }
  if (ranks.size() > kShown)
    text += "\n  and " + std::to_string(ranks.size() - kShown) + " more ranks";
  return text;
}

} // namespace runtime
} // namespace shardir
