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

void ContractionEmitter::inSteps(
    Index extent, int64_t step,
    llvm::function_ref<void(Index at, bool isWhole)> body) {
  Index by = emit.constant(step), whole = emit.mul(emit.div(extent, step), by);
  emit.loop(emit.constant(0), whole, by, [&](Index at) { body(at, true); });
  if (!divides(extent, step))
    emit.loop(whole, extent, by, [&](Index at) { body(at, false); });
}

void ContractionEmitter::packRows(Index row, Index from, Index extent) {
  if (tiles.usesPairs() && a.unitRow && !a.unitColumn)
    return packRowsTransposed(row, from, extent);
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
            builder, loc, packed(element), packedA,
            ValueRange{tile, emit.value(kk), emit.value(emit.constant(i))});
      }
    });
    return;
  }
  int64_t lanes = tiles.lanes;
  auto packRow = [&](Index i) {
    Index at = source(i);
    Value to = emit.value(emit.add(row, i));
    // The partner of the last element of an odd row, or the rest of a tile.
    int64_t depth = tiles.usesPairs() ? std::max<int64_t>(tiles.depth(), 2) : 1;
    if (!divides(extent, depth))
      emit.loop(
          extent, emit.roundUp(extent, depth), emit.constant(1), [&](Index kk) {
            memref::StoreOp::create(builder, loc, emit.zero(packedType()),
                                    packedA, ValueRange{to, emit.value(kk)});
          });
    if (!a.unitColumn) {
      emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
        Value element = memref::LoadOp::create(
            builder, loc, a.view,
            ValueRange{emit.value(at), emit.value(emit.add(from, kk))});
        memref::StoreOp::create(builder, loc, packed(element), packedA,
                                ValueRange{to, emit.value(kk)});
      });
      return;
    }
    inSteps(extent, lanes, [&](Index kk, bool isWhole) {
      Index in = emit.add(from, kk);
      if (isWhole) {
        vector::StoreOp::create(builder, loc, packed(read(a, at, in, lanes)),
                                packedA, ValueRange{to, emit.value(kk)});
        return;
      }
      Index count = emit.sub(extent, kk);
      vector::MaskedStoreOp::create(
          builder, loc, packedA, ValueRange{to, emit.value(kk)},
          emit.mask(lanes, count), packed(read(a, at, in, lanes, count)));
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
  // Squares of lanes x lanes pairs: read along m, two steps of k at a time,
  // transposed, written along k. What does not exist counts as zero.
  int64_t lanes = tiles.lanes, depth = 2 * lanes;
  int64_t side = std::min(lanes, tiles.mr);
  Type bf16 = builder.getBF16Type();
  auto words = VectorType::get(lanes, builder.getI32Type());
  auto halves = VectorType::get(depth, bf16);
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
      return read(columns, emit.add(from, k), at, lanes, count);
    };
    SmallVector<Value> rows;
    for (int64_t i = 0; i < lanes; ++i)
      rows.push_back(vector::BitCastOp::create(
          builder, loc, words,
          vector::InterleaveOp::create(builder, loc, step(2 * i),
                                       step(2 * i + 1))));
    SmallVector<Value> done = emit.transpose(rows);
    for (int64_t i = 0; i < side; ++i)
      vector::StoreOp::create(
          builder, loc,
          vector::BitCastOp::create(builder, loc, halves, done[i]), packedA,
          ValueRange{emit.value(emit.add(start, emit.constant(i))),
                     emit.value(kk)});
  };
  emit.loop(zero, emit.constant(tiles.mr), emit.constant(side), [&](Index i) {
    Index start = emit.add(row, i), at = emit.add(rowStart, start);
    std::optional<Index> rowsLeft;
    if (tiles.mr < lanes || !divides(m, tiles.mr))
      rowsLeft = emit.sub(m, at);
    inSteps(extent, depth, [&](Index kk, bool isWhole) {
      square(start, at, kk, isWhole, rowsLeft);
    });
  });
}

void ContractionEmitter::packPanel(Index p, Index from, Index extent) {
  int64_t lanes = tiles.lanes;
  if (tiles.usesPairs())
    return packPanelPairs(p, from, extent);
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
            ValueRange{emit.value(p), emit.value(kk),
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
                builder, loc, packed(element), packedB,
                ValueRange{emit.value(p), emit.value(kk), emit.value(j)});
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
          ValueRange{emit.value(p), emit.value(emit.add(kk, emit.constant(i))),
                     emit.value(j)});
  };
  emit.loop(emit.constant(0), emit.constant(tiles.nr()), emit.constant(lanes),
            [&](Index j) {
              inSteps(extent, lanes,
                      [&](Index kk, bool isWhole) { square(j, kk, isWhole); });
            });
}

