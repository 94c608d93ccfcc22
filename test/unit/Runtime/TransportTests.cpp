//===- TransportTests.cpp - Large data, messages, stores past caches ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ways that data takes where there is much of it: streamed copies and
// reductions, rooted collectives that all members share, messages that both
// sides copy, and failures meanwhile. Requires some hundred MiB of memory;
// guarantees every element, with sizes and addresses that are no round numbers.
//
//===----------------------------------------------------------------------===//

#include "Elements/Reduce.h"
#include "Elements/Stream.h"
#include "Support.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace shardir;
using namespace shardir::runtime;
using namespace shardir::runtime::test;
using testing::HasSubstr;

namespace {

SHARDIR_RUN_ON_CORES(Transport);

TEST(Stream, CopiesToAll) {
  for (size_t n : {0, 1, 63, 64, 1000, 4096, 100003})
    for (size_t offset : {0, 4, 16, 20}) {
      std::vector<char> from(n + 64), a(n + 64, 9), b(n + 64, 9);
      std::iota(from.begin(), from.end(), char(3));
      const char *source = from.data() + 7;
      void *outs[] = {a.data() + offset, b.data() + 16};
      for (bool stream : {false, true}) {
        std::fill(a.begin(), a.end(), char(9));
        copyToAll(outs, 2, source, n, stream);
        EXPECT_EQ(std::memcmp(outs[0], source, n), 0);
        EXPECT_EQ(std::memcmp(outs[1], source, n), 0);
        EXPECT_EQ(a[offset + n], 9); // and no more
        if (offset)
          EXPECT_EQ(a[offset - 1], 9);
      }
    }
}

TEST(Stream, ReducesAsTheCachesDo) {
  // Large enough to be streamed, with a tail that is no whole line.
  const size_t n = kStreamBytes / 4 + 13;
  std::vector<std::vector<float>> terms(3, std::vector<float>(n));
  for (size_t t = 0; t < 3; ++t)
    for (size_t i = 0; i < n; ++i)
      terms[t][i] = float(int(i * (t + 3) % 101) - 50) / 3;
  std::vector<float> out(n + 1, -1), other(n + 1, -1);
  ReduceFn sum = reduceFunction(PartialKind::Sum, SHARDIR_F32);
  const void *ins[] = {terms[0].data(), terms[1].data(), terms[2].data()};
  for (size_t shift : {0, 1}) { // at 4 bytes past: not streamed
    void *outs[] = {out.data() + shift, other.data()};
    sum(outs, 2, ins, 3, 0, n);
    size_t wrong = 0;
    for (size_t i = 0; i < n; ++i) {
      float expected = terms[0][i] + terms[1][i] + terms[2][i];
      wrong += out[i + shift] != expected || other[i] != expected;
    }
    EXPECT_EQ(wrong, 0u);
  }
  // In place: the first term is a result.
  std::vector<float> first = terms[0];
  void *outs[] = {other.data(), terms[0].data()};
  sum(outs, 2, ins, 3, 0, n);
  size_t wrong = 0;
  for (size_t i = 0; i < n; ++i)
    wrong += terms[0][i] != first[i] + terms[1][i] + terms[2][i];
  EXPECT_EQ(wrong, 0u);
}

TEST_P(Transport, LargeCollectives) {
  // 1.3 million elements a rank, which three ranks cut unevenly.
  MetadataText text({{"x", 3}});
  const int64_t n = 1300003;
  int32_t sum = text.redistribute("all_reduce", "[{}], partial = sum [\"x\"]",
                                  "[{}]", {n}, "i32");
  int32_t all =
      text.redistribute("all_gather", "[{\"x\"}]", "[{}]", {n}, "i32");
  int32_t scatter = text.redistribute(
      "reduce_scatter", "[{}], partial = sum [\"x\"]", "[{\"x\"}]", {n}, "i32");
  const int64_t shard = (n + 2) / 3;
  std::string error = runRanks(text.program(), [&](RankContext &rank) {
    int r = rank.rank;
    std::vector<int32_t> in(static_cast<size_t>(n)), out(in.size());
    for (int64_t i = 0; i < n; ++i)
      in[size_t(i)] = int32_t(i * (r + 1));
    rank.collective(sum, in.data(), out.data(), nullptr);
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; ++i)
      wrong += out[size_t(i)] != int32_t(6 * i);
    std::fill(out.begin(), out.end(), -1);
    rank.collective(scatter, in.data(), out.data(), nullptr);
    int64_t begin = r * shard, length = std::min(n, begin + shard) - begin;
    for (int64_t i = 0; i < length; ++i)
      wrong += out[size_t(i)] != int32_t(6 * (begin + i));
    std::vector<int32_t> mine(in.begin() + begin, in.begin() + begin + length);
    std::fill(out.begin(), out.end(), -1);
    rank.collective(all, mine.data(), out.data(), nullptr);
    for (int64_t i = 0; i < n; ++i)
      wrong += out[size_t(i)] != int32_t(i * (i / shard + 1));
    EXPECT_EQ(wrong, 0);
  });
  EXPECT_EQ(error, "");
}

