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

/// How far ahead dot products ask memory for B: 512 bytes were as good, and
/// nothing a sixth slower (8 x 4096 x 4096 in f32, an Intel Xeon).
static constexpr int64_t prefetchedBytes = 1024;

/// How many rows ahead register tiles ask for a packed panel: 4 were as good,
/// and none took 1 to 2 % longer (1024 x 1024 x 1024 in f32, an Intel Xeon).
static constexpr int64_t prefetchedRows = 8;

Value ContractionEmitter::widen(Value value, Type element, bool isUnsigned) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  if (isa<FloatType>(element))
    return arith::ExtFOp::create(builder, loc, type, value);
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value ContractionEmitter::add(Value a, Value b) {
  if (isa<FloatType>(accumulator))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

Value ContractionEmitter::multiplyAdd(Value a, Value b, Value c) {
  if (isa<FloatType>(accumulator))
    return vector::FMAOp::create(builder, loc, a, b, c);
  return add(arith::MulIOp::create(builder, loc, a, b), c);
}

Value ContractionEmitter::splatWord(Value word) {
  auto words = VectorType::get(tiles.lanes, builder.getI32Type());
  return vector::BitCastOp::create(
      builder, loc, wordsType(),
      vector::BroadcastOp::create(builder, loc, words, word));
}

Value ContractionEmitter::loadWords(Index p, Index word, int64_t j) {
  Index column = emit.constant(tiles.perWord * j * tiles.lanes);
  return vector::LoadOp::create(
      builder, loc, wordsType(), packedB,
      ValueRange{placeOf(p), emit.value(word), emit.value(column)});
}

Value ContractionEmitter::addDots(Value sum, Value a, Value b) {
  SmallVector<Value> operands = {sum, a, b};
  if (tiles.firstIsUnsigned && !op.a.isUnsigned)
    std::swap(operands[1], operands[2]);
  if (tiles.addsApart)
    operands.erase(operands.begin());
  Value result = LLVM::CallIntrinsicOp::create(
                     builder, loc, vectorType,
                     builder.getStringAttr(tiles.intrinsic), operands)
                     .getResult(0);
  return tiles.addsApart ? add(sum, result) : result;
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
  return widen(read(matrix, row, column, lanes, count), matrix.isUnsigned);
}

void ContractionEmitter::tile(Index p, Index t, Index from, Index extent,
                              Value first) {
  if (tiles.kind == ContractionTiles::Kind::Inner)
    return dotProducts(p, t, from, extent, first);
  if (tiles.unit == ContractionTiles::Unit::Tiles)
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
  prefetchResult(row, column, first);
  int64_t perWord = tiles.perWord;
  SmallVector<Value> starts;
  for (int64_t i = 0; i < mr; ++i) {
    Value start = emit.zero(vectorType);
    if (tiles.biased)
      start = vector::BroadcastOp::create(
          builder, loc, vectorType,
          memref::LoadOp::create(builder, loc, rowStarts, rows[i]));
    starts.append(nv, start);
  }
  // A word along k at once: two or four elements, multiplied and added.
  auto wordStep = [&](Index word, ValueRange carried) {
    SmallVector<Value> next(carried), columns;
    prefetchPanel(p, word);
    for (int64_t j = 0; j < nv; ++j)
      columns.push_back(loadWords(p, word, j));
    Index inA = emit.mul(word, emit.constant(perWord));
    if (!packedA)
      inA = emit.add(from, inA);
    for (int64_t i = 0; i < mr; ++i) {
      Value elements = vector::LoadOp::create(
          builder, loc, VectorType::get(perWord, packedType()),
          packedA ? packedA : a.view, ValueRange{rows[i], emit.value(inA)});
      Value splat = splatWord(vector::ExtractOp::create(
          builder, loc,
          vector::BitCastOp::create(
              builder, loc, VectorType::get(1, builder.getI32Type()), elements),
          int64_t(0)));
      for (int64_t j = 0; j < nv; ++j)
        next[i * nv + j] = addDots(carried[i * nv + j], splat, columns[j]);
    }
    return next;
  };
  SmallVector<Value> sums =
      emit.loop(emit.constant(0), emit.ceilDiv(extent, perWord),
                emit.constant(1), starts, [&](Index kk, ValueRange carried) {
                  if (perWord > 1)
                    return wordStep(kk, carried);
                  SmallVector<Value> next(carried);
                  Index inA = emit.add(from, kk);
                  SmallVector<Value> columns;
                  if (packedB && packedA)
                    prefetchPanel(p, kk);
                  for (int64_t j = 0; j < nv; ++j) {
                    Index at = emit.add(column, emit.constant(j * lanes));
                    if (packedB)
                      columns.push_back(vector::LoadOp::create(
                          builder, loc, vectorType, packedB,
                          ValueRange{placeOf(p), emit.value(kk),
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
                        builder, loc, vectorType,
                        widen(element, !packedA && a.isUnsigned));
                    for (int64_t j = 0; j < nv; ++j)
                      next[i * nv + j] =
                          multiplyAdd(splat, columns[j], carried[i * nv + j]);
                  }
                  return next;
                });

  if (epilogue && isOnlyBlock(first)) {
    Value square = onStack({mr, tiles.nr()}, accumulator);
    for (int64_t i = 0; i < mr; ++i)
      for (int64_t j = 0; j < nv; ++j)
        vector::StoreOp::create(
            builder, loc, sums[i * nv + j], square,
            ValueRange{emit.value(emit.constant(i)),
                       emit.value(emit.constant(j * lanes))});
    return finish(p, row, square);
  }
  // The common case stores whole vectors; the edge looks at every row.
  if (fullColumns && divides(m, mr)) {
    store(row, column, sums, first, true);
  } else {
    Value inside = emit.lessThan(emit.add(row, emit.constant(mr - 1)), m);
    if (!fullColumns)
      inside = arith::AndIOp::create(builder, loc, inside, isFullPanel(p));
    emit.branch(
        inside, [&] { store(row, column, sums, first, true); },
        [&] { store(row, column, sums, first, false); });
  }
  if (epilogue)
    emit.branch(emit.equal(emit.add(from, extent), k),
                [&] { finish(p, row, Value()); });
}

void ContractionEmitter::dotProducts(Index p, Index t, Index from, Index extent,
                                     Value first) {
  int64_t mr = tiles.mr, columns = tiles.nv;
  // Pairs along k are read as they are.
  bool pairs = tiles.perWord > 1;
  int64_t lanes = tiles.lanes * tiles.perWord;
  auto operand = [&](const MatrixView &matrix, Index line, Index at,
                     std::optional<Index> count) {
    return pairs ? read(matrix, line, at, lanes, count)
                 : load(matrix, line, at, lanes, count);
  };
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
    int64_t ahead =
        prefetchedBytes * 8 / byColumn.element.getIntOrFloatBitWidth();
    Value later = emit.value(
        emit.min(emit.add(at, emit.constant(ahead)), emit.sub(k, one)));
    for (int64_t j = 0; j < columns; ++j)
      memref::PrefetchOp::create(
          builder, loc, byColumn.view,
          ValueRange{emit.value(inside(columnOf(p), j, n, columns)), later},
          /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
    for (int64_t i = 0; i < mr; ++i)
      left.push_back(operand(a, inside(row, i, m, mr), at, count));
    for (int64_t j = 0; j < columns; ++j)
      right.push_back(
          operand(byColumn, inside(columnOf(p), j, n, columns), at, count));
    for (int64_t i = 0; i < mr; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        Value sum = carried[i * columns + j];
        next[i * columns + j] = pairs ? addDots(sum, left[i], right[j])
                                      : multiplyAdd(left[i], right[j], sum);
      }
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
        auto put = [&](bool accumulate) {
          Value result = sum;
          if (accumulate)
            result = add(
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

void ContractionEmitter::prefetchPanel(Index p, Index word) {
  Index later = emit.add(word, emit.constant(prefetchedRows));
  int64_t lanes = 512 / packedType().getIntOrFloatBitWidth();
  for (int64_t j = 0; j < tiles.perWord * tiles.nr(); j += lanes)
    memref::PrefetchOp::create(
        builder, loc, packedB,
        ValueRange{placeOf(p), emit.value(later), emit.value(emit.constant(j))},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
}

void ContractionEmitter::prefetchResult(Index row, Index column, Value first) {
  bool isFinished = epilogue && isOnlyBlock(first);
  Type element = isFinished ? epilogue->results()[0].element : c.element;
  int64_t lanes = 512 / element.getIntOrFloatBitWidth();
  emit.loop(
      emit.constant(0), emit.constant(tiles.mr), emit.constant(1),
      [&](Index i) {
        for (int64_t j = 0; j < tiles.nr(); j += lanes) {
          Index atRow = emit.add(row, i),
                atColumn = emit.add(column, emit.constant(j));
          Value buffer = c.view;
          SmallVector<Value> at = {emit.value(atRow), emit.value(atColumn)};
          if (isFinished) {
            const NestOperand &result = epilogue->results()[0];
            buffer = result.flat;
            at = {epilogue->address(emit, result, resultAt(atRow, atColumn))};
          }
          memref::PrefetchOp::create(builder, loc, buffer, at,
                                     /*isWrite=*/false,
                                     /*localityHint=*/2,
                                     /*isDataCache=*/true);
        }
      });
}

void ContractionEmitter::store(Index row, Index column, ArrayRef<Value> sums,
                               Value first, bool full) {
  int64_t lanes = tiles.lanes;
  auto stored = VectorType::get(lanes, c.element);
  auto write = [&](bool accumulate) {
    for (int64_t i = 0; i < int64_t(sums.size()) / tiles.nv; ++i) {
      Index at = emit.add(row, emit.constant(i));
      auto writeRow = [&] {
        for (int64_t j = 0; j < tiles.nv; ++j) {
          Index from = emit.add(column, emit.constant(j * lanes));
          SmallVector<Value> position = {emit.value(at), emit.value(from)};
          Value mask = full ? Value() : emit.mask(lanes, left(from));
          Value sum = sums[i * tiles.nv + j];
          if (accumulate) {
            Value old = full ? Value(vector::LoadOp::create(
                                   builder, loc, stored, c.view, position))
                             : Value(vector::MaskedLoadOp::create(
                                   builder, loc, stored, c.view, position, mask,
                                   emit.zero(stored)));
            sum = add(widen(old), sum);
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
