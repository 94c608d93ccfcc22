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
  void kLoops(size_t depth, SmallVector<Index> &ivs, Value first);
  void kBlock(ArrayRef<Index> ivs, Index from, Index extent, Value first);
  /// Rows `row` to `row + mr` of the block, columns `from` on, into packedA.
  void packRows(Index row, Index from, Index extent);
  /// Panel `p` of the block, rows `from` on, into packedB.
  void packPanel(Index p, Index from, Index extent);
  void packPanelTransposed(Index p, Index from, Index extent);
  /// Register tile (t, p) of the block of rows and the block of columns.
  void tile(Index p, Index t, Index from, Index extent, Value first);
  void multiply(Index p, Index t, Index from, Index extent, Value first,
                bool fullColumns);
  void dotProducts(Index p, Index t, Index from, Index extent, Value first);
  void store(Index row, Index column, ArrayRef<Value> sums, Value first,
             bool fullColumns);

  /// `lanes` elements of row `row` of `matrix` from `column` on, widened to the
  /// accumulator's type; those past `count` are zero.
  Value load(const MatrixView &matrix, Index row, Index column, int64_t lanes,
             std::optional<Index> count = std::nullopt);
  Value widen(Value value);
  /// Columns of the edge panel that exist, counted from `column`.
  Index left(Index column) { return emit.sub(n, column); }
  /// The end of the block of `size` that starts at `start`.
  Index blockEnd(Index start, Index end, int64_t size) {
    return emit.min(end, emit.add(start, emit.constant(size)));
  }
  Index columnOf(Index p) {
    return emit.add(columnStart, emit.mul(p, emit.constant(tiles.nr())));
  }
  /// Whether all of panel p's columns exist.
  Value isFullPanel(Index p) {
    return emit.lessThan(emit.add(columnOf(p), emit.constant(tiles.nr() - 1)),
                         n);
  }
  /// A loop whose iterations threads may share.
  void share(Index count, function_ref<void(Index)> body) {
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
  OpBuilder &builder;
  Location loc;
  const Contraction &op;
  const ContractionTiles &tiles;
  bool zeroInit;
  Type accumulator;
  VectorType vectorType;

  // Of the product that is being emitted.
  SmallVector<Index> position;
  MatrixView a, b, c;
  Index m, n, k;
  /// The rows of A and C, and the first column, that are worked on.
  Index rowStart, rowEnd, columnStart;
  /// The packed rows of A, [rows rounded up][kc], or, where A's columns are
  /// contiguous, [rows / mr][kc][mr]; and the packed panels of B,
  /// [columns / nr][kc][nr].
  Value packedA, packedB;
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

  auto allocate = [&](ArrayRef<Index> sizes) {
    auto alloc = memref::AllocOp::create(builder, loc, sizes, accumulator);
    alloc.setAlignment(64);
    return alloc;
  };
  Index maxRows = emit.min(m, emit.constant(tiles.maxRows)),
        maxColumns = emit.min(n, emit.constant(tiles.maxColumns));
  Index kc = emit.constant(tiles.kc), mr = emit.constant(tiles.mr),
        nr = emit.constant(tiles.nr());
  packedA = packedB = {};
  if (tiles.packA) {
    bool unitK = op.k >= 0 && LoopEmitter::isKnown(op.a.strides[op.k], 1);
    bool unitM = op.m >= 0 && LoopEmitter::isKnown(op.a.strides[op.m], 1);
    interleaved = unitM && !unitK;
    Index rowTiles = emit.ceilDiv(maxRows, tiles.mr);
    if (interleaved)
      packedA = allocate({rowTiles, kc, mr});
    else
      packedA = allocate({emit.mul(rowTiles, mr), kc});
  }
  // Squares that are transposed at the end of k overhang.
  if (tiles.packB)
    packedB = allocate({emit.ceilDiv(maxColumns, tiles.nr()),
                        emit.roundUp(kc, tiles.lanes), nr});

  emit.loop(emit.constant(0), m, emit.constant(tiles.maxRows),
            [&](Index start) {
              rowStart = start;
              rowEnd = blockEnd(start, m, tiles.maxRows);
              kLoops(0, ivs, {});
            });
  for (Value buffer : {packedA, packedB})
    if (buffer)
      memref::DeallocOp::create(builder, loc, buffer);
}

