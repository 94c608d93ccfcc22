//===- LiveRanges.h - What is held at each step -----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sweep behind predictions of peak memory, of the propagation graph's nodes
// and of a block's ops: bytes that are held from one step to another. Needs
// neither IR nor a graph.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_MEMORY_LIVERANGES_H
#define SHARDIR_MEMORY_LIVERANGES_H

#include <cassert>
#include <cstddef>
#include <numeric>
#include <vector>

namespace shardir {

template <class Bytes> class LiveRanges {
public:
  explicit LiveRanges(std::size_t numSteps) : change(numSteps + 1) {}

  /// `bytes` are held at all steps from `first` to `last`.
  void hold(std::size_t first, std::size_t last, Bytes bytes) {
    assert(first <= last && last + 1 < change.size() && "no range of steps");
    change[first] += bytes;
    change[last + 1] -= bytes;
  }

  /// By step.
  std::vector<Bytes> held() const {
    std::vector<Bytes> sums(change.size());
    std::partial_sum(change.begin(), change.end(), sums.begin());
    sums.pop_back();
    return sums;
  }

private:
  std::vector<Bytes> change;
};

} // namespace shardir

#endif // SHARDIR_MEMORY_LIVERANGES_H
