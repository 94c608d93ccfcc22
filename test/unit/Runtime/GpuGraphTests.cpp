//===- GpuGraphTests.cpp - Launches that repeat ---------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA graphs on the emulated GPU: what repeats is captured and replayed with
// the right results, in the order of its stream; what changes, or what the
// driver refuses, is launched piece by piece. Requires the driver's log, which
// says what was called.
//
//===----------------------------------------------------------------------===//

#include "GpuFixture.h"

#include <algorithm>
#include <map>

using testing::HasSubstr;

namespace {

TEST_P(GpuTest, WhatRepeatsIsAGraph) {
  Array a({4, 3}), r({4, 3});
  auto runOnce = [&](float start) {
    a.iota();
    for (float &x : a.data)
      x += start;
    ASSERT_EQ(run("steady", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
    for (size_t i = 0; i < 12; ++i)
      ASSERT_EQ(r.data[i], 2 * 64 * 32 * a.data[i]) << i;
  };
  startLog();
  runOnce(1);
  EXPECT_EQ(countOf(readLog(), "cuGraphLaunch"), 0u);
  for (int i = 0; i < 3; ++i)
    runOnce(float(i));
  // From here on two segments of each of two ranks, and nothing by itself.
  startLog();
  runOnce(7);
  std::vector<std::string> log = readLog();
  EXPECT_EQ(countOf(log, "cuGraphLaunch"), 4u);
  EXPECT_EQ(countOf(log, "cuStreamBeginCapture"), 0u);
  for (const std::string &line : log)
    EXPECT_EQ(line.find("kernel=twice"), std::string::npos) << line;
  // Each before its rank's stream tells the others of it.
  std::map<std::string, int> launched;
  for (const std::string &line : log) {
    std::string stream = line.substr(line.find("stream=") + 7);
    stream = stream.substr(0, stream.find(' '));
    if (line.find("cuGraphLaunch") == 0)
      EXPECT_THAT(line,
                  HasSubstr(++launched[stream] % 2 ? "nodes=6" : "nodes=5"));
  }
  EXPECT_EQ(launched.size(), 2u);
}

TEST_P(GpuTest, WhatChangesIsNoGraph) {
  Array a({4, 3}), r({4, 3});
  a.iota();
  for (int i = 0; i < 12; ++i) {
    std::fill(r.data.begin(), r.data.end(), -1.0f);
    ASSERT_EQ(run("changing", {&a}, {&r}), SHARDIR_OK) << shardir_last_error();
    for (size_t k = 0; k < 12; ++k)
      ASSERT_EQ(r.data[k], 2 * a.data[k]) << i << " " << k;
  }
}

TEST_P(GpuTest, GraphsThatAreRefusedStayInPieces) {
  for (const char *fault :
       {"cuStreamBeginCapture:1:801", "cuGraphInstantiate:1:801",
        "cuStreamEndCapture:1:901"}) {
    load(SHARDIR_TEST_PROGRAM);
    Array a({4, 3}), r({4, 3});
    a.iota();
    configure(std::string(GetParam()) + " fail=" + fault);
    for (int i = 0; i < 4; ++i) {
      std::fill(r.data.begin(), r.data.end(), -1.0f);
      ASSERT_EQ(run("steady", {&a}, {&r}), SHARDIR_OK)
          << fault << ": " << shardir_last_error();
      for (size_t k = 0; k < 12; ++k)
        ASSERT_EQ(r.data[k], 2 * 64 * 32 * a.data[k]) << fault;
    }
  }
}

} // namespace
