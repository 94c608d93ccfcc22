//===- EmitContraction.cpp - Packed and register-tiled products -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the loops of a contraction from its roles and tiles. Requires a unit
// stride of C along n; guarantees the same sums in the same order on any number
// of threads. Ragged and unknown extents are met by reading inside the operands
// alone (rows are clamped, columns masked) and storing what exists.
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
class ContractionEmitter {
public:
  ContractionEmitter(LoopEmitter &emit, const Contraction &op,
                     const ContractionTiles &tiles, bool zeroInit)
      : emit(emit), builder(emit.builder), loc(emit.loc), op(op), tiles(tiles),
        zeroInit(zeroInit), accumulator(op.accumulator),
        vectorType(VectorType::get(tiles.lanes, accumulator)) {}

  void run();

private:
  void product(SmallVector<Index> ivs);
  void kBlock(ArrayRef<Index> ivs, Index from, Index extent, Value first);
  void packRows(Index row, Index from, Index extent);
  void packPanel(Value panel, Index column, Index from, Index extent);
  void packPanelTransposed(Value panel, Index column, Index from, Index extent);
  void tile(Value panel, Index row, Index column, Index from, Index extent,
            Value first);
  void multiply(Value panel, Index row, Index column, Index from, Index extent,
                Value first, bool fullColumns);
  void store(Index row, Index column, ArrayRef<Value> sums, Value first,
             bool fullColumns);

  /// `lanes` elements of row `row` of `matrix` from `column` on, widened to the
  /// accumulator's type; those past `count` are zero.
  Value load(const MatrixView &matrix, Index row, Index column, int64_t lanes,
             std::optional<Index> count = std::nullopt);
  Value widen(Value value);
  /// Columns of the edge panel that exist, counted from `column`.
  Index left(Index column) { return emit.sub(n, column); }
  bool divides(Index extent, int64_t by) {
    auto known = LoopEmitter::known(extent);
    return known && *known % by == 0;
  }

  LoopEmitter &emit;
  OpBuilder &builder;
  Location loc;
  const Contraction &op;
  const ContractionTiles &tiles;
  bool zeroInit;
  Type accumulator;
  VectorType vectorType;

  // Of the product that is being emitted.
  MatrixView a, b, c;
  Index m, n, k;
  /// The packed block of A. Rows [m rounded up][kc], or, where A's columns are
  /// contiguous, [m / mr][kc][mr].
  Value packedA;
  bool interleaved = false;
};

Value ContractionEmitter::widen(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element == accumulator)
    return value;
  Type type = accumulator;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(accumulator);
  return arith::ExtFOp::create(builder, loc, type, value);
}

Value ContractionEmitter::load(const MatrixView &matrix, Index row,
                               Index column, int64_t lanes,
                               std::optional<Index> count) {
  auto type = VectorType::get(lanes, matrix.element);
  SmallVector<Value> at = {emit.value(row), emit.value(column)};
  if (!count)
    return widen(vector::LoadOp::create(builder, loc, type, matrix.view, at));
  return widen(vector::MaskedLoadOp::create(builder, loc, type, matrix.view, at,
                                            emit.mask(lanes, *count),
                                            emit.zero(type)));
}

void ContractionEmitter::run() {
  SmallVector<Index> ivs(op.extents.size());
  if (tiles.parallelBatch) {
    Index count = emit.constant(1);
    for (int dim : op.outer)
      count = emit.mul(count, op.extents[dim]);
    emit.forall(count, [&](Index i) {
      for (int dim : llvm::reverse(op.outer)) {
        ivs[dim] = emit.rem(i, op.extents[dim]);
        i = emit.div(i, op.extents[dim]);
      }
      product(ivs);
    });
    return;
  }
  std::function<void(size_t)> around = [&](size_t depth) {
    if (depth == op.outer.size())
      return product(ivs);
    int dim = op.outer[depth];
    emit.loop(emit.constant(0), op.extents[dim], emit.constant(1),
              [&](Index i) {
                ivs[dim] = i;
                around(depth + 1);
              });
  };
  around(0);
}

