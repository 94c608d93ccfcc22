//===- WorkerPool.cpp - Threads that help one rank ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands out the iterations of a parallel loop. Requires bodies that are
// independent of each other; guarantees that a body that ends the job lands in
// the thread that ran it, and that a late worker never enters a loop that the
// rank has left: entry and exit of workers go through the mutex.
//
//===----------------------------------------------------------------------===//

#include "WorkerPool.h"

#include "../Elements/Stream.h"
#include "RankContext.h"
#include "Wait.h"

#include <algorithm>

namespace shardir {
namespace runtime {

WorkerPool::WorkerPool(int threads, bool spin) : spin(spin) {
  for (int i = 1; i < threads; ++i) {
    try {
      workers.emplace_back([this] { work(); });
    } catch (const std::system_error &) {
      break; // fewer helpers: slower, not wrong
    }
  }
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    generation.fetch_add(1, std::memory_order_release);
  }
  wake.notify_all();
  for (std::thread &t : workers)
    t.join();
}

bool WorkerPool::run(RankContext &rank, int64_t n, Body body, void *context) {
  if (n <= 0)
    return true;
  bool useWorkers = n > 1 && !workers.empty();
  region.rank = &rank;
  region.body = body;
  region.context = context;
  region.n = n;
  // A few chunks per thread balance uneven bodies at little cost.
  region.chunk = std::max<int64_t>(1, n / (8 * numThreads()));
  region.next.store(0, std::memory_order_relaxed);
  region.failed.store(false, std::memory_order_relaxed);
  if (useWorkers) {
    bool sleeping;
    {
      std::lock_guard<std::mutex> lock(mutex);
      open = true;
      generation.fetch_add(1, std::memory_order_release);
      sleeping = sleepers > 0;
    }
    if (sleeping)
      wake.notify_all();
  }
  participate();
  if (useWorkers) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      open = false;
    }
    Backoff backoff(spin ? 100 : 20);
    while (inside.load(std::memory_order_acquire) != 0)
      backoff.pause();
  }
  return !region.failed.load(std::memory_order_relaxed);
}

void WorkerPool::participate() {
  bool ok = landOnFailure(*region.rank, /*inRegion=*/true, [this] {
    while (true) {
      int64_t begin =
          region.next.fetch_add(region.chunk, std::memory_order_relaxed);
      if (begin >= region.n)
        return;
      int64_t end = std::min(begin + region.chunk, region.n);
      for (int64_t i = begin; i < end; ++i)
        region.body(i, region.context);
    }
  });
  // Bodies may store past the caches.
  streamFence();
  if (!ok) {
    region.failed.store(true, std::memory_order_relaxed);
    // Not past n by much: fetch_add of the others must not overflow.
    region.next.store(region.n, std::memory_order_relaxed);
  }
}

void WorkerPool::work() {
  uint64_t seen = 0;
  while (true) {
    if (spin)
      for (int i = 0;
           i < 2000 && generation.load(std::memory_order_acquire) == seen; ++i)
        cpuRelax();
    {
      std::unique_lock<std::mutex> lock(mutex);
      ++sleepers;
      wake.wait(lock, [&] {
        return generation.load(std::memory_order_acquire) != seen;
      });
      --sleepers;
      seen = generation.load(std::memory_order_relaxed);
      if (stopping)
        return;
      if (!open)
        continue;
      inside.fetch_add(1, std::memory_order_relaxed);
    }
    participate();
    inside.fetch_sub(1, std::memory_order_release);
  }
}

} // namespace runtime
} // namespace shardir
