//===- Main.cpp - The command shard-run -----------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the arguments, and makes a message and a status of every failure.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Session.h"

#include "ShardIR/Runner/Options.h"
#include "ShardIR/Runner/Supervise.h"
#include "ShardIR/Runtime/Abi.h"
#include "ShardIR/Runtime/Processes.h"

#include <chrono>
#include <cstdio>
#include <new>
#include <thread>

using namespace shardir;
using namespace shardir::runner;

namespace {

int reportFailure(const Failure &failure) {
  // An empty message: whoever failed has said it already.
  if (!*failure.what())
    return int(failure.getStatus());
  // If all processes of a launcher see an error, the first one reports it. The
  // others end after it, for the launcher kills it when one of them ends so.
  if (shardir_processes_launched_as() > 0 && !shardir_processes_unheard())
    std::this_thread::sleep_for(std::chrono::seconds(1));
  else
    std::fprintf(stderr, "shard-run: error: %s\n", failure.what());
  return int(failure.getStatus());
}

/// Runs `body`; every failure becomes a message and a status.
template <typename Body> int guarded(Body body) {
  try {
    return body();
  } catch (const Failure &failure) {
    return reportFailure(failure);
  } catch (const std::bad_alloc &) {
    return reportFailure(Failure(Exit::Usage, "out of memory"));
  } catch (const std::exception &error) {
    return reportFailure(Failure(Exit::Usage, error.what()));
  }
}

} // namespace

int runner::shardRunMain(int argc, char **argv) {
  return guarded([&]() -> int {
    std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
    Options options = parseOptions(arguments);
    if (options.help || options.version) {
      if (options.help)
        std::fputs(helpText(), stdout);
      else
        std::printf("shard-run %s (program ABI %d)\n", SHARDIR_VERSION_STRING,
                    SHARDIR_ABI_VERSION);
      if (std::fflush(stdout) != 0)
        failUsage("cannot write to standard output");
      return int(Exit::Done);
    }
    return supervise([&](const std::function<void(Phase)> &enter) {
      return guarded([&] { return int(runSession(options, enter)); });
    });
  });
}
