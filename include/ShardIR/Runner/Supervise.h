//===- Supervise.h - Surviving what a program does --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Compiled code can divide an integer by zero, overflow a stack or write where
// it should not; a damaged shared object can crash the loader. shard-run
// promises an exit status whatever happens, so all work is done in a child
// process, and its parent does nothing but wait and translate its end.
// SHARDIR_RUN_IN_PROCESS=1 works without a child, for debuggers.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_RUNNER_SUPERVISE_H
#define SHARDIR_RUNNER_SUPERVISE_H

#include <functional>

namespace shardir::runner {

/// How far the work is: decides what a crash means. `Left` is the supervisor's
/// own: the work has returned.
enum class Phase { Preparing, Loading, Running, Left };

/// Runs `work` in a child process and returns its status, or the status and
/// message of its crash. `work` tells its phase through its argument. Requires
/// that this process has a single thread.
int supervise(
    const std::function<int(const std::function<void(Phase)> &)> &work);

} // namespace shardir::runner

#endif // SHARDIR_RUNNER_SUPERVISE_H
