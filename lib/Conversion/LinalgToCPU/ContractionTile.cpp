//===- ContractionTile.cpp - Register tiles -------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires packed or directly readable operands. Guarantees that the sums of
// a tile stay in registers over a block of k, and that only elements of C that
// exist are written.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

Value ContractionEmitter::widen(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element == accumulator)
    return value;
  Type type = accumulator;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(accumulator);
  return arith::ExtFOp::create(builder, loc, type, value);
}

Value ContractionEmitter::read(const MatrixView &matrix, Index row,
                               Index column, int64_t lanes,
                               std::optional<Index> count) {
  auto type = VectorType::get(lanes, matrix.element);
  SmallVector<Value> at = {emit.value(row), emit.value(column)};
  if (!count)
    return vector::LoadOp::create(builder, loc, type, matrix.view, at);
  return vector::MaskedLoadOp::create(builder, loc, type, matrix.view, at,
                                      emit.mask(lanes, *count),
                                      emit.zero(type));
}

Value ContractionEmitter::load(const MatrixView &matrix, Index row,
                               Index column, int64_t lanes,
                               std::optional<Index> count) {
  return widen(read(matrix, row, column, lanes, count));
}

void ContractionEmitter::tile(Index p, Index t, Index from, Index extent,
                              Value first) {
  if (tiles.kind == ContractionTiles::Kind::Inner)
    return dotProducts(p, t, from, extent, first);
  if (tiles.unit == ContractionTiles::Unit::Bf16Tiles)
    return multiplyTiles(p, t, from, extent, first);
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
  auto pairs = VectorType::get(2 * lanes, builder.getBF16Type());
  auto words = VectorType::get(lanes, builder.getI32Type());
  // Two steps of k at once: pairs of bf16, multiplied and added in f32.
  auto pairStep = [&](Index pair, ValueRange carried) {
    SmallVector<Value> next(carried), columns;
    for (int64_t j = 0; j < nv; ++j)
      columns.push_back(vector::LoadOp::create(
          builder, loc, pairs, packedB,
          ValueRange{emit.value(p), emit.value(pair),
                     emit.value(emit.constant(2 * j * lanes))}));
    Index inA = emit.mul(pair, emit.constant(2));
    if (!packedA)
      inA = emit.add(from, inA);
    for (int64_t i = 0; i < mr; ++i) {
      Value two = vector::LoadOp::create(
          builder, loc, VectorType::get(2, builder.getBF16Type()),
          packedA ? packedA : a.view, ValueRange{rows[i], emit.value(inA)});
      Value word = vector::ExtractOp::create(
          builder, loc,
          vector::BitCastOp::create(
              builder, loc, VectorType::get(1, builder.getI32Type()), two),
          int64_t(0));
      Value splat = vector::BitCastOp::create(
          builder, loc, pairs,
          vector::BroadcastOp::create(builder, loc, words, word));
      for (int64_t j = 0; j < nv; ++j)
        next[i * nv + j] =
            LLVM::CallIntrinsicOp::create(
                builder, loc, vectorType,
                builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
                ValueRange{carried[i * nv + j], splat, columns[j]})
                .getResult(0);
    }
    return next;
  };
  Index steps = tiles.usesPairs() ? emit.ceilDiv(extent, 2) : extent;
  SmallVector<Value> sums =
      emit.loop(emit.constant(0), steps, emit.constant(1), zeros,
                [&](Index kk, ValueRange carried) {
                  if (tiles.usesPairs())
                    return pairStep(kk, carried);
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

void ContractionEmitter::dotProducts(Index p, Index t, Index from, Index extent,
                                     Value first) {
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
      right.push_back(
          load(byColumn, inside(columnOf(p), j, n, columns), at, lanes, count));
    for (int64_t i = 0; i < mr; ++i)
      for (int64_t j = 0; j < columns; ++j)
        next[i * columns + j] = vector::FMAOp::create(
            builder, loc, left[i], right[j], carried[i * columns + j]);
    return next;
  };
  SmallVector<Value> sums(mr * columns, emit.zero(vectorType));
  Index full = emit.mul(emit.div(extent, lanes), emit.constant(lanes));
  sums = emit.loop(
      emit.constant(0), full, emit.constant(lanes), sums,
      [&](Index kk, ValueRange now) { return step(kk, now, std::nullopt); });
  // Lanes past the end are zero in both operands.
  if (!divides(extent, lanes))
    sums = step(full, sums, emit.sub(extent, full));

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
    for (int64_t i = 0; i < int64_t(sums.size()) / tiles.nv; ++i) {
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
