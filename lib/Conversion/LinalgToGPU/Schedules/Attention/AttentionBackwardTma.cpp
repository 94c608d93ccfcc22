//===- AttentionBackwardTma.cpp - Attention's gradients, copied by TMA ----===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two warpgroups multiply. The warps of a third one have a task each:
//   1. have TMA fill rings of queries and of gradients;
//   2. have TMA add sums to the gradients of queries, and pass the block's turn
//      on when these are in memory;
//   3. wait for the block's turn at the steps to come;
//   4. copy the extras of a step's columns, or compute from them the logarithms
//      that scores read.
// Sums go through one buffer for each warpgroup, and a barrier in each
// direction. Warpgroups meet once in a step, when the gradients of its scores
// are in shared memory; these have two buffers, so that no warpgroup overwrites
// a buffer that the other one still multiplies.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardWgmma.h"

using namespace mlir;
using namespace shardir;

namespace {
constexpr int64_t warpThreads = 32, groupThreads = 128;
/// The block's barriers: of all threads that multiply; of each warpgroup, one
/// for sums that are in its buffer and one for sums that TMA has read.
enum Barriers : int64_t { Multipliers = 1, SumsMade = 2, SumsTaken = 4 };
constexpr int64_t sumsRows = 64, sumsColumns = 64, boxColumns = 32;
constexpr int64_t boxBytes = sumsRows * boxColumns * 4,
                  groupBytes = sumsColumns / boxColumns * boxBytes;
} // namespace

TmaBackward::TmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
                         const BackwardPlan &plan, const BackwardPart &part,
                         Value turns)
    : WgmmaBackward(emit, problem, plan, part, turns),
      ringK(emit, otherK, problem.batch.loops),
      ringV(emit, otherV, problem.batch.loops), ringRows(emit, plan.stages),
      ringTurns(emit, plan.stages),
      sumsMap(thirdResult(), problem.k.loops[0], other, problem.batch.loops,
              sumsRows) {
  // The warp that copies computes logarithms for all.
  body.expectLogarithms();
  for (const BackwardBody::Quotient &quotient : body.getQuotients())
    llvm::erase_if(staged,
                   [&](const Staged &of) { return quotient.max == of.extra; });
}

SmallVector<StageRing *> TmaBackward::rings() {
  return {&ringK, &ringV, &ringRows, &ringTurns};
}

Condition TmaBackward::suits() const {
  Condition tiles = emit.both(ringK.suits(), ringV.suits());
  const NestOperand &result = thirdResult();
  int k = problem.k.loops.back();
  if (!part.third || tiles.never() || !result.element.isF32() ||
      !result.isUnit(k) || !sumsMap.exists())
    return {false, {}};
  return emit.both(tiles, emit.isAligned(result, k, 4));
}

int64_t TmaBackward::moreSharedBytes(const BackwardPlan &plan) {
  // The second buffer of gradients of scores, sums, mbarriers of the rings.
  return plan.bm() * plan.bn * 2 + 2 * groupBytes + 4 * 128;
}

void TmaBackward::takeMore(SharedLayout &layout) {
  WgmmaBackward::takeMore(layout);
  sumsOffset = layout.take(2 * groupBytes);
  for (StageRing *ring : rings())
    ring->takeShared(layout);
}

void TmaBackward::run() {
  for (TileRing *ring : {&ringK, &ringV})
    ring->makeMap(problem.extents);
  sumsMap.make(emit, problem.extents);
  WgmmaBackward::run(backwardKernelName("ws", part));
}

//===----------------------------------------------------------------------===//
// The warps that do not multiply
//===----------------------------------------------------------------------===//

void TmaBackward::loadTiles(Index count) {
  Index zero = emit.constant(0);
  emit.loop(zero, count, emit.constant(1), [&](Index ordinal) {
    Index start = emit.mul(stepAt(ordinal).number, plan.bn);
    ringK.load(ordinal, start, zero, blockIvs);
    ringV.load(ordinal, start, zero, blockIvs);
  });
}

