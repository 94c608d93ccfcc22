//===- Job.h - One run of a program on all its ranks ------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts a thread per rank, or per core where there are more ranks than cores,
// watches the ranks, and ends them together. Requires a body that every rank
// runs; guarantees that run() returns: when all ranks are done, or, after a
// failure, when all have unwound or the grace period is over. A rank that is
// stuck in compute cannot be unwound, nor can those that share its thread; the
// thread is left behind with everything it may touch kept alive by its
// reference to the job.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_JOB_H
#define SHARDIR_LIB_RUNTIME_CORE_JOB_H

#include "Nccl/NcclApi.h"
#include "RankContext.h"
#include "RankWorker.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace shardir {
namespace runtime {

class CudaEvent;

struct JobOptions {
  double timeout = 60;    ///< seconds without progress before a job fails
  double grace = 2;       ///< seconds for ranks to unwind after a failure
  int threadsPerRank = 0; ///< 0: share the cores evenly
  bool trace = false;
  bool benchmark = false; ///< on GPUs, timed by events
  /// Set and true: the host wants the run to end.
  std::shared_ptr<const std::atomic<bool>> cancelled;
  /// Terms combine in one order on every transport; else as the transport does.
  bool orderedReductions = false;
  /// Members of a collective compare what they are in before each one; else all
  /// ranks compare the program, the entry and extents when the run starts.
  bool checksEach = true;
  size_t entry = 0;            ///< index of the function
  int cores = 0;               ///< 0: those that the process may use
  ProcessWorld *mpi = nullptr; ///< set: this process is one rank of that world
  uint64_t mpiRun = 0;         ///< ProcessWorld::beginRun's
  /// Set: the program is for GPUs, and loaded on this one.
  std::shared_ptr<CudaProgram> cuda;
  /// With `cuda`, if set: its work begins behind this.
  std::shared_ptr<CudaEvent> after;
  const nccl::Api *nccl = nullptr; ///< set with `mpi` and `cuda`
};

/// The state of a rank as the watchdog reads it. Only the rank's thread writes.
struct alignas(kApart) RankStatus {
  enum State : int { Starting, Running, Finished, Ended };
  static constexpr size_t kRecent = 8;

  std::atomic<uint64_t> progress{0}; ///< raised at every change below
  std::atomic<uint64_t> steps{0};    ///< the same without parallel loops
  std::atomic<int> state{Starting};
  std::atomic<const Rendezvous *> waitFor{nullptr};
  std::atomic<uint64_t> waitTarget{0};
  std::atomic<uint64_t> posted{0};           ///< collectives begun
  std::atomic<uint64_t> done{0};             ///< collectives completed
  std::atomic<int32_t> recent[kRecent] = {}; ///< ids, by posted % kRecent
  /// Of a rank in another process: the times of its last step and of its last
  /// progress, on this one's clock.
  using Time = std::chrono::steady_clock::time_point;
  Time stepped = {}, progressed = {};

  void advance() {
    steps.store(steps.load(std::memory_order_relaxed) + 1,
                std::memory_order_relaxed);
    advanceLoop();
  }
  /// A parallel loop has begun or ended: others may wait for this rank for ever
  /// all the same.
  void advanceLoop() {
    progress.store(progress.load(std::memory_order_relaxed) + 1,
                   std::memory_order_release);
  }
};

class Job : public std::enable_shared_from_this<Job> {
public:
  Job(std::shared_ptr<Program> program, size_t numRanks, JobOptions options);
  ~Job();

  /// Runs `body` on every rank. False if the job failed; error() then says why.
  bool run(std::function<void(RankContext &)> body);

  const std::shared_ptr<Program> program;
  const JobOptions options;
  size_t numRanks() const { return rankCount; }
  RankContext &rank(size_t i) { return *ranks[i]; }
  /// Whether rank `i` is in this process.
  bool isHere(size_t i) const { return ranks[i] != nullptr; }
  RankStatus &status(size_t i) { return statuses[i]; }
  Transport &transport() { return *ranksTransport; }
  bool oversubscribed() const { return crowded; }
  /// The thread that runs the rank; ranks of one thread never run at once.
  size_t workerOf(size_t rank) const;
  bool sharesThread(size_t rank) const {
    return workers[workerOf(rank)]->isShared();
  }
  /// Whether threads were left behind: their buffers must stay.
  bool abandoned() const { return left; }

  bool failed() const { return failure.load(std::memory_order_seq_cst); }
  void throwIfFailed() const {
    if (failed())
      throw JobFailed();
  }
  /// Ends the job. The first message counts, and none after seal().
  void fail(const std::string &message);
  /// The job has ended well: nothing fails it any more. False if it has failed,
  /// unless the ranks are known to have ended well `anyway`.
  bool seal(bool anyway);
  bool isSealed() const { return sealed.load(); }
  std::string error();
  /// Sets the error that all processes report in place of their own.
  void setError(const std::string &message);
  /// The last collectives of each rank.
  std::string history();
  /// A signal stopped a rank: its memory may be damaged and is not reused.
  void poison() { poisoned.store(true); }

  /// Waits on behalf of `rank`, which calls this, until nobody is missing;
  /// throws JobFailed.
  void waitSlowly(int rank, const Rendezvous &what, uint64_t target);
  /// Microseconds since run() began.
  double now() const;
  /// The last activity of `rank`, for messages: `in all_reduce of …`.
  std::string whereabouts(int rank);

  /// Runs the body as `rank`, from its first step to its last.
  void rankMain(int rank);

private:
  bool startThreads();
  void watch();
  void examine(bool consistent);
  void checkDeadlock(uint64_t sum);
  /// Notes which ranks have got on; whether some rank has not for long.
  bool noteProgress();
  void checkDeadlines();
  void failForTimeout(int culprit, int waiting);
  std::vector<int> waitingFor();
  uint64_t progressSum() const;
  void settleResources();
  /// Waits for what ranks have left on their GPUs; false at the end of grace.
  bool settleGpus();

  const size_t rankCount;
  std::shared_ptr<ResourceSet> resources;
  std::unique_ptr<RankStatus[]> statuses;
  std::unique_ptr<Transport> ranksTransport;
  std::vector<std::unique_ptr<RankContext>> ranks;
  std::vector<std::unique_ptr<RankWorker>> workers;
  std::function<void(RankContext &)> body;
  bool crowded = false, left = false;

  std::atomic<bool> failure{false}, poisoned{false};
  std::atomic<bool> sealed{false}; ///< set under mutex
  std::mutex mutex;
  std::condition_variable ended;
  std::atomic<size_t> running{0}; ///< threads; falls under mutex
  std::shared_ptr<Job> self;      ///< set while only left threads need it
  std::string failureText;        ///< guarded by mutex
  std::chrono::steady_clock::time_point begin;
  /// The times of a rank's last progress, as the watchdog sees it.
  struct Clock {
    uint64_t progress = 0, steps = 0;
    std::chrono::steady_clock::time_point progressed, stepped;
    /// Since when it is known to be late, and to wait for no other rank.
    std::chrono::steady_clock::time_point stuck = {};
  };
  std::vector<Clock> clocks;
  uint64_t lastSum = 0;
  int unchanged = 0;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_JOB_H
