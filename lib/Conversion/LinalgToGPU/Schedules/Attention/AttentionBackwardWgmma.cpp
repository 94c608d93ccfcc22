//===- AttentionBackwardWgmma.cpp - Attention's gradients by wgmma --------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a and operands of one 16-bit float type. Each warpgroup has 64
// of the block's own rows. What scores and their gradients become is an operand
// in registers, as in FlashAttention-3 (Shah et al., arXiv:2407.08608). The
// order of a step lets the matrix units work while threads compute:
// probabilities while dp is multiplied, gradients of scores while `second` is.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardKernel.h"
#include "ShardIR/Conversion/BufferAddress.h"
#include "WarpgroupTiles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;

namespace {
class WgmmaBackward : public OnWarpgroupTiles<BackwardKernel> {
public:
  /// `turns`: for each batch and each step a counter that is 0, where the
  /// kernel adds to the other axis's result.
  WgmmaBackward(KernelEmitter &emit, const BackwardProblem &problem,
                const BackwardPlan &plan, const BackwardPart &part, Value turns)
      : OnWarpgroupTiles(emit, problem, plan, part, /*approximate=*/true),
        turns(turns) {
    if (!part.third)
      return;
    // ds as an operand of ds^T x: a row of shared memory for each own row.
    gradients.operand = otherK.operand;
    gradients.turned = true;
    gradients.rows = plan.bm();
    gradients.columns = plan.bn;
    const NestOperand &result = problem.results[part.ofKeys ? 0 : 1];
    int last = problem.k.loops.back();
    auto extent = LoopEmitter::known(problem.extents[last]);
    paired = extent && *extent % 2 == 0 && result.isUnit(last) &&
             emit.isAligned(result, last, 2).always();
  }

private:
  void takeMore(SharedLayout &layout) override {
    if (part.third)
      gradients.offset = layout.take(elements(gradients) * 2);
  }
  void prepare() override {
    group = tiles.group();
    if (!part.third)
      return;
    gradients.shared = emit.shared(gradients.operand.element,
                                   elements(gradients), gradients.offset);
    words = emit.shared(emit.builder.getI32Type(), elements(gradients) / 2,
                        gradients.offset);
  }

  /// The A fragments of what the bodies yield.
  SmallVector<Value> factors(const Bodies &bodies, unsigned which,
                             const Step &step) {
    Fragment values = yielded(bodies, which, step);
    SmallVector<Value> packed;
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t half = 0; half < 2; ++half) {
        ArrayRef<Value> two =
            ArrayRef(values).slice(at(scoreTiles(), 0, j, half, 0), 2);
        Value pair = vector::FromElementsOp::create(
            emit.builder, emit.loc, VectorType::get(2, otherK.operand.element),
            two);
        packed.push_back(wordOf(pair, /*asInteger=*/true));
      }
    return packed;
  }

  Fragment runStep(const Step &step, const Fragment &sums) override {
    Fragment first(ArrayRef(sums).take_front(firsts())),
        second(ArrayRef(sums).take_back(seconds()));
    Index stage = step.stage, zero = emit.constant(0);
    bool asks = asksGradient();
    bool early =
        asks && !(body.yieldedDependence(0) & BackwardBody::OnGradient);
    Value s = tiles.startScores(ownK, group, otherK, stage, zero, plan.bn,
                                plan.k),
          dp, ofFirst, ofSecond, ofThird;
    if (asks)
      dp = tiles.startScores(ownV, group, otherV, stage, zero, plan.bn, plan.v);
    if (part.third) {
      // All threads have come by the barrier: what they added in the step
      // before is there when the next block sees its turn.
      Index before = emit.add(step.number, emit.constant(1));
      emit.branch(emit.both(isFirstThread(), emit.lessThan(before, stepEnd)),
                  [&] { passTurn(before); });
    }
    tiles.wait(asks ? 1 : 0);
    Bodies bodies = beginBodies(tiles.finish(s), step);
    auto startSecond = [&] {
      if (part.second)
        ofSecond =
            tiles.startSums(factors(bodies, 0, step), otherV, stage, second);
    };
    if (early)
      startSecond();
    if (asks) {
      tiles.wait(early && part.second ? 1 : 0);
      endBodies(bodies, tiles.finish(dp), step);
    } else {
      endBodies(bodies, Fragment(bodies.size(), emit.zero(problem.wide)), step);
    }
    if (!early)
      startSecond();
    if (part.first) {
      SmallVector<Value> ds = factors(bodies, 1, step);
      if (part.third)
        ofThird = startThird(ds, step);
      ofFirst = tiles.startSums(ds, otherK, stage, first);
    }
    if (part.third) {
      tiles.wait(1);
      addThird(tiles.finish(ofThird), step);
    }
    tiles.wait(0);
    Fragment made;
    for (Value of : {ofFirst, ofSecond})
      if (of)
        llvm::append_range(made, tiles.finish(of));
    return made;
  }

