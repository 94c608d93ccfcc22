//===- WarpSpecializedKernel.cpp - Products by blocks that stay -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a, A and B of one type that wgmma knows and addresses that suit
// tensor maps. The structure is that of CUTLASS 3's persistent,
// warp-specialised kernels: as many blocks as run at once take tiles in turn;
// one thread of the first warpgroup has the copy engine fill a ring of stages,
// the other two warpgroups multiply 64 rows of a tile each. A stage has two
// mbarriers: `full` counts the bytes that arrive, `empty` the warps that have
// read it. The copy engine writes zeros for what lies outside of A and B, so
// only C has edges.
//
// Of a tile of 64 rows the two warpgroups multiply every other step each, so
// that shared memory is read less often per product than by two of 64 x 64. The
// second one leaves its sums in shared memory, where the first one adds them.
//
// Registers move from the warpgroup that copies to those that multiply: a block
// starts with 168 per thread, 384 of them; 40 and twice 232 are as many.
//
//===----------------------------------------------------------------------===//

#include "../WarpgroupMemory.h"
#include "ScaledProduct.h"
#include "TensorMapTiles.h"
#include "WarpgroupProduct.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace shardir;

namespace {
class WarpSpecializedKernel : public TensorMapTiles {
public:
  WarpSpecializedKernel(KernelEmitter &emit, const Contraction &contraction,
                        const Epilogue &epilogue, const LoopNest &nest,
                        const TilePlan &plan)
      : TensorMapTiles(emit, contraction, epilogue, nest, plan),
        product(emit, a, b, plan.bn) {
    if (contraction.op->hasAttr(kScaledProduct))
      scales.emplace(emit, contraction, nest, plan.bn);
  }

  void run(StringRef name);

private:
  /// Of a warpgroup, for what it stores: boxes of 64 rows of 128 bytes.
  static constexpr int64_t boxBytes = WarpgroupProduct::rows * rowBytes;
  static constexpr int64_t copierRegisters = 40, multiplierRegisters = 232;

  void storeBoxes(Value sums, Index group, Index inGroup, Value leads);
  /// Of a thread's sum `i`: the number of its row and of its column.
  static int rowOf(int64_t i) { return int(i / 2 % 2); }
  static int columnOf(int64_t i) { return int(i / 4 * 2 + i % 2); }
  void loadScales(Index group, Index inGroup);
  /// `sums` and the sums of a step, scaled.
  Value addScaled(Value sums, Value parts);
  int64_t storingGroups() const { return plan.bm / WarpgroupProduct::rows; }
  /// Where a warpgroup leaves its sums for the other one.
  int64_t exchangeAt() const { return ringEnd(); }
  int64_t exchangeBytes() const {
    return (plan.kGroups - 1) * plan.bm * plan.bn * 4;
  }
  using Step = function_ref<SmallVector<Value>(Index, ValueRange)>;
  /// As forEachStep, of the steps of a warpgroup that shares them; returns the
  /// place behind all of them, too.
  SmallVector<Value> forOwnSteps(Index group, Place start, Value sums,
                                 Value none, Step body);
  Value exchange(Value sums, Index inGroup, bool leaves);
  /// Both warpgroups that multiply. Theirs alone have the first barriers.
  void meetGroups() { meet(emit, emit.i32(1 + plan.kGroups), plan.threads()); }
  Place advance(Place place, Index count);
  Place behind(Place place, Index count);
  void multiplyTiles();

  WarpgroupProduct product;
  std::optional<StepScales> scales; ///< of a scaled product
};
} // namespace

