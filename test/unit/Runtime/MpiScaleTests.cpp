//===- MpiScaleTests.cpp - One rank of thousands --------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of MPI that a rank makes for one collective among n ranks, and what
// the first one takes of memory and time, over the stub of MPI
// (testing/StubMpi), in which all peers answer at once. Each test is a process
// of its own, since a process is one rank of one world. Results are not looked
// at: those of peers are made up.
//
//===----------------------------------------------------------------------===//

#include "Processes/Launch.h"
#include "Processes/ProcessWorld.h"
#include "Processes/WatchTree.h"
#include "StubMpi/StubMpi.h"
#include "Support.h"

#include <ctime>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <map>
#include <unistd.h>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;

namespace {

using Calls = std::map<std::string, long>;

/// The number of calls of function `name` since this process started.
long countOf(const char *name) {
  static auto *ask = reinterpret_cast<decltype(&shardir_stub_mpi_calls)>(
      dlsym(dlopen(SHARDIR_TEST_STUB_MPI, RTLD_NOW), "shardir_stub_mpi_calls"));
  return ask(name);
}

Calls callsSoFar() {
  Calls calls;
  for (const char *name :
       {"Isend", "Irecv", "Iallgather", "Iallgatherv", "Ialltoall",
        "Ialltoallv", "Iallreduce", "Ireduce_scatter", "Comm_create_group"})
    calls[name] = countOf(name);
  return calls;
}

/// Names of nonzero counts since `before`.
Calls callsSince(const Calls &before) {
  Calls calls;
  for (auto [name, n] : callsSoFar())
    if (n != before.at(name))
      calls[name] = n - before.at(name);
  return calls;
}

/// Becomes rank `rank` of `size`.
void become(int64_t rank, int64_t size) {
  setenv("SHARDIR_MPI_LIBRARY", SHARDIR_TEST_STUB_MPI, 1);
  setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank).c_str(), 1);
  setenv("SHARDIR_STUB_MPI_SIZE", std::to_string(size).c_str(), 1);
  setenv("SHARDIR_TEST_DEVICE", "mpi", 1);
}

/// Says on stderr, which the parent shows, what differs.
void expectCalls(const char *what, const Calls &calls, const Calls &expected) {
  EXPECT_EQ(calls, expected);
  if (calls == expected)
    return;
  std::fprintf(stderr, "%s:", what);
  for (const auto &[name, n] : calls)
    std::fprintf(stderr, " %ld %s", n, name.c_str());
  std::fprintf(stderr, "\n");
}

/// The collectives of 16,384 ranks take long where the machine is busy and
/// threads are checked.
JobOptions patientOptions() {
  JobOptions options = defaultOptions();
  options.timeout = 600;
  return options;
}

struct Modes {
  bool ordered, every;
};

/// The calls of collective 0, in its second run: the first one makes the
/// communicators.
Calls callsOf(const MetadataText &text, size_t operand, size_t result,
              Modes modes = {false, false}) {
  JobOptions options = patientOptions();
  options.orderedReductions = modes.ordered;
  options.checksEach = modes.every;
  auto program = text.program();
  Calls calls;
  for (int run = 0; run < 2; ++run) {
    std::string error = runRanks(
        program,
        [&](RankContext &rank) {
          std::vector<float> in(operand), out(result);
          Calls before = callsSoFar();
          rank.collective(0, in.data(), out.data(), nullptr);
          calls = callsSince(before);
        },
        options);
    EXPECT_EQ(error, "");
  }
  return calls;
}

const char *const kWhole = "[{}, {}]";
const char *const kRows = "[{\"x\"}, {}]";
const char *const kColumns = "[{}, {\"x\"}]";
const char *const kTerms = "[{}, {}], partial = sum [\"x\"]";

