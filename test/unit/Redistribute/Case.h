//===- Case.h - Redistributions drawn at random -----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mesh and a change of placement on it, drawn by a seed: device orders, axes
// of size 1, sub-axes, strided splits, every partial kind, uneven and empty
// sizes, and sizes that the planner is not told. A case that fails is shrunk:
// fewer axes and dims, smaller sizes, simpler placements, as long as it fails.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_REDISTRIBUTE_CASE_H
#define SHARDIR_TEST_UNIT_REDISTRIBUTE_CASE_H

#include "Pairs.h"

#include <random>

namespace shardir::test {

struct Case {
  Mesh mesh; ///< axes a, b, c, …; sizes as they are when it runs
  Pair pair;
  /// True for sizes that the planner does not know; empty, or one entry each.
  std::vector<bool> unknownAxes, unknownDims;
};

/// A mesh and a pair on it, drawn by Draw.h.
Case randomCase(std::mt19937_64 &random);

/// The mesh and the shape that the planner knows of the case.
Mesh planningMesh(const Case &c);
std::vector<int64_t> planningShape(const Case &c);
/// Whether the case can be planned and run: both placements verify with what
/// the planner knows and with the real sizes.
bool isValid(const Case &c);

/// Runs a case; "" if nothing is wrong. A plan made without knowing all sizes
/// promises right values alone.
std::string runCase(const Case &c);

/// The smallest case on the way down that `fails`, which the first one must.
Case shrink(Case c, const std::function<bool(const Case &)> &fails);

/// The case as a test to copy into PairsTests.cpp.
std::string asTest(const Case &c, const std::string &name);

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_REDISTRIBUTE_CASE_H
