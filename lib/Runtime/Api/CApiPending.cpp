//===- CApiPending.cpp - Runs that go on beside their host ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run that is started and waited for. Each has a thread of its own, which
// calls what shardir_run calls. Requires that all processes start runs over
// processes in one order; guarantees that these take their turns in that order,
// so that many may be started at once, and that descriptions of buffers and
// options are copied before the start returns.
//
//===----------------------------------------------------------------------===//

#include "CApiDetail.h"

#include <condition_variable>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

using namespace shardir::runtime;

namespace {

/// The turns of runs over processes.
class Turns {
public:
  static Turns &get() {
    static Turns &turns = *new Turns; // threads outlive static destructors
    return turns;
  }
  uint64_t take() {
    std::lock_guard<std::mutex> lock(mutex);
    return taken++;
  }
  void await(uint64_t turn) {
    std::unique_lock<std::mutex> lock(mutex);
    next.wait(lock, [&] { return served == turn; });
  }
  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    ++served;
    next.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable next;
  uint64_t taken = 0, served = 0;
};

/// Buffers with shapes of their own.
class Buffers {
public:
  Buffers(const shardir_buffer *from, size_t n) {
    for (size_t i = 0; from && i < n; ++i) {
      list.push_back(from[i]);
      if (!from[i].shape)
        continue;
      shapes.emplace_back(from[i].shape, from[i].shape + from[i].rank);
      list.back().shape = shapes.back().data();
    }
  }
  /// Null where nothing was given, as the caller said it.
  shardir_buffer *data() { return list.empty() ? nullptr : list.data(); }

private:
  std::vector<shardir_buffer> list;
  std::deque<std::vector<int64_t>> shapes;
};

/// Options with strings of their own.
class Options {
public:
  explicit Options(const shardir_run_options *from) {
    if (!from)
      return;
    given = *from;
    for (const char **text :
         {&given->device, &given->reductions, &given->check})
      if (*text)
        *text = texts.emplace_back(*text).c_str();
  }
  const shardir_run_options *get() const { return given ? &*given : nullptr; }
  bool overProcesses() const {
    std::string device = given && given->device ? given->device : "";
    return (device == "mpi" || device == "nccl") && !given->unsharded;
  }

private:
  std::optional<shardir_run_options> given;
  std::deque<std::string> texts;
};

} // namespace

struct shardir_pending {
  shardir_pending(const shardir_program *program, const char *function,
                  bool local, const shardir_buffer *arguments,
                  size_t numArguments, const shardir_buffer *results,
                  size_t numResults, size_t copies,
                  const shardir_run_options *given)
      : program(program), local(local),
        arguments(arguments, numArguments * copies),
        results(results, numResults * copies), numArguments(numArguments),
        numResults(numResults), options(given),
        cancelled(std::make_shared<std::atomic<bool>>(false)) {
    if (function)
      name = function;
    // Before the turn is taken: it throws where there is no such GPU.
    std::shared_ptr<CudaEvent> after = capi::endOfStream(*program, given);
    bool inTurn = options.overProcesses();
    uint64_t turn = inTurn ? Turns::get().take() : 0;
    try {
      thread = std::thread([this, inTurn, turn, after] {
        if (inTurn)
          Turns::get().await(turn);
        status = capi::run(this->program, name ? name->c_str() : nullptr,
                           this->local, this->arguments.data(),
                           this->numArguments, this->results.data(),
                           this->numResults, options.get(), cancelled, after);
        if (status != SHARDIR_OK)
          message = capi::lastError();
        if (inTurn)
          Turns::get().end();
        ended = true;
      });
    } catch (...) {
      // Nobody must wait for a turn that does not come.
      if (inTurn) {
        Turns::get().await(turn);
        Turns::get().end();
      }
      throw;
    }
  }

  const shardir_program *program;
  std::optional<std::string> name;
  const bool local;
  Buffers arguments, results;
  const size_t numArguments, numResults;
  const Options options;
  const std::shared_ptr<std::atomic<bool>> cancelled;
  std::atomic<bool> ended{false};
  shardir_status status = SHARDIR_OK;
  std::string message;
  std::thread thread;
};

static shardir_status
start(const shardir_program *program, const char *function, bool local,
      const shardir_buffer *arguments, size_t numArguments,
      shardir_buffer *results, size_t numResults,
      const shardir_run_options *options, shardir_pending **pending) {
  return capi::guarded([&] {
    capi::notNull(program, "program");
    capi::notNull(pending, "pending");
    *pending = nullptr;
    // A process gives its own shards alone.
    size_t copies = local && !Options(options).overProcesses()
                        ? size_t(program->program->metadata.ranks)
                        : 1;
    *pending =
        new shardir_pending(program, function, local, arguments, numArguments,
                            results, numResults, copies, options);
    return SHARDIR_OK;
  });
}

extern "C" {

shardir_status shardir_run_start(const shardir_program *program,
                                 const char *function,
                                 const shardir_buffer *arguments,
                                 size_t num_arguments, shardir_buffer *results,
                                 size_t num_results,
                                 const shardir_run_options *options,
                                 shardir_pending **pending) {
  return start(program, function, /*local=*/false, arguments, num_arguments,
               results, num_results, options, pending);
}

shardir_status
shardir_run_local_start(const shardir_program *program, const char *function,
                        const shardir_buffer *arguments, size_t num_arguments,
                        shardir_buffer *results, size_t num_results,
                        const shardir_run_options *options,
                        shardir_pending **pending) {
  return start(program, function, /*local=*/true, arguments, num_arguments,
               results, num_results, options, pending);
}

int shardir_run_ended(const shardir_pending *pending) {
  return !pending || pending->ended;
}

void shardir_run_abort(shardir_pending *pending) {
  if (pending)
    *pending->cancelled = true;
}

shardir_status shardir_run_wait(shardir_pending *pending) {
  return capi::guarded([&] {
    capi::notNull(pending, "pending");
    pending->thread.join();
    capi::Failure failure{pending->status, pending->message};
    delete pending;
    return failure.status == SHARDIR_OK ? SHARDIR_OK : capi::report(failure);
  });
}

} // extern "C"
