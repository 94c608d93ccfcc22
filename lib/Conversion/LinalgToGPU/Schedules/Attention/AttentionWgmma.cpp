//===- AttentionWgmma.cpp - Attention by wgmma ----------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a, queries and keys of one 16-bit float type, and probabilities
// and values of one. Each warpgroup has 64 rows; probabilities are an operand
// in registers. Where two blocks share a multiprocessor, one multiplies while
// the other one is at its exponentials.
//
// The warp-specialised kernel is FlashAttention-3's (Shah et al.,
// arXiv:2407.08608, algorithm 2). One warp has TMA fill two rings, of keys and
// of values. A warpgroup starts a step's scores and the sums of the step
// before, and computes exponentials of the scores while the sums are
// multiplied. Two warpgroups take turns at starting products, by a barrier
// each: the products of one run while the other one computes.
//
//===----------------------------------------------------------------------===//

#include "TileRing.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

namespace {
class WgmmaAttention : public OnWarpgroupTiles<MatrixAttention> {
public:
  WgmmaAttention(KernelEmitter &emit, const AttentionProblem &problem,
                 const AttentionPlan &plan)
      : OnWarpgroupTiles(emit, problem, plan) {}

protected:
  void prepare() override { group = tiles.group(); }

  Fragment scores(Index stage) override {
    Value sums = startScores(stage);
    tiles.wait(0);
    return tiles.finish(sums);
  }

  void accumulate(Index stage, ArrayRef<Value> p, Fragment &sums) override {
    Value made = tiles.startSums(factors(p), value, stage, sums);
    tiles.wait(0);
    sums = tiles.finish(made);
  }

  Value startScores(Index stage) {
    return tiles.startScores(query, group, key, stage, emit.constant(0),
                             plan.bn, plan.k);
  }

  /// The A fragments of probabilities.
  SmallVector<Value> factors(ArrayRef<Value> p) {
    SmallVector<Value> words;
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t half = 0; half < 2; ++half)
        words.push_back(packed(p, 0, j, half, /*asInteger=*/true));
    return words;
  }

  Index group;
};

class WarpSpecializedAttention : public WgmmaAttention {
public:
  WarpSpecializedAttention(KernelEmitter &emit, const AttentionProblem &problem,
                           const AttentionPlan &plan)
      : WgmmaAttention(emit, problem, plan),
        keys(emit, key, problem.outer.loops),
        values(emit, value, problem.outer.loops) {}

  // Rows of queries may be several loops: threads copy these.
  Condition suits() { return emit.both(keys.suits(), values.suits()); }

  void run() {
    for (TileRing *ring : {&keys, &values})
      ring->makeMap(problem.extents);
    WgmmaAttention::run("ws");
  }

private:
  static constexpr int64_t groupThreads = 128;
  /// The block's barriers: the turn of each warpgroup, and all that multiply.
  enum Barriers : int64_t { FirstTurn = 1, Multipliers = 3 };

  void takeMore(SharedLayout &layout) override {
    for (TileRing *ring : {&keys, &values})
      ring->takeShared(layout);
  }

  // `number` is that of a step among those of the block.

  /// The warp that copies.
  void load(TileRing &ring, Index number, Index step, Index secondStart) {
    ring.load(number, emit.mul(step, plan.bn), secondStart, blockIvs);
  }
  void copySteps(Index first, Index end) {
    Index zero = emit.constant(0), one = emit.constant(1);
    auto loadKeys = [&](Index step) {
      emit.branch(emit.lessThan(step, end),
                  [&] { load(keys, emit.sub(step, first), step, zero); });
    };
    // Values are wanted a step later than keys.
    loadKeys(first);
    emit.loop(first, end, one, [&](Index step) {
      loadKeys(emit.add(step, one));
      load(values, emit.sub(step, first), step, valueStart);
    });
  }

  Value turnOf(Index of) {
    return emit.cast(emit.add(of, emit.constant(FirstTurn)), 32);
  }
  void awaitTurn() { meet(emit, turnOf(group), 2 * groupThreads); }
  void passTurn() {
    meetWithoutWaiting(emit, turnOf(emit.sub(emit.constant(1), group)),
                       2 * groupThreads);
  }
  Value isGroup(int64_t number) {
    return emit.equal(group, emit.constant(number));
  }

  /// Those of step `step`, if there is one.
  void awaitKeys(Index number, Index step, Index end) {
    emit.branch(emit.lessThan(step, end), [&] { keys.awaitFull(number); });
  }
  /// Starts the products of step `number`'s probabilities and values.
  Value startSums(Index number, ArrayRef<Value> probabilities,
                  const Fragment &acc) {
    values.awaitFull(number);
    return tiles.startSums(probabilities, value, values.stageOf(number), acc);
  }

