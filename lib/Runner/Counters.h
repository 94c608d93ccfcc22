//===- Counters.h - What kernels execute, by the emulated GPU ---*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library. The counters of --counters. Requires
// --device=cuda-local and the emulated GPU's library in $SHARDIR_CUDA_LIBRARY;
// a usage error says so where either is missing.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_COUNTERS_H
#define SHARDIR_LIB_RUNNER_COUNTERS_H

#include <string>

namespace shardir::runner {

/// The counts of kernels of PTX from the construction on.
class Counters {
public:
  explicit Counters(const std::string &device);

  /// As JSON, or as a table for the terminal. It is a usage error if no kernel
  /// of PTX has run.
  std::string text(bool asTable) const;

private:
  const char *(*read)(int asTable) = nullptr;
};

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_COUNTERS_H
