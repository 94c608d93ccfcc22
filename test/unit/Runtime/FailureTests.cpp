//===- FailureTests.cpp - Ranks that disagree, fail or hang ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that may go wrong between ranks ends the job on all of them, with
// a message that names the ranks, the collective and its location. Requires
// short deadlines, which each test sets; guarantees by its own time limits that
// what can be seen at once is not left to the deadline.
//
//===----------------------------------------------------------------------===//

#include "Core/Wait.h"
#include "Support.h"

#include <atomic>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

SHARDIR_RUN_ON_CORES(Failure);

/// Seconds: a deadline that tests wait for, and that no step of theirs takes on
/// a machine with other work.
constexpr double kShort = 1;

/// One axis of four; all_reduce 0 and all_gather 1 of equal size.
MetadataText twoCollectives() {
  MetadataText text({{"x", 4}});
  text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]", {8});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {8});
  return text;
}

struct Buffers {
  std::vector<float> in = std::vector<float>(8, 1), out = in;
  void run(RankContext &rank, int32_t id) {
    rank.collective(id, in.data(), out.data(), nullptr);
  }
};

TEST_P(Failure, DifferentCollectives) {
  std::string error =
      runRanks(twoCollectives().program(), [](RankContext &rank) {
        Buffers b;
        b.run(rank, 0);
        b.run(rank, rank.rank == 2 ? 1 : 0);
      });
  EXPECT_THAT(error, StartsWith("collective mismatch: rank "));
  EXPECT_THAT(error, HasSubstr("rank 2 posted all_gather of f32 8 "
                               "(test.mlir:2)"));
  EXPECT_THAT(error, HasSubstr("posted all_reduce of f32 8 (test.mlir:1)"));
  EXPECT_THAT(error, HasSubstr("last collectives of each rank"));
  EXPECT_THAT(error, HasSubstr("done #0 all_reduce"));
}

/// Two all_reduces over "x", and one over "y".
MetadataText threeReductions() {
  MetadataText text({{"x", 2}, {"y", 2}});
  text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]", {8});
  text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]", "[{}]", {8});
  text.redistribute("all_reduce", "[{}], partial = sum [\"y\"]", "[{}]", {8});
  return text;
}

TEST_P(Failure, DifferentBuckets) {
  std::string error =
      runRanks(threeReductions().program(), [](RankContext &rank) {
        Buffers a, b;
        shardir_buffers both[] = {{a.in.data(), a.out.data()},
                                  {b.in.data(), b.out.data()}};
        if (rank.rank < 2)
          rank.bucket(0, 2, both);
        else
          a.run(rank, 0);
      });
  EXPECT_THAT(error, HasSubstr("posted all_reduce of f32 8 (test.mlir:1) in a "
                               "bucket of 2"));
}

TEST_P(Failure, BucketOfDifferentGroups) {
  std::string error =
      runRanks(threeReductions().program(), [](RankContext &rank) {
        Buffers a, b;
        shardir_buffers both[] = {{a.in.data(), a.out.data()},
                                  {b.in.data(), b.out.data()}};
        rank.bucket(1, 2, both);
      });
  EXPECT_THAT(error, HasSubstr("called all_reduce of f32 8 (test.mlir:3) in a "
                               "bucket of collectives of other groups"));
}

TEST_P(Failure, AmongCollectivesWithoutPosts) {
  if (overCuda())
    GTEST_SKIP() << "buffers are the host's, which would not wait for them";
  // Ranks that wait for a failed rank stop waiting, and the next run succeeds.
  auto program = twoCollectives().program();
  JobOptions options;
  options.checksEach = false;
  for (int who : {2, 0}) {
    std::string error = runRanks(
        program,
        [&](RankContext &rank) {
          Buffers b;
          b.run(rank, 0);
          if (rank.rank == who)
            rank.fail("failed: no such row");
          rank.startCollective(1, b.in.data(), b.out.data(), nullptr);
          b.run(rank, 0);
        },
        options);
    EXPECT_THAT(error, StartsWith("rank " + std::to_string(who) +
                                  " failed: no such row; it was in compute "
                                  "after all_reduce of f32 8 (test.mlir:1)"));
    std::atomic<int> wrong{0};
    error = runRanks(
        program,
        [&](RankContext &rank) {
          for (int i = 0; i < 3; ++i) {
            Buffers b;
            b.run(rank, 0);
            wrong += b.out != std::vector<float>(8, 4);
          }
        },
        options);
    EXPECT_EQ(error, "");
    EXPECT_EQ(wrong, 0);
  }
}