/// The warpgroup's rows, 64 columns of a result at a time, by turns through two
/// boxes of shared memory: while the copy engine reads one the other is
/// written. `leads` is true for the one thread that talks to it.
void WarpSpecializedKernel::storeBoxes(Value sums, Index group, Index inGroup,
                                       Value leads) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Index lane = emit.rem(inGroup, warpThreads),
        warp = emit.div(inGroup, warpThreads);
  Index firstRow = emit.add(tileM, emit.mul(group, WarpgroupProduct::rows));
  Value id = emit.cast(emit.add(group, emit.constant(1)), 32);
  bool full =
      divides(contraction.m, plan.bm) && divides(contraction.n, plan.bn);
  constexpr int64_t columns = 64, chunk = 16;
  // A thread's pairs of a box.
  struct Pair {
    Index row, m, n;
    int64_t eight, at;
    Epilogue::Loaded loaded;
    SmallVector<Value> words;
  };
  int64_t boxes = plan.bn / columns * int64_t(mapsC.size()), stored = 0;
  for (int64_t first = 0; first < plan.bn; first += columns) {
    SmallVector<Pair> pairs;
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t j = 0; j < columns / 8; ++j) {
        Index row = emit.add(emit.add(emit.mul(warp, 16), emit.div(lane, 4)),
                             emit.constant(8 * half));
        Index n = emit.add(emit.add(tileN, emit.mul(emit.rem(lane, 4), 2)),
                           emit.constant(first + 8 * j));
        pairs.push_back({row,
                         emit.add(firstRow, row),
                         n,
                         j,
                         4 * (first / 8 + j) + 2 * half,
                         {},
                         {}});
      }
    // All loads are on their way at a time.
    if (full)
      for (Pair &pair : pairs)
        pair.loaded = epilogue.load(emit, ivsAt(pair.m, pair.n));
    for (size_t result = 0; result < mapsC.size(); ++result, ++stored) {
      Index buffer = emit.add(emit.constant(plan.stages * stageBytes() +
                                            stored % storeBuffers * boxBytes),
                              emit.mul(group, storeBuffers * boxBytes));
      emit.branch(leads, [&] {
        // Tiles begin with the first buffer.
        awaitStores(emit, boxes % storeBuffers == 0 ? storeBuffers - 1 : 0,
                    /*read=*/true);
      });
      meet(emit, id, groupThreads);
      for (Pair &pair : pairs) {
        if (result == 0)
          pair.words = packed(
              pair.m, pair.n,
              {product.sum(sums, pair.at), product.sum(sums, pair.at + 1)},
              full, full ? &pair.loaded : nullptr);
        // Chunks of 16 bytes change places by the row's number.
        Index mixed =
            emit.exclusiveOr(emit.rem(pair.row, 8), emit.constant(pair.eight));
        Index place =
            emit.add(emit.add(emit.mul(pair.row, WarpgroupProduct::rowBytes),
                              emit.mul(mixed, chunk)),
                     emit.mul(emit.rem(lane, 4), 4));
        LLVM::StoreOp::create(builder, loc, pair.words[result],
                              pointer(emit.add(buffer, place)));
      }
      publishToAsyncProxy(emit);
      meet(emit, id, groupThreads);
      emit.branch(leads, [&] {
        storeBox(result, buffer, firstRow,
                 emit.add(tileN, emit.constant(first)));
      });
    }
  }
}

void WarpSpecializedKernel::loadScales(Index group, Index inGroup) {
  SmallVector<Index> ivs = ivsAt(tileM, tileN);
  for (auto [loop, iv] : llvm::zip(contraction.outerK, stepOuterK))
    ivs[loop] = iv;
  ivs[contraction.k] = stepK;
  scales->setStep(ivs);
  auto existing = [&](int loop, Index at, int64_t tile) {
    return divides(loop, tile)
               ? at
               : emit.min(at, emit.sub(extent(loop), emit.constant(1)));
  };
  Index row = emit.add(tileM, emit.mul(group, WarpgroupProduct::rows));
  product.forEachPair(inGroup, [&](Index m, Index n, int64_t at) {
    for (int64_t i : {at, at + 1}) {
      Index column = emit.add(emit.add(tileN, n), emit.constant(i - at));
      scales->load(existing(contraction.m, emit.add(row, m), plan.bm), rowOf(i),
                   existing(contraction.n, column, plan.bn), columnOf(i));
    }
  });
}

Value WarpSpecializedKernel::addScaled(Value sums, Value parts) {
  for (int64_t i = 0; i < plan.bn / 2; ++i) {
    Value sum = math::FmaOp::create(
        emit.builder, emit.loc, product.sum(parts, i),
        scales->at(rowOf(i), columnOf(i)), product.sum(sums, i));
    sums = LLVM::InsertValueOp::create(emit.builder, emit.loc, sums, sum, i);
  }
  return sums;
}

/// `count` stages on, less than a turn of the ring.
WarpSpecializedKernel::Place WarpSpecializedKernel::advance(Place place,
                                                            Index count) {
  OpBuilder &builder = emit.builder;
  Index to = emit.add(Index(place.stage), count);
  Value wraps = emit.lessEqual(emit.constant(plan.stages), to);
  Index stage =
      emit.select(wraps, emit.sub(to, emit.constant(plan.stages)), to);
  Value turned =
      arith::XOrIOp::create(builder, emit.loc, place.parity, emit.i32(1));
  return {emit.value(stage), arith::SelectOp::create(builder, emit.loc, wraps,
                                                     turned, place.parity)};
}

