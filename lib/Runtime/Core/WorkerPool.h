//===- WorkerPool.h - Threads that help one rank ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The worker threads behind shardir_parallel_for. Requires that one rank at a
// time uses a pool; guarantees that run() returns only when nobody is inside
// the body any more, even where the body failed, since the body's context may
// lie on the caller's stack. Idle workers spin for a moment, then sleep.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_WORKERPOOL_H
#define SHARDIR_LIB_RUNTIME_CORE_WORKERPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace shardir {
namespace runtime {

class RankContext;

class WorkerPool {
public:
  using Body = void (*)(int64_t, void *);

  /// `threads` counts the rank's own thread: 1 means no workers. `spin` says
  /// whether there is a core for each.
  WorkerPool(int threads, bool spin);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;

  int numThreads() const { return int(workers.size()) + 1; }

  /// Calls body(i, context) for i in [0, n). False if a call did not return
  /// because the job failed; the remaining calls are then left out.
  bool run(RankContext &rank, int64_t n, Body body, void *context);

private:
  struct Region {
    RankContext *rank = nullptr;
    Body body = nullptr;
    void *context = nullptr;
    int64_t n = 0, chunk = 1;
    std::atomic<int64_t> next{0};
    std::atomic<bool> failed{false};
  };
  void work();
  void participate();

  std::vector<std::thread> workers;
  const bool spin;
  Region region;
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<uint64_t> generation{0}; ///< raised when a region opens
  std::atomic<int> inside{0};          ///< workers in the region
  bool open = false;                   ///< guarded by mutex
  bool stopping = false;               ///< guarded by mutex
  int sleepers = 0;                    ///< guarded by mutex
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_WORKERPOOL_H
