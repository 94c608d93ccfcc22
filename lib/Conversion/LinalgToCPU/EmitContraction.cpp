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

#include "ContractionEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

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

  auto allocate = [&](ArrayRef<Index> sizes, Type element) {
    auto alloc = memref::AllocOp::create(builder, loc, sizes, element);
    alloc.setAlignment(64);
    return alloc;
  };
  Index maxRows = emit.min(m, emit.constant(tiles.maxRows)),
        maxColumns = emit.min(n, emit.constant(tiles.nc));
  // Of an extent that is known when the program runs no more than it takes.
  Index kc = emit.constant(tiles.kc), mr = emit.constant(tiles.mr);
  if (!LoopEmitter::known(k))
    kc = emit.min(
        emit.roundUp(k, std::max({tiles.lanes, tiles.depth(), int64_t(4)})),
        kc);
  packedA = packedB = rowStarts = chunkSums = {};
  firstPanel = emit.constant(0);
  auto makeViews = [&] {
    position.assign(ivs.begin(), ivs.end());
    a = op.view(emit, op.a, op.m, op.k, ivs);
    b = op.view(emit, op.b, op.k, op.n, ivs);
  };
  // Of packed rows. Squares of words overhang. Rows of tiles are read side by
  // side: an odd number of lines apart, they do not compete for the same sets
  // of the cache.
  packedRow =
      tiles.perWord > 1 ? emit.roundUp(kc, tiles.perWord * tiles.lanes) : kc;
  if (tiles.unit == ContractionTiles::Unit::Tiles)
    packedRow = emit.add(packedRow, emit.constant(tiles.depth()));
  if (tiles.packsInChunks || (!tiles.packA && !tiles.packB)) {
    // Nothing is prepared for all threads: each runs through k by itself.
    rowStart = columnStart = emit.constant(0);
    rowEnd = m;
    chunks(
        n, [&](Index tileFrom, Index tileTo, Index panelFrom, Index panelTo) {
          if (tiles.packsInChunks)
            prepareChunk(panelFrom);
          kLoops(0, ivs, {}, [&](Index from, Index extent, Value first) {
            makeViews();
            if (tiles.packsInChunks)
              packChunk(tileTo, panelFrom, panelTo, from, extent);
            tilesOf(tileFrom, tileTo, panelFrom, panelTo, from, extent, first);
          });
          if (chunkSums)
            finishChunk(tileTo, panelFrom, panelTo);
        });
    return;
  }
  if (tiles.packA) {
    bool unitK = op.k >= 0 && LoopEmitter::isKnown(op.a.strides[op.k], 1);
    bool unitM = op.m >= 0 && LoopEmitter::isKnown(op.a.strides[op.m], 1);
    interleaved = unitM && !unitK && tiles.perWord == 1;
    Index rowTiles = emit.ceilDiv(maxRows, tiles.mr);
    if (interleaved)
      packedA = allocate({rowTiles, kc, mr}, packedType());
    if (!interleaved)
      packedA = allocate({emit.mul(rowTiles, mr), packedRow}, packedType());
    if (tiles.biased)
      rowStarts = allocate({emit.mul(rowTiles, mr)}, accumulator);
  }
  // Squares that are transposed at the end of k overhang.
  if (tiles.packB)
    packedB =
        allocate({emit.ceilDiv(maxColumns, tiles.nr()),
                  emit.roundUp(emit.ceilDiv(kc, tiles.perWord), tiles.lanes),
                  emit.constant(tiles.perWord * tiles.nr())},
                 packedType());

  emit.loop(emit.constant(0), m, emit.constant(tiles.maxRows),
            [&](Index start) {
              rowStart = start;
              rowEnd = blockEnd(start, m, tiles.maxRows);
              kLoops(0, ivs, {}, [&](Index from, Index extent, Value first) {
                makeViews();
                kBlock(from, extent, first);
              });
            });
  for (Value buffer : {packedA, packedB, rowStarts})
    if (buffer)
      memref::DeallocOp::create(builder, loc, buffer);
}

Value ContractionEmitter::onStack(ArrayRef<int64_t> sizes, Type element) {
  Operation *scope = builder.getInsertionBlock()->getParentOp();
  while (!isa<scf::ForallOp, FunctionOpInterface>(scope))
    scope = scope->getParentOp();
  OpBuilder front = OpBuilder::atBlockBegin(&scope->getRegion(0).front());
  return memref::AllocaOp::create(front, loc, MemRefType::get(sizes, element),
                                  front.getI64IntegerAttr(64));
}

void ContractionEmitter::prepareChunk(Index panelFrom) {
  firstPanel = panelFrom;
  int64_t rows = tiles.mc, // all
      words = llvm::divideCeil(tiles.kc, tiles.perWord);
  if (tiles.packA)
    packedA = onStack({rows, *LoopEmitter::known(packedRow)}, packedType());
  if (tiles.biased)
    rowStarts = onStack({rows}, accumulator);
  packedB = onStack({tiles.nc / tiles.nr(),
                     int64_t(llvm::alignTo(words, tiles.lanes)),
                     tiles.perWord * tiles.nr()},
                    packedType());
  if (tiles.unit != ContractionTiles::Unit::Tiles)
    return;
  int64_t columns = tiles.nc;
  chunkSums = onStack({rows, columns}, accumulator);
  emit.loop(emit.constant(0), emit.constant(rows), emit.constant(1),
            [&](Index i) {
              emit.loop(emit.constant(0), emit.constant(columns),
                        emit.constant(tiles.lanes), [&](Index j) {
                          vector::StoreOp::create(
                              builder, loc, emit.zero(vectorType), chunkSums,
                              ValueRange{emit.value(i), emit.value(j)});
                        });
            });
}