void ContractionEmitter::product(SmallVector<Index> ivs) {
  auto extent = [&](int dim) {
    return dim < 0 ? emit.constant(1) : op.extents[dim];
  };
  m = extent(op.m);
  n = extent(op.n);
  k = extent(op.k);
  c = op.view(emit, op.c, op.m, op.n, ivs);

  // The whole of C is rows x columns of tiles; its k blocks follow each other.
  packedA = {};
  if (tiles.packA) {
    bool unitK = op.k >= 0 && LoopEmitter::isKnown(op.a.strides[op.k], 1);
    bool unitM = op.m >= 0 && LoopEmitter::isKnown(op.a.strides[op.m], 1);
    interleaved = unitM && !unitK;
    Index rows = emit.roundUp(m, tiles.mr);
    SmallVector<Index> sizes =
        interleaved ? SmallVector<Index>{emit.div(rows, tiles.mr),
                                         emit.constant(tiles.kc),
                                         emit.constant(tiles.mr)}
                    : SmallVector<Index>{rows, emit.constant(tiles.kc)};
    packedA = memref::AllocOp::create(builder, loc, sizes, accumulator);
    packedA.getDefiningOp<memref::AllocOp>().setAlignment(64);
  }

  std::function<void(size_t, Value)> around = [&](size_t depth, Value first) {
    if (depth == op.outerK.size()) {
      Index block = emit.min(k, emit.constant(tiles.kc));
      bool once = LoopEmitter::known(k) && *LoopEmitter::known(k) <= tiles.kc;
      emit.loop(emit.constant(0), k, once ? block : emit.constant(tiles.kc),
                [&](Index from) {
                  Index extent = divides(k, tiles.kc)
                                     ? emit.constant(tiles.kc)
                                     : emit.min(emit.constant(tiles.kc),
                                                emit.sub(k, from));
                  Value start = first;
                  if (!LoopEmitter::isKnown(from, 0)) {
                    Value zero = emit.equal(from, emit.constant(0));
                    start = start ? Value(arith::AndIOp::create(builder, loc,
                                                                start, zero))
                                  : zero;
                  }
                  kBlock(ivs, from, extent, start);
                });
      return;
    }
    int dim = op.outerK[depth];
    emit.loop(emit.constant(0), op.extents[dim], emit.constant(1),
              [&](Index i) {
                ivs[dim] = i;
                Value start = first;
                if (!LoopEmitter::isKnown(i, 0)) {
                  Value zero = emit.equal(i, emit.constant(0));
                  start = start ? Value(arith::AndIOp::create(builder, loc,
                                                              start, zero))
                                : zero;
                }
                around(depth + 1, start);
              });
  };
  around(0, {});
  if (packedA)
    memref::DeallocOp::create(builder, loc, packedA);
}

