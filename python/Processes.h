//===- Processes.h - Ranks that are processes -------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The messages between the processes of one program around its calls, on the
// devices "mpi" and "nccl". Each process runs the same script, holds the shards
// of the rank of its number, and passes the same full arrays: they compare
// digests of these before each run, since shards of different arrays would
// give wrong numbers. Requires that all processes make the same calls in the
// same order; guarantees that those that do not are told so.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PYTHON_PROCESSES_H
#define SHARDIR_PYTHON_PROCESSES_H

#include "ShardIR/Runtime/ShardIR.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace shardir {
namespace python {

/// A call that all processes make at once.
enum class Call : uint64_t {
  Run,
  RunShards,
  CollectArgument,
  CollectResult,
  Save,
  Load
};

/// A number for an array's bytes and shape; different ones nearly always have
/// different numbers.
uint64_t digestOf(const shardir_buffer &array);

/// Connects the processes, and waits for all: the largest of their statuses,
/// the number of the first that has it, and its message.
std::tuple<int, int64_t, std::string> agree(const std::string &device,
                                            double timeout, int status,
                                            const std::string &message);

class Processes {
public:
  Processes(std::string device, double timeout)
      : device(std::move(device)), timeout(timeout) {}

  /// Whether each rank is a process.
  bool areRanks() const { return device == "mpi" || device == "nccl"; }

  /// Connects the processes at the first call. Raises UsageError unless there
  /// is one for each rank of the program.
  void start(const shardir_program *program);

  /// This process' number, from 0. Requires start().
  size_t number() const { return size_t(own); }

  /// Raises UsageError in all processes unless they are in the same call, of
  /// argument or result `index`, with equal `digests`; `names` are those of
  /// what the digests are of.
  void compare(Call call, size_t index, const std::vector<uint64_t> &digests,
               const std::vector<std::string> &names) const;

  /// Raises UsageError in all processes unless each has the digest of process
  /// `first`, which holds the same part of `name`.
  void compareCopies(uint64_t digest, size_t first,
                     const std::string &name) const;

  /// The blocks of all processes in process 0, `blocks[r]` of `sizes[r]` bytes
  /// from process r; others give `own`.
  void gather(const void *own, size_t bytes, const std::vector<void *> &blocks,
              const std::vector<size_t> &sizes) const;

  /// Process 0's bytes in all others.
  void broadcast(void *data, size_t bytes) const;

private:
  std::string device;
  double timeout;
  bool isStarted = false;
  int64_t own = 0, count = 1;
};

} // namespace python
} // namespace shardir

#endif // SHARDIR_PYTHON_PROCESSES_H
