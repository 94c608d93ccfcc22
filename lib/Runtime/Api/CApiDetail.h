//===- CApiDetail.h - Errors and handles of the C API -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State that the functions of the C API share: the handle, the last error, and
// the guard that turns exceptions into statuses. Requires functions that refuse
// bad arguments by throwing Failure; guarantees that the message lives until
// the next failure on the same thread.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_API_CAPIDETAIL_H
#define SHARDIR_LIB_RUNTIME_API_CAPIDETAIL_H

#include "Core/Run.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

/// A loaded program and what its last run counted.
struct shardir_program {
  explicit shardir_program(std::shared_ptr<shardir::runtime::Program> loaded)
      : program(std::move(loaded)) {
    for (const shardir::runtime::CollectiveSpec &spec :
         program->metadata.collectives)
      collectiveTexts.push_back(spec.describe());
    if (program->metadata.gpu)
      for (const shardir::runtime::KernelSpec &spec :
           program->metadata.gpu->kernels)
        kernelTexts.push_back(spec.describe());
  }
  const std::shared_ptr<shardir::runtime::Program> program;
  std::vector<std::string> collectiveTexts, kernelTexts;

  // Written by runs, which take the program as const; guarded by mutex.
  mutable std::mutex mutex;
  mutable bool hasRun = false;
  mutable shardir_measurement measurement = {};
  mutable std::vector<shardir_trace_event> events;
  /// Of the last run whose buffers were checked: their description, and the
  /// shapes of the global arguments. Runs on such buffers need no check.
  mutable std::vector<int64_t> checked;
  mutable std::shared_ptr<const shardir::runtime::Shapes> checkedArguments;
  bool trace = false, benchmark = false;
  /// The caller's CUstream; null for none.
  std::atomic<void *> stream = nullptr;
  std::atomic<bool> hostShards = false;
};

namespace shardir {
namespace runtime {
namespace capi {

struct Failure {
  shardir_status status;
  std::string message;
};

/// Throws INVALID_ARGUMENT.
[[noreturn]] void refuse(const std::string &message);
void notNull(const void *pointer, const char *name);
const char *lastError();
shardir_status report(const Failure &failure) noexcept;
/// OK for an empty message, else RANK_FAILED.
shardir_status finish(const std::string &error);

size_t functionIndex(const shardir_program *program, const char *name);
const FunctionSpec &functionOf(const shardir_program *program,
                               const char *name);
/// The shard's shape, with -1 where it is not known.
std::vector<int64_t> localShape(const Metadata &metadata,
                                const TensorSpec &spec,
                                std::vector<int64_t> shape, int64_t rank);

/// The end of what the caller has queued on the program's stream; null without
/// one. Throws.
std::shared_ptr<CudaEvent> endOfStream(const shardir_program &program,
                                       const shardir_run_options *options);

/// shardir_run, or shardir_run_local; ends early once `cancelled` is set and
/// true. `after` is endOfStream at an earlier time.
shardir_status run(const shardir_program *program, const char *function,
                   bool local, const shardir_buffer *arguments,
                   size_t numArguments, shardir_buffer *results,
                   size_t numResults, const shardir_run_options *options,
                   std::shared_ptr<const std::atomic<bool>> cancelled = {},
                   std::shared_ptr<CudaEvent> after = {});

/// The processes of this one's job, started if need be, within `seconds` where
/// MPI does not see to that. Throws.
ProcessWorld &processWorld(const std::string &device, double seconds);
/// Throws unless there is one process for each rank.
void checkProcesses(const ProcessWorld &world, const Metadata &metadata);

template <class F> shardir_status guarded(F &&f) {
  try {
    return f();
  } catch (const Failure &failure) {
    return report(failure);
  } catch (const std::bad_alloc &) {
    return report({SHARDIR_INVALID_ARGUMENT, "out of memory"});
  } catch (const std::exception &e) {
    return report({SHARDIR_INVALID_ARGUMENT, e.what()});
  } catch (...) {
    return report({SHARDIR_INVALID_ARGUMENT, "unknown error"});
  }
}

} // namespace capi
} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_API_CAPIDETAIL_H
