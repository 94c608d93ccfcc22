//===- TensorMemoryKernel.cpp - Products in tensor memory -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_100a, A and B of one type that tcgen05 knows and addresses that
// suit tensor maps. Blocks stay, and their warps have roles, as in CUTLASS's
// kernels for that architecture: a thread of warp 0 has the copy engine fill
// the ring of stages, one of warp 1 multiplies (tcgen05.mma, 128 rows),
// and warps 4 to 7 store. Sums are in tensor memory, in two buffers: while one
// tile is stored the next one is multiplied. Two more pairs of mbarriers go
// round between these: `full`, when a tile's products are done, and `empty`,
// when its sums were read.
//
// A pair of blocks (a cluster) computes 256 rows together: each brings 128 rows
// of A and half of the columns of B, and has the sums of its rows; the first
// one multiplies for both. Boxes of both count at the first one's `full`, what
// was read or multiplied both learn, and warps of both tell the first one that
// sums were read.
//
// Descriptors and layouts are those of the PTX ISA, 9.7.16. A thread holds all
// columns of one row of C, 32 at a time.
//
//===----------------------------------------------------------------------===//

#include "../TensorMemory.h"
#include "../WarpgroupMemory.h"
#include "TensorMapTiles.h"

using namespace mlir;
using namespace shardir;

namespace {
class TensorMemoryKernel : public TensorMapTiles {
public:
  using TensorMapTiles::TensorMapTiles;
  void run(StringRef name);

private:
  static constexpr int64_t accumulators = 2, rows = 128;
  /// Of C, for what is stored: boxes of all rows, 128 bytes of each.
  static constexpr int64_t boxBytes = rows * rowBytes;
  /// Bytes of k of one tcgen05.mma; columns that a thread loads at a time.
  static constexpr int64_t stepBytes = 32, chunk = 32;

  /// A buffer of sums, and the parity of its barriers' phase.
  using Turn = Place;

  int64_t accumulatorsAt() const { return ringEnd(); }
  int64_t addressAt() const { return ringEnd() + accumulators * 16; }
  int64_t sharedBytes() const { return addressAt() + 8; }

