//===- WatchTree.h - Which watchdogs talk to each other ---------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The watchdogs of a run as a tree with rank 0 at its root: rank r has the
// children f * r + 1 to f * r + f. So each talks to f others and its parent,
// whatever the number of ranks, and a question to all and its answers pass
// log_f(n) times. Where a child does not answer, its parent asks the child's
// own children in its place.
//
// Requires calls from one thread; guarantees nothing of who is alive: that is
// what the caller tells.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_RUNTIME_PROCESSES_WATCHTREE_H
#define SHARDIR_LIB_RUNTIME_PROCESSES_WATCHTREE_H

#include <cstdint>
#include <map>
#include <vector>

namespace shardir {
namespace runtime {

class WatchTree {
public:
  WatchTree(int self, int size, int fanOut = defaultFanOut());

  /// $SHARDIR_WATCHDOG_FAN_OUT, at least 1, or else 16.
  static int defaultFanOut();

  int parentOf(int rank) const { return rank ? (rank - 1) / fanOut : -1; }
  std::vector<int> childrenOf(int rank) const;
  /// Whether all are at most two levels below rank 0.
  bool isShallow() const {
    return size <= 1 + int64_t(fanOut) + int64_t(fanOut) * fanOut;
  }
  /// How many processes are between rank 0 and this one, and this one.
  int depthOf(int rank) const;

  /// A process that this one asks.
  struct Child {
    uint64_t heard = 0;    ///< the last round that something came for
    uint64_t complete = 0; ///< the last one that all below it have answered
    bool stopped = false;  ///< it has said what it did last
    bool replaced = false; ///< its own children are asked in its place, too
    bool ended = false;    ///< it and all below it wait for the run's end
  };
  Child &child(int rank) { return asked[rank]; }
  /// Calls `f` for each process that this one asks now. `isGone(rank)`: it has
  /// ended, and its children are asked instead.
  template <class Gone, class F> void forEach(Gone &&isGone, F &&f) {
    visit(self, isGone, f);
  }

private:
  template <class Gone, class F> void visit(int rank, Gone &isGone, F &f) {
    for (int r : childrenOf(rank)) {
      bool gone = isGone(r);
      if (!gone)
        f(r, asked[r]);
      if (gone || asked[r].replaced)
        visit(r, isGone, f);
    }
  }

  const int self, size, fanOut;
  std::map<int, Child> asked;
};

} // namespace runtime
} // namespace shardir

#endif // SHARDIR_LIB_RUNTIME_PROCESSES_WATCHTREE_H
