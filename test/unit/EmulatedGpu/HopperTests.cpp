//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes, descriptors and products of a warp group: a small matrix product as a
// kernel for sm_90 does it, with one thread that loads and a group that
// multiplies, against the plain one.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Hopper.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

using namespace shardir::emulated;

namespace {
using Self = shardir_emulated_thread;

uint16_t bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return uint16_t(bits >> 16);
}

/// A row-major matrix and the map of boxes of `boxRows` x `boxColumns`.
struct Matrix {
  int rows, columns;
  std::vector<uint16_t> data;
  shardir_emulated_tensor_map map = {};

  Matrix(int rows, int columns, int boxRows, int boxColumns)
      : rows(rows), columns(columns), data(size_t(rows * columns)) {
    map.magic = SHARDIR_TENSOR_MAP;
    map.rank = 2;
    map.element_bytes = 2;
    map.swizzle_bytes = 128;
    map.address = reinterpret_cast<char *>(data.data());
    map.extents[0] = uint64_t(columns);
    map.extents[1] = uint64_t(rows);
    map.strides[0] = uint64_t(2 * columns);
    map.box[0] = uint16_t(boxColumns);
    map.box[1] = uint16_t(boxRows);
  }
  uint16_t &at(int i, int j) { return data[size_t(i * columns + j)]; }
};

struct Problem {
  Matrix a, b;
  std::vector<float> c;
  int m, n, k;
};

constexpr int kN = 64, kK = 64, kStages = 2;
constexpr int kBytesA = 64 * kK * 2, kBytesB = kK * kN * 2;
constexpr uint64_t kSwizzle128 = uint64_t(1) << 62;

uint64_t descriptor(const char *address, uint64_t leading, uint64_t stride) {
  return ((reinterpret_cast<uintptr_t>(address) & 0x3ffff) >> 4) |
         (leading >> 4) << 16 | (stride >> 4) << 32 | kSwizzle128;
}

/// Threads 0 to 127 multiply, thread 128 loads.
void gemm(Self *self, void **arguments) {
  auto &p = **static_cast<Problem **>(arguments[0]);
  char *stages = self->shared;
  auto *full = self->shared + kStages * (kBytesA + kBytesB);
  auto *empty = full + 8 * kStages;
  int steps = (p.k + kK - 1) / kK;
  int m0 = int(self->block[0]) * 64, n0 = int(self->block[1]) * kN;
  if (self->thread[0] == 0)
    for (int s = 0; s < kStages; ++s) {
      self->mbarrier_init(self, full + 8 * s, 1);
      self->mbarrier_init(self, empty + 8 * s, 1);
    }
  self->barrier(self);
  if (self->thread[0] == 128) {
    for (int step = 0; step < steps; ++step) {
      int s = step % kStages, parity = step / kStages % 2;
      char *to = stages + s * (kBytesA + kBytesB);
      self->mbarrier_wait(self, empty + 8 * s, 1 - parity);
      self->mbarrier_arrive(self, full + 8 * s, kBytesA + kBytesB);
      int32_t placeA[] = {step * kK, m0}, placeB[] = {n0, step * kK};
      self->tensor_load(self, to, &p.a.map, placeA, full + 8 * s);
      self->tensor_load(self, to + kBytesA, &p.b.map, placeB, full + 8 * s);
    }
    return;
  }
  float sums[kN / 2] = {};
  for (int step = 0; step < steps; ++step) {
    int s = step % kStages, parity = step / kStages % 2;
    char *from = stages + s * (kBytesA + kBytesB);
    self->mbarrier_wait(self, full + 8 * s, parity);
    for (int k = 0; k < kK; k += 16)
      self->wgmma(self, kN, SHARDIR_MMA_BF16,
                  descriptor(from, 16, 1024) + k / 8, nullptr,
                  descriptor(from + kBytesA, kBytesB, 1024) + k * 8, 0, 1, 1,
                  sums);
    self->named_barrier(self, 1, 128, 1);
    if (self->thread[0] == 0)
      self->mbarrier_arrive(self, empty + 8 * s, 0);
  }
  int thread = int(self->thread[0]);
  for (int i = 0; i < kN / 2; ++i) {
    int row = m0 + thread / 32 * 16 + thread % 32 / 4 + i % 4 / 2 * 8;
    int column = n0 + i / 4 * 8 + thread % 4 * 2 + i % 2;
    if (row < p.m && column < p.n)
      p.c[size_t(row * p.n + column)] = sums[i];
  }
}
} // namespace

