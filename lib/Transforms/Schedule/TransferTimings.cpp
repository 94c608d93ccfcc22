//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backwards from where results are needed; then some rounds in which those that
// a play of the block shows to come late are to be done earlier.
//
//===----------------------------------------------------------------------===//

#include "TransferTimings.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace shardir;

/// How often starts move for transfers that come late, and how often without
/// less stalls: one that waits for what starts before it has to pass that.
static constexpr int kRounds = 24, kIdleRounds = 4;

/// Has each be done when it is needed, less its margin, and when the next one
/// starts.
static void startInTime(llvm::MutableArrayRef<TransferTiming> timings) {
  double next = std::numeric_limits<double>::infinity();
  for (TransferTiming &t : llvm::reverse(timings)) {
    t.start = t.origin;
    if (!t.canMove)
      continue;
    t.start = std::min(t.origin, std::min(t.need, next) - t.seconds - t.margin);
    next = t.start;
  }
}

std::vector<double> shardir::stallsOf(llvm::ArrayRef<TransferTiming> timings) {
  std::vector<size_t> starts(timings.size()), needs;
  std::iota(starts.begin(), starts.end(), 0);
  needs = starts;
  llvm::stable_sort(starts, [&](size_t a, size_t b) {
    return timings[a].start < timings[b].start;
  });
  llvm::stable_sort(needs, [&](size_t a, size_t b) {
    return timings[a].need < timings[b].need;
  });
  std::vector<double> stalls(timings.size()), ends(timings.size());
  double link = 0, stalled = 0;
  auto next = starts.begin();
  for (size_t i : needs) {
    for (; next != starts.end() && timings[*next].start <= timings[i].need;
         ++next)
      link = ends[*next] = std::max(link, timings[*next].start + stalled) +
                           timings[*next].seconds;
    stalls[i] = std::max(0.0, ends[i] - timings[i].need - stalled);
    stalled += stalls[i];
  }
  return stalls;
}

void shardir::chooseStarts(std::vector<TransferTiming> &timings) {
  startInTime(timings);
  std::vector<TransferTiming> moved = timings;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0, idle = 0; round < kRounds && idle <= kIdleRounds;
       ++round) {
    std::vector<double> stalls = stallsOf(moved);
    double sum = std::accumulate(stalls.begin(), stalls.end(), 0.0);
    ++idle;
    if (sum < least) {
      idle = 0;
      least = sum;
      timings = moved;
    }
    if (sum == 0)
      return;
    for (auto [timing, stall] : llvm::zip(moved, stalls))
      timing.margin += stall;
    startInTime(moved);
  }
}
