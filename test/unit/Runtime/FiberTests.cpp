//===- FiberTests.cpp - Ranks that share threads --------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fibers by themselves, and ranks that take turns on a thread: who runs where,
// failures, hangs and overflows beside ranks that are sound. Requires that the
// processor has fibers; elsewhere the tests are skipped. What collectives
// compute and how jobs fail is tested on shared threads by the other suites.
//
//===----------------------------------------------------------------------===//

#include "Core/Fiber.h"

#include "Core/Signals.h"
#include "Support.h"

#include <atomic>
#include <cfenv>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;
using testing::HasSubstr;
using testing::StartsWith;

extern "C" void shardir_catch_signals(void);

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SHARDIR_TEST_SANITIZED 1
#endif
#endif

namespace {

class Fibers : public testing::Test {
public:
  void SetUp() override {
    if (!kHaveFibers)
      GTEST_SKIP() << "no fibers on this processor";
  }
};

JobOptions sharing(int cores, double timeout = 20, double grace = 2) {
  JobOptions options;
  options.timeout = timeout;
  options.grace = grace;
  options.threadsPerRank = 1;
  options.cores = cores;
  return options;
}

/// Two flows that take turns.
struct PingPong {
  Fiber home, other;
  FiberStack stack;
  std::string log;
  int rounds = 0;
};

void throwDeep(int n, std::string &log) {
  struct Note {
    std::string &log;
    ~Note() { log += '~'; }
  } note{log};
  if (n == 0)
    throw std::runtime_error("deep");
  throwDeep(n - 1, log);
}

void pong(void *p) {
  auto &s = *static_cast<PingPong *>(p);
  for (int i = 0; i < 3; ++i) {
    s.log += 'b';
    try {
      throwDeep(1, s.log);
    } catch (const std::exception &) {
      s.log += '!';
    }
    Fiber::switchTo(s.other, s.home);
  }
  std::fesetround(FE_UPWARD);
  Fiber::switchTo(s.other, s.home);
  s.rounds = std::fegetround() == FE_UPWARD ? 1 : -1;
  Fiber::switchTo(s.other, s.home, /*ending=*/true);
}

TEST_F(Fibers, TakeTurns) {
  PingPong s;
  s.home.adoptThread();
  ASSERT_TRUE(s.stack.allocate(size_t(1) << 20));
  s.other.prepare(s.stack, pong, &s);
  for (int i = 0; i < 3; ++i) {
    s.log += 'a';
    Fiber::switchTo(s.home, s.other);
  }
  EXPECT_EQ(s.log, "ab~~!ab~~!ab~~!");
  // Each has its own control words.
  Fiber::switchTo(s.home, s.other);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  Fiber::switchTo(s.home, s.other);
  EXPECT_EQ(s.rounds, 1);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

/// One axis of `ranks`; all_gather 0 of a number from each rank.
MetadataText gatherOf(int64_t ranks) {
  MetadataText text({{"x", ranks}});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {ranks});
  return text;
}

TEST_F(Fibers, NoMoreThreadsThanCores) {
  for (int cores : {1, 2, 3, 7}) {
    const int n = 19;
    auto program = gatherOf(n).program();
    std::vector<std::thread::id> threads(n);
    std::string error = runRanks(
        program,
        [&](RankContext &rank) {
          auto self = std::this_thread::get_id();
          threads[size_t(rank.rank)] = self;
          for (int i = 0; i < 50; ++i) {
            float in = float(100 * i + rank.rank), out[n];
            rank.collective(0, &in, out, nullptr);
            for (int r = 0; r < n; ++r)
              ASSERT_EQ(out[r], float(100 * i + r));
            ASSERT_EQ(threadState.rank, &rank);
            ASSERT_EQ(std::this_thread::get_id(), self);
          }
        },
        sharing(cores));
    EXPECT_EQ(error, "");
    std::set<std::thread::id> distinct(threads.begin(), threads.end());
    EXPECT_EQ(int(distinct.size()), cores);
    // Neighbours share.
    for (int r = 1; r < n; ++r)
      distinct.erase(threads[size_t(r)] == threads[size_t(r - 1)]
                         ? std::thread::id()
                         : threads[size_t(r)]);
    EXPECT_EQ(int(distinct.size()), 1);
  }
}

TEST_F(Fibers, ManyRanks) {
  const int n = 500;
  MetadataText text = gatherOf(n);
  text.rooted("send", {"x"}, "i32");
  text.rooted("recv", {"x"}, "i32");
  auto program = text.program();
  std::string error = runRanks(
      program,
      [&](RankContext &rank) {
        // Against the order of turns: each waits for the one after it.
        int32_t in = 0, out = rank.rank;
        if (rank.rank + 1 < n)
          rank.collectivePeer(2, nullptr, &in, 1, rank.rank + 1);
        out += in;
        if (rank.rank > 0)
          rank.collectivePeer(1, &out, nullptr, 1, rank.rank - 1);
        else
          EXPECT_EQ(out, n * (n - 1) / 2);
      },
      sharing(2));
  EXPECT_EQ(error, "");
}

TEST_F(Fibers, HangBesideOthers) {
  // Rank 0 computes for ever: rank 1 of its thread never gets a turn, 2 and 3
  // wait.
  auto program = gatherOf(4).program();
  std::atomic<bool> go{false};
  std::atomic<int> unwound{0};
  std::string error = runRanks(
      program,
      [&](RankContext &rank) {
        struct Count {
          std::atomic<int> &n;
          ~Count() { ++n; }
        } count{unwound};
        float in = 1, out[4];
        rank.collective(0, &in, out, nullptr);
        if (rank.rank == 0)
          while (!go)
            std::this_thread::yield();
        rank.collective(0, &in, out, nullptr);
      },
      sharing(2, 2, 1));
  EXPECT_THAT(error, StartsWith("deadline passed: no progress for 2 s; rank "
                                "0 is in compute after all_gather of f32 4 "
                                "(test.mlir:1), while rank "));
  // Those on the other thread have left, those that share its thread cannot.
  EXPECT_EQ(unwound, 2);
  go = true;
  while (program.use_count() > 1)
    std::this_thread::yield();
  EXPECT_EQ(unwound, 4);
}

TEST_F(Fibers, FailureUnwindsAllThatShareAThread) {
  auto program = gatherOf(12).program();
  for (int victim : {0, 5, 11}) {
    std::atomic<int> unwound{0};
    std::string error = runRanks(
        program,
        [&](RankContext &rank) {
          std::shared_ptr<void> count(nullptr, [&](void *) { ++unwound; });
          for (int i = 0; i < 5; ++i) {
            float in = 1, out[12];
            if (rank.rank == victim && i == 3)
              throw std::runtime_error("no such row");
            rank.collective(0, &in, out, nullptr);
          }
        },
        sharing(2));
    EXPECT_THAT(error, StartsWith("rank " + std::to_string(victim) +
                                  " threw an exception: no such row"));
    EXPECT_EQ(unwound, 12);
  }
}

__attribute__((noinline)) int deep(int n) {
  volatile char frame[4096];
  frame[0] = char(n);
  return n < 0 ? 0 : deep(n + 1) + frame[0];
}

TEST_F(Fibers, OverflowIsCaught) {
#ifdef SHARDIR_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers have handlers of their own";
#endif
  shardir_catch_signals();
  auto program = gatherOf(4).program();
  std::string error = runRanks(
      program,
      [&](RankContext &rank) {
        float in = 1, out[4];
        rank.collective(0, &in, out, nullptr);
        // Most of what a stack holds can be used.
        volatile char large[12 << 20];
        large[0] = char(rank.rank);
        if (rank.rank == 1)
          in = float(deep(1));
        rank.collective(0, &in, out, nullptr);
      },
      sharing(2));
  EXPECT_THAT(error, StartsWith("rank 1 was stopped by signal 11 (invalid "
                                "memory access); it was in compute after"));
}

TEST_F(Fibers, StacksThatCannotBeHad) {
#ifdef SHARDIR_TEST_SANITIZED
  GTEST_SKIP() << "sanitizers need more address space than the limit";
#endif
  rlimit old;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  rlimit low = {rlim_t(8) << 30, old.rlim_max};
  auto program = gatherOf(2000).program();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  std::string error =
      runRanks(program, [](RankContext &) { FAIL(); }, sharing(2));
  setrlimit(RLIMIT_AS, &old);
  EXPECT_THAT(error, StartsWith("cannot get 16 MiB for the stack of rank "));
  EXPECT_THAT(error, HasSubstr(" of 2000: Cannot allocate memory"));
}

} // namespace
