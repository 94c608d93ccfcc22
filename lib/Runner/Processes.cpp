//===- Processes.cpp - shard-run in several processes ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order at the end matters: a launcher kills all processes as soon as one
// has ended with a status other than 0, so process 0 speaks before any ends.
// Requires the runtime's Processes.h; guarantees that no process waits for one
// that the runtime has lost: after a failed run nobody answers for sure.
//
//===----------------------------------------------------------------------===//

#include "Processes.h"

#include "ShardIR/Runtime/Processes.h"

#include <cstdio>
#include <new>

using namespace shardir;
using namespace shardir::runner;

/// Seconds that others wait for process 0 to have said how a run failed.
static constexpr double kLastWords = 5;
/// The runtime's deadline where --timeout gives none.
static constexpr double kTimeout = 60;

Processes::Processes(const std::string &device, double timeout) {
  if (device != "mpi" && device != "nccl")
    return;
  overMpi = true;
  timeout = timeout > 0 ? timeout : kTimeout;
  check(shardir_processes_start(device.c_str(), timeout, &number, &count));
  check(shardir_processes_watch(timeout));
}

void Processes::match(const Program &program) const {
  if (overMpi)
    check(shardir_processes_match(program.get()));
}

void Processes::leave(Exit status, const std::string &message) const {
  if (isFirst() && !message.empty())
    std::fprintf(stderr, "shard-run: error: %s\n", message.c_str());
  std::fflush(stdout);
  std::fflush(stderr);
  char goodbye = 0;
  (void)shardir_processes_broadcast(&goodbye, 1, kLastWords);
  if (status != Exit::RankFailed)
    shardir_processes_finish();
  throw Failure(status, "");
}

void Processes::together(const std::function<void()> &body) const {
  if (!areMany())
    return body();
  Exit status = Exit::Done;
  std::string message;
  try {
    body();
  } catch (const Failure &failure) {
    status = failure.getStatus();
    message = failure.what();
  } catch (const std::bad_alloc &) {
    status = Exit::Usage;
    message = "out of memory";
  } catch (const std::exception &error) {
    status = Exit::Usage;
    message = error.what();
  }
  int worst = 0;
  int64_t who = 0;
  const char *text = "";
  check(shardir_processes_agree(int(status), message.c_str(), &worst, &who,
                                &text));
  if (worst == 0)
    return;
  message = text;
  if (who != 0 && !message.empty())
    message = "process " + std::to_string(who) + ": " + message;
  leave(Exit(worst), message);
}

void Processes::inStep(const std::function<void()> &body) const {
  if (!areMany())
    return body();
  try {
    body();
  } catch (const Failure &failure) {
    // Without a word from process 0, this one speaks for itself.
    if (shardir_processes_unheard())
      throw;
    leave(failure.getStatus(), failure.what());
  }
}

std::string Processes::fromFirst(const std::string &bytes) const {
  if (!areMany())
    return bytes;
  uint64_t size = bytes.size();
  check(shardir_processes_broadcast(&size, sizeof(size), 0));
  std::string result = isFirst() ? bytes : std::string(size_t(size), '\0');
  check(shardir_processes_broadcast(result.data(), result.size(), 0));
  return result;
}

void Processes::gather(std::vector<Array> &shards) const {
  if (!areMany())
    return;
  std::vector<void *> buffers;
  std::vector<size_t> sizes;
  for (Array &shard : shards) {
    buffers.push_back(shard.bytes.data());
    sizes.push_back(shard.bytes.size());
  }
  const Array &own = shards[size_t(number)];
  check(shardir_processes_gather(own.bytes.data(), own.bytes.size(),
                                 buffers.data(), sizes.data()));
}

Exit Processes::endWith(Exit status) const {
  if (!areMany())
    return status;
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    if (isFirst() && status == Exit::Done)
      std::fputs("shard-run: error: cannot write to standard output\n", stderr);
    status = std::max(status, Exit::Usage);
  }
  auto end = int(isFirst() ? status : Exit::Done);
  check(shardir_processes_broadcast(&end, sizeof(end), 0));
  shardir_processes_finish();
  return Exit(end);
}