TEST_P(Failure, DifferentShapes) {
  MetadataText text({{"x", 2}});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {-1});
  std::string error = runRanks(text.program(), [](RankContext &rank) {
    std::vector<float> in(16), out(16);
    int64_t n = rank.rank ? 16 : 12;
    rank.collective(0, in.data(), out.data(), &n);
  });
  EXPECT_THAT(error, HasSubstr("with shape 12"));
  EXPECT_THAT(error, HasSubstr("with shape 16"));
}

TEST_P(Failure, DifferentRootsAndCounts) {
  MetadataText text({{"x", 2}});
  text.rooted("broadcast", {"x"});
  text.rooted("send", {"x"});
  text.rooted("recv", {"x"});
  auto program = text.program();
  float data[4] = {};
  std::string error = runRanks(program, [&](RankContext &rank) {
    float out[4];
    rank.collectivePeer(0, data, out, 4, rank.rank);
  });
  EXPECT_THAT(error, HasSubstr("with root 0"));
  EXPECT_THAT(error, HasSubstr("with root 1"));
  error = runRanks(program, [&](RankContext &rank) {
    float out[4];
    if (rank.rank == 0)
      rank.collectivePeer(1, data, nullptr, 3, 1);
    else
      rank.collectivePeer(2, nullptr, out, 4, 0);
  });
  EXPECT_THAT(error, HasSubstr("rank 1 posted recv of f32 (test.mlir:3) for 4 "
                               "elements, but rank 0 posted send of f32 "
                               "(test.mlir:2) of 3"));
  error = runRanks(program, [&](RankContext &rank) {
    if (rank.rank == 0)
      rank.collectivePeer(1, data, nullptr, 4, 1);
  });
  EXPECT_THAT(error, HasSubstr("rank 1 finished without receiving it"));
  error = runRanks(program, [&](RankContext &rank) {
    float out[4];
    if (rank.rank == 1)
      rank.collectivePeer(2, nullptr, out, 4, 0);
  });
  EXPECT_THAT(error, HasSubstr("rank 1 is in recv of f32 (test.mlir:3), but "
                               "rank 0 has finished without it"));
}

TEST_P(Failure, GroupsThatWaitForEachOther) {
  // Rows and columns in different orders: nobody can go on.
  MetadataText text({{"x", 2}, {"y", 2}});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {4});
  text.redistribute("all_gather", "[{\"y\"}]", "[{}]", {4});
  std::string error = runRanks(text.program(), [](RankContext &rank) {
    float in[2] = {}, out[4];
    bool rowsFirst = rank.rank == 0 || rank.rank == 3;
    rank.collective(rowsFirst, in, out, nullptr);
    rank.collective(!rowsFirst, in, out, nullptr);
  });
  EXPECT_THAT(error, StartsWith("collective mismatch: ranks wait for each "
                                "other: rank "));
  EXPECT_THAT(error, HasSubstr("test.mlir:1"));
  EXPECT_THAT(error, HasSubstr("test.mlir:2"));
}

TEST_P(Failure, RankThatThrowsOrFails) {
  auto program = twoCollectives().program();
  std::string error = runRanks(program, [](RankContext &rank) {
    Buffers b;
    b.run(rank, 0);
    if (rank.rank == 3)
      throw std::runtime_error("no such row");
    b.run(rank, 1);
  });
  EXPECT_THAT(error, StartsWith("rank 3 threw an exception: no such row; it "
                                "was in compute after all_reduce of f32 8 "
                                "(test.mlir:1)"));
  error = runRanks(program, [](RankContext &rank) {
    Buffers b;
    if (rank.rank == 1)
      rank.fail("failed: on purpose");
    b.run(rank, 1);
  });
  EXPECT_THAT(error, StartsWith("rank 1 failed: on purpose"));
}

