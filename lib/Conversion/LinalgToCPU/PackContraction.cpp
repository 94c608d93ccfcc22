//===- PackContraction.cpp - Copies of operands in tile order -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires views of the operands; guarantees copies whose rows and panels are
// full: rows and columns past the end repeat the last one, which always
// exists, so that no lane computes with uninitialised memory.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

/// Words along k that a chunk asks memory for before it packs them: 4 and 16
/// were as good, and none a third slower (8 x 4096 x 4096 in i8, AMD EPYC), as
/// each row is on another page.
static constexpr int64_t prefetchedWords = 8;

Value ContractionEmitter::packedRight(Value value) {
  value = widen(value, packedType(), op.b.isUnsigned);
  if (!tiles.biased)
    return value;
  // A signed byte and 128, as an unsigned one; or the other way around.
  Type type = value.getType();
  Attribute high = builder.getI8IntegerAttr(-128);
  if (auto vector = dyn_cast<VectorType>(type))
    high = DenseElementsAttr::get(vector, high);
  return arith::XOrIOp::create(
      builder, loc, value,
      arith::ConstantOp::create(builder, loc, cast<TypedAttr>(high)));
}

void ContractionEmitter::storeWords(Value words, Index p, Index word,
                                    Index column) {
  vector::StoreOp::create(
      builder, loc, words, packedB,
      ValueRange{placeOf(p), emit.value(word), emit.value(column)});
}

Value ContractionEmitter::interleave(ArrayRef<Value> rows) {
  if (rows.size() == 1)
    return rows[0];
  SmallVector<Value> even, odd;
  for (auto [i, row] : llvm::enumerate(rows))
    (i % 2 ? odd : even).push_back(row);
  return vector::InterleaveOp::create(builder, loc, interleave(even),
                                      interleave(odd));
}

void ContractionEmitter::inSteps(
    Index extent, int64_t step,
    llvm::function_ref<void(Index at, bool isWhole)> body) {
  Index by = emit.constant(step), whole = emit.mul(emit.div(extent, step), by);
  emit.loop(emit.constant(0), whole, by, [&](Index at) { body(at, true); });
  if (!divides(extent, step))
    emit.loop(whole, extent, by, [&](Index at) { body(at, false); });
}

void ContractionEmitter::packRows(Index row, Index from, Index extent) {
  if (tiles.perWord > 1 && a.unitRow && !a.unitColumn)
    packRowsTransposed(row, from, extent);
  else
    packRowsInOrder(row, from, extent);
  if (tiles.biased)
    for (int64_t i = 0; i < tiles.mr; ++i)
      packStart(emit.add(row, emit.constant(i)), extent);
}

void ContractionEmitter::packRowsInOrder(Index row, Index from, Index extent) {
  // Rows past the end are copies of the last one: their sums are not stored.
  auto source = [&](Index i) {
    Index at = emit.add(rowStart, emit.add(row, i));
    return divides(m, tiles.mr) ? at
                                : emit.min(at, emit.sub(m, emit.constant(1)));
  };
  if (interleaved) {
    Value tile = emit.value(emit.div(row, tiles.mr));
    SmallVector<Value> rows;
    for (int64_t i = 0; i < tiles.mr; ++i)
      rows.push_back(emit.value(source(emit.constant(i))));
    emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
      Value column = emit.value(emit.add(from, kk));
      for (int64_t i = 0; i < tiles.mr; ++i) {
        Value element = memref::LoadOp::create(builder, loc, a.view,
                                               ValueRange{rows[i], column});
        memref::StoreOp::create(
            builder, loc, packedLeft(element), packedA,
            ValueRange{tile, emit.value(kk), emit.value(emit.constant(i))});
      }
    });
    return;
  }
  int64_t lanes = tiles.lanes * tiles.perWord;
  auto packRow = [&](Index i) {
    Index at = source(i);
    Value to = emit.value(emit.add(row, i));
    // The rest of the last word, or of a tile.
    if (!divides(extent, tiles.depth()))
      emit.loop(extent, emit.roundUp(extent, tiles.depth()), emit.constant(1),
                [&](Index kk) {
                  memref::StoreOp::create(builder, loc, emit.zero(packedType()),
                                          packedA,
                                          ValueRange{to, emit.value(kk)});
                });
    if (!a.unitColumn) {
      emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
        Value element = memref::LoadOp::create(
            builder, loc, a.view,
            ValueRange{emit.value(at), emit.value(emit.add(from, kk))});
        memref::StoreOp::create(builder, loc, packedLeft(element), packedA,
                                ValueRange{to, emit.value(kk)});
      });
      return;
    }
    inSteps(extent, lanes, [&](Index kk, bool isWhole) {
      Index in = emit.add(from, kk);
      if (isWhole) {
        vector::StoreOp::create(builder, loc,
                                packedLeft(read(a, at, in, lanes)), packedA,
                                ValueRange{to, emit.value(kk)});
        return;
      }
      Index count = emit.sub(extent, kk);
      vector::MaskedStoreOp::create(
          builder, loc, packedA, ValueRange{to, emit.value(kk)},
          emit.mask(lanes, count), packedLeft(read(a, at, in, lanes, count)));
    });
  };
  if (tiles.mr > 8) {
    emit.loop(emit.constant(0), emit.constant(tiles.mr), emit.constant(1),
              packRow);
    return;
  }
  for (int64_t i = 0; i < tiles.mr; ++i)
    packRow(emit.constant(i));
}

