//===- Session.h - One run of shard-run -------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// From parsed options to an exit status: compile if need be, load, check
// everything that can be checked, run, compare, write. Nothing runs before
// inputs, outputs, types and shapes are known to fit.
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

/// Runs the command of the options. Calls `enter` when a crash starts to mean
/// something else.
Exit runSession(const Options &options,
                const std::function<void(Phase)> &enter);

/// shard-run as a function: parses, supervises, prints failures. Returns the
/// exit status.
int shardRunMain(int argc, char **argv);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_SESSION_H
