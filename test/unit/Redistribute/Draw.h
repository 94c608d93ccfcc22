//===- Draw.h - Which pairs are tested --------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which pairs of placements are tested, and on what data: out of a list, or at
// random. Requires lists of no partials but sums; guarantees the same pairs
// for the same seed on every platform (mt19937_64 and remainders alone), and
// that all element types and partial kinds have their turn.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_REDISTRIBUTE_DRAW_H
#define SHARDIR_TEST_UNIT_REDISTRIBUTE_DRAW_H

#include "Shards.h"

#include <random>

namespace shardir::test {

/// About `sample` of all ordered pairs, or all of them where there are no more.
std::vector<Pair> drawPairs(const std::vector<Placement> &placements,
                            const std::vector<int64_t> &shape, size_t sample,
                            uint64_t seed);

/// A mesh of at most 18 devices and 1 to 4 axes.
Mesh randomMesh(std::mt19937_64 &random);
/// A shape of rank 0 to 4 and at most a few thousand elements.
std::vector<int64_t> randomShape(std::mt19937_64 &random);
/// A placement that verifies; with `kind`, one that may be partial of it.
Placement randomPlacement(const Mesh &mesh, const std::vector<int64_t> &shape,
                          std::optional<PartialKind> kind,
                          std::mt19937_64 &random);
/// Placements of one type and kind, now and then of two kinds.
Pair randomPair(const Mesh &mesh, std::mt19937_64 &random);

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_REDISTRIBUTE_DRAW_H
