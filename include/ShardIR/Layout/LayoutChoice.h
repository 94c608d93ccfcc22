//===- LayoutChoice.h - Orders of dims that copy least ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses for each of many tensors one of a few orders of its dims in memory,
// so that the fewest bytes are copied in total. A plain value, without IR: the
// costs of one tensor's order, and of two tensors' orders together, are tables
// of bytes.
//
// Minimizing over tables of one and two variables is bucket elimination (R.
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

/// The bytes of a candidate that may not be chosen. Sums saturate here.
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

/// The choice with the fewest bytes; of equal ones, one with few nodes that are
/// not row-major, so that nothing is reordered without gain. Depends on the
/// graph alone. Exact if elimination needs no table of more than `maxTable`
/// entries, and always for forests. Otherwise each round fixes some nodes at
/// their present candidates, at first row-major, and solves for the others,
/// until no round gains: never worse than row-major. Linear in nodes and edges
/// for a bounded `maxTable`.
LayoutChoice chooseLayouts(const LayoutGraph &graph, size_t maxTable = 4096);

} // namespace shardir

#endif // SHARDIR_LAYOUT_LAYOUTCHOICE_H