void ContractionEmitter::kLoops(size_t depth, SmallVector<Index> &ivs,
                                Value first) {
  // `first` is true where every loop over k stands at its start; none: always.
  auto alsoAtStart = [&](Index i) {
    if (LoopEmitter::isKnown(i, 0))
      return first;
    Value zero = emit.equal(i, emit.constant(0));
    return first ? Value(arith::AndIOp::create(builder, loc, first, zero))
                 : zero;
  };
  if (depth < op.outerK.size()) {
    int dim = op.outerK[depth];
    emit.loop(emit.constant(0), op.extents[dim], emit.constant(1),
              [&](Index i) {
                ivs[dim] = i;
                kLoops(depth + 1, ivs, alsoAtStart(i));
              });
    ivs[dim] = Index();
    return;
  }
  emit.loop(emit.constant(0), k, emit.constant(tiles.kc), [&](Index from) {
    Index extent = emit.sub(blockEnd(from, k, tiles.kc), from);
    if (divides(k, tiles.kc))
      extent = emit.constant(tiles.kc);
    kBlock(ivs, from, extent, alsoAtStart(from));
  });
}

void ContractionEmitter::kBlock(ArrayRef<Index> ivs, Index from, Index extent,
                                Value first) {
  position.assign(ivs.begin(), ivs.end());
  a = op.view(emit, op.a, op.m, op.k, ivs);
  b = op.view(emit, op.b, op.k, op.n, ivs);
  int64_t mr = tiles.mr, nr = tiles.nr();
  Index zero = emit.constant(0), one = emit.constant(1);
  Index rowTiles = emit.ceilDiv(emit.sub(rowEnd, rowStart), mr);

  if (packedA) {
    // Tiles of rows are packed in groups: a copy of 64 rows is worth a thread.
    constexpr int64_t group = 8;
    share(emit.ceilDiv(rowTiles, group), [&](Index g) {
      Index start = emit.mul(g, emit.constant(group));
      Index end = blockEnd(start, rowTiles, group);
      emit.loop(start, end, one, [&](Index tile) {
        packRows(emit.mul(tile, emit.constant(mr)), from, extent);
      });
    });
  }
  emit.loop(zero, n, emit.constant(tiles.maxColumns), [&](Index start) {
    columnStart = start;
    Index end = blockEnd(start, n, tiles.maxColumns);
    Index panels = emit.ceilDiv(emit.sub(end, start), nr);
    if (packedB)
      share(panels, [&](Index p) { packPanel(p, from, extent); });

    // Chunks of one block of rows follow each other: it stays in the cache.
    int64_t perM = std::max<int64_t>(tiles.mc / mr, 1);
    Index countM = emit.ceilDiv(rowTiles, perM);
    Index perN = emit.ceilDiv(panels, tiles.chunksN);
    if (!LoopEmitter::known(perN))
      perN = Index(Value(arith::MaxSIOp::create(builder, loc, emit.value(perN),
                                                emit.value(one))));
    Index countN = emit.div(emit.sub(emit.add(panels, perN), one), perN);
    share(emit.mul(countM, countN), [&](Index i) {
      Index tileFrom = emit.mul(emit.div(i, countN), emit.constant(perM));
      Index tileTo = blockEnd(tileFrom, rowTiles, perM);
      Index panelFrom = emit.mul(emit.rem(i, countN), perN);
      Index panelTo = emit.min(panels, emit.add(panelFrom, perN));
      emit.loop(panelFrom, panelTo, one, [&](Index p) {
        emit.loop(tileFrom, tileTo, one,
                  [&](Index t) { tile(p, t, from, extent, first); });
      });
    });
  });
}

