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

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace shardir;

namespace {
int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

/// Cycles for one step of k of an mr x nv register tile: two multiply-adds and
/// two loads a cycle, and at least the latency of a chain of multiply-adds
/// divided among the tile's accumulators.
double cyclesPerStep(int64_t mr, int64_t nv) {
  double fmas = mr * nv / 2.0, loads = (mr + nv) / 2.0;
  constexpr double latency = 4.0;
  return std::max({fmas, loads, latency});
}

/// Sums that registers hold, of `numVectors` in a row, beside one row of B and
/// one element of A.
int64_t mostRows(const CpuTarget &target, int64_t numVectors) {
  int64_t registers = target.numVectorRegisters,
          maxSums = registers >= 32 ? 26 : 12;
  return std::min(maxSums, registers - numVectors - 1) / numVectors;
}

/// Rows and vectors of the register tile.
void chooseRegisterTile(const ContractionShape &shape, const CpuTarget &target,
                        const ForcedTiles &forced, ContractionTiles &tiles) {
  // The best on full tiles, measured at 1024 and 2048: 6x4 of 32 registers
  // (8x2 was 10 % slower, 8x3 and 12x2 4 %), 6x2 of 16 (4x2 was 40 % slower).
  bool wide = target.numVectorRegisters >= 32;
  int64_t maxRows = std::max<int64_t>(forced.tileM, wide ? 8 : 6);
  int64_t bestRows = 6, bestVectors = wide ? 4 : 2;
  double best = 0;
  for (int64_t nv = 1; nv <= 8; ++nv) {
    for (int64_t mr = 1; mr <= maxRows; ++mr) {
      if (mr > mostRows(target, nv) ||
          (forced.tileM > 0 && mr != forced.tileM) ||
          (forced.tileN > 0 && nv * tiles.lanes != forced.tileN))
        continue;
      double useful = 1;
      if (shape.m > 0)
        useful *= double(shape.m) / roundUp(shape.m, mr);
      if (shape.n > 0)
        useful *= double(shape.n) / roundUp(shape.n, nv * tiles.lanes);
      double speed = useful * mr * nv / cyclesPerStep(mr, nv);
      // Ties go to the measured best, then to fewer registers.
      if (mr == bestRows && nv == bestVectors)
        speed *= 1.08;
      if (speed > best * 1.001) {
        best = speed;
        tiles.mr = mr;
        tiles.nv = nv;
      }
    }
  }
  if (best > 0)
    return;
  chooseRegisterTile(shape, target, {}, tiles);
  tiles.allowed = llvm::formatv("tile_n a multiple of {0}, and tile_m x tile_n "
                                "at most",
                                tiles.lanes);
  for (int64_t nv = 1; nv <= 8 && mostRows(target, nv) > 0; ++nv)
    tiles.allowed += llvm::formatv("{0} {1}x{2}", nv == 1 ? "" : ",",
                                   mostRows(target, nv), nv * tiles.lanes);
}

/// True if `target` has dot products of bytes, widened or not.
bool multipliesBytes(const ContractionShape &shape, const CpuTarget &target) {
  using Operands = ContractionShape::Operands;
  switch (shape.operands) {
  case Operands::I8:
  case Operands::U8:
    return target.hasByteDot || !target.isAArch64();
  case Operands::U8I8:
  case Operands::I8U8:
    return !target.isAArch64();
  default:
    return false;
  }
}

/// True if `target` has tiles of AMX for floats of the operands' type.
bool hasTiles(const ContractionShape &shape, const CpuTarget &target) {
  using Operands = ContractionShape::Operands;
  return shape.accumulatorBits == 32 &&
         ((shape.operands == Operands::Bf16 && target.hasBf16Tiles) ||
          (shape.operands == Operands::F16 && target.hasF16Tiles));
}

/// Chooses the unit that multiplies, once it is known which operands are
/// packed.
void chooseUnit(const ContractionShape &shape, const CpuTarget &target,
                ContractionTiles &tiles) {
  using Operands = ContractionShape::Operands;
  Operands type = shape.operands;
  if (shape.accumulatorBits != 32 || !tiles.packB)
    return;
  auto take = [&](ContractionTiles::Unit unit, int64_t perWord,
                  llvm::StringRef intrinsic, llvm::StringRef instruction) {
    tiles.unit = unit;
    tiles.perWord = perWord;
    tiles.intrinsic = intrinsic;
    tiles.instruction = instruction;
  };
  auto takeTiles = [&](int64_t perWord, llvm::StringRef intrinsic,
                       llvm::StringRef instruction) {
    // Four sums, two tiles of A and two of B fill the eight registers.
    take(ContractionTiles::Unit::Tiles, perWord, intrinsic, instruction);
    tiles.mr = shape.m < 0 || shape.m > 16 ? 32 : 16;
    tiles.nv = shape.n < 0 || shape.n > tiles.lanes ? 2 : 1;
    // Rows without edges are read where they lie if columns are few: a copy
    // doubled the time of 4096 x 1024 x 64.
    tiles.packA = !shape.aUnitK || shape.m < 0 || shape.m % tiles.mr != 0 ||
                  shape.k < 0 || shape.k % tiles.depth() != 0 || shape.n < 0 ||
                  shape.n > 8 * tiles.nr();
  };
  auto byWidth = [&](llvm::StringRef of512, llvm::StringRef of256,
                     llvm::StringRef of128) {
    return target.vectorBits == 512   ? of512
           : target.vectorBits == 256 ? of256
                                      : of128;
  };
  auto dot = ContractionTiles::Unit::Dot;
  if (type == Operands::Bf16 && target.hasBf16Tiles)
    return takeTiles(2, "llvm.x86.tdpbf16ps.internal", "bf16 tiles of AMX");
  if (type == Operands::F16 && target.hasF16Tiles)
    return takeTiles(2, "llvm.x86.tdpfp16ps.internal", "f16 tiles of AMX");
  bool bytes = multipliesBytes(shape, target);
  if (bytes && target.hasByteTiles)
    return takeTiles(4,
                     type == Operands::I8     ? "llvm.x86.tdpbssd.internal"
                     : type == Operands::U8   ? "llvm.x86.tdpbuud.internal"
                     : type == Operands::U8I8 ? "llvm.x86.tdpbusd.internal"
                                              : "llvm.x86.tdpbsud.internal",
                     "8-bit tiles of AMX");
  if (type == Operands::Bf16 && target.hasBf16Dot) {
    take(dot, 2, "llvm.x86.avx512bf16.dpbf16ps.512",
         "dot products of bf16 pairs");
    // Pairs are read where they are; an odd row would end within a pair.
    tiles.packA |= shape.k < 0 || shape.k % 2 != 0;
    return;
  }
  if (!bytes)
    return;
  if (target.isAArch64()) {
    take(dot, 4,
         type == Operands::I8 ? "llvm.aarch64.neon.sdot"
                              : "llvm.aarch64.neon.udot",
         "dot products of four bytes");
  } else if (target.hasByteDot) {
    take(dot, 4,
         byWidth("llvm.x86.avx512.vpdpbusd.512", "llvm.x86.avx512.vpdpbusd.256",
                 "llvm.x86.avx512.vpdpbusd.128"),
         "dot products of four bytes");
    tiles.firstIsUnsigned = true;
    tiles.biased = type == Operands::I8 || type == Operands::U8;
  } else {
    // Widened to 16 bits while they are packed. LLVM makes one instruction of
    // the product and the sum where there is one (`vpdpwssd`).
    take(dot, 2,
         byWidth("llvm.x86.avx512.pmaddw.d.512", "llvm.x86.avx2.pmadd.wd",
                 "llvm.x86.sse2.pmadd.wd"),
         "dot products of i16 pairs");
    tiles.addsApart = true;
  }
  tiles.packA = true;
}

/// AMX's registers have one size.
void checkFixedTile(const ForcedTiles &forced, ContractionTiles &tiles) {
  bool fits = (forced.tileM == 0 || forced.tileM == tiles.mr) &&
              (forced.tileN == 0 || forced.tileN == tiles.nr());
  tiles.allowed = fits
                      ? ""
                      : llvm::formatv("tile_m={0} and tile_n={1}, those of AMX",
                                      tiles.mr, tiles.nr())
                            .str();
}

/// Few rows times a transposed matrix of bf16 or f16: AMX reads rows of the
/// matrix as its left operand, where they lie, if there are no edges. Packing
/// the matrix took twice as long with 64 rows, as long with 512. More rows than
/// terms are more results to transpose than elements to pack.
bool chooseTransposed(const ContractionShape &shape, const CpuTarget &target,
                      ContractionTiles &tiles) {
  ContractionShape swapped = shape;
  std::swap(swapped.m, swapped.n);
  ContractionTiles found = tiles;
  chooseUnit(swapped, target, found);
  if (found.unit != ContractionTiles::Unit::Tiles || found.perWord != 2 ||
      !shape.aUnitK || !shape.bUnitK || shape.m < 0 ||
      shape.m > std::min<int64_t>(512, shape.k) || shape.n < 0 ||
      shape.n % found.mr != 0 || shape.k < 0 || shape.k % found.depth() != 0)
    return false;
  tiles = found;
  tiles.kind = ContractionTiles::Kind::Outer;
  tiles.transposed = true;
  tiles.packA = false;
  tiles.kc = shape.k;
  // Memory-bound, as dot products are.
  tiles.parallel = !tiles.parallelBatch &&
                   2 * shape.m * shape.n * shape.k >= parallelFlops / 4;
  // Rows that stay in the second cache while panels of columns stream by.
  int64_t fit = std::max<int64_t>(target.l2Bytes / 4 / (2 * shape.k), tiles.mr);
  tiles.mc = std::min(fit, ceilDiv(shape.n, 32)) / tiles.mr * tiles.mr;
  tiles.mc = std::max(tiles.mc, tiles.mr);
  tiles.maxRows = std::max<int64_t>(8192 / tiles.mc, 1) * tiles.mc;
  tiles.nc = roundUp(shape.m, tiles.nr());
  return true;
}

/// Has each chunk pack what it reads by itself, on its stack, where that is
/// possible: a few rows read a packed panel a few times only, and a block of
/// all panels would leave the second cache before it is read. Rows of 256
/// columns are long enough to stream: single panels, of 64, took twice as long.
/// AMX was fastest with 128 columns and blocks of k twice as long (16 x 4096 x
/// 4096 in bf16).
void packInChunks(const ContractionShape &shape, ContractionTiles &tiles) {
  constexpr int64_t stackBytes = 64 * 1024;
  int64_t columns = tiles.unit == ContractionTiles::Unit::Tiles ? 128 : 256;
  int64_t panelBytes = tiles.kc * tiles.nr() * 4 / tiles.perWord;
  if (tiles.unit == ContractionTiles::Unit::Fma || shape.n < 0 || shape.k < 0 ||
      panelBytes > stackBytes)
    return;
  tiles.packsInChunks = true;
  tiles.mc = roundUp(shape.m, tiles.mr);
  int64_t panels = ceilDiv(shape.n, tiles.nr());
  tiles.nc = std::min({ceilDiv(panels, 4), ceilDiv(columns, tiles.nr()),
                       stackBytes / panelBytes}) *
             tiles.nr();
}
} // namespace

