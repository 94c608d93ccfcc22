//===- ContractionEmitter.h - Emits the loops of a contraction --*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state that packing, register tiles and the loops around them share while
// one contraction is emitted. The three are files of their own.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOCPU_CONTRACTIONEMITTER_H
#define SHARDIR_LIB_CONVERSION_LINALGTOCPU_CONTRACTIONEMITTER_H

#include "Common/Contraction.h"
#include "Common/VectorBody.h"
#include "ShardIR/Conversion/LinalgToCPU/TileChoice.h"

namespace shardir {

class ContractionEmitter {
public:
  ContractionEmitter(LoopEmitter &emit, const Contraction &op,
                     const ContractionTiles &tiles, bool zeroInit,
                     const LoopNest *epilogue)
      : emit(emit), builder(emit.builder), loc(emit.loc), op(op), tiles(tiles),
        zeroInit(zeroInit), epilogue(epilogue), accumulator(op.accumulator),
        vectorType(mlir::VectorType::get(tiles.lanes, accumulator)) {}

  void run();

private:
  void product(llvm::SmallVector<Index> ivs);
  /// The loops over k from `depth` on; `body` gets the start and the extent of
  /// a block of k and whether it is the first, none where it surely is.
  void kLoops(size_t depth, llvm::SmallVector<Index> &ivs, mlir::Value first,
              llvm::function_ref<void(Index, Index, mlir::Value)> body);
  void kBlock(Index from, Index extent, mlir::Value first);
  /// Shares the tiles of the rows at hand and of `columns` columns.
  void chunks(Index columns,
              llvm::function_ref<void(Index, Index, Index, Index)> body);
  void tilesOf(Index tileFrom, Index tileTo, Index panelFrom, Index panelTo,
               Index from, Index extent, mlir::Value first);
  /// Takes buffers for a chunk that packs what it reads by itself, and packs a
  /// block of k there.
  void prepareChunk(Index panelFrom);
  void packChunk(Index tileTo, Index panelFrom, Index panelTo, Index from,
                 Index extent);
  /// A buffer on the stack of whoever runs the iterations at hand.
  mlir::Value onStack(llvm::ArrayRef<int64_t> sizes, mlir::Type element);
  /// Rows `row` to `row + mr` of the block, columns `from` on, into packedA.
  void packRows(Index row, Index from, Index extent);
  void packRowsInOrder(Index row, Index from, Index extent);
  /// Panels of the block, rows `from` on, into packedB.
  void packPanels(Index panelFrom, Index panelTo, Index from, Index extent);
  void packPanel(Index p, Index from, Index extent);
  void packPanelTransposed(Index p, Index from, Index extent);
  void packWords(Index panelFrom, Index panelTo, Index from, Index extent);
  /// Asks memory for the rows of B in `word` of the block from row `from` on.
  void prefetchWord(Index p, Index word, Index from);
  /// Writes what the sums of a packed row start at, where bytes of B have
  /// another sign.
  void packStart(Index row, Index extent);
  /// Rows of words where A's memory runs along m: squares of `lanes` rows and
  /// `lanes` words are transposed.
  void packRowsTransposed(Index row, Index from, Index extent);
  /// Element i of rows[0], then of rows[1], and so on; a power of two of rows.
  mlir::Value interleave(llvm::ArrayRef<mlir::Value> rows);
  /// Calls `body` with each multiple of `step` below `extent`, and whether
  /// all of its step lies below, too.
  void inSteps(Index extent, int64_t step,
               llvm::function_ref<void(Index at, bool isWhole)> body);
  /// Register tile (t, p) of the block of rows and the block of columns.
  void tile(Index p, Index t, Index from, Index extent, mlir::Value first);
  void multiply(Index p, Index t, Index from, Index extent, mlir::Value first,
                bool fullColumns);
  void multiplyTiles(Index p, Index t, Index from, Index extent,
                     mlir::Value first);
  /// Stores the sums of a tile in `square`, or adds them to C, and computes
  /// what follows the product if `isComplete`.
  void finishTiles(Index p, Index t, mlir::Value square, mlir::Value first,
                   mlir::Value isComplete);
  /// The same for all tiles of a chunk that holds its sums.
  void finishChunk(Index tileTo, Index panelFrom, Index panelTo);
  /// Stores the sums in `square`, of C's rows from `row` on, where C's memory
  /// runs along them.
  void storeTransposed(Index p, Index row, mlir::Value square,
                       mlir::Value first);
  void dotProducts(Index p, Index t, Index from, Index extent,
                   mlir::Value first);
  /// Asks the second cache for the rows of panel `p` that follow `word`.
  void prefetchPanel(Index p, Index word);
  /// Asks memory for the tile of C that the sums are added to at the end of the
  /// block: 2048 x 2048 x 2048 in f32 takes 3 to 7 % less (an Intel Xeon).
  void prefetchResult(Index row, Index column, mlir::Value first);
  /// Stores `sums`, nv of each row from `row` on; `full` if all of these rows
  /// and columns exist.
  void store(Index row, Index column, llvm::ArrayRef<mlir::Value> sums,
             mlir::Value first, bool full);

  /// Whether this block of k is the only one, so that C need not hold sums.
  bool isOnlyBlock(mlir::Value first) { return zeroInit && !first; }
  /// Computes what follows the product on the complete sums of a tile from row
  /// `row` on, in `square` or, if null, in C.
  void finish(Index p, Index row, mlir::Value square);
  /// The place of an element of C in its buffer.
  llvm::SmallVector<Index> resultAt(Index row, Index column);