void TmaBackward::loadRows(Index count) {
  emit.loop(emit.constant(0), count, emit.constant(1), [&](Index ordinal) {
    Step step = stepAt(ordinal);
    ringRows.awaitEmpty(ordinal);
    loadStaged(step.stage, emit.mul(step.number, plan.bn), lane, warpThreads);
    wait(commit(), 0);
    ringRows.fill(ordinal);
  });
}

void TmaBackward::awaitTurns(Index count) {
  emit.loop(emit.constant(0), count, emit.constant(1), [&](Index ordinal) {
    ringTurns.awaitEmpty(ordinal);
    emit.byOneThread([&] {
      awaitTurn(stepAt(ordinal).number);
      // Orders TMA's additions for other blocks before those for this one.
      NVVM::FenceProxyOp::create(emit.builder, emit.loc, NVVM::ProxyKind::async,
                                 NVVM::SharedSpaceAttr());
      ringTurns.fill(ordinal);
    });
  });
}

void TmaBackward::addBoxes(const Step &step) {
  for (int64_t of = 0; of < 2; ++of)
    for (int64_t box = 0; box < sumsColumns / boxColumns; ++box) {
      int64_t column = (splitsRows() ? 0 : of * sumsColumns) + box * boxColumns;
      if (column >= plan.k)
        continue;
      Index row = emit.add(emit.mul(step.number, plan.bn),
                           emit.constant(splitsRows() ? of * sumsRows : 0));
      Index from = emit.add(
          shared, emit.constant(sumsOffset + of * groupBytes + box * boxBytes));
      NVVM::CpAsyncBulkTensorReduceOp::create(
          emit.builder, emit.loc, sumsMap.get(), sharedPointer(emit, from),
          NVVM::TMAReduxKind::ADD, NVVM::TMAStoreMode::TILE,
          sumsMap.coordinates(emit, emit.constant(column), row, blockIvs),
          Value());
    }
  NVVM::CpAsyncBulkCommitGroupOp::create(emit.builder, emit.loc);
}

void TmaBackward::addSums(Index count) {
  auto each = [&](auto meets, Barriers barrier) {
    for (int64_t of = 0; of < 2; ++of)
      meets(emit, emit.i32(barrier + of), groupThreads + warpThreads);
  };
  auto freeSums = [&] { each(meetWithoutWaiting, SumsTaken); };
  Index zero = emit.constant(0), one = emit.constant(1);
  emit.branch(emit.lessThan(zero, count), freeSums);
  emit.loop(zero, count, one, [&](Index ordinal) {
    Step step = stepAt(ordinal);
    ringTurns.awaitFull(ordinal);
    each(meet, SumsMade);
    emit.byOneThread([&] {
      addBoxes(step);
      awaitStores(emit, 0, /*read=*/true);
    });
    ringTurns.release(ordinal, lane);
    emit.branch(emit.lessThan(emit.add(ordinal, one), count), freeSums);
    emit.byOneThread([&] {
      awaitStores(emit, 0, /*read=*/false);
      passTurn(step.number);
    });
  });
}

//===----------------------------------------------------------------------===//
// The warpgroups that multiply
//===----------------------------------------------------------------------===//

void TmaBackward::awaitTile(const Tile &tile, const Step &step) {
  (&tile == &otherK ? ringK : ringV).awaitFull(step.ordinal);
}

void TmaBackward::afterStart(const Step &step) {
  if (!staged.empty())
    ringRows.awaitFull(step.ordinal);
}

void TmaBackward::exchange(const Step &) {
  tiles.publish();
  meet(emit, emit.i32(Multipliers), plan.threads());
}