ContractionTiles shardir::chooseTiles(const ContractionShape &shape,
                                      const CpuTarget &target,
                                      const ForcedTiles &forced) {
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
  tiles.parallelBatch =
      shape.batch < 0 || (batch >= 8 && flops * batch >= parallelFlops);
  if (chooseTransposed(shape, target, tiles)) {
    checkFixedTile(forced, tiles);
    return tiles;
  }
  // Bytes that are not packed are widened to 32 bits: a copy saves more.
  bool packsBytes = multipliesBytes(shape, target) && m >= 4;
  // So does one that AMX reads, but of very few rows.
  bool packsFew = packsBytes || (hasTiles(shape, target) &&
                                 m >= (shape.roundsResult ? 4 : 6));
  // Both operands run along k: with few rows, transposing B while it is packed
  // costs more than adding up the lanes of dot products.
  bool inner = !packsBytes && shape.aUnitK && shape.bUnitK && !shape.bUnitN &&
               shape.m >= 0 && shape.m <= 24 && k >= 4 * tiles.lanes;
  if (inner && shape.m == 1)
    return tiles; // The vectoriser's row sums do just that.
  if (inner) {
    tiles.kind = ContractionTiles::Kind::Inner;
    bool wide = target.numVectorRegisters >= 32;
    tiles.mr = std::min<int64_t>(shape.m, wide ? 8 : 3);
    // Even out the last group of rows.
    tiles.mr = ceilDiv(shape.m, ceilDiv(shape.m, tiles.mr));
    // Rows of A come from the second cache once for each group of columns: 8x3
    // took 0.8 of the time of 4x4.
    tiles.nv = !wide ? 2 : tiles.mr < 4 ? 4 : 24 / tiles.mr;
    if (shape.operands == ContractionShape::Operands::Bf16 &&
        target.hasBf16Dot && !target.hasBf16Tiles)
      chooseUnit(shape, target, tiles);
    tiles.packA = tiles.packB = false;
    tiles.kc = std::max<int64_t>(shape.k >= 0 ? k : int64_t(1) << 40, 1);
    tiles.mc = roundUp(shape.m, tiles.mr);
    // Memory-bound: threads share bandwidth that one cannot use alone.
    tiles.parallel = !tiles.parallelBatch && flops >= parallelFlops / 4;
    int64_t parts = tiles.parallel ? std::min<int64_t>(ceilDiv(n, 64), 32) : 1;
    tiles.nc = roundUp(ceilDiv(n, parts), tiles.nr());
    tiles.maxRows = tiles.mc;
    return tiles;
  }
  tiles.kind = ContractionTiles::Kind::Outer;
  chooseRegisterTile(shape, target, forced, tiles);

  // Few rows use each element of B too seldom to pay for a copy.
  tiles.packB =
      !shape.bUnitN || shape.m < 0 || shape.m > 4 * tiles.mr || packsFew;
  // Few columns use each element of A too seldom, and few rows stay in the
  // caches as they are.
  tiles.packA = !shape.aUnitK ||
                (tiles.packB && (shape.n < 0 || shape.n > 2 * tiles.nr()));

  chooseUnit(shape, target, tiles);
  if (tiles.unit == ContractionTiles::Unit::Tiles)
    checkFixedTile(forced, tiles);

  // Blocks of k: equal ones of at most 2 KiB of each packed row. AMX's tiles
  // are faster than memory is for their sums: 4 KiB.
  bool isAmx = tiles.unit == ContractionTiles::Unit::Tiles;
  bool packsInChunks = packsFew && tiles.packB && shape.m >= 0 &&
                       shape.m <= (isAmx ? 64 : 12 * tiles.mr);
  int64_t limit = forced.tileK > 0 ? forced.tileK
                  : !packsInChunks ? (isAmx ? 1024 : 512) * tiles.perWord
                  : isAmx          ? 128 * tiles.perWord
                                   : 64 * tiles.perWord;
  int64_t multiple = std::max<int64_t>(tiles.depth(), 4);
  bool keepsSums = isAmx && packsInChunks && shape.n >= 0;
  if ((shape.roundsResult && !keepsSums) || shape.k < 0)
    tiles.kc =
        shape.roundsResult ? roundUp(std::max<int64_t>(k, 1), multiple) : limit;
  else
    tiles.kc = roundUp(ceilDiv(k, ceilDiv(k, limit)), multiple);

  // An unpacked B is read by full rows, a few at a time: twice as
  // fast as down a panel, whose every row is on another page.
  if (!tiles.packA && !tiles.packB && !shape.roundsResult && n > tiles.nr())
    tiles.kc = std::min<int64_t>(tiles.kc, 16);
  tiles.parallel = !tiles.parallelBatch && flops >= parallelFlops;
  // For 16 threads at most, two chunks each to even out, but none so small that
  // handing it over counts.
  auto partsOf = [&](int64_t work) {
    return tiles.parallel
               ? std::clamp<int64_t>(work / (parallelFlops / 16), 1, 32)
               : 1;
  };
  int64_t panels = ceilDiv(n, tiles.nr());
  if (tiles.packB) {
    // Even blocks of columns that fill half of the second cache; the rest is
    // for A, for C, and for whoever shares the cache.
    int64_t depth = std::min(tiles.kc, k);
    int64_t panelBytes =
        depth * tiles.nr() * (shape.accumulatorBits / 8) / tiles.perWord;
    int64_t fit = std::max<int64_t>(target.l2Bytes / 2 / panelBytes, 1);
    int64_t panelWork = 2 * m * tiles.nr() * depth;
    if (tiles.parallel)
      fit = std::max(fit, parallelFlops / panelWork);
    int64_t perBlock = ceilDiv(panels, ceilDiv(panels, fit));
    tiles.nc = perBlock * tiles.nr();
    tiles.mc =
        forced.rows > 0
            ? std::max<int64_t>(forced.rows / tiles.mr, 1) * tiles.mr
            : roundUp(ceilDiv(m, partsOf(perBlock * panelWork)), tiles.mr);
    tiles.keepsRows = panelBytes > target.l1Bytes / 2;
  } else {
    int64_t parts = std::min(panels, partsOf(flops));
    // Rows of B that are read directly must stay long enough to stream.
    if (!tiles.packA)
      parts = std::clamp<int64_t>(n / (n >= 2048 ? 1024 : 512), 1, parts);
    tiles.nc = ceilDiv(panels, parts) * tiles.nr();
    tiles.mc = roundUp(m, tiles.mr);
  }
  if (packsInChunks)
    packInChunks(shape, tiles);
  tiles.maxRows = std::max<int64_t>(8192 / tiles.mc, 1) * tiles.mc;
  return tiles;
}

