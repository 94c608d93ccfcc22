//===- Show.h - What each rank holds of a tensor ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library. The text of --show, which Program.show of
// the Python package prints as well.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_SHOW_H
#define SHARDIR_LIB_RUNNER_SHOW_H

#include "Signature.h"

namespace shardir::runner {

/// The mesh as a grid, and which part of `name`, an argument or a result
/// (`arg0`, `result1`), each rank holds. `shapes` are those of the arguments;
/// fails with Exit::Usage where they leave an extent open, or where the
/// function has no such tensor.
std::string describeShards(const Program &program, const std::string &name,
                           const std::vector<Shape> &shapes);

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_SHOW_H