  /// `lanes` elements of row `row` of `matrix` from `column` on; those past
  /// `count` are zero. `load` widens them to the accumulator's type.
  mlir::Value load(const MatrixView &matrix, Index row, Index column,
                   int64_t lanes, std::optional<Index> count = std::nullopt);
  mlir::Value read(const MatrixView &matrix, Index row, Index column,
                   int64_t lanes, std::optional<Index> count = std::nullopt);
  mlir::Value widen(mlir::Value value, bool isUnsigned = false) {
    return widen(value, accumulator, isUnsigned);
  }
  mlir::Value widen(mlir::Value value, mlir::Type element, bool isUnsigned);
  /// `a * b + c` and `a + b` in the accumulator's type.
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value add(mlir::Value a, mlir::Value b);
  /// `value` of A as packedA holds it, and of B as packedB does.
  mlir::Value packedLeft(mlir::Value value) {
    return widen(value, packedType(), op.a.isUnsigned);
  }
  mlir::Value packedRight(mlir::Value value);
  mlir::Type packedType() {
    bool keepsType = op.a.element.getIntOrFloatBitWidth() * tiles.perWord == 32;
    return tiles.perWord == 1 ? accumulator
           : keepsType        ? op.a.element
                              : mlir::Type(builder.getI16Type());
  }
  /// A vector of words, as the packed elements in them.
  mlir::VectorType wordsType() {
    return mlir::VectorType::get(tiles.perWord * tiles.lanes, packedType());
  }
  /// Every word of a vector of packed elements is `word`.
  mlir::Value splatWord(mlir::Value word);
  /// Vector `j` of the words in row `word` of packed panel `p`.
  mlir::Value loadWords(Index p, Index word, int64_t j);
  void storeWords(mlir::Value words, Index p, Index word, Index column);
  /// `sum` and the products of the words of A and B, by the tiles' intrinsic.
  mlir::Value addDots(mlir::Value sum, mlir::Value a, mlir::Value b);
  /// Columns of the edge panel that exist, counted from `column`.
  Index left(Index column) { return emit.sub(n, column); }
  /// The end of the block of `size` that starts at `start`, a multiple of it.
  Index blockEnd(Index start, Index end, int64_t size) {
    Index full = emit.add(start, emit.constant(size));
    return divides(end, size) ? full : emit.min(end, full);
  }
  /// The panel's place in packedB.
  mlir::Value placeOf(Index p) { return emit.value(emit.sub(p, firstPanel)); }
  Index columnOf(Index p) {
    return emit.add(columnStart, emit.mul(p, emit.constant(tiles.nr())));
  }
  /// True if all of panel p's columns exist.
  mlir::Value isFullPanel(Index p) {
    return emit.lessThan(emit.add(columnOf(p), emit.constant(tiles.nr() - 1)),
                         n);
  }
  /// A loop whose iterations threads may share.
  void share(Index count, llvm::function_ref<void(Index)> body) {
    if (tiles.parallel)
      emit.forall(count, body);
    else
      emit.loop(emit.constant(0), count, emit.constant(1), body);
  }
  bool divides(Index extent, int64_t by) {
    auto known = LoopEmitter::known(extent);
    return known && *known % by == 0;
  }

  LoopEmitter &emit;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const Contraction &op;
  const ContractionTiles &tiles;
  bool zeroInit;
  const LoopNest *epilogue; ///< or null
  mlir::Type accumulator;
  mlir::VectorType vectorType;

  // Of the product that is being emitted.
  llvm::SmallVector<Index> position;
  MatrixView a, b, c;
  Index m, n, k;
  /// The rows of A and C, and the first column, that are worked on.
  Index rowStart, rowEnd, columnStart;
  /// The packed rows of A, [rows rounded up][kc], or, where A's columns are
  /// contiguous, [rows / mr][kc][mr]; and the packed panels of B from
  /// `firstPanel` on, [columns / nr][kc][nr], or with several elements in a
  /// word [columns / nr][kc / perWord][nr * perWord]. If B's bytes have another
  /// sign, what the sums of each packed row start at.
  mlir::Value packedA, packedB, rowStarts;
  /// The sums of a chunk that runs through k by itself with AMX, or null.
  mlir::Value chunkSums;
  Index firstPanel;
  /// Elements from one row of packedA to the next.
  Index packedRow;
  bool interleaved = false;
};

/// Emits the contraction at the emitter's insertion point. With `zeroInit`, C
/// holds nothing yet and counts as zero. With an `epilogue`, a nest without
/// merged loops of an op that findEpilogue gives, that is computed instead of
/// C.
void emitContraction(LoopEmitter &emit, const Contraction &contraction,
                     const ContractionTiles &tiles, bool zeroInit,
                     const LoopNest *epilogue = nullptr);

/// The elementwise op that alone reads the result of `product`, a contraction
/// of floats or bytes into an allocation, and can be computed as the product's
/// tiles are complete; null if there is none.
mlir::linalg::LinalgOp findEpilogue(mlir::linalg::LinalgOp product);
/// Moves what is freed between the two behind them: the product is computed
/// where the epilogue is.
void joinEpilogue(mlir::linalg::LinalgOp product,
                  mlir::linalg::LinalgOp epilogue);
/// True if the loops for these tiles can.
bool takesEpilogue(const Contraction &op, const ContractionTiles &tiles,
                   bool zeroInit);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOCPU_CONTRACTIONEMITTER_H
