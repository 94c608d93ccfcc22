//===- WatchTree.cpp - Which watchdogs talk to each other -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what WatchTree.h says.
//
//===----------------------------------------------------------------------===//

#include "WatchTree.h"

#include <algorithm>
#include <cstdlib>

namespace shardir {
namespace runtime {

WatchTree::WatchTree(int self, int size, int fanOut)
    : self(self), size(size), fanOut(fanOut) {}

int WatchTree::defaultFanOut() {
  constexpr int kFanOut = 16, kMost = 1 << 20;
  const char *text = std::getenv("SHARDIR_WATCHDOG_FAN_OUT");
  int given = text ? std::atoi(text) : 0;
  return given > 0 ? std::min(given, kMost) : kFanOut;
}

std::vector<int> WatchTree::childrenOf(int rank) const {
  std::vector<int> result;
  int64_t first = int64_t(rank) * fanOut + 1;
  for (int64_t r = first; r < std::min<int64_t>(first + fanOut, size); ++r)
    result.push_back(int(r));
  return result;
}

int WatchTree::depthOf(int rank) const {
  int depth = 0;
  for (; rank > 0; rank = parentOf(rank))
    ++depth;
  return depth;
}

} // namespace runtime
} // namespace shardir