/// Checks the calls of rank `rank` of n, in the process that the caller has
/// made for that.
void checkCalls(int64_t n, int64_t rank) {
  become(rank, n);
  auto text = [&](const char *kind, const char *from, const char *to,
                  int64_t columns) {
    MetadataText text({{"x", n}});
    text.redistribute(kind, from, to, {n, columns});
    return text;
  };
  auto size = size_t(n);
  MetadataText gather = text("all_gather", kRows, kWhole, 4);
  expectCalls("all-gather", callsOf(gather, 4, 4 * size), {{"Iallgather", 1}});
  // Posts of n - 1 peers, if they are asked for.
  expectCalls("all-gather with posts",
              callsOf(gather, 4, 4 * size, {false, true}),
              {{"Iallgather", 1}, {"Isend", n - 1}, {"Irecv", n - 1}});
  expectCalls("all-to-all",
              callsOf(text("all_to_all", kRows, kColumns, n), size, size),
              {{"Ialltoallv", 1}});
  MetadataText large = text("all_reduce", kTerms, kWhole, 4);
  // 16 n bytes: from 64 KiB on in pieces of 32.
  expectCalls("all-reduce", callsOf(large, 4 * size, 4 * size),
              {{"Iallreduce", n < 4096 ? 1 : n / 2048}});
  expectCalls("ordered all-reduce",
              callsOf(large, 4 * size, 4 * size, {true, false}),
              {{"Ialltoall", 1}, {"Iallgather", 1}});
  MetadataText scatter = text("reduce_scatter", kTerms, kRows, 4);
  expectCalls("reduce-scatter", callsOf(scatter, 4 * size, 4),
              {{"Ireduce_scatter", 1}});
  expectCalls("ordered reduce-scatter",
              callsOf(scatter, 4 * size, 4, {true, false}), {{"Ialltoall", 1}});
  // Small ones in one phase.
  MetadataText small({{"x", n}});
  small.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]", {8});
  expectCalls("small all-reduce", callsOf(small, 8, 8), {{"Iallreduce", 1}});
  expectCalls("small ordered all-reduce", callsOf(small, 8, 8, {true, false}),
              {{"Iallgather", 1}});
  // Along one of two axes: whatever the other one is.
  int64_t side = 1;
  while (side * side < n)
    side *= 2;
  MetadataText square({{"y", n / side}, {"x", side}});
  square.redistribute("all_gather", kRows, kWhole, {side, 4});
  expectCalls("all-gather along an axis", callsOf(square, 4, 4 * size_t(side)),
              {{"Iallgather", 1}});
}

/// Heap bytes and seconds of this thread.
struct Spent {
  size_t bytes = mallinfo2().uordblks + mallinfo2().hblkhd;
  double seconds = now();
  static double now() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  }
};

/// Checks the costs of the first call of collective 0, its route among them, in
/// a group of `members`, which depend on nothing else of the mesh: the least
/// time of three, for other processes take caches and cores.
void expectCosts(const char *what, const MetadataText &text, size_t operand,
                 size_t result, int64_t members, bool ordered = false) {
  JobOptions options = patientOptions();
  options.checksEach = false;
  options.orderedReductions = ordered;
  size_t bytes = 0;
  double seconds = 1e9;
  // The first run finds routes before it enters, to make the communicators.
  for (int run = 0; run < 4; ++run) {
    std::string error = runRanks(
        text.program(),
        [&](RankContext &rank) {
          std::vector<float> in(operand), out(result);
          Spent before;
          rank.collective(0, in.data(), out.data(), nullptr);
          Spent after;
          bytes = after.bytes - before.bytes;
          if (run > 0)
            seconds = std::min(seconds, after.seconds - before.seconds);
        },
        options);
    EXPECT_EQ(error, "");
  }
  EXPECT_LE(bytes, size_t(120 * members + 16000)) << what;
  // Ten times what they take: for each pair of members it would be more still.
  EXPECT_LE(seconds, SHARDIR_TEST_SLOWDOWN * (1e-5 * double(members) + 0.01))
      << what;
  if (testing::Test::HasFailure())
    std::fprintf(stderr, "%s: %zu bytes, %f s\n", what, bytes, seconds);
}

