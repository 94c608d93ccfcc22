//===- Job.cpp - One run of a program on all its ranks --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads, failure and the end of a job. Requires that everything a rank may
// touch is owned by the job or outlives it; guarantees that memory is given
// back only after every rank has left the runtime, since peers read and write
// each other's buffers. What watches the ranks is in Watchdog.cpp.
//
//===----------------------------------------------------------------------===//

#include "Job.h"

#include "Nccl/NcclMemory.h"
#include "Processes/ProcessWorld.h"
#include "RankThreads.h"
#include "Signals.h"
#include "Wait.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace shardir {
namespace runtime {

Job::Job(std::shared_ptr<Program> p, size_t numRanks, JobOptions options)
    : program(std::move(p)), options(options), rankCount(numRanks),
      statuses(new RankStatus[numRanks]) {
  // In another process there are other cores, but on one machine they are
  // shared, unless the launcher has given each its own.
  size_t here = options.mpi ? 1 : numRanks;
  size_t first = options.mpi ? size_t(options.mpi->rank) : 0;
  int own =
      options.mpi ? coresPerProcess(options.mpi->localSize) : availableCores();
  int cores = options.cores > 0 ? options.cores : std::max(1, own);
  size_t threadCount = kHaveFibers ? std::min(here, size_t(cores)) : here;
  int perRank = options.threadsPerRank > 0 ? options.threadsPerRank
                                           : std::max(1, cores / int(here));
  crowded = own < 1 || size_t(perRank) * threadCount > size_t(cores);
  resources = program->takeResources(here);
  if (!resources) {
    resources = std::make_shared<ResourceSet>();
    for (size_t i = 0; i < here; ++i)
      resources->push_back(std::make_unique<RankResources>(perRank, !crowded));
  }
  std::unique_ptr<CudaScope> scope;
  if (options.cuda)
    scope = std::make_unique<CudaScope>(options.cuda->device);
  DeviceMemory *memory =
      options.cuda && options.nccl ? NcclMemory::get(*options.nccl) : nullptr;
  for (std::unique_ptr<RankResources> &r : *resources) {
    if (r->pool.numThreads() != perRank)
      r = std::make_unique<RankResources>(perRank, !crowded);
    if (options.cuda && (!r->gpu || &r->gpu->device != &options.cuda->device ||
                         r->gpu->memory != memory))
      r->gpu = std::make_unique<CudaRank>(options.cuda->device, memory);
  }
  // Neighbours share a thread: a mesh's minor axes then synchronise within it.
  for (size_t w = 0; w < threadCount; ++w)
    workers.push_back(std::make_unique<RankWorker>(
        *this, int(first + w * here / threadCount),
        int(first + (w + 1) * here / threadCount), crowded ? 20 : 100));
  ranksTransport =
      options.mpi ? makeProcessTransport(*this, *options.mpi, options.mpiRun)
                  : makeThreadsTransport(*this);
  ranks.resize(numRanks);
  for (size_t i = 0; i < here; ++i)
    ranks[first + i] =
        std::make_unique<RankContext>(*this, int(first + i), *(*resources)[i]);
}

Job::~Job() = default;

size_t Job::workerOf(size_t rank) const {
  // The last w with w * ranks / workers <= rank.
  return ((rank + 1) * workers.size() - 1) / rankCount;
}

double Job::now() const {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

void Job::fail(const std::string &message) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failure.load() || sealed.load())
    return;
  failureText = message;
  // Of ranks elsewhere the transport asks first.
  if (ranksTransport->sharesMemory())
    failureText += "\n" + history();
  failure.store(true, std::memory_order_seq_cst);
}

bool Job::seal(bool anyway) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failure.load() && !anyway)
    return false;
  failureText.clear();
  failure.store(false, std::memory_order_seq_cst);
  sealed.store(true);
  return true;
}

std::string Job::error() {
  std::lock_guard<std::mutex> lock(mutex);
  return failureText;
}

void Job::setError(const std::string &message) {
  std::lock_guard<std::mutex> lock(mutex);
  failureText = message;
}