  void afterSteps(Index last) override {
    emit.barrier();
    emit.branch(isFirstThread(), [&] { passTurn(last); });
  }

  Value isFirstThread() { return emit.equal(emit.thread(), emit.constant(0)); }

  /// Begins the products of the step's ds, turned, and the own rows: of a
  /// warpgroup 64 rows and all columns, or all rows and half of the columns.
  Value startThird(ArrayRef<Value> ds, const Step &step) {
    OpBuilder &builder = emit.builder;
    // Eight rows below, chunks trade places in the same way.
    Index row = emit.add(emit.mul(warp, 16), emit.div(lane, 4));
    SmallVector<Index> places = tiles.wordPlaces(gradients, row, lane);
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t half = 0; half < 2; ++half) {
        Index word =
            emit.add(places[j],
                     emit.constant(half * 8 * WarpgroupTiles::rowElements / 2));
        memref::StoreOp::create(builder, emit.loc, ds[2 * j + half], words,
                                emit.value(word));
      }
    tiles.publish();
    emit.branch(isFirstThread(), [&] { awaitTurn(step.number); });
    emit.barrier();
    Tile own = ownK;
    own.turned = !own.turned;
    Index zero = emit.constant(0);
    if (splitsRows())
      return tiles.startScores(gradients, group, own, zero, zero, plan.k,
                               plan.bm());
    return tiles.startScores(gradients, zero, own, zero, group, plan.k / 2,
                             plan.bm());
  }
  bool splitsRows() const { return plan.bn == 2 * WarpgroupTiles::rows; }

  /// Adds them to the result. Nobody else does before the turn is passed on.
  void addThird(const Fragment &sums, const Step &step) {
    int64_t tiles = sums.size() / 4;
    const NestOperand &result = problem.results[part.ofKeys ? 0 : 1];
    Index start = emit.add(emit.mul(step.number, plan.bn),
                           emit.mul(emit.rem(warp, 4), 16));
    Index columnStart = emit.mul(emit.rem(lane, 4), 2);
    if (splitsRows())
      start = emit.add(start, emit.mul(group, WarpgroupTiles::rows));
    else
      columnStart = emit.add(columnStart, emit.mul(group, plan.k / 2));
    SmallVector<Index> ivs(blockIvs);
    for (int64_t half = 0; half < 2; ++half) {
      Index row =
          emit.add(start, emit.add(emit.div(lane, 4), emit.constant(8 * half)));
      auto addRow = [&] {
        setIvs(ivs, other, row);
        auto pair = [&](int64_t j) {
          return ArrayRef(sums).slice(at(tiles, 0, j, half, 0), 2);
        };
        if (paired && LoopEmitter::isKnown(problem.k.extent, plan.k)) {
          // One address for all: others would take registers.
          setIvs(ivs, problem.k, columnStart);
          Value address = addressOf(result.flat, result.address(emit, ivs));
          for (int64_t j = 0; j < tiles; ++j)
            add(address, 32 * j, pair(j));
          return;
        }
        for (int64_t j = 0; j < tiles; ++j) {
          int64_t together = paired ? 2 : 1;
          for (int64_t one = 0; one < 2; one += together) {
            Index column = emit.add(columnStart, emit.constant(8 * j + one));
            ifInside(problem.k, plan.k, column, [&] {
              setIvs(ivs, problem.k, column);
              add(addressOf(result.flat, result.address(emit, ivs)), 0,
                  pair(j).slice(one, together));
            });
          }
        }
      };
      if (step.visible)
        addRow();
      else
        ifInside(other, plan.bn, row, addRow);
    }
  }

  Value addressOf(Value flat, Index element) {
    return bufferAddress(emit.builder, emit.loc, flat, emit.value(element));
  }

  // NVVM has no reductions of vectors, nor orders of accesses: assembly.
  void add(Value address, int64_t bytes, ArrayRef<Value> values) {
    SmallVector<Value> operands = {address};
    llvm::append_range(operands, values);
    bool two = values.size() == 2;
    emit.assembly({}, operands,
                  llvm::formatv("red.relaxed.gpu.global.add.{0} [$0+{1}], {2};",
                                two ? "v2.f32" : "f32", bytes,
                                two ? "{$1, $2}" : "$1")
                      .str(),
                  two ? "l,f,f,~{memory}" : "l,f,~{memory}");
  }

  /// The address of a step's counter.
  Value turnOf(Index step) {
    Index steps = emit.ceilDiv(other.extent, plan.bn);
    return addressOf(turns, emit.add(emit.mul(batch, steps), step));
  }

  /// Until the blocks of lower numbers that have this step of the batch have
  /// added to it. They began before this one did: blocks begin in the order of
  /// their numbers.
  void awaitTurn(Index step) {
    OpBuilder &builder = emit.builder;
    Location loc = emit.loc;
    Index before = rowTile;
    if (!mask.conditions.empty()) {
      Index first = visibleRange(own, stepRanges(step)).first;
      before = emit.sub(rowTile, emit.div(first, plan.bm()));
    }
    Type word = builder.getI32Type();
    Value wanted =
        arith::IndexCastOp::create(builder, loc, word, emit.value(before));
    Value turn = turnOf(step);
    auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&loop.getBefore());
    Value is = emit.assembly(word, turn, "ld.acquire.gpu.global.u32 $0, [$1];",
                             "=r,l,~{memory}");
    Value early = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        is, wanted);
    scf::ConditionOp::create(builder, loc, early, ValueRange());
    builder.createBlock(&loop.getAfter());
    scf::YieldOp::create(builder, loc);
  }
  void passTurn(Index step) {
    emit.assembly({}, {turnOf(step), emit.i32(1)},
                  "red.release.gpu.global.add.u32 [$0], $1;", "l,r,~{memory}");
  }

  Value turns;
  Tile gradients;
  /// Neighbours in the other axis's result can be added to at once.
  bool paired = false;
  // In the kernel.
  Index group;
  Value words;
};
} // namespace

void shardir::emitWgmmaBackward(KernelEmitter &emit,
                                const BackwardProblem &problem,
                                const BackwardPlan &plan,
                                const BackwardPart &part) {
  Value turns;
  if (part.third) {
    const Axis &other = part.ofKeys ? problem.rows : problem.columns;
    Index count =
        emit.mul(problem.batch.extent, emit.ceilDiv(other.extent, plan.bn));
    Type word = emit.builder.getI32Type();
    turns = emit.workspace(word, count);
    emit.launchOver("turns", {count}, 256, [&](Index at, ArrayRef<Index>) {
      memref::StoreOp::create(emit.builder, emit.loc, emit.zero(word), turns,
                              emit.value(at));
    });
  }
  WgmmaBackward(emit, problem, plan, part, turns)
      .run(backwardKernelName("wgmma", part));
  if (turns)
    memref::DeallocOp::create(emit.builder, emit.loc, turns);
}
