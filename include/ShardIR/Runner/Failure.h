//===- Failure.h - How shard-run reports what went wrong --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything in the runner that can fail throws a Failure: one message in the
// field's terms, and the exit status that the command line promises for it.
// Only `main` catches it. Nothing here ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_FAILURE_H
#define SHARDIR_RUNNER_FAILURE_H

#include <stdexcept>
#include <string>

namespace shardir::runner {

/// The exit statuses of shard-run.
enum class Exit {
  Done = 0,
  OutputsDiffer = 1,
  Usage = 2,      ///< wrong usage, unreadable input, unwritable output
  BadProgram = 3, ///< does not parse, verify, compile or load
  RankFailed = 4  ///< a rank failed or a deadline passed
};

/// A failure: lower case, no full stop.
class Failure : public std::runtime_error {
public:
  Failure(Exit status, const std::string &message)
      : std::runtime_error(message), status(status) {}
  Exit getStatus() const { return status; }

private:
  Exit status;
};

/// Wrong usage or a file that cannot be used: the most frequent failure.
[[noreturn]] inline void failUsage(const std::string &message) {
  throw Failure(Exit::Usage, message);
}

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_FAILURE_H
