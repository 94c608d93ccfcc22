//===- RankWorker.h - The ranks that share one thread -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there are more ranks than cores, a thread per core runs several ranks,
// each a fiber. A rank runs until it waits in the communicator; then the thread
// goes on with the next rank of its own that need not wait, which costs
// nanoseconds where the kernel takes microseconds between threads. A thread
// with a single rank runs it on its own stack.
//
// Requires that ranks wait for each other through wait() alone. Guarantees
// that every rank which can go on does so, in turn, as soon as no rank before
// it computes; that the thread spins, yields and sleeps only when none can.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_RANKWORKER_H
#define SHARDIR_LIB_RUNTIME_CORE_RANKWORKER_H

#include "Communicator.h"
#include "Fiber.h"

#include <deque>

namespace shardir {
namespace runtime {

class Job;

class alignas(kApart) RankWorker {
public:
  /// Runs ranks [begin, end) of the job. `spins` is how often a thread none of
  /// whose ranks can go on looks again before it yields its core.
  RankWorker(Job &job, int begin, int end, int spins);
  RankWorker(const RankWorker &) = delete;

  /// Whether several ranks take turns here.
  bool isShared() const { return end - begin > 1; }
  /// Runs all ranks on the calling thread until they have ended. Requires
  /// stacks in their resources if they take turns.
  void run();
  /// Lets other ranks run until nobody is missing, or the job has failed.
  /// Called by a rank of this worker.
  void wait(const Rendezvous &what, uint64_t target);

private:
  struct alignas(kApart) Member {
    Fiber fiber;
    RankWorker *worker = nullptr;
    int rank = 0;
    const Rendezvous *what = nullptr; ///< null: it can go on
    uint64_t target = 0;
    bool ended = false;
  };
  static void rankEntry(void *member);
  bool canRun(const Member &member) const;
  /// The next one after `from`, in turn, that can run; null if none can. The
  /// last one asked is `from` itself.
  Member *nextToRun(size_t from);
  void switchTo(Fiber &from, Member *to, bool ending = false);

  Job &job;
  const int begin, end;
  const int spins;
  Fiber home; ///< the thread itself: runs when no rank can
  std::deque<Member> members;
  size_t current = 0; ///< the member that runs, or ran last
  size_t alive = 0;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_RANKWORKER_H