void ContractionEmitter::packRows(Index row, Index from, Index extent) {
  // Rows past the end are copies of the last one: their sums are not stored.
  auto source = [&](int64_t i) {
    Index at = emit.add(rowStart, emit.add(row, emit.constant(i)));
    return divides(m, tiles.mr) ? at
                                : emit.min(at, emit.sub(m, emit.constant(1)));
  };
  if (interleaved) {
    Value tile = emit.value(emit.div(row, tiles.mr));
    SmallVector<Value> rows;
    for (int64_t i = 0; i < tiles.mr; ++i)
      rows.push_back(emit.value(source(i)));
    emit.loop(emit.constant(0), extent, emit.constant(1), [&](Index kk) {
      Value column = emit.value(emit.add(from, kk));
      for (int64_t i = 0; i < tiles.mr; ++i) {
        Value element = memref::LoadOp::create(builder, loc, a.view,
                                               ValueRange{rows[i], column});
        memref::StoreOp::create(
            builder, loc, widen(element), packedA,
            ValueRange{tile, emit.value(kk), emit.value(emit.constant(i))});
      }
    });
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
    emit.loop(emit.constant(0), emit.constant(tiles.nr()), emit.constant(1),
              [&](Index j) {
                Value at = emit.value(source(j));
                emit.loop(emit.constant(0), extent, emit.constant(1),
                          [&](Index kk) {
                            Value element = memref::LoadOp::create(
                                builder, loc, b.view,
                                ValueRange{emit.value(emit.add(from, kk)), at});
                            memref::StoreOp::create(
                                builder, loc, widen(element), packedB,
                                ValueRange{emit.value(p), emit.value(kk),
                                           emit.value(j)});
                          });
              });
    return;
  }
  // Squares of lanes x lanes: read along k, transposed, written along n. The
  // panel has room for rows past the end of k.
  MatrixView columns =
      op.view(emit, op.b, op.n, op.k, ArrayRef<Index>(position));
  auto square = [&](Index j, Index kk, std::optional<Index> count) {
    SmallVector<Value> rows;
    for (int64_t i = 0; i < lanes; ++i)
      rows.push_back(load(columns, source(emit.add(j, emit.constant(i))),
                          emit.add(from, kk), lanes, count));
    for (auto [i, row] : llvm::enumerate(emit.transpose(rows)))
      vector::StoreOp::create(
          builder, loc, row, packedB,
          ValueRange{emit.value(p),
                     emit.value(emit.add(kk, emit.constant(i))),
                     emit.value(j)});
  };
  Index whole = emit.mul(emit.div(extent, lanes), emit.constant(lanes));
  emit.loop(emit.constant(0), emit.constant(tiles.nr()), emit.constant(lanes),
            [&](Index j) {
              emit.loop(emit.constant(0), whole, emit.constant(lanes),
                        [&](Index kk) { square(j, kk, std::nullopt); });
              if (!divides(extent, lanes))
                emit.loop(whole, extent, emit.constant(lanes), [&](Index kk) {
                  square(j, kk, emit.sub(extent, kk));
                });
            });
}

void ContractionEmitter::tile(Index p, Index t, Index from, Index extent,
                              Value first) {
  if (tiles.kind == ContractionTiles::Kind::Inner)
    return dotProducts(p, t, from, extent, first);
  // Packed panels exist past the edge; what is read directly is masked there.
  if (packedB || divides(n, tiles.nr()))
    return multiply(p, t, from, extent, first, divides(n, tiles.nr()));
  emit.branch(
      isFullPanel(p), [&] { multiply(p, t, from, extent, first, true); },
      [&] { multiply(p, t, from, extent, first, false); });
}

void ContractionEmitter::multiply(Index p, Index t, Index from, Index extent,
                                  Value first, bool fullColumns) {
  int64_t mr = tiles.mr, nv = tiles.nv, lanes = tiles.lanes;
  Index local = emit.mul(t, emit.constant(mr));
  Index row = emit.add(rowStart, local), column = columnOf(p);
  SmallVector<Value> rows;
  for (int64_t i = 0; i < mr; ++i) {
    Index at = emit.add(packedA ? local : row, emit.constant(i));
    if (!packedA && !divides(m, mr))
      at = emit.min(at, emit.sub(m, emit.constant(1)));
    rows.push_back(emit.value(at));
  }
  SmallVector<Value> zeros(mr * nv, emit.zero(vectorType));
  SmallVector<Value> sums =
      emit.loop(emit.constant(0), extent, emit.constant(1), zeros,
                [&](Index kk, ValueRange carried) {
                  SmallVector<Value> next(carried);
                  Index inA = emit.add(from, kk);
                  SmallVector<Value> columns;
                  for (int64_t j = 0; j < nv; ++j) {
                    Index at = emit.add(column, emit.constant(j * lanes));
                    if (packedB)
                      columns.push_back(vector::LoadOp::create(
                          builder, loc, vectorType, packedB,
                          ValueRange{emit.value(p), emit.value(kk),
                                     emit.value(emit.constant(j * lanes))}));
                    else if (fullColumns)
                      columns.push_back(load(b, inA, at, lanes));
                    else
                      columns.push_back(load(b, inA, at, lanes, left(at)));
                  }
                  for (int64_t i = 0; i < mr; ++i) {
                    SmallVector<Value> position = {rows[i], emit.value(kk)};
                    if (!packedA)
                      position[1] = emit.value(inA);
                    else if (interleaved)
                      position = {emit.value(t), emit.value(kk),
                                  emit.value(emit.constant(i))};
                    Value element = memref::LoadOp::create(
                        builder, loc, packedA ? packedA : a.view, position);
                    Value splat = vector::BroadcastOp::create(
                        builder, loc, vectorType, widen(element));
                    for (int64_t j = 0; j < nv; ++j)
                      next[i * nv + j] = vector::FMAOp::create(
                          builder, loc, splat, columns[j], carried[i * nv + j]);
                  }
                  return next;
                });

  // The common case stores whole vectors; the edge looks at every row.
  if (fullColumns && divides(m, mr))
    return store(row, column, sums, first, true);
  Value inside = emit.lessThan(emit.add(row, emit.constant(mr - 1)), m);
  if (!fullColumns)
    inside = arith::AndIOp::create(builder, loc, inside, isFullPanel(p));
  emit.branch(
      inside, [&] { store(row, column, sums, first, true); },
      [&] { store(row, column, sums, first, false); });
}