std::string shardir::describe(const ContractionTiles &tiles) {
  using Kind = ContractionTiles::Kind;
  using Unit = ContractionTiles::Unit;
  if (tiles.kind == Kind::None)
    return "vectorized loops";
  std::string text;
  if (tiles.kind == Kind::Inner && tiles.unit == Unit::Fma)
    text = llvm::formatv("dot products in vectors of {0}", tiles.lanes).str();
  else if (tiles.unit == Unit::Fma)
    text = llvm::formatv("multiply-adds in vectors of {0}", tiles.lanes).str();
  else
    text = tiles.instruction.str();
  if (tiles.transposed)
    text += " on the transposed product";
  text += llvm::formatv(", {0}x{1} results in registers", tiles.mr, tiles.nr())
              .str();
  if (tiles.kind == Kind::Outer)
    text += llvm::formatv(", blocks of {0} rows, {1} columns and {2} of k",
                          tiles.mc, tiles.nc, tiles.kc)
                .str();
  else
    text += llvm::formatv(", blocks of {0} columns", tiles.nc).str();
  text += tiles.packA && tiles.packB ? ", both operands packed"
          : tiles.packA              ? ", the left operand packed"
          : tiles.packB              ? ", the right operand packed"
                                     : ", no operand packed";
  if (tiles.packsInChunks)
    text += " by each block of columns";
  if (tiles.parallelBatch)
    text += ", threads share the batch";
  else if (tiles.parallel)
    text += ", threads share blocks";
  return text;
}