/// The place of the first step of the next tile, `count` of them on.
WarpSpecializedKernel::Place WarpSpecializedKernel::behind(Place place,
                                                           Index count) {
  Index to = emit.add(Index(place.stage), count);
  Value turns = emit.cast(emit.rem(emit.div(to, plan.stages), 2), 32);
  return {emit.value(emit.rem(to, plan.stages)),
          arith::XOrIOp::create(emit.builder, emit.loc, place.parity, turns)};
}

/// The sums that another warpgroup has left, or is to leave, there.
Value WarpSpecializedKernel::exchange(Value sums, Index inGroup, bool leaves) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  constexpr int64_t bytes = 4;
  for (int64_t i = 0; i < plan.bn / 2; ++i) {
    Value place =
        pointer(emit.add(emit.constant(exchangeAt() + i * groupThreads * bytes),
                         emit.mul(inGroup, bytes)));
    Value sum = product.sum(sums, i);
    if (leaves) {
      LLVM::StoreOp::create(builder, loc, sum, place);
      continue;
    }
    Value other =
        LLVM::LoadOp::create(builder, loc, builder.getF32Type(), place);
    sum = arith::AddFOp::create(builder, loc, sum, other);
    sums = LLVM::InsertValueOp::create(builder, loc, sums, sum, i);
  }
  return sums;
}

SmallVector<Value> WarpSpecializedKernel::forOwnSteps(Index group, Place start,
                                                      Value sums, Value none,
                                                      Step body) {
  Index first, count;
  takePart(first, count);
  Place own = advance(start, group);
  // (count + 1) / 2 of the first one, count / 2 of the second one.
  Index mine = emit.div(
      emit.add(count, emit.sub(emit.constant(plan.kGroups - 1), group)),
      plan.kGroups);
  SmallVector<Value> end = emit.loop(emit.constant(0), mine, emit.constant(1),
                                     {sums, none, own.stage, own.parity}, body);
  Value some = emit.lessThan(emit.constant(0), mine);
  product.wait(0);
  Value isFirst =
      emit.equal(emit.rem(emit.thread(), warpThreads), emit.constant(0));
  emit.branch(emit.both(isFirst, some), [&] { release(end[1]); });
  Place after = behind(start, count);
  return {end[0], after.stage, after.parity};
}