TEST_P(Failure, WrongCalls) {
  auto program = twoCollectives().program();
  auto call = [&](std::function<void(RankContext &, Buffers &)> f) {
    return runRanks(program, [&](RankContext &rank) {
      Buffers b;
      if (rank.rank == 0)
        f(rank, b);
      b.run(rank, 0);
    });
  };
  EXPECT_THAT(call([](RankContext &rank, Buffers &b) { b.run(rank, 2); }),
              HasSubstr("called collective 2, but the program has 2"));
  EXPECT_THAT(call([](RankContext &rank, Buffers &b) { b.run(rank, -1); }),
              HasSubstr("called collective -1"));
  EXPECT_THAT(call([](RankContext &rank, Buffers &b) {
                rank.collectivePeer(0, b.in.data(), b.out.data(), 8, 0);
              }),
              HasSubstr("through the wrong function"));
  EXPECT_THAT(call([](RankContext &rank, Buffers &b) {
                rank.collective(1, b.out.data() + 4, b.out.data(), nullptr);
              }),
              HasSubstr("an operand and a result that overlap"));
  EXPECT_THAT(call([](RankContext &rank, Buffers &) {
                rank.parallelFor(
                    2,
                    [](int64_t, void *context) {
                      float x[8];
                      static_cast<RankContext *>(context)->collective(0, x, x,
                                                                      nullptr);
                    },
                    &rank);
              }),
              HasSubstr("inside a parallel loop"));
  EXPECT_THAT(call([](RankContext &rank, Buffers &) {
                rank.allocate(size_t(1) << 60);
              }),
              HasSubstr("rank 0 is out of memory: it requested "
                        "1152921504606846976 bytes"));

  MetadataText text({{"x", 2}});
  text.rooted("broadcast", {"x"});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {-1});
  auto other = text.program();
  EXPECT_THAT(runRanks(other,
                       [](RankContext &rank) {
                         rank.collectivePeer(0, nullptr, nullptr, 0, 2);
                       }),
              HasSubstr("with peer 2 in a group of 2"));
  EXPECT_THAT(runRanks(other,
                       [](RankContext &rank) {
                         rank.collectivePeer(0, nullptr, nullptr, -4, 0);
                       }),
              HasSubstr("with a count of -4"));
  for (int64_t n : {int64_t(-1), INT64_MAX / 2}) {
    EXPECT_THAT(runRanks(other,
                         [n](RankContext &rank) {
                           rank.collective(1, nullptr, nullptr, &n);
                         }),
                HasSubstr("all_gather of f32 ?"));
  }
}

TEST_P(Failure, Deadline) {
  auto program = twoCollectives().program();
  std::atomic<bool> go{false}, out{false};
  JobOptions options;
  // Longer than any pause of a busy machine.
  options.timeout = 6;
  options.grace = 0.1;
  std::string error = runRanks(
      program,
      [&](RankContext &rank) {
        Buffers b;
        b.run(rank, 0);
        if (rank.rank == 1) {
          while (!go)
            std::this_thread::yield();
          out = true;
        }
        b.run(rank, 1);
      },
      options);
  EXPECT_THAT(error, StartsWith("deadline passed: no progress for 6 s; rank "
                                "1 is in compute after all_reduce of f32 8 "
                                "(test.mlir:1), while rank "));
  // Which one waits depends on who shares the thread that hangs.
  EXPECT_THAT(error, HasSubstr(" waits in all_gather of f32 8 (test.mlir:2)"));
  // The rank that was given up on ends by itself when it can.
  go = true;
  while (!out || program.use_count() > 1)
    std::this_thread::yield();
}

TEST_P(Failure, DeadlineOfALonelyRank) {
  MetadataText text({{"x", 1}});
  auto program = text.program();
  std::atomic<bool> go{false};
  JobOptions options;
  options.timeout = 0.1;
  options.grace = 0.05;
  std::string error = runRanks(
      program,
      [&](RankContext &) {
        while (!go)
          std::this_thread::yield();
      },
      options);
  EXPECT_THAT(error, HasSubstr("rank 0 is in compute before its first"));
  go = true;
  while (program.use_count() > 1)
    std::this_thread::yield();
}

TEST_P(Failure, ProgressMovesTheDeadline) {
  // Ranks 2 and 3 wait far longer than the deadline, but 0 and 1 get on.
  MetadataText text({{"x", 2}, {"y", 2}});
  int32_t pair = text.redistribute("all_gather", "[{\"y\"}]", "[{}]", {4});
  int32_t all =
      text.redistribute("all_gather", "[{\"x\", \"y\"}]", "[{}]", {4});
  JobOptions options;
  options.timeout = kShort;
  std::string error = runRanks(
      text.program(),
      [&](RankContext &rank) {
        float in[2] = {}, out[4];
        for (int i = 0; i < 8 && rank.rank < 2; ++i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          rank.collective(pair, in, out, nullptr);
        }
        rank.collective(all, in, out, nullptr);
      },
      options);
  EXPECT_EQ(error, "");
}