  /// A step but the first one, whose keys are there: the sums, and its
  /// probabilities as factors, out of those of the step before.
  SmallVector<Value> runStep(Index number, Index step, Index end,
                             ValueRange carried, bool visible) {
    Sums sums = sumsOf(carried);
    Index before = emit.sub(number, emit.constant(1));
    awaitTurn();
    Value products = startScores(keys.stageOf(number));
    Value acc =
        startSums(before, SmallVector<Value>(factorsOf(carried)), sums.acc);
    passTurn();
    tiles.wait(1);
    keys.release(number, lane);
    Fragment p = scored(tiles.finish(products), step, visible);
    SmallVector<Value> shrink = softmax(p, sums);
    // Exponentials are computed before the sums are waited for: ptxas would
    // begin with that, were there no loop between, the one that polls.
    p = tiles.finish(emit.pinned(p));
    awaitKeys(emit.add(number, emit.constant(1)),
              emit.add(step, emit.constant(1)), end);
    tiles.wait(0);
    values.release(before, lane);
    sums.acc = tiles.finish(acc);
    scale(sums.acc, shrink);
    finishProbabilities(p, step);
    SmallVector<Value> result = sums.values();
    llvm::append_range(result, factors(p));
    return result;
  }
  ValueRange factorsOf(ValueRange carried) {
    return carried.take_back(2 * scoreTiles());
  }

  /// There is a step.
  SmallVector<Value> runSteps(Index first, Index end) {
    Index zero = emit.constant(0), one = emit.constant(1);
    Sums sums = initial();
    keys.awaitFull(zero);
    // The first warpgroup begins.
    emit.branch(isGroup(1), [&] { awaitTurn(); });
    Value products = startScores(zero);
    passTurn();
    tiles.wait(0);
    keys.release(zero, lane);
    Fragment p = scored(tiles.finish(products), first);
    scale(sums.acc, softmax(p, sums));
    finishProbabilities(p, first);
    awaitKeys(one, emit.add(first, one), end);
    SmallVector<Value> carried = sums.values();
    llvm::append_range(carried, factors(p));

    carried =
        emit.loop(emit.add(first, one), end, one, carried,
                  [&](Index step, ValueRange carried) -> SmallVector<Value> {
                    Index number = emit.sub(step, first);
                    auto run = [&](bool visible) {
                      return [&, visible] {
                        return runStep(number, step, end, carried, visible);
                      };
                    };
                    Value visible = isVisible(step);
                    return visible ? emit.either(visible, run(true), run(false))
                                   : run(true)();
                  });
    sums = sumsOf(carried);
    Index last = emit.sub(emit.sub(end, first), one);
    awaitTurn();
    Value acc =
        startSums(last, SmallVector<Value>(factorsOf(carried)), sums.acc);
    // The last turn is nobody's.
    emit.branch(isGroup(0), [&] { passTurn(); });
    tiles.wait(0);
    sums.acc = tiles.finish(acc);
    return sums.values();
  }

  void attend(Index first, Index end) override {
    Index shared = emit.sharedAddress();
    for (TileRing *ring : {&keys, &values})
      ring->open(shared);
    initBarriers(emit, [&] {
      for (TileRing *ring : {&keys, &values}) {
        // One thread that expects bytes; every warp that multiplies.
        ring->init(1, plan.warps);
        ring->prefetchMap();
      }
    });
    auto copy = [&] {
      emit.branch(emit.isWarp(plan.warps), [&] { copySteps(first, end); });
    };
    auto multiply = [&] {
      Index zero = emit.constant(0);
      AttentionTiles::copy(query, zero, rowStart, zero);
      wait(commit(), 0);
      tiles.publish();
      meet(emit, emit.i32(Multipliers), plan.threads());
      finish(sumsOf(emit.either(
          emit.lessThan(first, end), [&] { return runSteps(first, end); },
          [&] { return initial().values(); })));
    };
    specializeWarps(emit, plan.threads(), multiply, copy);
  }

  TileRing keys, values;
};
} // namespace

void shardir::emitWgmmaAttention(KernelEmitter &emit,
                                 const AttentionProblem &problem,
                                 const AttentionPlan &plan) {
  auto byThreads = [&] {
    AttentionPlan own = plan;
    own.copyWarps = 0;
    WgmmaAttention(emit, problem, own).run("wgmma");
  };
  if (plan.copyWarps == 0)
    return byThreads();
  WarpSpecializedAttention kernel(emit, problem, plan);
  emit.branch(kernel.suits(), [&] { kernel.run(); }, byThreads);
}

Condition shardir::suitsTensorMaps(KernelEmitter &emit,
                                   const AttentionProblem &problem,
                                   const AttentionPlan &plan) {
  return WarpSpecializedAttention(emit, problem, plan).suits();
}