void ContractionEmitter::packPanelPairs(Index p, Index from, Index extent) {
  int64_t lanes = tiles.lanes;
  Type bf16 = builder.getBF16Type();
  Index zero = emit.constant(0), one = emit.constant(1);
  auto put = [&](Value pairs, Index pair, Index lane) {
    vector::StoreOp::create(
        builder, loc, pairs, packedB,
        ValueRange{emit.value(p), emit.value(pair), emit.value(lane)});
  };
  Index wholePairs = emit.div(extent, 2);
  // The rest of the last tile; squares fill it with zeros themselves.
  if (!divides(extent, tiles.depth()) && (b.unitColumn || !b.unitRow))
    emit.loop(emit.ceilDiv(extent, 2),
              emit.div(emit.roundUp(extent, tiles.depth()), 2), one,
              [&](Index pair) {
                for (int64_t j = 0; j < tiles.nv; ++j)
                  put(emit.zero(VectorType::get(2 * lanes, bf16)), pair,
                      emit.constant(2 * j * lanes));
              });
  if (b.unitColumn) {
    // Two rows of B become one of pairs; the last of an odd number meets zeros.
    auto zip = [&](Index pair, bool hasPartner) {
      for (int64_t j = 0; j < tiles.nv; ++j) {
        Index at = emit.add(columnOf(p), emit.constant(j * lanes));
        std::optional<Index> count;
        if (!divides(n, tiles.nr()))
          count = left(at);
        Index row = emit.add(from, emit.mul(pair, emit.constant(2)));
        Value x = read(b, row, at, lanes, count);
        Value y = hasPartner ? read(b, emit.add(row, one), at, lanes, count)
                             : emit.zero(VectorType::get(lanes, bf16));
        put(vector::InterleaveOp::create(builder, loc, x, y), pair,
            emit.constant(2 * j * lanes));
      }
    };
    emit.loop(zero, wholePairs, one, [&](Index pair) { zip(pair, true); });
    if (!divides(extent, 2))
      emit.branch(emit.equal(emit.rem(extent, 2), one),
                  [&] { zip(wholePairs, false); });
    return;
  }
  auto source = [&](Index j) {
    Index at = emit.add(columnOf(p), j);
    return divides(n, tiles.nr()) ? at : emit.min(at, emit.sub(n, one));
  };
  if (b.unitRow) {
    // A pair along k is one 32-bit element of a square to transpose.
    MatrixView columns =
        op.view(emit, op.b, op.n, op.k, ArrayRef<Index>(position));
    auto words = VectorType::get(lanes, builder.getI32Type());
    auto halves = VectorType::get(2 * lanes, bf16);
    auto square = [&](Index j, Index kk, bool isWhole) {
      std::optional<Index> count;
      if (!isWhole)
        count = emit.sub(extent, kk);
      SmallVector<Value> rows;
      for (int64_t i = 0; i < lanes; ++i)
        rows.push_back(vector::BitCastOp::create(
            builder, loc, words,
            read(columns, source(emit.add(j, emit.constant(i))),
                 emit.add(from, kk), 2 * lanes, count)));
      for (auto [i, row] : llvm::enumerate(emit.transpose(rows)))
        put(vector::BitCastOp::create(builder, loc, halves, row),
            emit.add(emit.div(kk, 2), emit.constant(i)),
            emit.mul(j, emit.constant(2)));
    };
    emit.loop(
        zero, emit.constant(tiles.nr()), emit.constant(lanes), [&](Index j) {
          inSteps(extent, 2 * lanes,
                  [&](Index kk, bool isWhole) { square(j, kk, isWhole); });
        });
    return;
  }
  emit.loop(zero, emit.constant(tiles.nr()), one, [&](Index j) {
    Value at = emit.value(source(j));
    auto element = [&](Index pair, int64_t half, Value value) {
      Index lane = emit.add(emit.mul(j, emit.constant(2)), emit.constant(half));
      memref::StoreOp::create(
          builder, loc, value, packedB,
          ValueRange{emit.value(p), emit.value(pair), emit.value(lane)});
    };
    auto get = [&](Index pair, int64_t half) -> Value {
      Index row = emit.add(emit.add(from, emit.constant(half)),
                           emit.mul(pair, emit.constant(2)));
      return memref::LoadOp::create(builder, loc, b.view,
                                    ValueRange{emit.value(row), at});
    };
    emit.loop(zero, wholePairs, one, [&](Index pair) {
      element(pair, 0, get(pair, 0));
      element(pair, 1, get(pair, 1));
    });
    if (!divides(extent, 2))
      emit.branch(emit.equal(emit.rem(extent, 2), one), [&] {
        element(wholePairs, 0, get(wholePairs, 0));
        element(wholePairs, 1, emit.zero(bf16));
      });
  });
}
