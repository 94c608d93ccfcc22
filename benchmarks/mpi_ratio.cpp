//===- mpi_ratio.cpp - Collectives over MPI beside MPI's own --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: mpirun -n N bench-mpi-ratio [BYTES...], N a power of two
//        mpirun -n N bench-mpi-ratio --empty
//        bench-mpi-ratio --first, over the stub of MPI (testing/StubMpi)
//
// Times the runtime's all-reduce, all-gather and all-to-all of f32 without
// posts, and the blocking collective of MPI of that name on the same buffers,
// batch by batch in turns: the minimum and the median of batches in
// microseconds, and the ratio of the medians. BYTES are those of the larger of
// operand and result. With --empty: a run of a program without arguments and
// collectives, beside MPI_Barrier. With --first: milliseconds and kibibytes on
// the heap for the first call, and microseconds of a later one.
//
//===----------------------------------------------------------------------===//

#include "Core/Run.h"
#include "Processes/ProcessWorld.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <malloc.h>

using namespace shardir;
using namespace shardir::runtime;
using Clock = std::chrono::steady_clock;

namespace {

struct Case {
  const char *kind, *from, *to;
};
const Case kCases[] = {
    {"all_reduce", "[{}, {}], partial = sum [\\\"x\\\"]", "[{}, {}]"},
    {"all_gather", "[{\\\"x\\\"}, {}]", "[{}, {}]"},
    {"all_to_all", "[{\\\"x\\\"}, {}]", "[{}, {\\\"x\\\"}]"}};

constexpr int kBatches = 31;

std::shared_ptr<Program> makeProgram(int64_t ranks,
                                     const std::string &functions,
                                     const std::string &collectives) {
  std::string json =
      "{\"abi\": 1, \"hash\": \"\", \"ranks\": " + std::to_string(ranks) +
      ", \"meshes\": [{\"name\": \"m\", \"axes\": [{\"name\": \"x\", "
      "\"size\": " +
      std::to_string(ranks) + "}], \"devices\": []}], \"functions\": [" +
      functions + "], \"collectives\": [" + collectives + "], \"report\": {}}";
  Metadata metadata;
  std::string error;
  if (!parseMetadata(json, metadata, error)) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    std::exit(1);
  }
  return std::make_shared<Program>(std::move(metadata));
}

std::shared_ptr<Program> makeProgram(const Case &c, int64_t ranks,
                                     int64_t bytes) {
  // One row a rank, so that blocks of columns are contiguous, too.
  return makeProgram(
      ranks, "",
      std::string("{\"kind\": \"") + c.kind +
          "\", \"mesh\": \"m\", \"from\": \"" + c.from + "\", \"to\": \"" +
          c.to + "\", \"shape\": [" + std::to_string(ranks) + ", " +
          std::to_string(bytes / 4 / ranks) + "], \"element_type\": \"f32\"}");
}

double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

/// MPI's own collectives on MPI_COMM_WORLD.
class Blocking {
public:
  explicit Blocking(ProcessWorld &world) : world(world) {
    communicator = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    type = dlsym(RTLD_DEFAULT, "ompi_mpi_float");
    sum = dlsym(RTLD_DEFAULT, "ompi_mpi_op_sum");
  }
  void call(const std::string &kind, const void *in, void *out, int count) {
    // The watchdog calls MPI, too.
    std::lock_guard<std::timed_mutex> lock(world.mutex);
    int piece = count / world.size;
    if (kind == "barrier")
      find<int (*)(void *)>("MPI_Barrier")(communicator);
    else if (kind == "all_reduce")
      find<int (*)(const void *, void *, int, void *, void *, void *)>(
          "MPI_Allreduce")(in, out, count, type, sum, communicator);
    else
      find<int (*)(const void *, int, void *, void *, int, void *, void *)>(
          kind == "all_gather" ? "MPI_Allgather" : "MPI_Alltoall")(
          in, kind == "all_gather" ? piece : piece / world.size, type, out,
          kind == "all_gather" ? piece : piece / world.size, type,
          communicator);
  }

private:
  template <class F> static F find(const char *name) {
    return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
  }
  ProcessWorld &world;
  void *communicator, *type, *sum;
};

