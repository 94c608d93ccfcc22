//===- Benchmark.h - Times of repeated runs of a program --------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the runner's library.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNNER_BENCHMARK_H
#define SHARDIR_LIB_RUNNER_BENCHMARK_H

#include "Signature.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <functional>

namespace shardir::runner {

/// The times of a whole program, and on a GPU of each of its kernels.
class Benchmark {
public:
  /// Calls `run` `count` times, at least once, and for the kernels of a GPU as
  /// often again; it must have run once, as the warm-up. With `traced`, the
  /// last run is one without what timing adds.
  Benchmark(Program &program, int64_t count, bool traced,
            const std::function<void()> &run);

  double medianMilliseconds() const { return program.median(); }
  /// Prints a line for the program and one for each kernel.
  void print(std::FILE *out) const;
  /// Of the report, `measured.benchmark`.
  nlohmann::ordered_json report() const;

private:
  /// Milliseconds, sorted.
  struct Times {
    std::string name;
    std::vector<double> each;
    double median() const;
  };

  Times program;
  std::vector<Times> kernels;
};

} // namespace shardir::runner

#endif // SHARDIR_LIB_RUNNER_BENCHMARK_H
