//===- collectives.cpp - Times the runtime's collectives ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the minimum and median time of every kind of collective between the
// ranks of this process, or with --mpi between the processes of an MPI job, in
// microseconds, for f32. A size is that of the larger of operand and result on
// the rank that has most: the whole on every rank of an all-reduce, the
// gathered array of a gather, one message of a send. What moves is what MPI's
// function of that name moves, between buffers that are contiguous and used
// before; benchmarks/collectives.py runs peers beside it.
//
// Each figure is the mean of a batch of calls; minimum and median are over
// batches. Requires a quiet machine to mean anything.
//
//===----------------------------------------------------------------------===//

#include "Core/Job.h"
#include "Processes/ProcessWorld.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

using namespace shardir;
using namespace shardir::runtime;

namespace {

struct Case {
  const char *kind;
  const char *from, *to; ///< placements; null: a rooted collective
  const char *toMesh;
  bool columns; ///< one row per rank, so that blocks of columns are contiguous
  bool wholeIn, wholeOut; ///< on every rank; else a shard: the size over ranks
};

const Case kCases[] = {
    {"all_reduce", "[{}, {}], partial = sum [\"x\"]", "[{}, {}]", "m", false,
     true, true},
    {"all_gather", "[{\"x\"}, {}]", "[{}, {}]", "m", false, false, true},
    {"reduce_scatter", "[{}, {}], partial = sum [\"x\"]", "[{\"x\"}, {}]", "m",
     false, true, false},
    {"all_to_all", "[{\"x\"}, {}]", "[{}, {\"x\"}]", "m", true, true, true},
    // To the same devices in reverse order: rank r to rank n - 1 - r.
    {"permute", "[{\"x\"}, {}]", "[{\"x\"}, {}]", "reversed", true, true, true},
    // Two pieces a rank, of different ranks.
    {"exchange", "[{}, {\"x\"}]", "[{}, {2, \"x\"}]", "m", true, true, true},
    {"broadcast", nullptr, nullptr, "m", false, true, true},
    {"gather", nullptr, nullptr, "m", false, false, true},
    {"scatter", nullptr, nullptr, "m", false, true, false},
    // There and back between ranks 2i and 2i + 1; the time is of one message.
    {"send_recv", nullptr, nullptr, "m", false, true, true},
};

struct Options {
  bool json = false;
  std::vector<std::string> kinds;
  std::vector<int64_t> ranks = {2, 4, 8};
  std::vector<int64_t> bytes = {4 << 10, 256 << 10, 16 << 20, 64 << 20};
  int batches = 40;
  /// With --mpi: this process is one of an MPI job, which has as many as ranks.
  ProcessWorld *world = nullptr;
};

std::string quoted(const char *text) {
  std::string result = "\"";
  for (; *text; ++text)
    result += *text == '"' ? std::string("\\\"") : std::string(1, *text);
  return result + "\"";
}

std::string meshText(const char *name, int64_t ranks, bool reversed) {
  std::string devices;
  for (int64_t r = 0; r < ranks && reversed; ++r)
    devices += (r ? ", " : "") + std::to_string(ranks - 1 - r);
  return "{\"name\": " + quoted(name) +
         ", \"axes\": [{\"name\": \"x\", \"size\": " + std::to_string(ranks) +
         "}], \"devices\": [" + devices + "]}";
}

std::string rootedText(const char *kind) {
  return "{\"kind\": " + quoted(kind) +
         ", \"mesh\": \"m\", \"axes\": [\"x\"], \"element_type\": \"f32\"}";
}

std::shared_ptr<Program> makeProgram(const Case &c, int64_t ranks,
                                     int64_t bytes) {
  std::string list;
  if (c.from) {
    // One row a rank, or rows of 16 elements.
    bool swapped = std::string(c.kind) == "exchange";
    int64_t columns = c.columns ? bytes / 4 : 16;
    int64_t rows = c.columns ? ranks : bytes / 4 / columns;
    if (swapped)
      columns *= rows, rows = 1;
    bool sameMesh = std::strcmp(c.toMesh, "m") == 0;
    list = "{\"kind\": " + quoted(sameMesh ? c.kind : "exchange") +
           ", \"mesh\": \"m\", " +
           (sameMesh ? "" : "\"to_mesh\": " + quoted(c.toMesh) + ", ") +
           "\"from\": " + quoted(c.from) + ", \"to\": " + quoted(c.to) +
           ", \"shape\": [" + std::to_string(rows) + ", " +
           std::to_string(columns) + "], \"element_type\": \"f32\"}";
  } else if (std::string(c.kind) == "send_recv") {
    list = rootedText("send") + ", " + rootedText("recv");
  } else {
    list = rootedText(c.kind);
  }
  std::string json = "{\"abi\": 1, \"ranks\": " + std::to_string(ranks) +
                     ", \"meshes\": [" + meshText("m", ranks, false) + ", " +
                     meshText("reversed", ranks, true) +
                     "], \"functions\": [], \"collectives\": [" + list + "]}";
  Metadata metadata;
  std::string error;
  if (!parseMetadata(json, metadata, error)) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return nullptr;
  }
  return std::make_shared<Program>(std::move(metadata));
}

/// One call, or one message there and back.
void call(RankContext &rank, const Case &c, int64_t ranks, int64_t bytes,
          void *in, void *out) {
  std::string kind = c.kind;
  int64_t count = bytes / 4;
  if (c.from)
    return rank.collective(0, in, out, nullptr);
  if (kind == "send_recv") {
    int64_t partner = rank.rank ^ 1;
    for (int turn = 0; turn < 2; ++turn)
      if ((rank.rank & 1) == turn)
        rank.collectivePeer(0, in, nullptr, count, partner);
      else
        rank.collectivePeer(1, nullptr, out, count, partner);
    return;
  }
  if (kind != "broadcast")
    count /= ranks;
  // As in MPI, the root of a broadcast has one buffer.
  bool same = kind == "broadcast" && rank.rank == 0;
  rank.collectivePeer(0, in, same ? in : out, count, 0);
}