TEST_P(Transport, LargeRootedCollectives) {
  MetadataText text({{"x", 4}});
  text.rooted("broadcast", {"x"}, "i32");
  text.rooted("gather", {"x"}, "i32");
  text.rooted("scatter", {"x"}, "i32");
  const int64_t n = 400001;
  std::string error = runRanks(text.program(), [&](RankContext &rank) {
    const auto all = size_t(4 * n);
    std::vector<int32_t> in(all), out(all, -1);
    for (size_t i = 0; i < all; ++i)
      in[i] = int32_t(i) * 5 + rank.rank;
    int64_t wrong = 0;
    // The root has one buffer for both, or two.
    for (bool same : {false, true}) {
      bool inPlace = same && rank.rank == 2;
      rank.collectivePeer(0, in.data(), inPlace ? in.data() : out.data(), n, 2);
      const std::vector<int32_t> &result = inPlace ? in : out;
      for (int64_t i = 0; i < n; ++i)
        wrong += result[size_t(i)] != int32_t(i) * 5 + 2;
    }
    rank.collectivePeer(1, in.data(), out.data(), n, 3);
    for (int64_t i = 0; rank.rank == 3 && i < 4 * n; ++i)
      wrong += out[size_t(i)] != int32_t(i % n) * 5 + int32_t(i / n);
    rank.collectivePeer(2, in.data(), out.data(), n, 1);
    for (int64_t i = 0; i < n; ++i)
      wrong += out[size_t(i)] != int32_t(rank.rank * n + i) * 5 + 1;
    EXPECT_EQ(wrong, 0);
  });
  EXPECT_EQ(error, "");
}

TEST_P(Transport, MessagesOfAllSizes) {
  // Received late and early in turns: kept, handed over, copied by both.
  MetadataText text({{"x", 2}});
  text.rooted("send", {"x"}, "i32");
  text.rooted("recv", {"x"}, "i32");
  std::string error = runRanks(text.program(), [&](RankContext &rank) {
    const bool sender = rank.rank == 0;
    for (int64_t n : {0, 1, 100, 40000, 300007, 2000003})
      for (int turn = 0; turn < 4; ++turn) {
        const auto size = static_cast<size_t>(n);
        std::vector<int32_t> first(size), second(size, -1);
        std::iota(first.begin(), first.end(), int32_t(turn));
        if ((turn & 1) == int(sender))
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (sender) {
          rank.collectivePeer(0, first.data(), nullptr, n, 1);
          std::fill(first.begin(), first.end(), -7); // it is free
          rank.collectivePeer(0, first.data(), nullptr, n, 1);
          int32_t done = 0;
          rank.collectivePeer(1, nullptr, &done, 1, 1);
          continue;
        }
        std::vector<int32_t> got(size, -1);
        rank.collectivePeer(1, nullptr, got.data(), n, 0);
        EXPECT_EQ(got, first) << n << " in turn " << turn;
        rank.collectivePeer(1, nullptr, second.data(), n, 0);
        EXPECT_EQ(second, std::vector<int32_t>(size, -7));
        int32_t done = 1;
        rank.collectivePeer(0, &done, nullptr, 1, 0);
      }
  });
  EXPECT_EQ(error, "");
}

TEST_P(Transport, FailureDuringLongMessages) {
  // The receiver's buffer must outlive a sender that is at work on it.
  MetadataText text({{"x", 4}});
  text.rooted("send", {"x"}, "i8");
  text.rooted("recv", {"x"}, "i8");
  auto program = text.program();
  const int64_t n = int64_t(8) << 20;
  for (int repeat = 0; repeat < 4; ++repeat) {
    std::string error = runRanks(
        program,
        [&](RankContext &rank) {
          if (rank.rank == 3) {
            std::this_thread::sleep_for(
                std::chrono::microseconds(500 * repeat));
            rank.fail("failed: chosen");
          }
          for (int i = 0; rank.rank < 2; ++i) {
            std::vector<char> data(static_cast<size_t>(n), char(i));
            rank.collectivePeer((rank.rank + i) & 1, data.data(), data.data(),
                                n, 1 - rank.rank);
          }
        },
        threadPerRank());
    EXPECT_THAT(error, HasSubstr("rank 3 failed: chosen"));
  }
}

} // namespace