void checkCosts(int64_t n, int64_t rank) {
  become(rank, n);
  auto size = size_t(n);
  MetadataText gather({{"x", n}}), reduce({{"x", n}}), transpose({{"x", n}}),
      uneven({{"x", n}});
  transpose.redistribute("all_to_all", kRows, kColumns, {n, n});
  expectCosts("all-to-all", transpose, size, size, n);
  uneven.redistribute("all_gather", kRows, kWhole, {2 * n - 1, 4});
  expectCosts("uneven all-gather", uneven, 8, 8 * size - 4, n);
  gather.redistribute("all_gather", kRows, kWhole, {n, 4});
  reduce.redistribute("all_reduce", kTerms, kWhole, {n, 4});
  expectCosts("all-gather", gather, 4, 4 * size, n);
  expectCosts("all-reduce", reduce, 4 * size, 4 * size, n);
  expectCosts("ordered all-reduce", reduce, 4 * size, 4 * size, n, true);
  int64_t side = 1;
  while (side * side < n)
    side *= 2;
  MetadataText square({{"y", n / side}, {"x", side}});
  square.redistribute("all_gather", kRows, kWhole, {side, 4});
  expectCosts("all-gather along an axis", square, 4, 4 * size_t(side), side);
}

/// A run with nothing in it: two meetings along the tree, and no more.
void checkRun(int64_t n, int64_t rank) {
  become(rank, n);
  MetadataText text({{"x", n}});
  auto program = text.program();
  JobOptions options = patientOptions();
  options.checksEach = false;
  Calls calls;
  long bytes = 0;
  for (int run = 0; run < 2; ++run) {
    Calls before = callsSoFar();
    bytes = countOf("bytes of Isend");
    EXPECT_EQ(runRanks(program, [](RankContext &) {}, options), "");
    calls = callsSince(before);
    bytes = countOf("bytes of Isend") - bytes;
  }
  WatchTree tree{int(rank), int(n)};
  long neighbours = 1 + long(tree.childrenOf(int(rank)).size());
  // One more tells this rank what rank 0 saw of the test.
  expectCalls("run", calls,
              {{"Isend", 2 * neighbours}, {"Irecv", 2 * neighbours + 1}});
  EXPECT_LE(bytes, 2 * neighbours * 128);
}

/// What comes to rank 0 in a second while a run goes on, by what rank 1, which
/// has 16 ranks below it as rank 0 has, passes up in a round.
void checkWatchdogs(int64_t n) {
  constexpr int kRounds = 20;
  become(1, n);
  setenv("SHARDIR_STUB_MPI_ROUNDS", std::to_string(kRounds).c_str(), 1);
  MetadataText text({{"x", n}});
  std::string error = runRanks(
      text.program(),
      [](RankContext &) {
        while (countOf("rounds") < kRounds)
          usleep(1000);
      },
      patientOptions());
  EXPECT_EQ(error, "");
  // Rounds are n times 0.1 ms apart; snapshots that rank 0 does not ask for are
  // 2,000 bytes a second.
  double bytes = double(countOf("bytes of answers")) / kRounds;
  EXPECT_LE(16 * bytes / (1e-4 * double(n)) + 2000, 10000);
  if (testing::Test::HasFailure())
    std::fprintf(stderr, "%f bytes a round\n", bytes);
}

class MpiScale : public testing::TestWithParam<int64_t> {
protected:
  /// Runs the check in a process of its own.
  template <class F> void inProcess(F &&check) {
    EXPECT_EXIT(
        {
          check();
          std::fflush(nullptr); // what has failed
          std::_Exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
  }
};
INSTANTIATE_TEST_SUITE_P(Ranks, MpiScale, testing::Values(1024, 4096, 16384));

TEST_P(MpiScale, OneCallForACollective) {
  inProcess([&] { checkCalls(GetParam(), GetParam() / 2 + 1); });
}
TEST_P(MpiScale, TheLastRankToo) {
  inProcess([&] { checkCalls(GetParam(), GetParam() - 1); });
}
TEST_P(MpiScale, FirstCallsCostWhatTheGroupDoes) {
  inProcess([&] { checkCosts(GetParam(), GetParam() / 2 + 1); });
}
TEST_P(MpiScale, WatchdogsSumUp) {
  inProcess([&] { checkWatchdogs(GetParam()); });
}
TEST_P(MpiScale, AFewCallsForARun) {
  inProcess([&] { checkRun(GetParam(), 1); });
  inProcess([&] { checkRun(GetParam(), GetParam() - 1); });
}

} // namespace
