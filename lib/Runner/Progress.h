//===- Progress.h - How much is done, on a terminal -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library. One line on a terminal for work that takes
// long, which is gone when the work ends. Nothing is written elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_PROGRESS_H
#define SHARDIR_LIB_RUNNER_PROGRESS_H

#include <chrono>
#include <cstdio>
#include <string>
#include <unistd.h>

namespace shardir::runner {

class Progress {
public:
  /// Standard error where that is a terminal, of the first process alone.
  static std::FILE *terminal(bool isFirst) {
    return isFirst && ::isatty(STDERR_FILENO) ? stderr : nullptr;
  }

  /// `what` is being done to `all` arrays. `file` may be null; lines are shown
  /// from `patience` seconds on.
  Progress(std::string what, size_t all, std::FILE *file, double patience = 2)
      : what(std::move(what)), all(all), file(file), patience(patience) {}
  ~Progress() {
    if (isShown)
      std::fputs("\r\x1b[2K", file);
  }
  Progress(const Progress &) = delete;

  /// `done` of them are finished.
  void show(size_t done) {
    std::chrono::duration<double> since = Clock::now() - begun;
    if (!file || since.count() < patience)
      return;
    isShown = true;
    std::fprintf(file, "\r\x1b[2K%s: %zu of %zu arrays, %.0f s ", what.c_str(),
                 done, all, since.count());
    std::fflush(file);
  }

private:
  using Clock = std::chrono::steady_clock;
  const std::string what;
  const size_t all;
  std::FILE *const file;
  const double patience;
  const Clock::time_point begun = Clock::now();
  bool isShown = false;
};

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_PROGRESS_H
