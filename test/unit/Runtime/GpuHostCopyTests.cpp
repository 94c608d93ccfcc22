//===- GpuHostCopyTests.cpp - What a GPU keeps on its host ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies to pinned memory and back on the emulated GPU: on a stream of their
// own beside launches, in order with them where they must be, with blocks that
// are kept from call to call.
//
//===----------------------------------------------------------------------===//

#include "GpuFixture.h"

#include <map>
#include <set>

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST_P(GpuTest, CopiesToTheHostGoOnBesideLaunches) {
  Array a({4, 3}), r({4, 3});
  a.iota();
  for (int turn = 0; turn < 5; ++turn) {
    startLog();
    std::fill(r.data.begin(), r.data.end(), -1.0f);
    ASSERT_EQ(run("offload", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
    for (size_t i = 0; i < 12; ++i)
      ASSERT_EQ(r.data[i], 4 * a.data[i]) << turn;
    std::vector<std::string> log = readLog();
    // Two blocks for each rank (arguments and results pass through others).
    size_t pinned = 0;
    for (const std::string &line : log)
      pinned += line.find("cuMemHostAlloc bytes=4096") == 0;
    EXPECT_EQ(pinned, turn == 0 ? 4u : 0u);
    // By stream, the copies of the shard's bytes in their order. Each rank has
    // one where nothing is launched.
    std::map<std::string, std::vector<std::string>> copies;
    std::set<std::string> launching;
    for (const std::string &line : log) {
      size_t at = line.find("stream=");
      if (at == std::string::npos)
        continue;
      std::string stream = line.substr(at);
      std::string call = line.substr(0, line.find(' '));
      if (call == "cuLaunchKernel" || call == "cuGraphLaunch")
        launching.insert(stream);
      else if (call.find("cuMemcpy") == 0 &&
               line.find("bytes=48 ") != std::string::npos)
        copies[stream].push_back(call);
    }
    size_t beside = 0;
    for (auto &[stream, calls] : copies) {
      if (launching.count(stream))
        continue;
      EXPECT_THAT(calls, ElementsAre("cuMemcpyDtoHAsync", "cuMemcpyHtoDAsync"));
      ++beside;
    }
    EXPECT_EQ(beside, 2u);
    shardir_measurement m;
    ASSERT_EQ(shardir_last_measurement(program, &m), SHARDIR_OK);
    // Argument, result and one of both buffers at a time: nothing on the host.
    EXPECT_EQ(m.peak_bytes_per_device, 3 * 48);
  }
}

TEST_P(GpuTest, PinnedMemoryThatIsOut) {
  Array a({4, 3}), r({4, 3});
  a.iota();
  configure(std::string(GetParam()) + " fail=cuMemHostAlloc:3:2");
  EXPECT_EQ(run("offload", {&a}, {&r}), SHARDIR_RANK_FAILED);
  EXPECT_THAT(shardir_last_error(),
              HasSubstr("bytes of pinned memory: cuMemHostAlloc says "
                        "CUDA_ERROR_OUT_OF_MEMORY"));
}

} // namespace
