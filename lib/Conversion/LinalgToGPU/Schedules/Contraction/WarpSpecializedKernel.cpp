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
  void multiplyTiles();

  WarpgroupProduct product;
  std::optional<StepScales> scales; ///< of a scaled product
};
} // namespace

/// The warpgroup's rows, 64 columns at a time, by turns through two boxes of
/// shared memory: while the copy engine reads one the other is written. `leads`
/// is true for the one thread that talks to it.
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
  for (int64_t box = 0; box < plan.bn / columns; ++box) {
    Index buffer = emit.add(emit.constant(plan.stages * stageBytes() +
                                          box % storeBuffers * boxBytes),
                            emit.mul(group, storeBuffers * boxBytes));
    emit.branch(leads, [&] {
      // A tile of one box always takes the first buffer.
      awaitStores(emit, plan.bn == columns ? 0 : storeBuffers - 1,
                  /*read=*/true);
    });
    meet(emit, id, groupThreads);
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t j = 0; j < columns / 8; ++j) {
        Index row = emit.add(emit.add(emit.mul(warp, 16), emit.div(lane, 4)),
                             emit.constant(8 * half));
        Index m = emit.add(firstRow, row);
        Index n = emit.add(emit.add(tileN, emit.mul(emit.rem(lane, 4), 2)),
                           emit.constant(box * columns + 8 * j));
        int64_t at = 4 * (box * columns / 8 + j) + 2 * half;
        Value pair = packed(
            m, n, {product.sum(sums, at), product.sum(sums, at + 1)}, full)[0];
        // Chunks of 16 bytes change places by the row's number.
        Index mixed = emit.exclusiveOr(emit.rem(row, 8), emit.constant(j));
        Index place =
            emit.add(emit.add(emit.mul(row, WarpgroupProduct::rowBytes),
                              emit.mul(mixed, chunk)),
                     emit.mul(emit.rem(lane, 4), 4));
        LLVM::StoreOp::create(builder, loc, pair,
                              pointer(emit.add(buffer, place)));
      }
    publishToAsyncProxy(emit);
    meet(emit, id, groupThreads);
    emit.branch(leads, [&] {
      storeBox(buffer, firstRow, emit.add(tileN, emit.constant(box * columns)));
    });
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

void WarpSpecializedKernel::multiplyTiles() {
  Index inGroup = emit.rem(emit.thread(), groupThreads);
  Index group =
      emit.sub(emit.div(emit.thread(), groupThreads), emit.constant(1));
  Value isFirst =
      emit.equal(emit.rem(emit.thread(), warpThreads), emit.constant(0));
  Value leads = emit.equal(inGroup, emit.constant(0));
  bool paired = epilogue.isPaired(emit);
  forEachTile(start(0), [&](Place place) -> Place {
    Value none = emit.value(emit.constant(0));
    auto made = forEachStep(
        {product.zeros(), none, place.stage, place.parity},
        [&](Index before, ValueRange carried) -> SmallVector<Value> {
          Place place = {carried[2], carried[3]};
          // They come while the step is multiplied.
          if (scales)
            loadScales(group, inGroup);
          await(barrier(place.stage, false), place.parity);
          Index offset =
              emit.add(shared, emit.mul(Index(place.stage), stageBytes()));
          Index rows = emit.add(offset, product.partOfA(group));
          if (groups)
            keepGroup(rows, emit.mul(group, WarpgroupProduct::rows),
                      WarpgroupProduct::rows, inGroup, groupThreads, [&] {
                        meet(emit,
                             emit.cast(emit.add(group, emit.constant(1)), 32),
                             groupThreads);
                      });
          Value left = emit.cast(rows, 64);
          Value right =
              emit.cast(emit.add(offset, emit.constant(bytesA())), 64);
          Place after = next(place);
          if (scales) {
            Value parts =
                product.multiply(product.zeros(), left, right, plan.bk);
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
        });
    ArrayRef<Value> end = made.second;
    if (!scales) {
      product.wait(0);
      Value some = emit.lessThan(emit.constant(0), made.first);
      emit.branch(emit.both(isFirst, some), [&] { release(end[1]); });
    }
    if (mapC) {
      storeBoxes(end[0], group, inGroup, leads);
      return {end[2], end[3]};
    }
    Index row = emit.add(tileM, emit.mul(group, WarpgroupProduct::rows));
    product.forEachPair(inGroup, [&](Index m, Index n, int64_t at) {
      store(emit.add(row, m), emit.add(tileN, n),
            {product.sum(end[0], at), product.sum(end[0], at + 1)}, paired);
    });
    return {end[2], end[3]};
  });
  if (mapC)
    emit.branch(leads, [&] { awaitStores(emit, 0, /*read=*/false); });
}

void WarpSpecializedKernel::run(StringRef name) {
  countTiles();
  makeMaps();
  planStores(WarpgroupProduct::rows, {2});
  if (mapC)
    storeBytes = plan.warpsM / 4 * storeBuffers * boxBytes;
  makePartials();
  emit.launch(name, {blocks}, plan.threads() + groupThreads, ringEnd(), [&] {
    prepare([&] {
      for (int64_t stage = 0; stage < plan.stages; ++stage) {
        Value at = emit.value(emit.constant(stage));
        // One thread that expects bytes; every warp that multiplies.
        initBarrier(emit, barrier(at, false), 1);
        initBarrier(emit, barrier(at, true), plan.threads() / warpThreads);
      }
    });
    auto copier = [&] {
      setRegisters(emit, copierRegisters, NVVM::SetMaxRegisterAction::decrease);
      emit.branch(emit.isWarp(0), [&] { copyTiles(); });
    };
    auto multipliers = [&] {
      setRegisters(emit, multiplierRegisters,
                   NVVM::SetMaxRegisterAction::increase);
      multiplyTiles();
    };
    emit.branch(emit.lessThan(emit.thread(), emit.constant(groupThreads)),
                copier, multipliers);
  });
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
  emit.branch(
      kernel.suits(), [&] { kernel.run("ws"); },
      [&] { emitWgmmaKernel(emit, contraction, epilogue, nest, other); });
}
