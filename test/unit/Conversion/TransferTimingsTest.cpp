//===- TransferTimingsTest.cpp - When collectives start -------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/TransferTimings.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace shardir;

namespace {

/// A gather that stands where it is needed, and one that nothing needs soon.
TransferTiming gather(double seconds, double need) {
  return {seconds, need, need, /*canMove=*/true};
}
TransferTiming sum(double seconds, double origin, double need) {
  return {seconds, origin, need, /*canMove=*/false};
}

double stalled(const std::vector<TransferTiming> &timings) {
  std::vector<double> stalls = stallsOf(timings);
  return std::accumulate(stalls.begin(), stalls.end(), 0.0);
}

/// Expects that nothing waits for transfers that start at `starts`.
void expectStarts(std::vector<TransferTiming> timings,
                  const std::vector<double> &starts) {
  chooseStarts(timings);
  std::vector<double> chosen;
  for (const TransferTiming &timing : timings)
    chosen.push_back(timing.start);
  EXPECT_EQ(chosen, starts);
  EXPECT_EQ(stalled(timings), 0);
}

TEST(TransferTimings, StartsJustInTime) {
  expectStarts({gather(2, 5), gather(1, 9)}, {3, 8});
}

TEST(TransferTimings, TheOneNeededFirstStartsFirst) {
  expectStarts({gather(2, 8), gather(3, 9)}, {4, 6});
}

TEST(TransferTimings, GoesAheadOfWhatNothingWaitsFor) {
  // The sum takes the link from 4 on, so that the gather comes before it.
  std::vector<TransferTiming> timings = {sum(3, 4, 20), gather(2, 8)};
  EXPECT_EQ(stalled({{3, 4, 20, false, 0, 4}, {2, 6, 8, true, 0, 6}}), 1);
  chooseStarts(timings);
  EXPECT_LT(timings[1].start, 6);
  EXPECT_EQ(timings[0].start, 4);
  EXPECT_EQ(stalled(timings), 0);
}

TEST(TransferTimings, AFullLinkStallsNoMoreThanItMust) {
  // 40 seconds of transfers, the last one needed at 20.
  std::vector<TransferTiming> timings;
  for (int i = 1; i <= 10; ++i)
    timings.push_back(gather(4, 2 * i));
  std::vector<TransferTiming> where = timings;
  for (TransferTiming &timing : where)
    timing.start = timing.origin;
  EXPECT_EQ(stalled(where), 40);
  chooseStarts(timings);
  EXPECT_LE(stalled(timings), 22);
}

} // namespace