void WarpSpecializedKernel::multiplyTiles() {
  Index inGroup = emit.rem(emit.thread(), groupThreads);
  Index group =
      emit.sub(emit.div(emit.thread(), groupThreads), emit.constant(1));
  Value isFirst =
      emit.equal(emit.rem(emit.thread(), warpThreads), emit.constant(0));
  Value leads = emit.equal(inGroup, emit.constant(0));
  bool paired = epilogue.isPaired(emit);
  bool shares = plan.kGroups > 1;
  forEachTile(start(0), [&](Place place) -> Place {
    Value none = emit.value(emit.constant(0));
    Index rowGroup = shares ? emit.constant(0) : group;
    auto step = [&](Index before, ValueRange carried) -> SmallVector<Value> {
      Place place = {carried[2], carried[3]};
      // They come while the step is multiplied.
      if (scales)
        loadScales(group, inGroup);
      await(barrier(place.stage, false), place.parity);
      Index offset =
          emit.add(shared, emit.mul(Index(place.stage), stageBytes()));
      Index rows = emit.add(offset, product.partOfA(rowGroup));
      if (groups)
        keepGroup(rows, emit.mul(group, WarpgroupProduct::rows),
                  WarpgroupProduct::rows, inGroup, groupThreads, [&] {
                    meet(emit, emit.cast(emit.add(group, emit.constant(1)), 32),
                         groupThreads);
                  });
      Value left = emit.cast(rows, 64);
      Value right = emit.cast(emit.add(offset, emit.constant(bytesA())), 64);
      Place after =
          shares ? advance(place, emit.constant(plan.kGroups)) : next(place);
      if (scales) {
        Value parts = product.multiply(product.zeros(), left, right, plan.bk);
        product.wait(0);
        emit.branch(isFirst, [&] { release(place.stage); });
        return {addScaled(carried[0], parts), place.stage, after.stage,
                after.parity};
      }
      Value sums = product.multiply(carried[0], left, right, plan.bk);
      // The step before has been multiplied: its stage is free.
      product.wait(1);
      Value some = emit.lessThan(emit.constant(0), before);
      emit.branch(emit.both(isFirst, some), [&] { release(carried[1]); });
      return {sums, place.stage, after.stage, after.parity};
    };
    Value sums;
    Place end;
    if (shares) {
      SmallVector<Value> made =
          forOwnSteps(group, place, product.zeros(), none, step);
      sums = made[0];
      end = {made[1], made[2]};
    } else {
      auto made =
          forEachStep({product.zeros(), none, place.stage, place.parity}, step);
      sums = made.second[0];
      end = {made.second[2], made.second[3]};
      if (!scales) {
        product.wait(0);
        Value some = emit.lessThan(emit.constant(0), made.first);
        emit.branch(emit.both(isFirst, some), [&] { release(made.second[1]); });
      }
    }
    auto storeAll = [&] {
      if (!mapsC.empty())
        return storeBoxes(sums, rowGroup, inGroup, leads);
      Index row = emit.add(tileM, emit.mul(rowGroup, WarpgroupProduct::rows));
      product.forEachPair(inGroup, [&](Index m, Index n, int64_t at) {
        store(emit.add(row, m), emit.add(tileN, n),
              {product.sum(sums, at), product.sum(sums, at + 1)}, paired);
      });
    };
    if (!shares) {
      storeAll();
      return end;
    }
    Value isLast = emit.lessThan(emit.constant(0), group);
    emit.branch(isLast, [&] { exchange(sums, inGroup, /*leaves=*/true); });
    meetGroups();
    // Both groups meet again before the exchanged sums are overwritten.
    emit.branch(
        isLast, [&] { meetGroups(); },
        [&] {
          sums = exchange(sums, inGroup, /*leaves=*/false);
          meetGroups();
          storeAll();
        });
    return end;
  });
  if (!mapsC.empty())
    emit.branch(leads, [&] { awaitStores(emit, 0, /*read=*/false); });
}

void WarpSpecializedKernel::run(StringRef name) {
  countTiles();
  makeMaps();
  planStores(WarpgroupProduct::rows, {2}, /*mostResults=*/2);
  if (!mapsC.empty())
    storeBytes = storingGroups() * storeBuffers * boxBytes;
  makePartials();
  emit.launch(
      name, {blocks}, plan.threads() + groupThreads,
      ringEnd() + exchangeBytes(),
      [&] {
        prepare([&] {
          for (int64_t stage = 0; stage < plan.stages; ++stage) {
            Value at = emit.value(emit.constant(stage));
            // One thread that expects bytes; every warp that multiplies
            // them.
            initBarrier(emit, barrier(at, false), 1);
            initBarrier(emit, barrier(at, true),
                        clusterSize() * plan.threads() / warpThreads /
                            plan.kGroups);
          }
        });
        if (plan.sharesB)
          meetCluster();
        auto copier = [&] {
          setRegisters(emit, copierRegisters,
                       NVVM::SetMaxRegisterAction::decrease);
          emit.branch(emit.isWarp(0), [&] { copyTiles(); });
        };
        auto multipliers = [&] {
          setRegisters(emit, multiplierRegisters,
                       NVVM::SetMaxRegisterAction::increase);
          multiplyTiles();
        };
        emit.branch(emit.lessThan(emit.thread(), emit.constant(groupThreads)),
                    copier, multipliers);
        // Neither block writes to one that has ended.
        if (plan.sharesB)
          meetCluster();
      },
      clusterSize());
  combinePartials();
}

void shardir::emitWarpSpecializedKernel(KernelEmitter &emit,
                                        const Contraction &contraction,
                                        const Epilogue &epilogue,
                                        const LoopNest &nest,
                                        const TilePlan &plan) {
  WarpSpecializedKernel kernel(emit, contraction, epilogue, nest, plan);
  TilePlan other = plan;
  other.stages = 4;
  if (plan.kGroups > 1) {
    other.kGroups = 1;
    other.sharesB = false;
    other.bm = 128;
  }
  emit.branch(
      kernel.suits(), [&] { kernel.run("ws"); },
      [&] { emitWgmmaKernel(emit, contraction, epilogue, nest, other); });
}