void ContractionEmitter::kBlock(ArrayRef<Index> ivs, Index from, Index extent,
                                Value first) {
  a = op.view(emit, op.a, op.m, op.k, ivs);
  b = op.view(emit, op.b, op.k, op.n, ivs);
  int64_t mr = tiles.mr, nr = tiles.nr();
  Index rowTiles = emit.ceilDiv(m, mr), panels = emit.ceilDiv(n, nr);
  bool parallel = tiles.chunksN * tiles.chunksM > 1;

  if (packedA) {
    // Tiles of rows are packed in groups: a copy of 64 rows is worth a thread.
    constexpr int64_t group = 8;
    auto packGroup = [&](Index start) {
      Index end = emit.min(rowTiles, emit.add(start, emit.constant(group)));
      emit.loop(start, end, emit.constant(1), [&](Index tile) {
        packRows(emit.mul(tile, emit.constant(mr)), from, extent);
      });
    };
    if (parallel)
      emit.forall(emit.ceilDiv(rowTiles, group), [&](Index i) {
        packGroup(emit.mul(i, emit.constant(group)));
      });
    else
      emit.loop(emit.constant(0), rowTiles, emit.constant(1), [&](Index tile) {
        packRows(emit.mul(tile, emit.constant(mr)), from, extent);
      });
  }

  auto chunk = [&](Index panelFrom, Index panelTo, Index tileFrom,
                   Index tileTo) {
    Value panel;
    if (tiles.packB) {
      auto alloc = memref::AllocOp::create(
          builder, loc,
          SmallVector<Index>{emit.constant(tiles.kc), emit.constant(nr)},
          accumulator);
      alloc.setAlignment(64);
      panel = alloc;
    }
    emit.loop(panelFrom, panelTo, emit.constant(1), [&](Index p) {
      Index column = emit.mul(p, emit.constant(nr));
      if (panel)
        packPanel(panel, column, from, extent);
      emit.loop(tileFrom, tileTo, emit.constant(1), [&](Index t) {
        tile(panel, emit.mul(t, emit.constant(mr)), column, from, extent,
             first);
      });
    });
    if (panel)
      memref::DeallocOp::create(builder, loc, panel);
  };
  if (!parallel)
    return chunk(emit.constant(0), panels, emit.constant(0), rowTiles);

  Index perN = emit.ceilDiv(panels, tiles.chunksN),
        perM = emit.ceilDiv(rowTiles, tiles.chunksM);
  // Empty matrices have no chunks, not chunks of nothing.
  Index one = emit.constant(1);
  auto chunksOf = [&](Index total, Index per) {
    if (auto known = LoopEmitter::known(per))
      return emit.ceilDiv(total, std::max<int64_t>(*known, 1));
    Value positive = arith::MaxSIOp::create(builder, loc, emit.value(per),
                                            emit.value(one));
    return emit.div(emit.sub(emit.add(total, positive), one), positive);
  };
  Index countN = chunksOf(panels, perN), countM = chunksOf(rowTiles, perM);
  emit.forall(emit.mul(countN, countM), [&](Index i) {
    Index inM = emit.mul(emit.rem(i, countM), perM),
          inN = emit.mul(emit.div(i, countM), perN);
    chunk(inN, emit.min(panels, emit.add(inN, perN)), inM,
          emit.min(rowTiles, emit.add(inM, perM)));
  });
}

void ContractionEmitter::packRows(Index row, Index from, Index extent) {
  // Rows past the end are copies of the last one: their sums are not stored.
  auto source = [&](int64_t i) {
    Index at = emit.add(row, emit.constant(i));
    return divides(m, tiles.mr) ? at
                                : emit.min(at, emit.sub(m, emit.constant(1)));
  };
  if (interleaved) {
    Index tile = emit.div(row, tiles.mr);
    auto packColumn = [&](bool full) {
      emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
        Index column = emit.add(from, kk);
        for (int64_t i = 0; i < tiles.mr; ++i) {
          Value element = memref::LoadOp::create(
              builder, loc, a.view,
              ValueRange{emit.value(full ? emit.add(row, emit.constant(i))
                                         : source(i)),
                         emit.value(column)});
          memref::StoreOp::create(builder, loc, widen(element), packedA,
                                  ValueRange{emit.value(tile), emit.value(kk),
                                             emit.value(emit.constant(i))});
        }
      });
    };
    packColumn(divides(m, tiles.mr));
    return;
  }
  int64_t lanes = tiles.lanes;
  for (int64_t i = 0; i < tiles.mr; ++i) {
    Index at = source(i);
    Value to = emit.value(emit.add(row, emit.constant(i)));
    if (!a.unitColumn) {
      emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
        Value element = memref::LoadOp::create(
            builder, loc, a.view,
            ValueRange{emit.value(at), emit.value(emit.add(from, kk))});
        memref::StoreOp::create(builder, loc, widen(element), packedA,
                                ValueRange{to, emit.value(kk)});
      });
      continue;
    }
    Index whole = emit.mul(emit.div(extent, lanes), emit.constant(lanes));
    emit.loop(emit.constant(0), whole, emit.constant(lanes), [&](Index kk) {
      vector::StoreOp::create(builder, loc,
                              load(a, at, emit.add(from, kk), lanes), packedA,
                              ValueRange{to, emit.value(kk)});
    });
    if (!divides(extent, lanes))
      emit.loop(whole, extent, emit.constant(lanes), [&](Index kk) {
        Index count = emit.sub(extent, whole);
        vector::MaskedStoreOp::create(
            builder, loc, packedA, ValueRange{to, emit.value(kk)},
            emit.mask(lanes, count),
            load(a, at, emit.add(from, kk), lanes, count));
      });
  }
}