TEST_P(Failure, DeadlineBesideProgress) {
  // Rank 2 leaves rank 3 alone: it hangs, or loops for ever. That 0 and 1 get
  // on must not hide it.
  MetadataText text({{"x", 2}, {"y", 2}});
  int32_t pair = text.redistribute("all_gather", "[{\"y\"}]", "[{}]", {4});
  for (bool loops : {false, true}) {
    auto program = text.program();
    std::atomic<bool> go{false};
    JobOptions options = threadPerRank();
    options.timeout = kShort;
    options.grace = 0.1;
    std::string error = runRanks(
        program,
        [&](RankContext &rank) {
          float in[2] = {}, out[4];
          rank.collective(pair, in, out, nullptr);
          while (rank.rank == 2 && !go)
            if (loops)
              rank.parallelFor(
                  2, [](int64_t, void *) { std::this_thread::yield(); },
                  nullptr);
            else
              std::this_thread::yield();
          for (int i = 0; i < 100000 && !rank.job.failed(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            rank.collective(pair, in, out, nullptr);
          }
        },
        options);
    EXPECT_THAT(error,
                StartsWith("deadline passed: no progress for 1 s; rank 2 is in "
                           "compute after all_gather of f32 4 (test.mlir:1), "
                           "while rank 3 waits in all_gather of f32 4"));
    go = true;
    while (program.use_count() > 1)
      std::this_thread::yield();
  }
}

TEST_P(Failure, HostsAbortRuns) {
  // One process' host is enough.
  MetadataText text({{"x", 2}, {"y", 2}});
  int32_t all =
      text.redistribute("all_gather", "[{\"x\", \"y\"}]", "[{}]", {4});
  auto program = text.program();
  for (int turn = 0; turn < 2; ++turn) {
    JobOptions options;
    auto cancelled = std::make_shared<std::atomic<bool>>(false);
    options.cancelled = cancelled;
    std::string error = runRanks(
        program,
        [&](RankContext &rank) {
          float in[1] = {}, out[4];
          rank.collective(all, in, out, nullptr);
          if (turn == 1)
            return;
          if (rank.rank == 1) {
            *cancelled = true;
            while (!rank.job.failed())
              std::this_thread::yield();
          }
          rank.collective(all, in, out, nullptr);
        },
        options);
    EXPECT_THAT(error, StartsWith(turn ? "" : "the host has aborted the run"));
  }
}

TEST_P(Failure, AtAnyMoment) {
  // One rank fails at a random moment of a busy job, with buffers on the
  // stack: nobody may touch them once their owner has unwound.
  MetadataText text({{"x", 2}, {"y", 2}});
  text.redistribute("all_reduce", "[{}], partial = sum [\"x\", \"y\"]", "[{}]",
                    {5000});
  text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {3000});
  text.redistribute("all_to_all", "[{\"y\"}, {}]", "[{}, {\"y\"}]", {40, 50});
  auto program = text.program();
  std::mt19937 random(11);
  // Processes take a moment to tell each other, emulated kernels to run.
  int repeats = overMpi() || overCuda() ? 20 : 100;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    int victim = int(random() % 4), when = int(random() % 30);
    std::string error = runRanks(program, [&](RankContext &rank) {
      for (int i = 0; i < 40; ++i) {
        float in[5000], out[5000];
        in[0] = out[0] = 0;
        std::fill(in, in + 5000, 1.0f);
        if (rank.rank == victim && i == when)
          rank.fail("failed: chosen");
        rank.collective(i % 3, in, out, nullptr);
      }
    });
    ASSERT_THAT(error, StartsWith("rank " + std::to_string(victim) +
                                  " failed: chosen"));
  }
}

TEST_P(Failure, NobodyLeavesWhileOthersRead) {
  // Rank 1 copies long from rank 0, which is done and waits, when rank 2 of
  // another group fails: rank 0 unwinds and frees what is being read.
  MetadataText text({{"x", 2}, {"y", 2}});
  text.rooted("gather", {"y"}, "i8");
  auto program = text.program();
  const int64_t n = int64_t(64) << 20;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::atomic<int> ready{0};
    std::string error = runRanks(
        program,
        [&](RankContext &rank) {
          if (rank.rank >= 2) {
            while (ready < 2)
              std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            rank.fail("failed: chosen");
          }
          std::vector<char> in(n, 1), out(rank.rank ? 2 * n : 0, 0);
          ++ready;
          rank.collectivePeer(0, in.data(), out.data(), n, 1);
          rank.collectivePeer(0, in.data(), out.data(), n, 1);
        },
        threadPerRank());
    EXPECT_THAT(error, HasSubstr("failed: chosen"));
  }
}

} // namespace