struct Samples {
  std::vector<double> values;
  double minimum() { return *std::min_element(values.begin(), values.end()); }
  double median() {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
};

/// Runs `body` on this process' rank.
void run(ProcessWorld &world, const std::shared_ptr<Program> &program,
         bool ordered, const std::function<void(RankContext &)> &body) {
  JobOptions options;
  options.mpi = &world;
  options.checksEach = false;
  options.orderedReductions = ordered;
  if (!world.beginRun(options.mpiRun))
    std::exit(1);
  auto job = std::make_shared<Job>(program, size_t(world.size), options);
  if (!job->run([&](RankContext &rank) {
        rank.barrier();
        rank.enter([&] { body(rank); });
        rank.barrier();
      })) {
    std::fprintf(stderr, "error: %s\n", job->error().c_str());
    std::exit(1);
  }
}

/// All-to-all moves a shard of the whole; the others have it on every rank.
int64_t wholeOf(const Case &c, int64_t ranks, int64_t bytes) {
  return std::string(c.kind) == "all_to_all" ? bytes * ranks : bytes;
}

void compare(ProcessWorld &world, const Case &c, int64_t bytes, bool ordered) {
  int64_t whole = wholeOf(c, world.size, bytes);
  auto program = makeProgram(c, world.size, whole);
  Blocking mpi(world);
  Samples ours, theirs;
  run(world, program, ordered, [&](RankContext &rank) {
    std::vector<float> in(size_t(bytes) / 4, 1), out(in);
    int calls = int(std::clamp<int64_t>((int64_t(1) << 20) / bytes, 2, 100));
    for (int batch = 0; batch <= kBatches; ++batch)
      for (bool own : {false, true}) {
        rank.barrier();
        Clock::time_point start = Clock::now();
        for (int i = 0; i < calls; ++i)
          if (own)
            rank.collective(0, in.data(), out.data(), nullptr);
          else
            mpi.call(c.kind, in.data(), out.data(), int(whole / 4));
        if (batch > 0) // the first one warms up
          (own ? ours : theirs)
              .values.push_back(microsecondsSince(start) / calls);
      }
  });
  if (world.rank != 0)
    return;
  std::printf("%-10s %-7s %3d %9lld | %9.1f %9.1f | %9.1f %9.1f | %5.2f\n",
              c.kind, ordered ? "ordered" : "engine", world.size,
              static_cast<long long>(bytes), ours.minimum(), ours.median(),
              theirs.minimum(), theirs.median(),
              ours.median() / theirs.median());
  std::fflush(stdout);
}

void compareEmpty(ProcessWorld &world) {
  RunRequest request;
  request.program = makeProgram(
      world.size,
      "{\"name\": \"main\", \"symbol\": \"main\", \"arguments\": [], "
      "\"results\": [], \"static_collectives\": true}",
      "");
  request.program->entries.assign(1, {[](void **) {}, nullptr});
  request.local = true;
  request.options.mpi = &world;
  request.options.checksEach = false;
  Blocking mpi(world);
  Samples ours, theirs;
  constexpr int calls = 20;
  for (int batch = 0; batch <= kBatches; ++batch)
    for (bool own : {false, true}) {
      mpi.call("barrier", nullptr, nullptr, 0);
      Clock::time_point start = Clock::now();
      for (int i = 0; i < calls; ++i)
        if (!own) {
          mpi.call("barrier", nullptr, nullptr, 0);
        } else if (!world.beginRun(request.options.mpiRun) ||
                   !runFunction(request).error.empty()) {
          std::fprintf(stderr, "error: a run has failed\n");
          std::exit(1);
        }
      if (batch > 0) // the first one warms up
        (own ? ours : theirs)
            .values.push_back(microsecondsSince(start) / calls);
    }
  if (world.rank == 0)
    std::printf(
        "empty run          %3d           | %9.1f %9.1f | %9.1f %9.1f | "
        "%5.2f\n",
        world.size, ours.minimum(), ours.median(), theirs.minimum(),
        theirs.median(), ours.median() / theirs.median());
}

void measureFirst(ProcessWorld &world, const Case &c, bool ordered) {
  // 64 elements a rank; of an all-to-all one for each.
  int64_t whole = std::string(c.kind) == "all_to_all"
                      ? int64_t(4) * world.size * world.size
                      : int64_t(256) * world.size;
  auto program = makeProgram(c, world.size, whole);
  double first = 0, later = 0, kibibytes = 0;
  run(world, program, ordered, [&](RankContext &rank) {
    std::vector<float> in(size_t(world.size) * 64), out(in);
    size_t before = mallinfo2().uordblks;
    // The groups' routes are there since the run's start: find them again.
    std::string error;
    Clock::time_point start = Clock::now();
    RouteCache routes(program->metadata);
    auto route = routes.get(0, nullptr, error, rank.rank);
    double routing = microsecondsSince(start);
    kibibytes = double(mallinfo2().uordblks - before) / 1024;
    before = mallinfo2().uordblks;
    start = Clock::now();
    rank.collective(0, in.data(), out.data(), nullptr);
    first = (routing + microsecondsSince(start)) / 1000;
    kibibytes += double(mallinfo2().uordblks - before) / 1024;
    start = Clock::now();
    for (int i = 0; i < 20; ++i)
      rank.collective(0, in.data(), out.data(), nullptr);
    later = microsecondsSince(start) / 20;
  });
  std::printf("%-10s %-7s %6d | %8.2f ms %8.0f KiB | %8.1f us\n", c.kind,
              ordered ? "ordered" : "engine", world.size, first, kibibytes,
              later);
}

} // namespace

int main(int argc, char **argv) {
  std::string error;
  ProcessWorld *world = ProcessWorld::get(false, 30, error);
  if (!world) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return 1;
  }
  std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--empty") {
    compareEmpty(*world);
    return 0;
  }
  bool first = mode == "--first";
  std::vector<int64_t> sizes;
  for (int i = 1; i < argc && !first; ++i) {
    sizes.push_back(std::atoll(argv[i]));
    if (sizes.back() <= 0 ||
        sizes.back() % (4 * int64_t(world->size) * world->size)) {
      std::fprintf(stderr,
                   "error: BYTES must be a multiple of 4 times the "
                   "square of the ranks, not %s\n",
                   argv[i]);
      return 2;
    }
  }
  if (sizes.empty())
    sizes = {1 << 10, 64 << 10, 1 << 20};
  for (const Case &c : kCases)
    for (bool ordered : {false, true}) {
      if (ordered && std::string(c.kind) != "all_reduce")
        continue;
      if (first)
        measureFirst(*world, c, ordered);
      else
        for (int64_t bytes : sizes)
          compare(*world, c, bytes, ordered);
    }
  return 0;
}
