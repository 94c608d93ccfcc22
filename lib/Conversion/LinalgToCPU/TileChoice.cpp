//===- TileChoice.cpp - Tile sizes of a contraction -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses register tiles by what fills the vector units without spilling and
// wastes least at the edges. Requires a shape and a CPU; guarantees tiles that
// fit that CPU's registers. The constants are measured ones: see the comments.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/TileChoice.h"
#include <algorithm>

using namespace shardir;

namespace {
int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

/// Cycles for one step of k of an mr x nv register tile: two multiply-adds and
/// two loads a cycle, and at least the latency of a chain of multiply-adds
/// spread over the tile's accumulators.
double cyclesPerStep(int64_t mr, int64_t nv) {
  double fmas = mr * nv / 2.0, loads = (mr + nv) / 2.0;
  constexpr double latency = 4.0;
  return std::max({fmas, loads, latency});
}

/// Rows and vectors of the register tile.
void chooseRegisterTile(const ContractionShape &shape, const CpuTarget &target,
                        ContractionTiles &tiles) {
  // The best on full tiles, measured: 8x2 of 32 registers (12x2 was 10 %
  // slower), 6x2 of 16 (4x2 was 40 % slower).
  int64_t maxRows = target.numVectorRegisters >= 32 ? 8 : 6;
  int64_t budget = target.numVectorRegisters >= 32 ? 26 : 12;
  double best = 0;
  for (int64_t nv = 1; nv <= 8; ++nv) {
    for (int64_t mr = 1; mr <= maxRows; ++mr) {
      if (mr * nv > budget)
        continue;
      double useful = 1;
      if (shape.m > 0)
        useful *= double(shape.m) / roundUp(shape.m, mr);
      if (shape.n > 0)
        useful *= double(shape.n) / roundUp(shape.n, nv * tiles.lanes);
      double speed = useful * mr * nv / cyclesPerStep(mr, nv);
      // Ties go to the measured best, then to fewer registers.
      if (mr == maxRows && nv == 2)
        speed *= 1.08;
      if (speed > best * 1.001) {
        best = speed;
        tiles.mr = mr;
        tiles.nv = nv;
      }
    }
  }
}
} // namespace

ContractionTiles shardir::chooseTiles(const ContractionShape &shape,
                                      const CpuTarget &target) {
  ContractionTiles tiles;
  tiles.lanes = target.lanes(shape.accumulatorBits);
  // Unknown extents count as large: a shard is seldom tiny.
  auto known = [](int64_t extent) { return extent >= 0 ? extent : 1024; };
  int64_t m = known(shape.m), n = known(shape.n), k = known(shape.k);
  int64_t batch = known(shape.batch);
  int64_t flops = 2 * m * n * k;
  if (flops < 2 * 16 * 16 * 16 || n < std::min<int64_t>(tiles.lanes, 8) ||
      k < 4)
    return tiles;
  tiles.kind = ContractionTiles::Kind::Outer;
  chooseRegisterTile(shape, target, tiles);

  // Few rows use each element of B too seldom to pay for a copy.
  tiles.packB = !shape.bUnitN || (shape.m < 0 || shape.m > 4 * tiles.mr);
  // Few columns use each element of A too seldom.
  tiles.packA = !shape.aUnitK || (shape.n < 0 || shape.n > 2 * tiles.nr());

  // Blocks of k: equal ones of at most 512.
  int64_t limit = 512;
  if (shape.roundsResult || shape.k < 0)
    tiles.kc = shape.roundsResult ? std::max<int64_t>(k, 1) : limit;
  else
    tiles.kc = roundUp(ceilDiv(k, ceilDiv(k, limit)), 4);

  if (shape.batch < 0 || (batch >= 8 && flops * batch >= parallelFlops)) {
    tiles.parallelBatch = true;
  } else if (flops >= parallelFlops) {
    // 16 threads at most, two chunks each to even out.
    int64_t panels = ceilDiv(n, tiles.nr()), rows = ceilDiv(m, tiles.mr);
    tiles.chunksN = std::min<int64_t>(panels, 32);
    if (tiles.chunksN < 16)
      tiles.chunksM =
          std::min<int64_t>(ceilDiv(16, tiles.chunksN), ceilDiv(rows, 8));
    while (tiles.chunksN > 1 &&
           flops / (tiles.chunksN * tiles.chunksM) < parallelFlops / 16)
      tiles.chunksN /= 2;
  }
  return tiles;
}