void ContractionEmitter::packRowsTransposed(Index row, Index from,
                                            Index extent) {
  // Squares of lanes x lanes words: read along m, the steps of k of a word at a
  // time, transposed, written along k. What does not exist counts as zero.
  int64_t lanes = tiles.lanes, depth = tiles.perWord * lanes;
  int64_t side = std::min(lanes, tiles.mr);
  while (tiles.mr % side != 0)
    --side;
  auto words = VectorType::get(lanes, builder.getI32Type());
  MatrixView columns =
      op.view(emit, op.a, op.k, op.m, ArrayRef<Index>(position));
  Index zero = emit.constant(0);
  auto square = [&](Index start, Index at, Index kk, bool isWhole,
                    std::optional<Index> rowsLeft) {
    auto step = [&](int64_t i) -> Value {
      Index k = emit.add(kk, emit.constant(i));
      std::optional<Index> count = rowsLeft;
      if (!isWhole) {
        Value there = emit.lessThan(k, extent);
        Value rows = emit.value(count ? *count : emit.constant(lanes));
        count = Index(Value(arith::SelectOp::create(builder, loc, there, rows,
                                                    emit.value(zero))));
      }
      return packedLeft(read(columns, emit.add(from, k), at, lanes, count));
    };
    SmallVector<Value> rows;
    for (int64_t i = 0; i < lanes; ++i) {
      SmallVector<Value> steps;
      for (int64_t j = 0; j < tiles.perWord; ++j)
        steps.push_back(step(tiles.perWord * i + j));
      rows.push_back(
          vector::BitCastOp::create(builder, loc, words, interleave(steps)));
    }
    SmallVector<Value> done = emit.transpose(rows);
    for (int64_t i = 0; i < side; ++i)
      vector::StoreOp::create(
          builder, loc,
          vector::BitCastOp::create(builder, loc, wordsType(), done[i]),
          packedA,
          ValueRange{emit.value(emit.add(start, emit.constant(i))),
                     emit.value(kk)});
  };
  emit.loop(zero, emit.constant(tiles.mr), emit.constant(side), [&](Index i) {
    Index start = emit.add(row, i), at = emit.add(rowStart, start);
    std::optional<Index> rowsLeft;
    if (side < lanes || !divides(m, tiles.mr))
      rowsLeft = emit.sub(m, at);
    inSteps(extent, depth, [&](Index kk, bool isWhole) {
      square(start, at, kk, isWhole, rowsLeft);
    });
  });
}

void ContractionEmitter::packPanels(Index panelFrom, Index panelTo, Index from,
                                    Index extent) {
  if (tiles.perWord > 1)
    return packWords(panelFrom, panelTo, from, extent);
  emit.loop(panelFrom, panelTo, emit.constant(1),
            [&](Index p) { packPanel(p, from, extent); });
}

void ContractionEmitter::packPanel(Index p, Index from, Index extent) {
  int64_t lanes = tiles.lanes;
  if (!b.unitColumn)
    return packPanelTransposed(p, from, extent);
  Index column = columnOf(p);
  auto copy = [&](bool full) {
    emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
      for (int64_t j = 0; j < tiles.nv; ++j) {
        Index at = emit.add(column, emit.constant(j * lanes));
        Value vector = full ? load(b, emit.add(from, kk), at, lanes)
                            : load(b, emit.add(from, kk), at, lanes, left(at));
        vector::StoreOp::create(
            builder, loc, vector, packedB,
            ValueRange{placeOf(p), emit.value(kk),
                       emit.value(emit.constant(j * lanes))});
      }
    });
  };
  if (divides(n, tiles.nr()))
    return copy(true);
  emit.branch(isFullPanel(p), [&] { copy(true); }, [&] { copy(false); });
}

