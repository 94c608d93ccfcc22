//===- Run.h - Runs an entry on whole arrays or shards ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From buffers to a job and back. Requires buffers that were checked against
// the signature; guarantees that nothing of the caller's is touched once the
// run has returned, except the caller's shards in runLocal, which a rank that
// is stuck in compute may still write to.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_CORE_RUN_H
#define SHARDIR_LIB_RUNTIME_CORE_RUN_H

#include "Job.h"

namespace shardir {
namespace runtime {

struct RunRequest {
  std::shared_ptr<Program> program;
  size_t function = 0;
  bool unsharded = false;
  bool local = false; ///< buffers are shards, rank-major
  /// With `local`: in memory of the host, wherever ranks compute.
  bool hostShards = false;
  std::vector<shardir_buffer> arguments, results;
  /// The shapes of the global arguments. Null where ranks are processes, each
  /// of which has its own shards alone: they tell each other.
  std::shared_ptr<const Shapes> globalArguments;
  JobOptions options;
};

struct RunReport {
  shardir_measurement measurement = {};
  std::vector<shardir_trace_event> events;
  std::string error; ///< "" unless a rank failed
};

RunReport runFunction(RunRequest request);

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_CORE_RUN_H
