//===- Child.h - Running a child process ------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Private to the runner's library. Runs a program without a shell and collects
// what it writes to standard error. The child ends with its parent, and reads
// nothing. Requires that the caller has no other threads; guarantees that the
// child has ended when it returns.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_CHILD_H
#define SHARDIR_LIB_RUNNER_CHILD_H

#include <string>
#include <vector>

namespace shardir::runner {

struct ChildResult {
  int exitStatus = 0;
  int signal = 0;     ///< 0, or what ended it
  std::string errors; ///< its standard error, the first 16 MiB
};

/// Gives `input` to the program as its standard input. Fails with
/// Exit::BadProgram if it cannot be started.
ChildResult runChild(const std::vector<std::string> &command,
                     const std::string &input = "");

/// `signal 11 (Segmentation fault)`.
std::string describeSignal(int signal);

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_CHILD_H
