//===- Benchmark.cpp - Times of repeated runs of a program ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"

#include "ShardIR/Runtime/Trace.h"

#include <algorithm>
#include <cstdio>
#include <map>

using namespace shardir;
using namespace shardir::runner;

Benchmark::Benchmark(Program &program, int64_t count, bool traced,
                     const std::function<void()> &run) {
  shardir_program *compiled = program.get();
  bool onGpu = shardir_program_kernel_text(compiled, 0) != nullptr;
  shardir_program_set_benchmark(compiled, 1);
  // Events around each kernel would be part of the program's time.
  shardir_program_set_trace(compiled, traced && !onGpu);
  for (int64_t i = 0; i != count; ++i) {
    run();
    shardir_measurement one = {};
    check(shardir_last_measurement(compiled, &one));
    this->program.each.push_back(one.milliseconds);
  }
  std::sort(this->program.each.begin(), this->program.each.end());
  if (!onGpu)
    return;

  std::map<int32_t, std::vector<double>> times;
  shardir_program_set_trace(compiled, 1);
  for (int64_t i = 0; i != count; ++i) {
    run();
    const shardir_trace_event *events = nullptr;
    size_t numEvents = 0;
    check(shardir_last_trace(compiled, &events, &numEvents));
    for (size_t e = 0; e != numEvents; ++e)
      if (events[e].kernel >= 0)
        times[events[e].kernel].push_back((events[e].end - events[e].start) *
                                          1e-3);
  }
  for (auto &[kernel, each] : times) {
    std::sort(each.begin(), each.end());
    kernels.push_back({shardir_program_kernel_text(compiled, size_t(kernel)),
                       std::move(each)});
  }
  shardir_program_set_benchmark(compiled, 0);
  shardir_program_set_trace(compiled, traced);
  if (traced)
    run();
}

double Benchmark::Times::median() const {
  size_t n = each.size();
  return n % 2 ? each[n / 2] : (each[n / 2 - 1] + each[n / 2]) / 2;
}

void Benchmark::print(std::FILE *out) const {
  auto line = [&](const char *name, const Times &times, const char *unit) {
    std::fprintf(out, "%s: min %.6g ms, median %.6g ms, %zu %s\n", name,
                 times.each.front(), times.median(), times.each.size(), unit);
  };
  line("benchmark", program, "runs");
  for (const Times &kernel : kernels)
    line(kernel.name.c_str(), kernel, "launches");
}

nlohmann::ordered_json Benchmark::report() const {
  nlohmann::ordered_json report = {{"runs", program.each.size()},
                                   {"min_ms", program.each.front()},
                                   {"median_ms", program.median()}};
  for (const Times &kernel : kernels)
    report["kernels"].push_back({{"kernel", kernel.name},
                                 {"launches", kernel.each.size()},
                                 {"min_ms", kernel.each.front()},
                                 {"median_ms", kernel.median()}});
  return report;
}
