//===- ContractionAmx.cpp - Register tiles of AMX -------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires operands that are packed as words of two or four elements, with
// zeros up to a multiple of 16 words along k. Guarantees that the sums of a
// tile stay in AMX's registers over a block of k, and that only elements of C
// that exist are written. LLVM writes the configuration of the registers, once
// for each function.
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Rows and bytes of one register.
constexpr int64_t tileRows = 16, tileBytes = 64;

/// The intrinsics of AMX on full registers.
class TileEmitter {
public:
  explicit TileEmitter(LoopEmitter &emit)
      : emit(emit), builder(emit.builder), loc(emit.loc),
        type(LLVM::LLVMX86AMXType::get(builder.getContext())),
        i64(builder.getI64Type()), rows(i16(tileRows)), bytes(i16(tileBytes)) {}

  Value zero() {
    return call("llvm.x86.tilezero.internal", type, {rows, bytes});
  }
  /// From element `offset` of `buffer` on, rows `stride` elements apart.
  Value load(Value buffer, Index offset, Index stride) {
    SmallVector<Value> at = address(buffer, offset, stride);
    return call("llvm.x86.tileloadd64.internal", type,
                {rows, bytes, at[0], at[1]});
  }
  void store(Value tile, Value buffer, Index offset, Index stride) {
    SmallVector<Value> at = address(buffer, offset, stride);
    call("llvm.x86.tilestored64.internal", {},
         {rows, bytes, at[0], at[1], tile});
  }
  Value multiply(StringRef intrinsic, Value sum, Value a, Value b) {
    return call(intrinsic, type, {rows, bytes, bytes, sum, a, b});
  }

private:
  Value i16(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI16Type(),
                                    builder.getI16IntegerAttr(value));
  }
  /// The pointer, and the stride in bytes.
  SmallVector<Value> address(Value buffer, Index offset, Index stride) {
    int64_t size =
        cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
    auto inBytes = [&](Index elements) -> Value {
      Value count = emit.value(emit.mul(elements, emit.constant(size)));
      return arith::IndexCastOp::create(builder, loc, i64, count);
    };
    Value base = arith::IndexCastOp::create(
        builder, loc, i64,
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer));
    Value at = arith::AddIOp::create(builder, loc, base, inBytes(offset));
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
    return {LLVM::IntToPtrOp::create(builder, loc, pointer, at),
            inBytes(stride)};
  }
  Value call(StringRef name, Type result, ValueRange operands) {
    auto full = builder.getStringAttr(name);
    if (!result) {
      LLVM::CallIntrinsicOp::create(builder, loc, full, operands);
      return {};
    }
    return LLVM::CallIntrinsicOp::create(builder, loc, result, full, operands)
        .getResult(0);
  }

  LoopEmitter &emit;
  OpBuilder &builder;
  Location loc;
  Type type, i64;
  Value rows, bytes;
};
} // namespace

void ContractionEmitter::multiplyTiles(Index p, Index t, Index from,
                                       Index extent, Value first) {
  TileEmitter unit(emit);
  int64_t lanes = tiles.lanes, rows = tiles.mr / tileRows, columns = tiles.nv;
  Index wordsRow = emit.constant(tiles.perWord * tiles.nr());
  Index local = emit.mul(t, emit.constant(tiles.mr));
  // Rows of words that panel p's room holds.
  Index panelRows(memref::DimOp::create(builder, loc, packedB, 1).getResult());
  Index panel = emit.mul(emit.sub(p, firstPanel), panelRows);

  // A as it lies: rows of words without edges.
  Index inA, rowA = packedRow;
  if (!packedA) {
    auto place = memref::ExtractStridedMetadataOp::create(builder, loc, a.view);
    rowA = place.getConstifiedMixedStrides()[0];
    inA = emit.add(place.getConstifiedMixedOffset(),
                   emit.add(from, emit.mul(rowStart, rowA)));
  }
  if (!chunkSums && !tiles.transposed)
    prefetchResult(emit.add(rowStart, local), columnOf(p), first);
  // The registers reach vectors by way of memory, where a chunk that runs
  // through k by itself also leaves them from block to block.
  Value square =
      chunkSums ? chunkSums : onStack({tiles.mr, tiles.nr()}, accumulator);
  Index squareRow =
      emit.constant(cast<MemRefType>(square.getType()).getShape()[1]);
  Index corner = chunkSums ? emit.add(emit.mul(local, squareRow),
                                      emit.mul(emit.sub(p, firstPanel),
                                               emit.constant(tiles.nr())))
                           : emit.constant(0);
  auto squareAt = [&](int64_t i, int64_t j) {
    return emit.add(corner,
                    emit.add(emit.mul(emit.constant(i * tileRows), squareRow),
                             emit.constant(j * lanes)));
  };
  SmallVector<Value> starts;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      starts.push_back(chunkSums ? unit.load(square, squareAt(i, j), squareRow)
                                 : unit.zero());
  SmallVector<Value> sums = emit.loop(
      emit.constant(0), emit.ceilDiv(extent, tiles.depth()), emit.constant(1),
      starts, [&](Index step, ValueRange carried) {
        SmallVector<Value> next(carried), right;
        Index word = emit.add(panel, emit.mul(step, emit.constant(tileRows)));
        for (int64_t j = 0; j < columns; ++j)
          right.push_back(
              unit.load(packedB,
                        emit.add(emit.mul(word, wordsRow),
                                 emit.constant(tiles.perWord * j * lanes)),
                        wordsRow));
        for (int64_t i = 0; i < rows; ++i) {
          Index row = emit.add(local, emit.constant(i * tileRows));
          Index at = emit.add(emit.mul(row, rowA),
                              emit.mul(step, emit.constant(tiles.depth())));
          Value left = packedA ? unit.load(packedA, at, rowA)
                               : unit.load(a.view, emit.add(inA, at), rowA);
          for (int64_t j = 0; j < columns; ++j)
            next[i * columns + j] = unit.multiply(
                tiles.intrinsic, carried[i * columns + j], left, right[j]);
        }
        return next;
      });

  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      unit.store(sums[i * columns + j], square, squareAt(i, j), squareRow);
  if (!chunkSums)
    finishTiles(p, t, square, first, emit.equal(emit.add(from, extent), k));
}

