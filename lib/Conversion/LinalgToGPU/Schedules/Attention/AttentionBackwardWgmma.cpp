//===- AttentionBackwardWgmma.cpp - Attention's gradients by wgmma --------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires sm_90a and operands of one 16-bit float type. Guarantees what
// AttentionBackwardWgmma.h says.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardWgmma.h"
#include "ShardIR/Conversion/BufferAddress.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace shardir;

WgmmaBackward::WgmmaBackward(KernelEmitter &emit,
                             const BackwardProblem &problem,
                             const BackwardPlan &plan, const BackwardPart &part,
                             Value turns)
    : OnWarpgroupTiles(emit, problem, plan, part, /*approximate=*/true),
      turns(turns) {
  if (!part.third)
    return;
  gradients.operand = otherK.operand;
  gradients.turned = true;
  gradients.rows = plan.bm();
  gradients.columns = plan.bn;
  // With `copyWarps` a warpgroup may be a step ahead of the other one, which
  // still multiplies.
  gradients.stages = plan.copyWarps > 0 ? 2 : 1;
  int last = problem.k.loops.back();
  auto extent = LoopEmitter::known(problem.extents[last]);
  paired = extent && *extent % 2 == 0 && thirdResult().isUnit(last) &&
           emit.isAligned(thirdResult(), last, 2).always();
}

void WgmmaBackward::takeMore(SharedLayout &layout) {
  if (part.third)
    gradients.offset = layout.take(gradients.stages * elements(gradients) * 2);
}

void WgmmaBackward::prepare() {
  group = tiles.group();
  if (!part.third)
    return;
  int64_t size = gradients.stages * elements(gradients);
  gradients.shared =
      emit.shared(gradients.operand.element, size, gradients.offset);
}

/// The A fragments of what the bodies yield.
SmallVector<Value> WgmmaBackward::factors(const Bodies &bodies, unsigned which,
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

Fragment WgmmaBackward::runStep(const Step &step, const Fragment &sums) {
  Fragment first(ArrayRef(sums).take_front(firsts())),
      second(ArrayRef(sums).take_back(seconds()));
  Index stage = step.stage, zero = emit.constant(0);
  bool asks = asksGradient();
  // Of 240 registers, steps of 128 columns leave none for probabilities as an
  // operand beside the f32 ones and their gradients.
  bool early = asks && !(plan.copyWarps > 0 && plan.bn == 128) &&
               !(body.yieldedDependence(0) & BackwardBody::OnGradient);
  awaitTile(otherK, step);
  Value s = tiles.startScores(ownK, group, otherK, stage, zero, plan.bn,
                              plan.k),
        dp, ofFirst, ofSecond, ofThird;
  awaitTile(otherV, step);
  if (asks)
    dp = tiles.startScores(ownV, group, otherV, stage, zero, plan.bn, plan.v);
  afterStart(step);
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
  afterProducts(step);
  Fragment made;
  for (Value of : {ofFirst, ofSecond})
    if (of)
      llvm::append_range(made, tiles.finish(of));
  return made;
}

void WgmmaBackward::afterSteps() {
  emit.barrier();
  emit.branch(isFirstThread(), [&] { passTurn(stepBegin); });
}

void WgmmaBackward::afterStart(const Step &step) {
  if (!part.third)
    return;
  // All threads have come by the barrier: what they added in the step before is
  // there when the next block sees its turn.
  Index before = emit.add(step.number, emit.constant(1));
  emit.branch(emit.both(isFirstThread(), emit.lessThan(before, stepEnd)),
              [&] { passTurn(before); });
}

void WgmmaBackward::exchange(const Step &step) {
  tiles.publish();
  emit.branch(isFirstThread(), [&] { awaitTurn(step.number); });
  emit.barrier();
}

/// Begins the products of the step's ds, turned, and the own rows.
Value WgmmaBackward::startThird(ArrayRef<Value> ds, const Step &step) {
  Index stage = emit.rem(step.ordinal, gradients.stages);
  tiles.store(gradients, stage, emit.mul(warp, 16), lane, ds);
  exchange(step);
  Tile own = ownK;
  own.turned = !own.turned;
  Index zero = emit.constant(0);
  Index parts = emit.mul(stage, plan.bn / WarpgroupTiles::rows);
  if (splitsRows())
    return tiles.startScores(gradients, emit.add(parts, group), own, zero, zero,
                             plan.k, plan.bm());
  return tiles.startScores(gradients, parts, own, zero, group, plan.k / 2,
                           plan.bm());
}

/// No other block adds before the turn is passed on.
void WgmmaBackward::addThird(const Fragment &sums, const Step &step) {
  int64_t tiles = sums.size() / 4;
  const NestOperand &result = thirdResult();
  Index start =
      emit.add(emit.mul(step.number, plan.bn), emit.mul(emit.rem(warp, 4), 16));
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

Value WgmmaBackward::addressOf(Value flat, Index element) {
  return bufferAddress(emit.builder, emit.loc, flat, emit.value(element));
}

// NVVM has no reductions of vectors, nor orders of accesses: assembly.
void WgmmaBackward::add(Value address, int64_t bytes, ArrayRef<Value> values) {
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
Value WgmmaBackward::turnOf(Index step) {
  Index steps = emit.ceilDiv(other.extent, plan.bn);
  return addressOf(turns, emit.add(emit.mul(batch, steps), step));
}

void WgmmaBackward::awaitTurn(Index step) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Index before = rowTile;
  if (!mask.conditions.empty()) {
    Index first = visibleRange(own, stepRanges(step)).first;
    before = emit.sub(rowTile, emit.div(first, plan.bm()));
  }
  Value wanted = emit.cast(before, 32);
  Value turn = turnOf(step);
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value is =
      emit.assembly(wanted.getType(), turn,
                    "ld.acquire.gpu.global.u32 $0, [$1];", "=r,l,~{memory}");
  Value early =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, is, wanted);
  scf::ConditionOp::create(builder, loc, early, ValueRange());
  builder.createBlock(&loop.getAfter());
  scf::YieldOp::create(builder, loc);
}
void WgmmaBackward::passTurn(Index step) {
  emit.assembly({}, {turnOf(step), emit.i32(1)},
                "red.release.gpu.global.add.u32 [$0], $1;", "l,r,~{memory}");
}

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
  auto byThreads = [&] {
    BackwardPlan own = plan;
    own.copyWarps = 0;
    WgmmaBackward(emit, problem, own, part, turns)
        .run(backwardKernelName("wgmma", part));
  };
  if (plan.copyWarps == 0) {
    byThreads();
  } else {
    TmaBackward kernel(emit, problem, plan, part, turns);
    emit.branch(kernel.suits(), [&] { kernel.run(); }, byThreads);
  }
  if (turns)
    memref::DeallocOp::create(emit.builder, emit.loc, turns);
}

Condition shardir::suitsTensorMaps(KernelEmitter &emit,
                                   const BackwardProblem &problem,
                                   const BackwardPlan &plan,
                                   const BackwardPart &part) {
  return TmaBackward(emit, problem, plan, part, /*turns=*/{}).suits();
}