void ContractionEmitter::packPanelTransposed(Index p, Index from,
                                             Index extent) {
  // Columns past the end are copies of the last one, as with rows.
  int64_t lanes = tiles.lanes;
  auto source = [&](Index j) {
    Index at = emit.add(columnOf(p), j);
    return divides(n, tiles.nr()) ? at
                                  : emit.min(at, emit.sub(n, emit.constant(1)));
  };
  if (!b.unitRow || lanes < 2) {
    emit.loop(
        emit.constant(0), emit.constant(tiles.nr()), emit.constant(1),
        [&](Index j) {
          Value at = emit.value(source(j));
          emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
            Value element = memref::LoadOp::create(
                builder, loc, b.view,
                ValueRange{emit.value(emit.add(from, kk)), at});
            memref::StoreOp::create(
                builder, loc, packedRight(element), packedB,
                ValueRange{placeOf(p), emit.value(kk), emit.value(j)});
          });
        });
    return;
  }
  // Squares of lanes x lanes: read along k, transposed, written along n. The
  // panel has room for rows past the end of k.
  MatrixView columns =
      op.view(emit, op.b, op.n, op.k, ArrayRef<Index>(position));
  auto square = [&](Index j, Index kk, bool isWhole) {
    std::optional<Index> count;
    if (!isWhole)
      count = emit.sub(extent, kk);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < lanes; ++i)
      rows.push_back(load(columns, source(emit.add(j, emit.constant(i))),
                          emit.add(from, kk), lanes, count));
    for (auto [i, row] : llvm::enumerate(emit.transpose(rows)))
      vector::StoreOp::create(
          builder, loc, row, packedB,
          ValueRange{placeOf(p), emit.value(emit.add(kk, emit.constant(i))),
                     emit.value(j)});
  };
  emit.loop(emit.constant(0), emit.constant(tiles.nr()), emit.constant(lanes),
            [&](Index j) {
              inSteps(extent, lanes,
                      [&](Index kk, bool isWhole) { square(j, kk, isWhole); });
            });
}