void ContractionEmitter::finishChunk(Index tileTo, Index panelFrom,
                                     Index panelTo) {
  Index zero = emit.constant(0), one = emit.constant(1);
  emit.loop(panelFrom, panelTo, one, [&](Index p) {
    emit.loop(zero, tileTo, one, [&](Index t) {
      Index column =
          emit.mul(emit.sub(p, firstPanel), emit.constant(tiles.nr()));
      Value square = memref::SubViewOp::create(
          builder, loc, chunkSums,
          ArrayRef<OpFoldResult>{emit.mul(t, emit.constant(tiles.mr)), column},
          ArrayRef<OpFoldResult>{emit.constant(tiles.mr),
                                 emit.constant(tiles.nr())},
          ArrayRef<OpFoldResult>{one, one});
      finishTiles(p, t, square, /*first=*/{}, emit.equal(zero, zero));
    });
  });
}

void ContractionEmitter::finishTiles(Index p, Index t, Value square,
                                     Value first, Value isComplete) {
  int64_t lanes = tiles.lanes, columns = tiles.nv;
  Index local = emit.mul(t, emit.constant(tiles.mr));
  Index start = emit.add(rowStart, local);
  if (tiles.transposed)
    return storeTransposed(p, start, square, first);
  if (epilogue && isOnlyBlock(first))
    return finish(p, start, square);
  Index end = emit.constant(tiles.mr);
  if (!divides(m, tiles.mr))
    end = emit.min(end, emit.sub(m, start));
  auto copy = [&](bool full) {
    emit.loop(emit.constant(0), end, emit.constant(1), [&](Index i) {
      SmallVector<Value> row;
      for (int64_t j = 0; j < columns; ++j)
        row.push_back(vector::LoadOp::create(
            builder, loc, vectorType, square,
            ValueRange{emit.value(i), emit.value(emit.constant(j * lanes))}));
      store(emit.add(start, i), columnOf(p), row, first, full);
    });
  };
  if (divides(n, tiles.nr()))
    copy(true);
  else
    emit.branch(isFullPanel(p), [&] { copy(true); }, [&] { copy(false); });
  if (epilogue)
    emit.branch(isComplete, [&] { finish(p, start, Value()); });
}

void ContractionEmitter::storeTransposed(Index p, Index row, Value square,
                                         Value first) {
  int64_t lanes = tiles.lanes;
  auto stored = VectorType::get(lanes, c.element);
  MatrixView columns =
      op.view(emit, op.c, op.n, op.m, ArrayRef<Index>(position));
  auto write = [&](Value sums, ValueRange at, bool accumulate) {
    if (accumulate)
      sums = add(
          widen(vector::LoadOp::create(builder, loc, stored, columns.view, at)),
          sums);
    if (stored != vectorType)
      sums = arith::TruncFOp::create(builder, loc, stored, sums);
    vector::StoreOp::create(builder, loc, sums, columns.view, at);
  };
  for (int64_t i = 0; i < tiles.mr; i += lanes)
    for (int64_t j = 0; j < tiles.nr(); j += lanes) {
      SmallVector<Value> rows;
      for (int64_t r = 0; r < lanes; ++r)
        rows.push_back(
            vector::LoadOp::create(builder, loc, vectorType, square,
                                   ValueRange{emit.value(emit.constant(i + r)),
                                              emit.value(emit.constant(j))}));
      SmallVector<Value> turned = emit.transpose(rows);
      for (int64_t l = 0; l < lanes; ++l) {
        Value sums = turned[l];
        Index column = emit.add(columnOf(p), emit.constant(j + l));
        SmallVector<Value> at = {emit.value(column),
                                 emit.value(emit.add(row, emit.constant(i)))};
        auto put = [&] {
          if (!zeroInit)
            write(sums, at, true);
          else if (!first)
            write(sums, at, false);
          else
            emit.branch(
                first, [&] { write(sums, at, false); },
                [&] { write(sums, at, true); });
        };
        if (divides(n, tiles.nr()))
          put();
        else
          emit.branch(emit.lessThan(column, n), put);
      }
    }
}
