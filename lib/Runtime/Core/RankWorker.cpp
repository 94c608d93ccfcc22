//===- RankWorker.cpp - The ranks that share one thread -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes turns among ranks. Requires calls from the worker's thread alone, so
// nothing here is locked; guarantees that what a rank's thread state is (who it
// is, where it lands) follows the rank from switch to switch.
//
//===----------------------------------------------------------------------===//

#include "RankWorker.h"

#include "Job.h"
#include "Wait.h"

namespace shardir {
namespace runtime {

RankWorker::RankWorker(Job &job, int begin, int end, int spins)
    : job(job), begin(begin), end(end), spins(spins) {
  for (int r = begin; r < end; ++r) {
    Member &member = members.emplace_back();
    member.worker = this;
    member.rank = r;
  }
}

void RankWorker::run() {
  if (!isShared()) {
    job.rankMain(begin);
    return;
  }
  home.adoptThread();
  for (Member &member : members)
    member.fiber.prepare(job.rank(size_t(member.rank)).stack,
                         &RankWorker::rankEntry, &member);
  alive = members.size();
  current = members.size() - 1;
  Backoff backoff(spins);
  while (alive > 0) {
    if (Member *next = nextToRun(current)) {
      switchTo(home, next);
      backoff = Backoff(spins);
    } else {
      backoff.pause();
    }
  }
}

void RankWorker::rankEntry(void *p) {
  auto *member = static_cast<Member *>(p);
  RankWorker &worker = *member->worker;
  worker.job.rankMain(member->rank);
  member->ended = true;
  --worker.alive;
  Member *next = worker.nextToRun(worker.current);
  worker.switchTo(member->fiber, next, /*ending=*/true);
}

bool RankWorker::canRun(const Member &member) const {
  return !member.ended &&
         (!member.what || member.what->arrived(member.target) || job.failed());
}

RankWorker::Member *RankWorker::nextToRun(size_t from) {
  for (size_t i = 1; i <= members.size(); ++i) {
    size_t at =
        from + i < members.size() ? from + i : from + i - members.size();
    if (canRun(members[at]))
      return &members[at];
  }
  return nullptr;
}

void RankWorker::switchTo(Fiber &from, Member *to, bool ending) {
  ThreadState saved = threadState;
  if (to)
    current = size_t(to->rank - begin);
  Fiber::switchTo(from, to ? to->fiber : home, ending);
  threadState = saved;
}

void RankWorker::wait(const Rendezvous &what, uint64_t target) {
  Member &self = members[current];
  self.what = &what;
  self.target = target;
  Backoff backoff(spins);
  // A rank whose wait ends while nobody else can run goes on without a switch.
  while (!canRun(self)) {
    Member *next = nextToRun(current);
    if (!next) {
      // Stays here, rather than at home: one switch less.
      backoff.pause();
    } else if (next != &self) {
      switchTo(self.fiber, next);
      backoff = Backoff(spins);
    }
  }
  self.what = nullptr;
}

} // namespace runtime
} // namespace shardir