void ContractionEmitter::prefetchWord(Index p, Index word, Index from) {
  Index last = emit.sub(k, emit.constant(1));
  for (int64_t i = 0; i < tiles.perWord; ++i) {
    Index row = emit.add(emit.add(from, emit.constant(i)),
                         emit.mul(word, emit.constant(tiles.perWord)));
    memref::PrefetchOp::create(
        builder, loc, b.view,
        ValueRange{emit.value(emit.min(row, last)), emit.value(columnOf(p))},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void ContractionEmitter::packWords(Index panelFrom, Index panelTo, Index from,
                                   Index extent) {
  int64_t lanes = tiles.lanes, perWord = tiles.perWord;
  Index zero = emit.constant(0), one = emit.constant(1);
  Index fullWords = emit.div(extent, perWord);
  auto eachPanel = [&](function_ref<void(Index)> body) {
    emit.loop(panelFrom, panelTo, one, body);
  };
  // The rest of the last tile; squares fill it with zeros themselves.
  if (tiles.unit == ContractionTiles::Unit::Tiles &&
      !divides(extent, tiles.depth()) && (b.unitColumn || !b.unitRow))
    eachPanel([&](Index p) {
      emit.loop(emit.ceilDiv(extent, perWord),
                emit.div(emit.roundUp(extent, tiles.depth()), perWord), one,
                [&](Index word) {
                  for (int64_t j = 0; j < tiles.nv; ++j)
                    storeWords(emit.zero(wordsType()), p, word,
                               emit.constant(perWord * j * lanes));
                });
    });
  // The last word may be cut short: `body` gets how many of its elements exist.
  auto eachWord = [&](function_ref<void(Index, int64_t)> body) {
    emit.loop(zero, fullWords, one, [&](Index word) { body(word, perWord); });
    if (divides(extent, perWord))
      return;
    for (int64_t count = 1; count < perWord; ++count)
      emit.branch(emit.equal(emit.rem(extent, perWord), emit.constant(count)),
                  [&] { body(fullWords, count); });
  };
  auto rowOf = [&](Index word, int64_t i) {
    return emit.add(emit.add(from, emit.constant(i)),
                    emit.mul(word, emit.constant(perWord)));
  };
  if (b.unitColumn) {
    // perWord rows of B become one row of words, of all panels: rows are read
    // as far as they are contiguous.
    auto packWord = [&](Index p, Index word, int64_t exist) {
      prefetchWord(p, emit.add(word, emit.constant(prefetchedWords)), from);
      for (int64_t j = 0; j < tiles.nv; ++j) {
        Index at = emit.add(columnOf(p), emit.constant(j * lanes));
        std::optional<Index> count;
        if (!divides(n, tiles.nr()))
          count = left(at);
        SmallVector<Value> rows;
        for (int64_t i = 0; i < perWord; ++i)
          rows.push_back(
              i < exist ? packedRight(read(b, rowOf(word, i), at, lanes, count))
                        : emit.zero(VectorType::get(lanes, packedType())));
        storeWords(interleave(rows), p, word,
                   emit.constant(perWord * j * lanes));
      }
    };
    eachWord([&](Index word, int64_t exist) {
      eachPanel([&](Index each) { packWord(each, word, exist); });
    });
    return;
  }
  auto source = [&](Index p, Index j) {
    Index at = emit.add(columnOf(p), j);
    return divides(n, tiles.nr()) ? at : emit.min(at, emit.sub(n, one));
  };
  if (b.unitRow) {
    // A word along k is one element of a square to transpose.
    MatrixView columns =
        op.view(emit, op.b, op.n, op.k, ArrayRef<Index>(position));
    auto words = VectorType::get(lanes, builder.getI32Type());
    auto square = [&](Index p, Index j, Index kk, bool isWhole) {
      std::optional<Index> count;
      if (!isWhole)
        count = emit.sub(extent, kk);
      SmallVector<Value> rows;
      for (int64_t i = 0; i < lanes; ++i)
        rows.push_back(vector::BitCastOp::create(
            builder, loc, words,
            packedRight(read(columns, source(p, emit.add(j, emit.constant(i))),
                             emit.add(from, kk), perWord * lanes, count))));
      for (auto [i, row] : llvm::enumerate(emit.transpose(rows)))
        storeWords(vector::BitCastOp::create(builder, loc, wordsType(), row), p,
                   emit.add(emit.div(kk, perWord), emit.constant(i)),
                   emit.mul(j, emit.constant(perWord)));
    };
    return eachPanel([&](Index p) {
      emit.loop(
          zero, emit.constant(tiles.nr()), emit.constant(lanes), [&](Index j) {
            inSteps(extent, perWord * lanes,
                    [&](Index kk, bool isWhole) { square(p, j, kk, isWhole); });
          });
    });
  }
  auto column = [&](Index p, Index j) {
    Value at = emit.value(source(p, j));
    eachWord([&](Index word, int64_t exist) {
      for (int64_t i = 0; i < perWord; ++i) {
        Value element = i < exist
                            ? packedRight(memref::LoadOp::create(
                                  builder, loc, b.view,
                                  ValueRange{emit.value(rowOf(word, i)), at}))
                            : emit.zero(packedType());
        Index lane =
            emit.add(emit.mul(j, emit.constant(perWord)), emit.constant(i));
        memref::StoreOp::create(
            builder, loc, element, packedB,
            ValueRange{placeOf(p), emit.value(word), emit.value(lane)});
      }
    });
  };
  eachPanel([&](Index p) {
    emit.loop(zero, emit.constant(tiles.nr()), one,
              [&](Index j) { column(p, j); });
  });
}

void ContractionEmitter::packStart(Index row, Index extent) {
  // A flipped sign adds 128 to or takes it from each byte of B: the sum starts
  // at less what the row's bytes are times that, by the same instruction.
  int64_t depth = tiles.perWord * tiles.lanes;
  Value added = splatWord(arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(0x80808080)));
  Index whole = emit.mul(emit.div(extent, depth), emit.constant(depth));
  auto at = [&](Index kk) {
    return SmallVector<Value>{emit.value(row), emit.value(kk)};
  };
  Value sums =
      emit.loop(emit.constant(0), whole, emit.constant(depth),
                {emit.zero(vectorType)}, [&](Index kk, ValueRange carried) {
                  Value bytes = vector::LoadOp::create(
                      builder, loc, wordsType(), packedA, at(kk));
                  return SmallVector<Value>{addDots(carried[0], bytes, added)};
                })[0];
  if (!divides(extent, depth)) {
    Value bytes = vector::MaskedLoadOp::create(
        builder, loc, wordsType(), packedA, at(whole),
        emit.mask(depth, emit.sub(extent, whole)), emit.zero(wordsType()));
    sums = addDots(sums, bytes, added);
  }
  Value total = vector::ReductionOp::create(builder, loc,
                                            vector::CombiningKind::ADD, sums);
  memref::StoreOp::create(
      builder, loc,
      arith::SubIOp::create(builder, loc, emit.zero(accumulator), total),
      rowStarts, ValueRange{emit.value(row)});
}