void ContractionEmitter::packChunk(Index tileTo, Index panelFrom, Index panelTo,
                                   Index from, Index extent) {
  Index one = emit.constant(1);
  if (packedA)
    emit.loop(emit.constant(0), tileTo, one, [&](Index t) {
      packRows(emit.mul(t, emit.constant(tiles.mr)), from, extent);
    });
  packPanels(panelFrom, panelTo, from, extent);
}

void ContractionEmitter::kLoops(size_t depth, SmallVector<Index> &ivs,
                                Value first,
                                function_ref<void(Index, Index, Value)> body) {
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
                kLoops(depth + 1, ivs, alsoAtStart(i), body);
              });
    ivs[dim] = Index();
    return;
  }
  emit.loop(emit.constant(0), k, emit.constant(tiles.kc), [&](Index from) {
    Index extent = emit.sub(blockEnd(from, k, tiles.kc), from);
    if (divides(k, tiles.kc))
      extent = emit.constant(tiles.kc);
    body(from, extent, alsoAtStart(from));
  });
}

void ContractionEmitter::kBlock(Index from, Index extent, Value first) {
  int64_t mr = tiles.mr, nr = tiles.nr();
  Index zero = emit.constant(0), one = emit.constant(1);
  Index rowTiles = emit.ceilDiv(emit.sub(rowEnd, rowStart), mr);

  if (packedA) {
    // Tiles of rows are packed in groups: a copy of 64 rows is worth a thread.
    int64_t group = std::clamp<int64_t>(64 / mr, 1, 8);
    share(emit.ceilDiv(rowTiles, group), [&](Index g) {
      Index start = emit.mul(g, emit.constant(group));
      Index end = blockEnd(start, rowTiles, group);
      emit.loop(start, end, one, [&](Index tile) {
        packRows(emit.mul(tile, emit.constant(mr)), from, extent);
      });
    });
  }
  auto compute = [&](Index columns) {
    chunks(columns,
           [&](Index tileFrom, Index tileTo, Index panelFrom, Index panelTo) {
             tilesOf(tileFrom, tileTo, panelFrom, panelTo, from, extent, first);
           });
  };
  columnStart = zero;
  if (!packedB)
    return compute(n);
  emit.loop(zero, n, emit.constant(tiles.nc), [&](Index start) {
    columnStart = start;
    Index columns = divides(n, tiles.nc)
                        ? emit.constant(tiles.nc)
                        : emit.sub(blockEnd(start, n, tiles.nc), start);
    // Groups of panels that have rows of two lines, which memory hands over
    // together: single ones of AMX took 4 to 6 % more of a product's time.
    int64_t rowBits = nr * b.element.getIntOrFloatBitWidth();
    int64_t group = b.unitColumn ? std::max<int64_t>(2 * 512 / rowBits, 1) : 1;
    Index panels = emit.ceilDiv(columns, nr);
    share(emit.ceilDiv(panels, group), [&](Index g) {
      Index panel = emit.mul(g, emit.constant(group));
      packPanels(panel, blockEnd(panel, panels, group), from, extent);
    });
    compute(columns);
  });
}

void ContractionEmitter::chunks(
    Index columns, function_ref<void(Index, Index, Index, Index)> body) {
  // Chunks of one block of rows follow each other: it stays in the cache.
  Index rowTiles = emit.ceilDiv(emit.sub(rowEnd, rowStart), tiles.mr);
  Index panels = emit.ceilDiv(columns, tiles.nr());
  int64_t perM = tiles.mc / tiles.mr, perN = tiles.nc / tiles.nr();
  Index countN = emit.ceilDiv(panels, perN);
  share(emit.mul(emit.ceilDiv(rowTiles, perM), countN), [&](Index i) {
    Index tileFrom = emit.mul(emit.div(i, countN), emit.constant(perM));
    Index panelFrom = emit.mul(emit.rem(i, countN), emit.constant(perN));
    body(tileFrom, blockEnd(tileFrom, rowTiles, perM), panelFrom,
         blockEnd(panelFrom, panels, perN));
  });
}

void ContractionEmitter::tilesOf(Index tileFrom, Index tileTo, Index panelFrom,
                                 Index panelTo, Index from, Index extent,
                                 Value first) {
  Index one = emit.constant(1);
  auto panels = [&](auto body) { emit.loop(panelFrom, panelTo, one, body); };
  auto rows = [&](auto body) { emit.loop(tileFrom, tileTo, one, body); };
  if (tiles.keepsRows)
    return rows([&](Index t) {
      panels([&](Index p) { tile(p, t, from, extent, first); });
    });
  panels([&](Index p) {
    rows([&](Index t) { tile(p, t, from, extent, first); });
  });
}

void shardir::emitContraction(LoopEmitter &emit, const Contraction &contraction,
                              const ContractionTiles &tiles, bool zeroInit,
                              const LoopNest *epilogue) {
  if (!tiles.transposed)
    return ContractionEmitter(emit, contraction, tiles, zeroInit, epilogue)
        .run();
  Contraction swapped = contraction;
  std::swap(swapped.a, swapped.b);
  std::swap(swapped.m, swapped.n);
  ContractionEmitter(emit, swapped, tiles, zeroInit, epilogue).run();
}