void ContractionEmitter::packPanel(Value panel, Index column, Index from,
                                   Index extent) {
  int64_t lanes = tiles.lanes;
  if (!b.unitColumn)
    return packPanelTransposed(panel, column, from, extent);
  auto copy = [&](bool full) {
    emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
      for (int64_t j = 0; j < tiles.nv; ++j) {
        Index at = emit.add(column, emit.constant(j * lanes));
        Value vector = full ? load(b, emit.add(from, kk), at, lanes)
                            : load(b, emit.add(from, kk), at, lanes, left(at));
        vector::StoreOp::create(
            builder, loc, vector, panel,
            ValueRange{emit.value(kk), emit.value(emit.constant(j * lanes))});
      }
    });
  };
  if (divides(n, tiles.nr()))
    return copy(true);
  Value full = emit.lessThan(
      emit.add(column, emit.constant(tiles.nr() - 1)), n);
  emit.branch(full, [&] { copy(true); }, [&] { copy(false); });
}

void ContractionEmitter::packPanelTransposed(Value panel, Index column,
                                             Index from, Index extent) {
  // Columns past the end are copies of the last one, as with rows.
  emit.loop(
      emit.constant(0), emit.constant(tiles.nr()), emit.constant(1),
      [&](Index j) {
        Index at = emit.add(column, j);
        if (!divides(n, tiles.nr()))
          at = emit.min(at, emit.sub(n, emit.constant(1)));
        emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
          Value element = memref::LoadOp::create(
              builder, loc, b.view,
              ValueRange{emit.value(emit.add(from, kk)), emit.value(at)});
          memref::StoreOp::create(builder, loc, widen(element), panel,
                                  ValueRange{emit.value(kk), emit.value(j)});
        });
      });
}

void ContractionEmitter::tile(Value panel, Index row, Index column, Index from,
                              Index extent, Value first) {
  // Packed panels are zero past the edge; what is read directly is masked.
  if (panel || divides(n, tiles.nr()))
    return multiply(panel, row, column, from, extent, first,
                    divides(n, tiles.nr()));
  Value full =
      emit.lessThan(emit.add(column, emit.constant(tiles.nr() - 1)), n);
  emit.branch(
      full,
      [&] { multiply(panel, row, column, from, extent, first, true); },
      [&] { multiply(panel, row, column, from, extent, first, false); });
}

