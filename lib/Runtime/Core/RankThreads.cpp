//===- RankThreads.cpp - Threads that ranks run on ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what RankThreads.h says. Threads are never joined:
// they sleep until the process ends.
//
//===----------------------------------------------------------------------===//

#include "RankThreads.h"

#include "Wait.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace shardir {
namespace runtime {
namespace {

/// How often an idle thread looks for a task before it sleeps.
constexpr int kSpins = 2000;

struct Thread {
  std::mutex mutex;
  std::condition_variable wake;
  RankTask task; ///< guarded by `hasTask`
  std::atomic<bool> hasTask{false};

  void give(RankTask next) {
    task = std::move(next);
    {
      std::lock_guard<std::mutex> lock(mutex);
      hasTask.store(true, std::memory_order_release);
    }
    wake.notify_one();
  }

  RankTask take(bool spin) {
    for (int i = 0;
         spin && i < kSpins && !hasTask.load(std::memory_order_relaxed); ++i)
      cpuRelax();
    std::unique_lock<std::mutex> lock(mutex);
    wake.wait(lock, [&] { return hasTask.load(std::memory_order_acquire); });
    hasTask.store(false, std::memory_order_relaxed);
    return std::move(task);
  }
};

struct Pool {
  std::mutex mutex;
  std::vector<Thread *> idle; ///< guarded by mutex; the last one was used last
  /// That of the parent process, of which nothing runs here.
  const Pool *inherited = nullptr;
};

/// Replaced in children made by fork, where its threads do not exist.
Pool *pool = [] {
  pthread_atfork(nullptr, nullptr, [] {
    auto *own = new Pool;
    own->inherited = pool;
    pool = own;
  });
  return new Pool;
}();

void *threadMain(void *p) {
  std::unique_ptr<Thread> self(static_cast<Thread *>(p));
  bool again = true, spin = false;
  while (again) {
    RankTask task = self->take(spin);
    spin = task.spin;
    again = task.run();
    if (again) {
      std::lock_guard<std::mutex> lock(pool->mutex);
      pool->idle.push_back(self.get());
    }
    task.finish();
  }
  return nullptr;
}

int startThread(Thread *thread) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kRankStackSize);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t id;
  int error = pthread_create(&id, &attributes, threadMain, thread);
  pthread_attr_destroy(&attributes);
  return error;
}

} // namespace

int runOnRankThread(RankTask task) {
  Thread *thread = nullptr;
  {
    std::lock_guard<std::mutex> lock(pool->mutex);
    if (!pool->idle.empty()) {
      thread = pool->idle.back();
      pool->idle.pop_back();
    }
  }
  if (thread) {
    thread->give(std::move(task));
    return 0;
  }
  auto fresh = std::make_unique<Thread>();
  fresh->give(std::move(task));
  int error = startThread(fresh.get());
  if (error == 0)
    (void)fresh.release(); // the thread owns it
  return error;
}

} // namespace runtime
} // namespace shardir