  Value accumulator(Value buffer, bool empty) {
    int64_t first = accumulatorsAt() + (empty ? accumulators * 8 : 0);
    return pointer(emit.add(emit.mul(Index(buffer), 8), emit.constant(first)));
  }
  void fence(NVVM::Tcgen05FenceKind kind) { memory().fence(kind); }
  void awaitTensors(Value barrier, Value parity) {
    await(barrier, parity);
    fence(NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  }
  Value plus(Value a, Value b) {
    return arith::AddIOp::create(emit.builder, emit.loc, a, b);
  }
  Value word(int64_t value) {
    return arith::ConstantOp::create(emit.builder, emit.loc,
                                     emit.builder.getI64IntegerAttr(value));
  }

  TensorMemory memory() { return {emit, int(plan.pair)}; }
  void meetAll();
  void commit(Value barrier);
  void allocate();
  void giveBack();
  Turn after(Turn turn);
  Value columnsOf(Value buffer);
  void multiplyStep(Value sums, Value stage, Value adds);
  void keepGroupRows(Value stage);
  void multiplyTiles();
  SmallVector<Value> load(Value buffer, Index warp, int64_t column);
  void giveAccumulator(Value buffer);
  void storeTiles();
  void storeBoxes(function_ref<SmallVector<Value>(int64_t)> loadChunk,
                  Index row, Value leads);

  Value tensors; ///< the address of the block's columns
};
} // namespace

/// All threads, of both blocks of a pair.
void TensorMemoryKernel::meetAll() {
  fence(NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
  if (plan.pair == 1) {
    emit.barrier();
  } else {
    meetCluster();
  }
  fence(NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
}

/// `barrier`, in both blocks of a pair, learns when all products of the thread
/// are done.
void TensorMemoryKernel::commit(Value barrier) {
  OpBuilder &builder = emit.builder;
  Value both;
  if (plan.pair == 2)
    both = arith::ConstantOp::create(builder, emit.loc,
                                     builder.getI16IntegerAttr(3));
  memory().commit(barrier, both);
}

/// All columns that both buffers need; warp 0.
void TensorMemoryKernel::allocate() {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Value address = pointer(emit.constant(addressAt()));
  emit.branch(emit.lessThan(emit.thread(), emit.constant(warpThreads)),
              [&] { memory().allocate(address, accumulators * plan.bn); });
  meetAll();
  tensors = LLVM::LoadOp::create(builder, loc, builder.getI32Type(), address);
}

void TensorMemoryKernel::giveBack() {
  meetAll();
  emit.branch(emit.lessThan(emit.thread(), emit.constant(warpThreads)),
              [&] { memory().giveBack(tensors, accumulators * plan.bn); });
}

TensorMemoryKernel::Turn TensorMemoryKernel::after(Turn turn) {
  OpBuilder &builder = emit.builder;
  Value last = emit.equal(Index(turn.stage), emit.constant(accumulators - 1));
  Value turned =
      arith::XOrIOp::create(builder, emit.loc, turn.parity, emit.i32(1));
  return {
      emit.value(emit.sub(emit.constant(accumulators - 1), Index(turn.stage))),
      arith::SelectOp::create(builder, emit.loc, last, turned, turn.parity)};
}

/// The address of a buffer's first column.
Value TensorMemoryKernel::columnsOf(Value buffer) {
  return plus(tensors, emit.cast(emit.mul(Index(buffer), plan.bn), 32));
}

void TensorMemoryKernel::multiplyStep(Value sums, Value stage, Value adds) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Type element = a.operand.element;
  int64_t k = stepBytes / elementBytes(element);
  Value what =
      memory().instruction(element, plan.bm, plan.bn, a.alongK, b.alongK);
  Index offset = emit.mul(Index(stage), stageBytes());
  auto descriptor = [&](const TileSource &source, Index offset) {
    return memory().descriptor(emit.cast(emit.add(shared, offset), 64),
                               source.alongK, source.rows);
  };
  Value left = descriptor(a, offset);
  Value right = descriptor(b, emit.add(offset, emit.constant(bytesA())));
  Value yes =
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  for (int64_t step = 0; step < plan.bk / k; ++step) {
    auto moved = [&](Value start, const TileSource &source) {
      int64_t bytes = source.alongK ? stepBytes : k * rowBytes;
      return step == 0 ? start : plus(start, word(step * bytes / 16));
    };
    memory().multiply(sums, moved(left, a), moved(right, b), what, element,
                      step == 0 ? adds : yes);
  }
}

/// Leaves those of the step's group in A's part of a stage; a warp.
void TensorMemoryKernel::keepGroupRows(Value stage) {
  Index lane = emit.rem(emit.thread(), warpThreads);
  Index from = emit.add(shared, emit.mul(Index(stage), stageBytes()));
  keepGroup(from, emit.constant(0), plan.bm, lane, warpThreads, [&] {
    NVVM::SyncWarpOp::create(emit.builder, emit.loc, emit.i32(-1));
    fence(NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  });
}

/// A warp; the same thread of it always issues what it commits.
void TensorMemoryKernel::multiplyTiles() {
  SmallVector<Value> initial = start(0).values();
  // The phase before the first one counts as ended.
  llvm::append_range(initial, start(1).values());
  emit.loop(firstTile(), tiles, tileStep(), initial,
            [&](Index tile, ValueRange carried) {
              setTile(tile);
              Turn turn = {carried[2], carried[3]};
              awaitTensors(accumulator(turn.stage, true), turn.parity);
              Value sums = memory().pointer(columnsOf(turn.stage));
              auto step = [&](Index before, ValueRange carried) {
                Place place = {carried[0], carried[1]};
                awaitTensors(barrier(place.stage, false), place.parity);
                if (groups)
                  keepGroupRows(place.stage);
                emit.byOneThread([&] {
                  multiplyStep(sums, place.stage,
                               emit.lessThan(emit.constant(0), before));
                  commit(barrier(place.stage, true));
                });
                return next(place).values();
              };
              SmallVector<Value> end =
                  forEachStep({carried[0], carried[1]}, step).second;
              emit.byOneThread([&] { commit(accumulator(turn.stage, false)); });
              llvm::append_range(end, after(turn).values());
              return end;
            });
}

/// The warp's rows of `chunk` columns.
SmallVector<Value> TensorMemoryKernel::load(Value buffer, Index warp,
                                            int64_t column) {
  Value address = plus(plus(columnsOf(buffer), emit.i32(column)),
                       emit.cast(emit.mul(warp, warpThreads << 16), 32));
  return memory().load({address}, chunk, NVVM::Tcgen05LdStShape::SHAPE_32X32B);
}

/// Through two boxes of shared memory by turns: while the copy engine reads one
/// the other is written. `leads` is true for the one thread that talks to it.
void TensorMemoryKernel::storeBoxes(
    function_ref<SmallVector<Value>(int64_t)> loadChunk, Index row,
    Value leads) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  constexpr int64_t vectorBytes = 16;
  int64_t size = resultBytes;
  int64_t columns = rowBytes / size, perVector = vectorBytes / size;
  bool full =
      divides(contraction.m, plan.bm) && divides(contraction.n, plan.bn);
  Index firstRow = partOf(tileM, plan.bm);
  Index m = emit.add(firstRow, row);
  auto vector = VectorType::get(4, builder.getI32Type());
  for (int64_t box = 0; box < plan.bn / columns; ++box) {
    Index buffer = emit.constant(plan.stages * stageBytes() +
                                 box % storeBuffers * boxBytes);
    emit.branch(leads, [&] {
      // A tile of one box always takes the first buffer.
      awaitStores(emit, plan.bn == columns ? 0 : storeBuffers - 1,
                  /*read=*/true);
    });
    meet(emit, emit.i32(1), groupThreads);
    fence(NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    for (int64_t part = 0; part < columns; part += chunk) {
      int64_t first = box * columns + part;
      SmallVector<Value> sums = loadChunk(first);
      for (int64_t j = 0; j < chunk; j += perVector) {
        SmallVector<Value> words;
        for (int64_t i = j; i < j + perVector; i += 2)
          llvm::append_range(
              words, packed(m, emit.add(tileN, emit.constant(first + i)),
                            {sums[size_t(i)], sums[size_t(i + 1)]}, full));
        // Pieces of 16 bytes change places by the row's number.
        Index mixed = emit.exclusiveOr(emit.rem(row, 8),
                                       emit.constant((part + j) / perVector));
        Index place =
            emit.add(emit.mul(row, rowBytes), emit.mul(mixed, vectorBytes));
        Value value =
            vector::FromElementsOp::create(builder, loc, vector, words);
        LLVM::StoreOp::create(builder, loc, value,
                              pointer(emit.add(buffer, place)), vectorBytes);
      }
    }
    publishToAsyncProxy(emit);
    meet(emit, emit.i32(1), groupThreads);
    emit.branch(leads, [&] {
      storeBox(0, buffer, firstRow,
               emit.add(tileN, emit.constant(box * columns)));
    });
  }
}

/// The block that multiplies may overwrite what the warp has read.
void TensorMemoryKernel::giveAccumulator(Value buffer) {
  Value empty = accumulator(buffer, true);
  if (plan.pair == 1)
    return arrive(emit, empty);
  arriveAt(ofLeader(empty));
}

/// A warpgroup, a row of the block's part each.
void TensorMemoryKernel::storeTiles() {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Index row = emit.rem(emit.thread(), groupThreads);
  Index warp = emit.div(row, warpThreads);
  Value isFirst =
      emit.equal(emit.rem(emit.thread(), warpThreads), emit.constant(0));
  Value leads = emit.equal(row, emit.constant(0));
  bool paired = epilogue.isPaired(emit);
  Value none = emit.zero(builder.getF32Type());
  emit.loop(firstTile(), tiles, tileStep(), start(0).values(),
            [&](Index tile, ValueRange carried) -> SmallVector<Value> {
              setTile(tile);
              Turn turn = {carried[0], carried[1]};
              Index first, count;
              if (groups)
                takeGroups(first, count);
              else
                takePart(first, count);
              awaitTensors(accumulator(turn.stage, false), turn.parity);
              // Without a step nothing was written.
              Value some = emit.lessThan(emit.constant(0), count);
              auto loadChunk = [&](int64_t column) {
                SmallVector<Value> sums = load(turn.stage, warp, column);
                if (column + chunk == plan.bn)
                  emit.branch(isFirst, [&] { giveAccumulator(turn.stage); });
                for (Value &sum : sums)
                  sum = arith::SelectOp::create(builder, loc, some, sum, none);
                return sums;
              };
              if (!mapsC.empty()) {
                storeBoxes(loadChunk, row, leads);
                return after(turn).values();
              }
              for (int64_t column = 0; column < plan.bn; column += chunk) {
                SmallVector<Value> sums = loadChunk(column);
                for (int64_t i = 0; i < chunk; i += 2)
                  store(emit.add(partOf(tileM, plan.bm), row),
                        emit.add(tileN, emit.constant(column + i)),
                        {sums[size_t(i)], sums[size_t(i + 1)]}, paired);
              }
              return after(turn).values();
            });
  if (!mapsC.empty())
    emit.branch(leads, [&] { awaitStores(emit, 0, /*read=*/false); });
}

void TensorMemoryKernel::run(StringRef name) {
  countTiles();
  makeMaps();
  planStores(rows, {2, 4}, /*mostResults=*/1);
  if (!mapsC.empty())
    storeBytes = storeBuffers * boxBytes;
  makePartials();
  emit.launch(
      name, {blocks}, plan.threads(), sharedBytes(),
      [&] {
        prepare([&] {
          for (int64_t stage = 0; stage < plan.stages; ++stage)
            for (bool empty : {false, true})
              initBarrier(emit,
                          barrier(emit.value(emit.constant(stage)), empty), 1);
          for (int64_t buffer = 0; buffer < accumulators; ++buffer) {
            Value at = emit.value(emit.constant(buffer));
            initBarrier(emit, accumulator(at, false), 1);
            initBarrier(emit, accumulator(at, true),
                        plan.pair * groupThreads / warpThreads);
          }
        });
        allocate();
        emit.branch(emit.isWarp(0), [&] { copyTiles(); });
        emit.branch(emit.both(emit.isWarp(1), isLeader()),
                    [&] { multiplyTiles(); });
        emit.branch(
            emit.lessThan(emit.constant(groupThreads - 1), emit.thread()),
            [&] { storeTiles(); });
        giveBack();
      },
      plan.pair);
  combinePartials();
}

void shardir::emitTensorMemoryKernel(KernelEmitter &emit,
                                     const Contraction &contraction,
                                     const Epilogue &epilogue,
                                     const LoopNest &nest,
                                     const TilePlan &plan) {
  TensorMemoryKernel(emit, contraction, epilogue, nest, plan).run("tcgen05");
}