void Job::rankMain(int r) {
  threadState = {ranks[size_t(r)].get(), nullptr, false};
  try {
    if (CudaRank *gpu = ranks[size_t(r)]->gpu) {
      gpu->device.makeCurrent();
      gpu->bind(*ranks[size_t(r)], options.cuda);
      if (options.after)
        gpu->await(*options.after);
    }
    body(*ranks[size_t(r)]);
  } catch (const JobFailed &) {
  } catch (const cuda::Failure &e) {
    ranks[size_t(r)]->report(e.what());
  } catch (const std::exception &e) {
    ranks[size_t(r)]->report(std::string("threw an exception: ") + e.what());
  } catch (...) {
    ranks[size_t(r)]->report("threw an exception");
  }
  threadState = {};
  // Where it was when the job failed is what others will want to know.
  if (!failed())
    statuses[size_t(r)].state.store(RankStatus::Ended,
                                    std::memory_order_release);
  statuses[size_t(r)].advance();
}

bool Job::startThreads() {
  for (size_t i = 0; i < ranks.size(); ++i)
    if (sharesThread(i) && !ranks[i]->stack.allocate(kRankStackSize)) {
      fail("cannot get " + std::to_string(kRankStackSize >> 20) +
           " MiB for the stack of rank " + std::to_string(i) + " of " +
           std::to_string(ranks.size()) + ": " + std::strerror(errno));
      return false;
    }
  for (size_t i = 0; i < workers.size(); ++i) {
    RankTask task;
    task.spin = !crowded;
    task.run = [this, worker = workers[i].get()] {
      SignalStack signalStack;
      worker->run();
      // The allocator of a thread that a signal interrupted may be damaged.
      return !poisoned.load();
    };
    task.finish = [this] {
      std::shared_ptr<Job> abandoned;
      std::lock_guard<std::mutex> lock(mutex);
      if (--running == 0)
        abandoned = std::move(self);
      ended.notify_all();
    };
    ++running;
    int error = runOnRankThread(std::move(task));
    if (error == 0)
      continue;
    --running;
    fail("cannot start thread " + std::to_string(i + 1) + " of " +
         std::to_string(workers.size()) + " for " +
         std::to_string(ranks.size()) + " ranks: " + std::strerror(error));
    return false;
  }
  return true;
}

bool Job::run(std::function<void(RankContext &)> f) {
  body = std::move(f);
  begin = std::chrono::steady_clock::now();
  clocks.assign(rankCount, {0, 0, begin, begin, {}});
  for (std::unique_ptr<RankResources> &r : *resources) {
    r->arena.resetPeak();
    if (r->gpu)
      r->gpu->arena.resetPeak();
  }
  startThreads();
  watch();
  if (!failed()) {
    std::string leftover = ranksTransport->leftover();
    if (!leftover.empty())
      fail(leftover);
  }
  ranksTransport->settle();
  settleResources();
  return !failed();
}

bool Job::settleGpus() {
  auto deadline = std::chrono::steady_clock::now() +
                  std::chrono::duration<double>(options.grace);
  for (std::unique_ptr<RankContext> &rank : ranks) {
    Backoff backoff(0);
    while (rank && rank->gpu && !rank->gpu->isIdle()) {
      if (std::chrono::steady_clock::now() > deadline)
        return false;
      backoff.pause();
    }
  }
  return true;
}

void Job::settleResources() {
  if (left)
    return; // a stuck rank still uses them
  std::unique_ptr<CudaScope> scope;
  if (options.cuda)
    scope = std::make_unique<CudaScope>(options.cuda->device);
  // Ranks that unwound have left work on the GPU behind.
  if (poisoned.load() || !settleGpus()) {
    // Locks may be held and lists damaged: neither reuse nor destroy them.
    new std::shared_ptr<ResourceSet>(std::move(resources));
    return;
  }
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (!isHere(i))
      continue;
    ranks[i]->peakBytes = ranks[i]->arena.peakBytes();
    ranks[i]->arena.releaseAll();
    ranks[i]->hostArena.releaseAll();
    if (CudaRank *gpu = ranks[i]->gpu) {
      // The host's memory of this rank is staging.
      ranks[i]->peakBytes = gpu->arena.peakBytes();
      gpu->arena.releaseAll();
      gpu->pinned.releaseAll();
      gpu->unbind();
    }
  }
  // Nobody runs any more, and the contexts no longer allocate.
  program->keepResources(resources);
}

void Job::waitSlowly(int r, const Rendezvous &what, uint64_t target) {
  RankStatus &status = statuses[size_t(r)];
  status.waitTarget.store(target, std::memory_order_relaxed);
  status.waitFor.store(&what, std::memory_order_release);
  status.advance();
  workers[workerOf(size_t(r))]->wait(what, target);
  bool arrived = what.arrived(target);
  status.waitFor.store(nullptr, std::memory_order_release);
  status.advance();
  if (!arrived)
    throw JobFailed();
}

} // namespace runtime
} // namespace shardir
