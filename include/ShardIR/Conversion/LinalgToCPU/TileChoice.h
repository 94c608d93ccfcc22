//===- TileChoice.h - Tile sizes of a contraction ---------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a contraction C[m,n] += A[m,k] * B[k,n] is cut for one CPU: the register
// tile, the cache blocks, what is packed, and how it is shared among threads.
// A value computed from values: no IR.
//
// The scheme is that of GotoBLAS (Goto, van de Geijn: Anatomy of
// High-Performance Matrix Multiplication, 2008), with the operands swapped: a
// packed block of B stays in a core's second cache while packed tiles of A
// stream by, each of which stays in the first cache for all columns of the
// block. All threads pack and then share the rows, so that nothing is packed
// twice.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_LINALGTOCPU_TILECHOICE_H
#define SHARDIR_CONVERSION_LINALGTOCPU_TILECHOICE_H

#include "ShardIR/Conversion/Common/ContractionShape.h"
#include "ShardIR/Conversion/LinalgToCPU/CpuTarget.h"

#include <string>
#include <vector>

namespace shardir {

struct ContractionTiles {
  enum class Kind {
    /// Too small to gain: leave it to the vectoriser.
    None,
    /// Register tiles of outer products, over packed or directly read operands.
    Outer,
    /// Register tiles of dot products: lanes run along k, nothing is packed.
    Inner,
  };
  Kind kind = Kind::None;
  /// The instructions that multiply.
  enum class Unit {
    /// Multiply-adds of vectors in the accumulator's type.
    Fma,
    /// Dot products of the elements in each 32-bit word, a vector of words at
    /// a time.
    Dot,
    /// AMX: products of 16 x 16 words, in registers of 16 rows of 64 bytes.
    Tiles,
  };
  Unit unit = Unit::Fma;
  /// LLVM's intrinsic of Dot and Tiles, and its description in remarks.
  llvm::StringRef intrinsic, instruction;
  /// Packed elements that are one word of Dot and Tiles: neighbours along k.
  int64_t perWord = 1;
  /// B^T * A^T is computed in place of A * B, and all numbers here are its: few
  /// rows of A are packed, and the unit reads B where it is.
  bool transposed = false;
  /// The intrinsic only multiplies: another instruction adds its result.
  bool addsApart = false;
  /// The intrinsic takes one operand's bytes as unsigned and the other's as
  /// signed ones.
  bool firstIsUnsigned = false;
  /// The operands are of the same sign: B is packed as of the other one, by 128
  /// more or less, and sums start at -128 or 128 times the sum of A's row.
  bool biased = false;
  /// Rows and vectors (for Inner: columns) of the register tile, and lanes of
  /// one vector.
  int64_t mr = 1, nv = 1, lanes = 1;
  /// Block of k.
  int64_t kc = 512;
  bool packA = true, packB = true;
  /// Rows and columns of one chunk, multiples of mr and nr. The columns of a
  /// packed B are packed at one time.
  int64_t mc = 512, nc = 512;
  /// The tiles of a chunk are computed row by row: the first cache keeps a
  /// tile's rows of A, else a panel of B.
  bool keepsRows = false;
  /// Rows that are packed at one time, a multiple of mc.
  int64_t maxRows = 8192;
  /// Iterations of the loops around are shared among threads.
  bool parallelBatch = false;
  /// Packing and chunks of one product are shared among threads.
  bool parallel = false;
  /// A chunk packs what it reads by itself, on its stack.
  bool packsInChunks = false;

  /// Where forced numbers fit no register tile: what does, for an error.
  std::string allowed;

  /// Columns of the register tile.
  int64_t nr() const { return kind == Kind::Inner ? nv : nv * lanes; }
  /// Packed copies are padded with zeros to a multiple of this along k.
  int64_t depth() const { return unit == Unit::Tiles ? 16 * perWord : perWord; }
};

/// The option `plan`: numbers that the choice takes; 0 leaves one to it.
struct ForcedTiles {
  /// Rows and columns of the register tile.
  int64_t tileM = 0, tileN = 0;
  /// The longest block of k, and rows of A in one chunk.
  int64_t tileK = 0, rows = 0;

  static std::vector<std::string> names() {
    return {"tile_m", "tile_n", "tile_k", "rows"};
  }
  /// The number of this name, or null.
  int64_t *find(llvm::StringRef name) {
    return name == "tile_m"   ? &tileM
           : name == "tile_n" ? &tileN
           : name == "tile_k" ? &tileK
           : name == "rows"   ? &rows
                              : nullptr;
  }
};

/// The tiles for `shape` on `target`.
ContractionTiles chooseTiles(const ContractionShape &shape,
                             const CpuTarget &target,
                             const ForcedTiles &forced = {});

/// One line for people: the instructions, the register tile, the blocks, what
/// is packed and what threads share.
std::string describe(const ContractionTiles &tiles);

/// Work below which a loop is not worth another thread, in floating-point
/// operations of a contraction.
constexpr int64_t parallelFlops = 1 << 24;

} // namespace shardir

#endif // SHARDIR_CONVERSION_LINALGTOCPU_TILECHOICE_H