TEST(Hopper, SwizzlesAreBijectionsOfEightRows) {
  for (int bytes : {32, 64, 128}) {
    std::set<int64_t> places;
    for (int64_t offset = 0; offset < 1024; offset += 16) {
      int64_t place = swizzled(offset, bytes);
      EXPECT_EQ(place / 128, offset / 128);
      places.insert(place);
    }
    EXPECT_EQ(places.size(), 64u);
  }
  // PTX ISA, the figure of the 128-byte mode: row 1 begins at column 1.
  EXPECT_EQ(swizzled(128, 128), 144);
  EXPECT_EQ(swizzled(5 * 128 + 3 * 16, 128), 5 * 128 + 6 * 16);
}

TEST(Hopper, BarriersEndTheirPhases) {
  MBarrier barrier;
  barrier.init(2);
  EXPECT_TRUE(barrier.ended(1));
  EXPECT_FALSE(barrier.ended(0));
  EXPECT_TRUE(barrier.arrive(64));
  EXPECT_TRUE(barrier.arrive(0));
  EXPECT_FALSE(barrier.ended(0)) << "64 bytes are missing";
  EXPECT_FALSE(barrier.arrive(0)) << "nobody is";
  barrier.complete(64);
  EXPECT_TRUE(barrier.ended(0));
  EXPECT_FALSE(barrier.ended(1));
}

TEST(Hopper, MultipliesRaggedMatrices) {
  for (int m : {64, 100})
    for (int n : {64, 72})
      for (int k : {64, 200, 8}) {
        Problem p = {Matrix(m, k, 64, kK), Matrix(k, n, kK, kN), {}, m, n, k};
        p.c.assign(size_t(m * n), NAN);
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < k; ++j)
            p.a.at(i, j) = bf16(float((3 * i + 5 * j) % 7 - 3));
        for (int i = 0; i < k; ++i)
          for (int j = 0; j < n; ++j)
            p.b.at(i, j) = bf16(float((2 * i + 3 * j) % 5 - 2));
        Problem *pointer = &p;
        void *arguments[] = {&pointer};
        shardir_emulated_kernel kernel = {"gemm", gemm, 0};
        Launch l = {&kernel,
                    {(m + 63) / 64, (n + kN - 1) / kN, 1},
                    {129, 1, 1},
                    kStages * (kBytesA + kBytesB + 16),
                    arguments};
        ASSERT_EQ(run(l), "");
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j) {
            int sum = 0;
            for (int t = 0; t < k; ++t)
              sum += ((3 * i + 5 * t) % 7 - 3) * ((2 * t + 3 * j) % 5 - 2);
            ASSERT_EQ(p.c[size_t(i * n + j)], float(sum))
                << m << "x" << n << "x" << k << " at " << i << ", " << j;
          }
      }
}

TEST(Hopper, SaysWhatIsMissing) {
  auto forgets = [](Self *self, void **) {
    self->mbarrier_init(self, self->shared, 1);
    self->mbarrier_wait(self, self->shared, 0);
  };
  shardir_emulated_kernel kernel = {"forgets", forgets, 0};
  Launch l = {&kernel, {1, 1, 1}, {1, 1, 1}, 64, nullptr};
  EXPECT_EQ(run(l),
            "block (0, 0, 0) waits for ever: 0 threads at a barrier, 1 at an "
            "mbarrier, 0 in an exchange between lanes, 0 ended");
  auto unaligned = [](Self *self, void **arguments) {
    auto *map = *static_cast<shardir_emulated_tensor_map **>(arguments[0]);
    int32_t place[] = {0, 0};
    self->tensor_store(self, map, place, self->shared + 128);
    self->commit_stores(self);
    self->wait_stores(self, 0);
  };
  Matrix matrix(64, 64, 64, 64);
  shardir_emulated_tensor_map *map = &matrix.map;
  void *arguments[] = {&map};
  kernel.function = unaligned;
  l.dynamicBytes = 16384;
  l.arguments = arguments;
  EXPECT_EQ(run(l), "block (0, 0, 0) moves a box to or from shared memory at "
                    "byte 128, which is no multiple of 1024");
}