/// Leaves the sums to the warp that has TMA add them, in boxes whose rows of
/// 128 bytes are swizzled: four threads have a part of one row, a warp of
/// eight.
void TmaBackward::addThird(const Fragment &sums, const Step &step) {
  OpBuilder &builder = emit.builder;
  // Products with gradients have ended, as older ones do first.
  ringV.release(step.ordinal, lane);
  auto barrier = [&](Barriers first) {
    return emit.cast(emit.add(group, emit.constant(first)), 32);
  };
  meet(emit, barrier(SumsTaken), groupThreads + warpThreads);
  Index inGroup = emit.rem(warp, 4), row = emit.div(lane, 4),
        inRow = emit.rem(lane, 4);
  // Chunks of 16 bytes trade places by the row's number. Odd rows are two
  // eights of columns ahead: so the four rows of a pass have different banks.
  Index isOdd = emit.rem(row, 2);
  Index chunk = emit.exclusiveOr(emit.exclusiveOr(emit.div(inRow, 2), row),
                                 emit.mul(isOdd, 4));
  Index start = emit.add(
      emit.add(shared, emit.add(emit.constant(sumsOffset),
                                emit.mul(group, groupBytes))),
      emit.add(emit.add(emit.mul(inGroup, 16 * 128), emit.mul(row, 128)),
               emit.add(emit.mul(chunk, 16), emit.mul(emit.rem(inRow, 2), 8))));
  Value odd = emit.equal(isOdd, emit.constant(1));
  int64_t count = sums.size() / 4;
  Value zero = emit.zero(builder.getF32Type());
  auto valueAt = [&](int64_t j, int64_t half, int64_t one) {
    return j < count ? sums[at(count, 0, j, half, one)] : zero;
  };
  for (int64_t j = 0; j < ceilDivide(count, 4) * 4; ++j)
    for (int64_t half = 0; half < 2; ++half) {
      Fragment pair;
      for (int64_t one = 0; one < 2; ++one)
        pair.push_back(arith::SelectOp::create(builder, emit.loc, odd,
                                               valueAt(j ^ 2, half, one),
                                               valueAt(j, half, one)));
      Value both = vector::FromElementsOp::create(
          builder, emit.loc, VectorType::get(2, builder.getF32Type()), pair);
      Index to = emit.add(emit.exclusiveOr(start, emit.constant(j % 4 * 32)),
                          emit.constant(j / 4 * boxBytes + half * 8 * 128));
      LLVM::StoreOp::create(builder, emit.loc, both, sharedPointer(emit, to));
    }
  tiles.publish();
  meetWithoutWaiting(emit, barrier(SumsMade), groupThreads + warpThreads);
}

void TmaBackward::afterProducts(const Step &step) {
  ringK.release(step.ordinal, lane);
  if (!staged.empty())
    ringRows.release(step.ordinal, lane);
}

void TmaBackward::runSteps(Index count) {
  shared = emit.sharedAddress();
  for (StageRing *ring : rings())
    ring->open(shared);
  initBarriers(emit, [&] {
    // One thread that expects bytes, or the warp that copies; every warp that
    // multiplies.
    for (TileRing *ring : {&ringK, &ringV}) {
      ring->init(1, plan.warps);
      ring->prefetchMap();
    }
    ringRows.init(warpThreads, plan.warps);
    ringTurns.init(1, 1);
    prefetchTensorMap(emit, sumsMap.get());
  });
  auto copy = [&] {
    emit.branch(emit.isWarp(plan.warps), [&] { loadTiles(count); });
    emit.branch(emit.isWarp(plan.warps + 1), [&] { addSums(count); });
    emit.branch(emit.isWarp(plan.warps + 2), [&] { awaitTurns(count); });
    if (!staged.empty())
      emit.branch(emit.isWarp(plan.warps + 3), [&] { loadRows(count); });
  };
  auto multiply = [&] {
    Index zero = emit.constant(0);
    readRows();
    AttentionTiles::copy(ownK, zero, rowStart, zero);
    AttentionTiles::copy(ownV, zero, rowStart, zero);
    wait(commit(), 0);
    tiles.publish();
    meet(emit, emit.i32(Multipliers), plan.threads());
    finish(emit.loop(zero, count, emit.constant(1), zeroSums(),
                     [&](Index ordinal, ValueRange carried) {
                       return runMaskedStep(stepAt(ordinal), Fragment(carried));
                     }));
  };
  specializeWarps(emit, plan.threads(), multiply, copy);
}
