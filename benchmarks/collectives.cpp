//===- collectives.cpp - Times the runtime's collectives ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the minimum and median time of one collective between the threads of
// this process, in microseconds, for f32 of 4 KiB, 256 KiB and 16 MiB on 2 and
// 4 ranks. A size is that of the larger of operand and result on one rank.
// Requires a quiet machine to mean anything; `--json` prints one object a line.
// Each figure is the mean of a batch of calls; minimum and median are over
// batches, in which every rank has warmed its buffers.
//
//===----------------------------------------------------------------------===//

#include "Job.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace shardir;
using namespace shardir::runtime;

namespace {

struct Case {
  const char *kind, *from, *to;
  bool wholeOperand, wholeResult; ///< else a shard: the size over the ranks
};

const Case kCases[] = {
    {"all_reduce", "[{}, {}], partial = sum [\"x\"]", "[{}, {}]", true, true},
    {"all_gather", "[{\"x\"}, {}]", "[{}, {}]", false, true},
    {"reduce_scatter", "[{}, {}], partial = sum [\"x\"]", "[{\"x\"}, {}]", true,
     false},
    {"all_to_all", "[{\"x\"}, {}]", "[{}, {\"x\"}]", true, true},
};

std::string quoted(const char *text) {
  std::string result = "\"";
  for (; *text; ++text)
    result += *text == '"' ? std::string("\\\"") : std::string(1, *text);
  return result + "\"";
}

std::shared_ptr<Program> makeProgram(const Case &c, int ranks, int64_t rows,
                                     int64_t columns) {
  std::string json =
      "{\"abi\": 1, \"ranks\": " + std::to_string(ranks) +
      ", \"meshes\": [{\"name\": \"m\", \"axes\": [{\"name\": \"x\", "
      "\"size\": " +
      std::to_string(ranks) +
      "}]}], \"functions\": [], \"collectives\": [{\"kind\": " +
      quoted(c.kind) + ", \"mesh\": \"m\", \"from\": " + quoted(c.from) +
      ", \"to\": " + quoted(c.to) + ", \"shape\": [" + std::to_string(rows) +
      ", " + std::to_string(columns) + "], \"element_type\": \"f32\"}]}";
  Metadata metadata;
  std::string error;
  if (!parseMetadata(json, metadata, error)) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return nullptr;
  }
  return std::make_shared<Program>(std::move(metadata));
}

struct Timing {
  double minimum = 0, median = 0;
};

/// Microseconds per call.
bool measure(const Case &c, int ranks, int64_t bytes, Timing &timing) {
  bool allToAll = std::string(c.kind) == "all_to_all";
  int64_t columns = 256, rows = bytes / 4 / columns * (allToAll ? ranks : 1);
  std::shared_ptr<Program> program = makeProgram(c, ranks, rows, columns);
  if (!program)
    return false;
  std::vector<double> samples;
  auto job = std::make_shared<Job>(program, size_t(ranks), JobOptions());
  bool ok = job->run([&](RankContext &rank) {
    using Clock = std::chrono::steady_clock;
    size_t whole = size_t(bytes), shard = whole / size_t(ranks);
    size_t inBytes = c.wholeOperand ? whole : shard;
    size_t outBytes = c.wholeResult ? whole : shard;
    void *in = rank.allocate(inBytes), *out = rank.allocate(outBytes);
    std::memset(in, 0, inBytes);
    std::memset(out, 0, outBytes);
    int calls = int(std::clamp<int64_t>((int64_t(1) << 22) / bytes, 2, 1000));
    for (int batch = 0; batch < 41; ++batch) {
      rank.barrier();
      Clock::time_point start = Clock::now();
      for (int i = 0; i < calls; ++i)
        rank.collective(0, in, out, nullptr);
      std::chrono::duration<double, std::micro> time = Clock::now() - start;
      if (rank.rank == 0 && batch > 0)
        samples.push_back(time.count() / calls);
    }
  });
  if (!ok) {
    std::fprintf(stderr, "error: %s\n", job->error().c_str());
    return false;
  }
  std::sort(samples.begin(), samples.end());
  timing = {samples.front(), samples[samples.size() / 2]};
  return true;
}

} // namespace

int main(int argc, char **argv) {
  bool json = argc == 2 && std::strcmp(argv[1], "--json") == 0;
  if (argc > 1 && !json) {
    std::fprintf(stderr, "usage: bench-collectives [--json]\n");
    return 2;
  }
  if (!json)
    std::printf("%-15s %5s %10s %12s %12s\n", "collective", "ranks", "bytes",
                "min us", "median us");
  for (int ranks : {2, 4})
    for (const Case &c : kCases)
      for (int64_t bytes :
           {int64_t(4) << 10, int64_t(256) << 10, int64_t(16) << 20}) {
        Timing t;
        if (!measure(c, ranks, bytes, t))
          return 1;
        const char *format =
            json ? "{\"collective\": \"%s\", \"ranks\": %d, \"bytes\": %lld, "
                   "\"min_us\": %.3f, \"median_us\": %.3f}\n"
                 : "%-15s %5d %10lld %12.2f %12.2f\n";
        std::printf(format, c.kind, ranks, static_cast<long long>(bytes),
                    t.minimum, t.median);
        std::fflush(stdout);
      }
  return 0;
}
