//===- Session.h - One run of shard-run -------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// From parsed options to an exit status: compile if necessary, load, check
// inputs, outputs, types and shapes, and only then run, compare and write.
// Failures are thrown; the caller prints them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_SESSION_H
#define SHARDIR_RUNNER_SESSION_H

#include "ShardIR/Runner/Failure.h"
#include "ShardIR/Runner/Options.h"
#include "ShardIR/Runner/Supervise.h"

#include <functional>

namespace shardir::runner {

/// Runs the command of the options. Calls `enter` at the start of each phase,
/// which decides the exit status of a crash.
Exit runSession(const Options &options,
                const std::function<void(Phase)> &enter);

/// shard-run as a function: parses, supervises, prints failures. Returns the
/// exit status.
int shardRunMain(int argc, char **argv);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_SESSION_H
