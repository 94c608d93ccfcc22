//===- RankThreads.h - Threads that ranks run on ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pool of threads for the jobs of a process: starting a thread takes longer
// than a small program. Requires that this library stays loaded, as idle
// threads wait in it. Guarantees that a thread is idle again before the end of
// its task is announced, so that the next job finds it; that a child made by
// fork starts with an empty pool.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_RANKTHREADS_H
#define SHARDIR_LIB_RUNTIME_CORE_RANKTHREADS_H

#include <functional>

namespace shardir {
namespace runtime {

struct RankTask {
  /// Returns whether the thread may be used again.
  std::function<bool()> run;
  /// Called after it, in the same thread.
  std::function<void()> finish;
  /// Whether the thread looks for its next task for some microseconds before
  /// it sleeps.
  bool spin = false;
};

/// The stack of each thread, in bytes.
constexpr size_t kRankStackSize = size_t(16) << 20;

/// Runs `task` on an idle thread, or on a new one where none is idle. Returns
/// 0, or what pthread_create returns.
int runOnRankThread(RankTask task);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_RANKTHREADS_H
