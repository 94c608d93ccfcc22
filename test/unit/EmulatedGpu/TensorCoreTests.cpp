//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products of a warp against sums of products of whole matrices, every
// shape and type, and the fragments against what the PTX ISA prints.
//
//===----------------------------------------------------------------------===//

#include "TensorCore.h"

#include "gtest/gtest.h"
#include <cstring>
#include <functional>
#include <set>
#include <vector>

using namespace shardir::emulated;

namespace {
/// A warp whose lanes have all posted `a`, then `b`.
struct Warp : shardir_emulated_thread {
  std::vector<std::vector<char>> posts;
  size_t next = 0;

  explicit Warp(int lane) : shardir_emulated_thread() {
    thread[0] = lane;
    block_dim[0] = 32;
    block_dim[1] = block_dim[2] = 1;
    gather = [](shardir_emulated_thread *self, const void *, void *all,
                int64_t bytes) {
      auto *warp = static_cast<Warp *>(self);
      std::vector<char> &post = warp->posts[warp->next++];
      ASSERT_EQ(int64_t(post.size()), 32 * bytes);
      std::memcpy(all, post.data(), post.size());
    };
  }
};

template <class T> std::vector<char> bytesOf(const std::vector<T> &values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// `store` writes a small integer as an element.
template <class Stored, class Result>
void check(int m, int k, int type, const std::function<Stored(int)> &store) {
  const int n = 8, bits = 8 * int(sizeof(Stored));
  auto valueA = [&](int i, int j) { return (3 * i + 5 * j) % 7; };
  auto valueB = [&](int i, int j) { return (2 * i + 3 * j) % 5; };
  auto valueC = [&](int i, int j) { return 10 * i + j; };
  const int perLaneA = m * k / 32, perLaneB = k * n / 32;
  std::vector<Stored> a, b;
  std::set<std::pair<int, int>> placesA, placesB;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < perLaneA; ++i) {
      Place p = placeInA(m, bits, lane, i);
      placesA.insert({p.row, p.column});
      a.push_back(store(valueA(p.row, p.column)));
    }
    for (int i = 0; i < perLaneB; ++i) {
      Place p = placeInB(bits, lane, i);
      placesB.insert({p.row, p.column});
      b.push_back(store(valueB(p.row, p.column)));
    }
  }
  ASSERT_EQ(int(placesA.size()), m * k);
  ASSERT_EQ(int(placesB.size()), k * n);
  ASSERT_EQ(placesA.rbegin()->first, m - 1);
  ASSERT_EQ(placesB.rbegin()->first, k - 1);
  for (int lane = 0; lane < 32; ++lane) {
    Warp warp(lane);
    warp.posts = {bytesOf(a), bytesOf(b)};
    std::vector<Result> c, d(size_t(m * n / 32));
    for (int i = 0; i < m * n / 32; ++i) {
      Place p = placeInC(lane, i);
      c.push_back(Result(valueC(p.row, p.column)));
    }
    ASSERT_TRUE(
        multiply(&warp, m, n, k, type, nullptr, nullptr, c.data(), d.data()));
    for (int i = 0; i < m * n / 32; ++i) {
      Place p = placeInC(lane, i);
      int expected = valueC(p.row, p.column);
      for (int j = 0; j < k; ++j)
        expected += valueA(p.row, j) * valueB(j, p.column);
      EXPECT_EQ(d[size_t(i)], Result(expected)) << "lane " << lane;
    }
  }
}

uint32_t floatBits(int value) {
  float f = float(value);
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof(bits));
  return bits;
}
/// Integers up to 1024 as f16.
uint16_t half(int value) {
  uint32_t bits = floatBits(value);
  return value == 0 ? 0 : uint16_t((bits >> 13) - (112u << 10));
}
} // namespace

TEST(TensorCore, MultipliesAsWholeMatricesDo) {
  for (int k : {8, 16}) {
    check<uint16_t, float>(16, k, SHARDIR_MMA_F16, half);
    check<uint16_t, float>(16, k, SHARDIR_MMA_BF16, [](int value) {
      return uint16_t(floatBits(value) >> 16);
    });
  }
  for (int k : {4, 8})
    check<uint32_t, float>(16, k, SHARDIR_MMA_TF32, floatBits);
  for (int k : {16, 32}) {
    check<int8_t, int32_t>(16, k, SHARDIR_MMA_S8,
                           [](int value) { return int8_t(value); });
    check<uint8_t, int32_t>(16, k, SHARDIR_MMA_U8,
                            [](int value) { return uint8_t(value); });
  }
  check<double, double>(8, 4, SHARDIR_MMA_F64,
                        [](int value) { return double(value); });
}

// The figures of the PTX ISA for m16n8k16 in f16 and m16n8k8 in tf32.
TEST(TensorCore, FragmentsAreThoseOfPtx) {
  auto expect = [](Place p, int row, int column) {
    EXPECT_EQ(p.row, row);
    EXPECT_EQ(p.column, column);
  };
  expect(placeInA(16, 16, 5, 1), 1, 3);  // T5, a1
  expect(placeInA(16, 16, 5, 2), 9, 2);  // a2
  expect(placeInA(16, 16, 5, 4), 1, 10); // a4
  expect(placeInA(16, 16, 5, 7), 9, 11); // a7
  expect(placeInB(16, 5, 1), 3, 1);      // b1
  expect(placeInB(16, 5, 3), 11, 1);     // b3
  expect(placeInC(5, 3), 9, 3);          // c3
  expect(placeInA(16, 32, 6, 1), 9, 2);  // a1
  expect(placeInA(16, 32, 6, 2), 1, 6);  // a2
  expect(placeInB(32, 6, 1), 6, 1);      // b1
}

TEST(TensorCore, RefusesWhatItDoesNotKnow) {
  Warp warp(0);
  EXPECT_FALSE(multiply(&warp, 16, 8, 32, SHARDIR_MMA_F16, nullptr, nullptr,
                        nullptr, nullptr));
  EXPECT_FALSE(multiply(&warp, 8, 8, 8, SHARDIR_MMA_F64, nullptr, nullptr,
                        nullptr, nullptr));
}