void ContractionEmitter::dotProducts(Index p, Index t, Index from,
                                     Index extent, Value first) {
  int64_t mr = tiles.mr, columns = tiles.nv, lanes = tiles.lanes;
  MatrixView byColumn =
      op.view(emit, op.b, op.n, op.k, ArrayRef<Index>(position));
  Index one = emit.constant(1);
  Index row = emit.add(rowStart, emit.mul(t, emit.constant(mr)));
  auto inside = [&](Index start, int64_t i, Index end, int64_t by) {
    Index at = emit.add(start, emit.constant(i));
    return divides(end, by) ? at : emit.min(at, emit.sub(end, one));
  };
  auto step = [&](Index kk, ValueRange carried, std::optional<Index> count) {
    SmallVector<Value> next(carried), left, right;
    Index at = emit.add(from, kk);
    for (int64_t i = 0; i < mr; ++i)
      left.push_back(load(a, inside(row, i, m, mr), at, lanes, count));
    for (int64_t j = 0; j < columns; ++j)
      right.push_back(load(byColumn, inside(columnOf(p), j, n, columns), at,
                           lanes, count));
    for (int64_t i = 0; i < mr; ++i)
      for (int64_t j = 0; j < columns; ++j)
        next[i * columns + j] =
            vector::FMAOp::create(builder, loc, left[i], right[j],
                                  carried[i * columns + j]);
    return next;
  };
  SmallVector<Value> sums(mr * columns, emit.zero(vectorType));
  Index whole = emit.mul(emit.div(extent, lanes), emit.constant(lanes));
  sums = emit.loop(
      emit.constant(0), whole, emit.constant(lanes), sums,
      [&](Index kk, ValueRange now) { return step(kk, now, std::nullopt); });
  // Lanes past the end are zero in both operands.
  if (!divides(extent, lanes))
    sums = step(whole, sums, emit.sub(extent, whole));

  for (int64_t i = 0; i < mr; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      Value sum = vector::ReductionOp::create(
          builder, loc, vector::CombiningKind::ADD, sums[i * columns + j],
          arith::FastMathFlags::reassoc);
      Index atRow = emit.add(row, emit.constant(i)),
            atColumn = emit.add(columnOf(p), emit.constant(j));
      SmallVector<Value> at = {emit.value(atRow), emit.value(atColumn)};
      auto write = [&] {
        auto put = [&](bool add) {
          Value result = sum;
          if (add)
            result = arith::AddFOp::create(
                builder, loc,
                widen(memref::LoadOp::create(builder, loc, c.view, at)), sum);
          if (c.element != accumulator)
            result = arith::TruncFOp::create(builder, loc, c.element, result);
          memref::StoreOp::create(builder, loc, result, c.view, at);
        };
        if (!zeroInit)
          put(true);
        else if (!first)
          put(false);
        else
          emit.branch(first, [&] { put(false); }, [&] { put(true); });
      };
      if (divides(m, mr) && divides(n, columns)) {
        write();
        continue;
      }
      emit.branch(emit.lessThan(atRow, m),
                  [&] { emit.branch(emit.lessThan(atColumn, n), write); });
    }
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
            Value old = full ? Value(vector::LoadOp::create(
                                   builder, loc, stored, c.view, position))
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
