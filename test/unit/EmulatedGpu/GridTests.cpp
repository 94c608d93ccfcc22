//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels written by hand: who waits for whom, what lanes exchange, when copies
// arrive, and what is reported of kernels that do it wrong.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

using namespace shardir::emulated;

namespace {
using Self = shardir_emulated_thread;

/// Runs `function` on a grid of `blocks` blocks of `threads` threads.
std::string launch(shardir_emulated_kernel_fn function, int64_t blocks,
                   int64_t threads, std::vector<void *> arguments,
                   int64_t dynamicBytes = 4096) {
  shardir_emulated_kernel kernel = {"kernel", function, 0};
  Launch l = {
      &kernel, {blocks, 1, 1}, {threads, 1, 1}, dynamicBytes, arguments.data()};
  return run(l);
}
float *pointer(void **arguments, int i) {
  return *static_cast<float **>(arguments[i]);
}
} // namespace

TEST(Grid, RunsEveryThreadOnce) {
  std::vector<float> out(3 * 70);
  float *data = out.data();
  auto kernel = [](Self *self, void **arguments) {
    pointer(arguments, 0)[self->block[0] * 70 + self->thread[0]] +=
        float(self->thread[0]);
  };
  EXPECT_EQ(launch(kernel, 3, 70, {&data}), "");
  for (int i = 0; i < 210; ++i)
    EXPECT_EQ(out[size_t(i)], float(i % 70));
}

TEST(Grid, BarriersSeparateWritesFromReads) {
  std::vector<float> out(256);
  float *data = out.data();
  auto kernel = [](Self *self, void **arguments) {
    auto *shared = reinterpret_cast<float *>(self->shared);
    int64_t t = self->thread[0];
    for (int round = 0; round < 3; ++round) {
      shared[t] = float(t + round);
      self->barrier(self);
      pointer(arguments, 0)[t] += shared[255 - t];
      self->barrier(self);
    }
  };
  EXPECT_EQ(launch(kernel, 1, 256, {&data}), "");
  for (int t = 0; t < 256; ++t)
    EXPECT_EQ(out[size_t(t)], float(3 * (255 - t) + 3));
}

TEST(Grid, LanesExchange) {
  std::vector<float> out(70);
  float *data = out.data();
  auto kernel = [](Self *self, void **arguments) {
    float mine = float(self->thread[0]), all[32];
    self->gather(self, &mine, all, sizeof(float));
    pointer(arguments, 0)[self->thread[0]] =
        std::accumulate(all, all + 32, 0.0f);
  };
  EXPECT_EQ(launch(kernel, 1, 70, {&data}), "");
  EXPECT_EQ(out[0], 31 * 32 / 2);
  EXPECT_EQ(out[40], 32 * 32 + 31 * 32 / 2);
  EXPECT_EQ(out[69], float(64 + 65 + 66 + 67 + 68 + 69));
}

TEST(Grid, ThreadsThatHaveEndedAreNotWaitedFor) {
  std::vector<float> out(64);
  float *data = out.data();
  auto kernel = [](Self *self, void **arguments) {
    if (self->thread[0] % 2 == 0)
      return;
    self->barrier(self);
    float mine = 1, all[32];
    self->gather(self, &mine, all, sizeof(float));
    pointer(arguments, 0)[self->thread[0]] =
        std::accumulate(all, all + 32, 0.0f);
  };
  EXPECT_EQ(launch(kernel, 1, 64, {&data}), "");
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[63], 16);
}

// Copies are late in even blocks and early in odd ones: a kernel that does not
// wait reads what nobody wrote in the former.
TEST(Grid, CopiesComeWithTheirGroup) {
  std::vector<float> in(4, 7), out(4);
  float *from = in.data(), *to = out.data();
  auto kernel = [](Self *self, void **arguments) {
    auto *shared = reinterpret_cast<float *>(self->shared);
    for (int i = 0; i < 2; ++i) {
      self->copy_async(self, shared + 4 * i, pointer(arguments, 0), 16,
                       i == 0 ? 16 : 4);
      self->commit_copies(self);
    }
    self->wait_copies(self, 1);
    pointer(arguments, 1)[2 * self->block[0]] = shared[3] + shared[4];
    self->wait_copies(self, 0);
    pointer(arguments, 1)[2 * self->block[0] + 1] = shared[4] + shared[7];
  };
  EXPECT_EQ(launch(kernel, 2, 1, {&from, &to}), "");
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], 7);
  EXPECT_EQ(out[2], 14);
  EXPECT_EQ(out[3], 7);
}

TEST(Grid, SaysWhoWaitsForEver) {
  auto kernel = [](Self *self, void **) {
    float mine = 0, all[32];
    if (self->thread[0] < 8)
      self->barrier(self);
    else
      self->gather(self, &mine, all, sizeof(float));
  };
  EXPECT_EQ(launch(kernel, 1, 32, {}),
            "block (0, 0, 0) waits for ever: 8 threads at a barrier, 0 at an "
            "mbarrier, 24 in an exchange between lanes, 0 ended");
}

TEST(Grid, SaysWhatKernelsDoWrong) {
  auto sizes = [](Self *self, void **) {
    double mine = 0, all[32];
    self->gather(self, &mine, all, self->thread[0] == 5 ? 4 : 8);
  };
  EXPECT_EQ(launch(sizes, 1, 32, {}),
            "block (0, 0, 0) has lanes of one warp that post 8 and 4 bytes");
  auto behind = [](Self *self, void **) { self->shared[64] = 0; };
  EXPECT_EQ(launch(behind, 1, 1, {}, 64),
            "block (0, 0, 0) writes behind its 64 bytes of shared memory, at "
            "byte 64");
  auto shape = [](Self *self, void **) {
    self->mma(self, 16, 8, 64, SHARDIR_MMA_F16, nullptr, nullptr, nullptr,
              nullptr);
  };
  EXPECT_EQ(launch(shape, 1, 32, {}),
            "block (0, 0, 0) multiplies matrices of a shape that mma.sync "
            "lacks, m16n8k64");
  auto unaligned = [](Self *self, void **) {
    self->copy_async(self, self->shared + 4, self->shared, 16, 0);
  };
  EXPECT_EQ(launch(unaligned, 1, 1, {}),
            "block (0, 0, 0) copies 16 bytes asynchronously between addresses "
            "that are no multiples of that");
  auto vector = [](Self *self, void **) {
    self->misaligned(self, self->shared + 20, 16);
  };
  EXPECT_EQ(launch(vector, 1, 1, {}),
            "block (0, 0, 0) accesses 16 bytes as one, at an address 4 bytes "
            "behind a multiple of them");
  auto nothing = [](Self *, void **) {};
  EXPECT_EQ(launch(nothing, 1, 1025, {}),
            "has 1025 threads a block; at most 1024 are possible");
  EXPECT_EQ(launch(nothing, 1, 1, {}, 300000),
            "asks for 300000 bytes of shared memory; there are 232448");
  // The next launch is not harmed.
  EXPECT_EQ(launch(nothing, 2, 64, {}), "");
}
