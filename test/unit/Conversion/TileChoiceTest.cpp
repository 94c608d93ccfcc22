//===- TileChoiceTest.cpp - Tile sizes of contractions --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of every choice, over many shapes and targets, and the choices
// that were measured.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToCPU/TileChoice.h"
#include <gtest/gtest.h>

using namespace shardir;
using Kind = ContractionTiles::Kind;

namespace {
ContractionShape shape(int64_t m, int64_t n, int64_t k, int64_t batch = 1) {
  ContractionShape result;
  result.m = m;
  result.n = n;
  result.k = k;
  result.batch = batch;
  return result;
}

TEST(TileChoice, KnowsItsTargets) {
  EXPECT_FALSE(CpuTarget::get("pentium"));
  EXPECT_EQ(CpuTarget::get("avx2")->lanes(32), 8);
  EXPECT_EQ(CpuTarget::get("avx512")->lanes(64), 8);
  EXPECT_EQ(CpuTarget::get("avx512")->lanes(1), 64);
  EXPECT_FALSE(CpuTarget::get("avx512")->hasBf16Dot);
  EXPECT_TRUE(CpuTarget::get("avx512-bf16")->hasBf16Dot);
  EXPECT_FALSE(CpuTarget::get("avx512-bf16")->hasBf16Tiles);
  EXPECT_TRUE(CpuTarget::get("avx512-amx")->hasBf16Tiles);
}

TEST(TileChoice, ProductsOfBf16UseTheUnitsForThem) {
  using Unit = ContractionTiles::Unit;
  CpuTarget dot = *CpuTarget::get("avx512-bf16"),
            amx = *CpuTarget::get("avx512-amx");
  ContractionShape s = shape(4096, 64, 1024);
  EXPECT_EQ(chooseTiles(s, dot).unit, Unit::Fma);
  s.operands = ContractionShape::Operands::Bf16;
  EXPECT_EQ(chooseTiles(s, *CpuTarget::get("avx512")).unit, Unit::Fma);
  // Few columns: pairs are read from A itself, unless an odd row ends in one.
  ContractionTiles tiles = chooseTiles(s, dot);
  EXPECT_EQ(tiles.unit, Unit::Dot);
  EXPECT_FALSE(tiles.packA);
  s.k = 1023;
  EXPECT_TRUE(chooseTiles(s, dot).packA);
  s.k = ContractionShape::unknown;
  EXPECT_TRUE(chooseTiles(s, dot).packA);
  for (int64_t k : {33, 1023, 1025, 4000}) {
    s.k = k;
    tiles = chooseTiles(s, amx);
    EXPECT_EQ(tiles.unit, Unit::Tiles);
    // Rows of whole tiles are read where they lie.
    EXPECT_EQ(tiles.packA, k % tiles.depth() != 0);
    EXPECT_TRUE(tiles.packB);
    EXPECT_EQ(tiles.mr, 32);
    EXPECT_EQ(tiles.nr(), 32);
    EXPECT_EQ(tiles.kc % tiles.depth(), 0);
    EXPECT_EQ(tiles.mc % tiles.mr, 0);
  }
  s.n = 1024;
  EXPECT_TRUE(chooseTiles(s, amx).packA);
  // Few rows are worth a copy of B that each chunk makes for itself, very few
  // are not.
  s.m = 16;
  tiles = chooseTiles(s, amx);
  EXPECT_EQ(tiles.unit, Unit::Tiles);
  EXPECT_EQ(tiles.mr, 16);
  EXPECT_TRUE(tiles.packsInChunks);
  EXPECT_EQ(tiles.nc, 128);
  EXPECT_LE(tiles.kc, 256);
  s.roundsResult = true;
  EXPECT_LE(chooseTiles(s, amx).kc, 256);
  EXPECT_EQ(chooseTiles(s, dot).unit, Unit::Fma);
  s.m = 4;
  EXPECT_EQ(chooseTiles(s, amx).unit, Unit::Tiles);
  s.roundsResult = false;
  EXPECT_EQ(chooseTiles(s, amx).unit, Unit::Fma);
  s.accumulatorBits = 64;
  s.m = 4096;
  EXPECT_EQ(chooseTiles(s, amx).unit, Unit::Fma);
}

TEST(TileChoice, MeasuredRegisterTiles) {
  ContractionTiles wide =
      chooseTiles(shape(1024, 1024, 1024), *CpuTarget::get("avx512"));
  EXPECT_EQ(wide.kind, Kind::Outer);
  EXPECT_EQ(wide.mr, 6);
  EXPECT_EQ(wide.nv, 4);
  EXPECT_EQ(wide.kc, 512);
  ContractionTiles narrow =
      chooseTiles(shape(1024, 1024, 1024), *CpuTarget::get("avx2"));
  EXPECT_EQ(narrow.mr, 6);
  EXPECT_EQ(narrow.nr(), 16);
}

TEST(TileChoice, BlocksOfColumnsStayInTheSecondCache) {
  CpuTarget target = *CpuTarget::get("avx512");
  ContractionTiles tiles = chooseTiles(shape(1024, 1024, 1024), target);
  EXPECT_EQ(tiles.kc * tiles.nc * 4, target.l2Bytes / 2);
  EXPECT_TRUE(tiles.keepsRows);
  // Even blocks: two of 320 in place of 512 and 128.
  EXPECT_EQ(chooseTiles(shape(1024, 640, 1024), target).nc, 320);
  // A panel of a short sum stays in the first cache.
  EXPECT_FALSE(chooseTiles(shape(1024, 1024, 64), target).keepsRows);
  // Few rows: blocks of columns that are worth another thread.
  target.l2Bytes = 256 * 1024;
  EXPECT_EQ(chooseTiles(shape(1024, 4096, 4096), target).nc, 64);
  EXPECT_EQ(chooseTiles(shape(64, 4096, 4096), target).nc, 256);
}

TEST(TileChoice, LeavesTinyProductsAlone) {
  for (const char *name : {"x86-64", "avx2", "avx512"}) {
    CpuTarget target = *CpuTarget::get(name);
    EXPECT_EQ(chooseTiles(shape(4, 4, 4), target).kind, Kind::None);
    EXPECT_EQ(chooseTiles(shape(4096, 1, 4096), target).kind, Kind::None);
    EXPECT_EQ(chooseTiles(shape(1024, 1024, 2), target).kind, Kind::None);
  }
}

TEST(TileChoice, FewRowsAreNotPaidForWithCopies) {
  CpuTarget target = *CpuTarget::get("avx512");
  EXPECT_FALSE(chooseTiles(shape(8, 4096, 4096), target).packB);
  EXPECT_TRUE(chooseTiles(shape(1024, 4096, 4096), target).packB);
  // Unknown row counts may be large.
  EXPECT_TRUE(
      chooseTiles(shape(ContractionShape::unknown, 4096, 4096), target).packB);
}

TEST(TileChoice, FewRowsAgainstColumnsAreDotProducts) {
  CpuTarget target = *CpuTarget::get("avx512");
  ContractionShape s = shape(8, 4096, 4096);
  s.bUnitN = false;
  s.bUnitK = true;
  ContractionTiles tiles = chooseTiles(s, target);
  EXPECT_EQ(tiles.kind, Kind::Inner);
  EXPECT_EQ(tiles.nr(), tiles.nv);
  // Each element of A can be an instruction's operand in memory.
  EXPECT_LE(tiles.mr * tiles.nv + tiles.nv + 1, 32);
  EXPECT_FALSE(tiles.packA || tiles.packB);
  s.m = 1024;
  EXPECT_EQ(chooseTiles(s, target).kind, Kind::Outer);
}

TEST(TileChoice, AmxReadsTransposedWeightsInPlace) {
  CpuTarget target = *CpuTarget::get("avx512-amx");
  ContractionShape s = shape(8, 4096, 4096);
  s.bUnitN = false;
  s.bUnitK = true;
  EXPECT_FALSE(chooseTiles(s, target).transposed);
  s.operands = ContractionShape::Operands::Bf16;
  for (int64_t m : {1, 8, 17, 100, 512}) {
    s.m = m;
    ContractionTiles tiles = chooseTiles(s, target);
    EXPECT_TRUE(tiles.transposed && !tiles.packA && tiles.packB);
    EXPECT_EQ(tiles.nr(), m <= 16 ? 16 : 32);
    EXPECT_EQ(tiles.mc % tiles.mr, 0);
    EXPECT_EQ(tiles.kc, 4096);
  }
  EXPECT_FALSE(chooseTiles(s, *CpuTarget::get("avx512-bf16")).transposed);
  // Of more rows than terms the operand is packed, as it is smaller than the
  // results.
  s.k = 64;
  EXPECT_FALSE(chooseTiles(s, target).transposed);
  s.k = 4096;
  s.m = 1024;
  EXPECT_FALSE(chooseTiles(s, target).transposed);
  s.m = 8;
  for (int64_t edge : {4096 + 16, 50257}) {
    ContractionShape ragged = s;
    ragged.n = edge;
    EXPECT_FALSE(chooseTiles(ragged, target).transposed);
    ragged = s;
    ragged.k = edge;
    EXPECT_FALSE(chooseTiles(ragged, target).transposed);
  }
}

TEST(TileChoice, TellsWhatForcedTilesMayBe) {
  CpuTarget target = *CpuTarget::get("avx512");
  ForcedTiles forced;
  forced.tileM = 100;
  EXPECT_NE(chooseTiles(shape(512, 512, 512), target, forced).allowed, "");
  forced.tileM = 13;
  forced.tileN = 32;
  ContractionTiles tiles = chooseTiles(shape(512, 512, 512), target, forced);
  EXPECT_EQ(tiles.allowed, "");
  EXPECT_EQ(tiles.mr, 13);
  EXPECT_EQ(tiles.nr(), 32);
}

TEST(TileChoice, BatchesAreSharedWhereThereAreEnough) {
  CpuTarget target = *CpuTarget::get("avx512");
  EXPECT_TRUE(chooseTiles(shape(512, 512, 64, 32), target).parallelBatch);
  ContractionTiles two = chooseTiles(shape(1024, 1024, 1024, 2), target);
  EXPECT_FALSE(two.parallelBatch);
  EXPECT_TRUE(two.parallel);
}

TEST(TileChoice, EveryChoiceFits) {
  const int64_t extents[] = {
      ContractionShape::unknown, 1, 5, 16, 17, 64, 100, 511, 1024, 8192, 50257};
  for (const char *name : {"x86-64", "avx2", "avx512", "avx512-bf16"}) {
    CpuTarget target = *CpuTarget::get(name);
    for (int64_t m : extents)
      for (int64_t n : extents)
        for (int64_t k : extents)
          for (unsigned bits : {32u, 64u}) {
            ContractionShape s = shape(m, n, k);
            s.accumulatorBits = bits;
            ContractionTiles tiles = chooseTiles(s, target);
            if (tiles.kind == Kind::None)
              continue;
            SCOPED_TRACE(testing::Message() << name << " " << m << "x" << n
                                            << "x" << k << " f" << bits);
            // Sums, one row of B and one element of A live at one time.
            EXPECT_LE(tiles.mr * tiles.nv + tiles.nv + 1,
                      int64_t(target.numVectorRegisters));
            EXPECT_GE(tiles.mr, 1);
            EXPECT_GE(tiles.nv, 1);
            EXPECT_GE(tiles.kc, 1);
            EXPECT_LE(tiles.kc, 512);
            EXPECT_EQ(tiles.mc % tiles.mr, 0);
            EXPECT_GE(tiles.mc, tiles.mr);
            EXPECT_EQ(tiles.maxRows % tiles.mc, 0);
            EXPECT_EQ(tiles.nc % tiles.nr(), 0);
            EXPECT_GE(tiles.nc, tiles.nr());
            EXPECT_FALSE(tiles.parallel && tiles.parallelBatch);
          }
  }
}

TEST(TileChoice, ProductsOfBytesUseTheUnitsForThem) {
  using Unit = ContractionTiles::Unit;
  ContractionShape s = shape(512, 512, 512);
  s.operands = ContractionShape::Operands::I8;
  ContractionTiles vnni = chooseTiles(s, *CpuTarget::get("avx512-vnni"));
  EXPECT_EQ(vnni.unit, Unit::Dot);
  EXPECT_EQ(vnni.perWord, 4);
  EXPECT_TRUE(vnni.biased && vnni.packA && vnni.packB);
  // Bytes of different signs are what the instruction multiplies.
  s.operands = ContractionShape::Operands::U8I8;
  ContractionTiles mixed = chooseTiles(s, *CpuTarget::get("avx512-vnni"));
  EXPECT_TRUE(mixed.firstIsUnsigned && mixed.perWord == 4 && !mixed.biased);
  EXPECT_EQ(chooseTiles(s, *CpuTarget::get("neon-dot")).unit, Unit::Fma);
  s.operands = ContractionShape::Operands::I8;
  for (const char *name : {"x86-64", "avx2", "avx512"}) {
    ContractionTiles pairs = chooseTiles(s, *CpuTarget::get(name));
    EXPECT_EQ(pairs.perWord, 2);
    EXPECT_TRUE(pairs.addsApart && !pairs.biased);
  }
  EXPECT_EQ(chooseTiles(s, *CpuTarget::get("avx512-amx")).depth(), 64);
  EXPECT_EQ(chooseTiles(s, *CpuTarget::get("neon")).unit, Unit::Fma);
  EXPECT_FALSE(chooseTiles(s, *CpuTarget::get("neon-dot")).biased);
  // A few rows are worth a copy of B, as they are multiplied four times as
  // fast.
  s.m = 4;
  EXPECT_TRUE(chooseTiles(s, *CpuTarget::get("avx512-vnni")).packB);
  // Each chunk packs what a few rows read on its stack.
  s.k = 4096;
  ContractionTiles few = chooseTiles(s, *CpuTarget::get("avx512-vnni"));
  EXPECT_EQ(few.kc, 256);
  EXPECT_TRUE(few.packsInChunks);
  EXPECT_EQ(few.nc, 128); // a quarter
  s.n = 4096;
  EXPECT_EQ(chooseTiles(s, *CpuTarget::get("avx512-vnni")).nc, 256);
  s.n = ContractionShape::unknown;
  EXPECT_FALSE(chooseTiles(s, *CpuTarget::get("avx512-vnni")).packsInChunks);
  s.m = 2;
  EXPECT_FALSE(chooseTiles(s, *CpuTarget::get("avx512-vnni")).packB);
}

TEST(TileChoice, BlocksOfKAreEven) {
  // 1031 in blocks of 512 would leave a block of 7.
  ContractionTiles tiles =
      chooseTiles(shape(1021, 1019, 1031), *CpuTarget::get("avx512"));
  EXPECT_EQ(tiles.kc, 344);
  // A rounded result is summed in one block.
  ContractionShape rounded = shape(512, 512, 2048);
  rounded.roundsResult = true;
  EXPECT_EQ(chooseTiles(rounded, *CpuTarget::get("avx512")).kc, 2048);
}
} // namespace