void ContractionEmitter::multiply(Value panel, Index row, Index column,
                                  Index from, Index extent, Value first,
                                  bool fullColumns) {
  int64_t mr = tiles.mr, nv = tiles.nv, lanes = tiles.lanes;
  SmallVector<Value> rows;
  for (int64_t i = 0; i < mr; ++i) {
    Index at = emit.add(row, emit.constant(i));
    if (!packedA && !divides(m, mr))
      at = emit.min(at, emit.sub(m, emit.constant(1)));
    rows.push_back(emit.value(at));
  }
  Index rowTile = emit.div(row, mr);
  SmallVector<Value> zeros(mr * nv, emit.zero(vectorType));
  SmallVector<Value> sums = emit.loop(
      emit.constant(0), extent, emit.constant(1), zeros,
      [&](Index kk, ValueRange carried) {
        SmallVector<Value> next(carried);
        Index inA = emit.add(from, kk);
        SmallVector<Value> columns;
        for (int64_t j = 0; j < nv; ++j) {
          Index at = emit.add(column, emit.constant(j * lanes));
          if (panel)
            columns.push_back(vector::LoadOp::create(
                builder, loc, vectorType, panel,
                ValueRange{emit.value(kk),
                           emit.value(emit.constant(j * lanes))}));
          else if (fullColumns)
            columns.push_back(load(b, inA, at, lanes));
          else
            columns.push_back(load(b, inA, at, lanes, left(at)));
        }
        for (int64_t i = 0; i < mr; ++i) {
          Value element;
          if (!packedA)
            element = memref::LoadOp::create(
                builder, loc, a.view, ValueRange{rows[i], emit.value(inA)});
          else if (interleaved)
            element = memref::LoadOp::create(
                builder, loc, packedA,
                ValueRange{emit.value(rowTile), emit.value(kk),
                           emit.value(emit.constant(i))});
          else
            element = memref::LoadOp::create(
                builder, loc, packedA, ValueRange{rows[i], emit.value(kk)});
          Value splat = vector::BroadcastOp::create(builder, loc, vectorType,
                                                    widen(element));
          for (int64_t j = 0; j < nv; ++j)
            next[i * nv + j] = vector::FMAOp::create(
                builder, loc, splat, columns[j], carried[i * nv + j]);
        }
        return next;
      });

  // The common case stores whole vectors; the edge looks at every row.
  if (fullColumns && divides(m, mr))
    return store(row, column, sums, first, true);
  Value inside =
      emit.lessThan(emit.add(row, emit.constant(mr - 1)), m);
  if (!fullColumns)
    inside = arith::AndIOp::create(
        builder, loc, inside,
        emit.lessThan(emit.add(column, emit.constant(tiles.nr() - 1)), n));
  emit.branch(
      inside, [&] { store(row, column, sums, first, true); },
      [&] { store(row, column, sums, first, false); });
}

void ContractionEmitter::store(Index row, Index column, ArrayRef<Value> sums,
                               Value first, bool full) {
  int64_t lanes = tiles.lanes;
  auto stored = VectorType::get(lanes, c.element);
  auto write = [&](bool add) {
    for (int64_t i = 0; i < tiles.mr; ++i) {
      Index at = emit.add(row, emit.constant(i));
      auto writeRow = [&] {
        for (int64_t j = 0; j < tiles.nv; ++j) {
          Index from = emit.add(column, emit.constant(j * lanes));
          SmallVector<Value> position = {emit.value(at), emit.value(from)};
          Value mask = full ? Value() : emit.mask(lanes, left(from));
          Value sum = sums[i * tiles.nv + j];
          if (add) {
            Value old =
                full ? Value(vector::LoadOp::create(builder, loc, stored,
                                                    c.view, position))
                     : Value(vector::MaskedLoadOp::create(
                           builder, loc, stored, c.view, position, mask,
                           emit.zero(stored)));
            sum = arith::AddFOp::create(builder, loc, widen(old), sum);
          }
          if (stored != vectorType)
            sum = arith::TruncFOp::create(builder, loc, stored, sum);
          if (full)
            vector::StoreOp::create(builder, loc, sum, c.view, position);
          else
            vector::MaskedStoreOp::create(builder, loc, c.view, position, mask,
                                          sum);
        }
      };
      if (full)
        writeRow();
      else
        emit.branch(emit.lessThan(at, m), writeRow);
    }
  };
  if (!zeroInit)
    return write(true);
  if (!first)
    return write(false);
  emit.branch(first, [&] { write(false); }, [&] { write(true); });
}
} // namespace

void shardir::emitContraction(LoopEmitter &emit, const Contraction &contraction,
                              const ContractionTiles &tiles, bool zeroInit) {
  ContractionEmitter(emit, contraction, tiles, zeroInit).run();
}