struct Timing {
  double minimum = 0, median = 0;
};

/// Microseconds per call.
bool measure(const Case &c, int64_t ranks, int64_t bytes,
             const Options &options, Timing &timing) {
  std::shared_ptr<Program> program = makeProgram(c, ranks, bytes);
  if (!program)
    return false;
  bool twice = std::string(c.kind) == "send_recv";
  std::vector<double> samples;
  int batches = options.batches;
  JobOptions jobOptions;
  jobOptions.mpi = options.world;
  if (options.world && !options.world->beginRun(jobOptions.mpiRun))
    return false;
  auto job = std::make_shared<Job>(program, size_t(ranks), jobOptions);
  bool ok = job->run([&](RankContext &rank) {
    using Clock = std::chrono::steady_clock;
    size_t whole = size_t(bytes), shard = whole / size_t(ranks);
    size_t inBytes = c.wholeIn ? whole : shard;
    size_t outBytes = c.wholeOut ? whole : shard;
    void *in = rank.allocate(inBytes), *out = rank.allocate(outBytes);
    std::memset(in, 0, inBytes);
    std::memset(out, 0, outBytes);
    int calls = int(std::clamp<int64_t>((int64_t(1) << 22) / bytes, 2, 500));
    for (int batch = 0; batch <= batches; ++batch) {
      rank.barrier();
      Clock::time_point start = Clock::now();
      for (int i = 0; i < calls; ++i)
        call(rank, c, ranks, bytes, in, out);
      std::chrono::duration<double, std::micro> time = Clock::now() - start;
      if (rank.rank == 0 && batch > 0)
        samples.push_back(time.count() / calls / (twice ? 2 : 1));
    }
  });
  if (!ok) {
    std::fprintf(stderr, "error: %s\n", job->error().c_str());
    return false;
  }
  if (options.world)
    options.world->endRun();
  if (samples.empty()) // another process has them
    return true;
  std::sort(samples.begin(), samples.end());
  timing = {samples.front(), samples[samples.size() / 2]};
  return true;
}

int usage() {
  std::fprintf(stderr, "usage: bench-collectives [--json] [--kinds=NAME,...] "
                       "[--ranks=N,...] [--bytes=N,...] [--batches=N]\n"
                       "       mpirun -n N bench-collectives --mpi ...\n");
  return 2;
}

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> result;
  std::stringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');)
    result.push_back(item);
  return result;
}

/// Positive numbers; false for anything else.
bool numbers(const std::string &text, std::vector<int64_t> &result) {
  result.clear();
  for (const std::string &item : split(text)) {
    result.push_back(std::atoll(item.c_str()));
    if (result.back() <= 0 || result.back() > (int64_t(1) << 40))
      return false;
  }
  return !result.empty();
}

bool parse(int argc, char **argv, Options &options) {
  bool overMpi = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i], value;
    size_t equals = argument.find('=');
    if (equals != std::string::npos)
      value = argument.substr(equals + 1);
    std::string name = argument.substr(0, equals);
    std::vector<int64_t> one;
    if (argument == "--json")
      options.json = true;
    else if (argument == "--mpi")
      overMpi = true;
    else if (name == "--kinds")
      options.kinds = split(value);
    else if (name == "--batches" && numbers(value, one) && one.size() == 1)
      options.batches = int(std::min<int64_t>(one[0], 100000));
    else if (!(name == "--ranks" && numbers(value, options.ranks)) &&
             !(name == "--bytes" && numbers(value, options.bytes)))
      return false;
  }
  if (overMpi) {
    std::string error;
    options.world = ProcessWorld::get(false, 30, error);
    if (!options.world) {
      std::fprintf(stderr, "error: %s\n", error.c_str());
      return false;
    }
    options.ranks = {options.world->size};
  }
  for (const std::string &kind : options.kinds)
    if (std::none_of(std::begin(kCases), std::end(kCases),
                     [&](const Case &c) { return kind == c.kind; }))
      return false;
  for (int64_t ranks : options.ranks)
    for (int64_t bytes : options.bytes)
      if (ranks > 1024 || ranks % 2 || bytes % (64 * ranks)) {
        std::fprintf(stderr, "error: ranks must be even, and bytes a multiple "
                             "of 64 times the ranks\n");
        return false;
      }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options))
    return usage();
  bool prints = !options.world || options.world->rank == 0;
  if (!options.json && prints)
    std::printf("%-15s %5s %10s %12s %12s\n", "collective", "ranks", "bytes",
                "min us", "median us");
  for (const Case &c : kCases)
    for (int64_t bytes : options.bytes)
      for (int64_t ranks : options.ranks) {
        if (!options.kinds.empty() &&
            std::find(options.kinds.begin(), options.kinds.end(), c.kind) ==
                options.kinds.end())
          continue;
        Timing t;
        if (!measure(c, ranks, bytes, options, t))
          return 1;
        if (!prints)
          continue;
        const char *format =
            options.json
                ? "{\"collective\": \"%s\", \"ranks\": %lld, \"bytes\": %lld, "
                  "\"min_us\": %.3f, \"median_us\": %.3f}\n"
                : "%-15s %5lld %10lld %12.2f %12.2f\n";
        std::printf(format, c.kind, static_cast<long long>(ranks),
                    static_cast<long long>(bytes), t.minimum, t.median);
        std::fflush(stdout);
      }
  return 0;
}
