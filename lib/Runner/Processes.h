//===- Processes.h - shard-run in several processes -------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library. With --device=mpi, shard-run runs once per
// rank; all of them go through the same steps together. Requires that every
// process calls the same members in the same order; guarantees that all end
// with one status, and that process 0 alone speaks. With any other device there
// is one process, and nothing here does anything.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_PROCESSES_H
#define SHARDIR_LIB_RUNNER_PROCESSES_H

#include "Signature.h"

#include "ShardIR/Runner/Failure.h"

#include <functional>

namespace shardir::runner {

class Processes {
public:
  /// Starts MPI if that is the device. Fails with Exit::Usage. A process that
  /// shows no sign of life for `timeout` seconds (0: 60) ends the others.
  Processes(const std::string &device, double timeout);

  bool areMany() const { return count > 1; }
  bool isFirst() const { return number == 0; }
  int64_t getNumber() const { return number; }
  int64_t getCount() const { return count; }
  /// Whether this process needs rank `rank`'s shards.
  bool holds(int64_t rank) const { return !overMpi || rank == number; }
  /// Fails unless there is one process for each of the program's ranks.
  void match(const Program &program) const;

  /// Runs `body` in every process. If it fails in any, all fail with the
  /// same status: process 0 reports the error and the process it comes from.
  void together(const std::function<void()> &body) const;
  /// Runs `body`, whose failures are the same in all processes.
  void inStep(const std::function<void()> &body) const;
  /// The bytes that process 0 gives, of any number.
  std::string fromFirst(const std::string &bytes) const;
  /// Brings the shards of one array to process 0.
  void gather(std::vector<Array> &shards) const;
  /// The last step: all end with process 0's status.
  Exit endWith(Exit status) const;

private:
  /// Process 0 says it, and all then leave with `status`.
  [[noreturn]] void leave(Exit status, const std::string &message) const;

  bool overMpi = false;
  int64_t number = 0, count = 1;
};

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_PROCESSES_H
