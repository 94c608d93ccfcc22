//===- Wait.h - Spin, then yield, then sleep --------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a thread waits for another one. Requires nothing; guarantees low latency
// where each thread has a core (a few hundred nanoseconds of spinning),
// progress where there are more threads than cores (yielding), and little waste
// in long waits (sleeping for a fraction of the time already waited).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_WAIT_H
#define SHARDIR_LIB_RUNTIME_CORE_WAIT_H

#include <algorithm>
#include <chrono>
#include <ctime>
#include <sched.h>
#include <unistd.h>

namespace shardir {
namespace runtime {

inline void cpuRelax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The cores that this process may use.
inline int availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&set));
}

/// The cores for each of `processes` on this machine: those that this one may
/// use, unless the others are to use the same.
inline int coresPerProcess(int processes) {
  int cores = availableCores();
  long all = sysconf(_SC_NPROCESSORS_ONLN);
  return long(cores) * processes <= all ? cores : cores / processes;
}

/// Paces one wait.
class Backoff {
public:
  explicit Backoff(int spins) : spins(spins) {}

  void pause() {
    if (spins > 0) {
      --spins;
      cpuRelax();
      return;
    }
    if (yields < 64) {
      ++yields;
      sched_yield();
      return;
    }
    yields = 0;
    auto now = std::chrono::steady_clock::now();
    if (start == std::chrono::steady_clock::time_point())
      start = now;
    auto waited =
        std::chrono::duration_cast<std::chrono::microseconds>(now - start)
            .count();
    if (waited < 1000)
      return;
    long us = std::min<long>(1000, long(waited) / 16);
    timespec t{0, us * 1000};
    nanosleep(&t, nullptr);
    yields = 64;
  }

private:
  int spins, yields = 0;
  std::chrono::steady_clock::time_point start;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_WAIT_H
