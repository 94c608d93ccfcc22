//===- LayoutChoice.h - Orders of dims that copy least ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses for each of many tensors one of a few orders of its dims in memory,
// so that least is copied in all. A plain value, without IR: what an order
// costs a tensor, and what two orders cost together, are tables of bytes.
//
// Minimising over tables of one and two variables is bucket elimination (R.
// Dechter, Bucket elimination: a unifying framework for reasoning, Artificial
// Intelligence 113, 1999); on a chain or a tree it is dynamic programming.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LAYOUT_LAYOUTCHOICE_H
#define SHARDIR_LAYOUT_LAYOUTCHOICE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardir {

/// The bytes of what may not be chosen. Sums stop here.
inline constexpr int64_t kForbiddenBytes = INT64_MAX / 4;

/// Tensors and what their orders cost, in bytes that are copied (not negative).
struct LayoutGraph {
  /// One per tensor: the bytes of each candidate order. Candidate 0 is
  /// row-major; there is at least that one.
  std::vector<std::vector<int64_t>> nodes;
  /// Two tensors whose orders cost something together: the bytes of candidate i
  /// of `a` with candidate j of `b` are bytes[i * (candidates of b) + j].
  struct Edge {
    size_t a = 0, b = 0; ///< different
    std::vector<int64_t> bytes;
  };
  std::vector<Edge> edges;

  /// The cost of a choice of one candidate per node.
  int64_t cost(const std::vector<size_t> &candidates) const;
};

struct LayoutChoice {
  std::vector<size_t> candidates; ///< one per node
  int64_t bytes = 0, rowMajorBytes = 0;
  /// True if no choice is cheaper. Always for forests.
  bool exact = true;
};

/// The choice of least bytes; among equals one with few nodes that are not
/// row-major, so that nothing is reordered for no gain. Depends on the graph
/// alone. Exact where elimination needs no table of more than `maxTable`
/// entries, for forests in any case. Else nodes are held at what they were,
/// starting row-major, until the rest is easy, and others in the next round,
/// until no round gains: never worse than row-major. Linear in nodes and edges
/// for a bounded `maxTable`.
LayoutChoice chooseLayouts(const LayoutGraph &graph, size_t maxTable = 4096);

} // namespace shardir

#endif // SHARDIR_LAYOUT_LAYOUTCHOICE_H
