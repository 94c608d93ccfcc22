//===- AttentionBackwardKernel.cpp - Attention's gradients by tiles -------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of stages as in the forward pass: a step waits for the oldest stage,
// starts the copies that replace the one that was read last, and works on it.
// Guarantees that nothing is read or written outside of an operand: where a row
// or a column does not exist the last one stands for it, and such a column
// adds 0. Every result is written by one thread, which adds it to what its init
// holds.
//
//===----------------------------------------------------------------------===//

#include "AttentionBackwardKernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

FailureOr<BackwardProblem>
BackwardProblem::create(KernelEmitter &emit, kernel::AttentionBackwardOp op) {
  BackwardProblem result;
  result.op = op;
  result.wide = op.getComputeType();
  result.extents = op.getLoopExtents(emit.builder);
  NestOperands<kernel::AttentionBackwardOp> operand(emit, op);
  result.query = operand(op.getQueryMutable());
  result.key = operand(op.getKeyMutable());
  result.value = operand(op.getValueMutable());
  result.gradient = operand(op.getGradientMutable());
  for (OpOperand &extra : op.getExtrasMutable())
    result.extras.push_back(operand(extra));
  for (unsigned i = 0; i < 3; ++i)
    result.results[i] = operand(op->getOpOperand(op.getFirstInit() + i));
  if (operand.failedAny)
    return failure();
  auto axis = [&](ArrayRef<unsigned> loops) {
    return Axis::of(emit, loops, result.extents);
  };
  kernel::AttentionBackwardOp::Loops loops = op.getLoops();
  result.batch = axis(loops.batch);
  result.rows = axis(loops.m);
  result.columns = axis(loops.n);
  result.k = axis(loops.k);
  result.v = axis(loops.v);
  return result;
}

BackwardKernel::BackwardKernel(KernelEmitter &emit,
                               const BackwardProblem &problem,
                               const BackwardPlan &plan,
                               const BackwardPart &part)
    : AttentionTiles(emit, plan.threads()), problem(problem), plan(plan),
      part(part), own(part.ofKeys ? problem.columns : problem.rows),
      other(part.ofKeys ? problem.rows : problem.columns) {
  const NestOperand &x = part.ofKeys ? problem.key : problem.query,
                    &y = part.ofKeys ? problem.value : problem.gradient,
                    &u = part.ofKeys ? problem.query : problem.key,
                    &w = part.ofKeys ? problem.gradient : problem.value;
  ownK = makeTile(x, own, plan.bm(), problem.k, plan.k, /*stages=*/1);
  ownV = makeTile(y, own, plan.bm(), problem.v, plan.v, /*stages=*/1);
  otherK = makeTile(u, other, plan.bn, problem.k, plan.k, plan.stages);
  otherV = makeTile(w, other, plan.bn, problem.v, plan.v, plan.stages);
  if (problem.rows.loops.size() == 1 && problem.columns.loops.size() == 1)
    mask = findMask(problem.getOp());
}

Index BackwardKernel::rowAt(int64_t row) {
  Index inWarp = emit.add(emit.div(lane, 4), emit.constant(8 * row));
  return emit.add(rowStart, emit.add(emit.mul(warp, 16), inWarp));
}

void BackwardKernel::load(Index step) {
  Index stage = emit.rem(step, plan.stages), at = emit.mul(step, plan.bn);
  copy(otherK, stage, at, emit.constant(0));
  copy(otherV, stage, at, emit.constant(0));
}

std::pair<Value, Value> BackwardKernel::runBody(Value s, Value dp,
                                                ArrayRef<Index> ivs) {
  OpBuilder &builder = emit.builder;
  Block &body = problem.getOp().getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), s);
  mapping.map(body.getArgument(1), dp);
  for (auto [argument, extra] :
       llvm::zip(body.getArguments().drop_front(2), problem.extras))
    if (!argument.use_empty())
      mapping.map(argument, loadOf(extra, ivs));
  for (Operation &op : body.without_terminator()) {
    if (auto index = dyn_cast<kernel::LoopIndexOp>(op)) {
      mapping.map(index.getResult(), emit.value(ivs[index.getLoop()]));
      continue;
    }
    auto exponential = dyn_cast<math::ExpOp>(op);
    if (exponential && isApproximate() && exponential.getType().isF32()) {
      Value log2e = arith::ConstantOp::create(builder, emit.loc,
                                              builder.getF32FloatAttr(M_LOG2E));
      Value scaled = arith::MulFOp::create(
          builder, emit.loc, mapping.lookupOrDefault(exponential.getOperand()),
          log2e);
      mapping.map(exponential.getResult(),
                  math::Exp2Op::create(builder, emit.loc, scaled,
                                       arith::FastMathFlags::afn)
                      .getResult());
      continue;
    }
    Operation *copy = builder.clone(op, mapping);
    // Of a probability by its row's sum: one for each score, of many
    // instructions if its last bit is to be right.
    if (auto quotient = dyn_cast<arith::DivFOp>(copy);
        quotient && isApproximate() && quotient.getType().isF32())
      quotient.setFastmath(arith::FastMathFlags::afn);
  }
  Operation *yield = body.getTerminator();
  return {mapping.lookupOrDefault(yield->getOperand(0)),
          mapping.lookupOrDefault(yield->getOperand(1))};
}

std::pair<Fragment, Fragment>
BackwardKernel::runBodies(const Fragment &s, const Fragment &dp, Index step) {
  Fragment p(s.size()), ds(s.size());
  Index columnStart =
      emit.add(emit.mul(step, plan.bn), emit.mul(emit.rem(lane, 4), 2));
  bool columnsExist = other.isDividedBy(plan.bn);
  auto inside = [&](Index position, const Axis &axis, int64_t tile) {
    if (axis.isDividedBy(tile))
      return position;
    return emit.min(position, emit.sub(axis.extent, emit.constant(1)));
  };
  SmallVector<Index> ivs(blockIvs);
  for (int64_t row = 0; row < 2; ++row) {
    setIvs(ivs, own, inside(rowAt(row), own, plan.bm()));
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t one = 0; one < 2; ++one) {
        Index column = emit.add(columnStart, emit.constant(8 * j + one));
        setIvs(ivs, other, inside(column, other, plan.bn));
        int64_t place = at(scoreTiles(), 0, j, row, one);
        auto [probability, gradient] = runBody(s[place], dp[place], ivs);
        if (!columnsExist) {
          // The score is undefined here, so its exponential may be inf.
          Value exists = emit.lessThan(column, other.extent);
          for (Value *value : {&probability, &gradient})
            *value =
                arith::SelectOp::create(emit.builder, emit.loc, exists, *value,
                                        emit.zero(value->getType()));
        }
        p[place] = probability;
        ds[place] = gradient;
      }
  }
  return {p, ds};
}

std::pair<Index, Index> BackwardKernel::stepRange() {
  Index zero = emit.constant(0), one = emit.constant(1);
  Index first = zero, end = other.extent;
  for (const AttentionCondition &condition : mask.conditions) {
    int column = other.loops[0];
    int64_t factor = condition.loops[column];
    if (factor != 1 && factor != -1)
      continue;
    LoopRanges ranges;
    ranges.first.assign(problem.extents.size(), zero);
    for (Index extent : problem.extents)
      ranges.last.push_back(emit.sub(extent, one));
    for (int loop : problem.batch.loops)
      ranges.first[loop] = ranges.last[loop] = blockIvs[loop];
    ranges.first[own.loops[0]] = rowStart;
    ranges.last[own.loops[0]] =
        emit.min(emit.add(rowStart, emit.constant(plan.bm() - 1)),
                 ranges.last[own.loops[0]]);
    Index most = greatestOf(emit, condition, ranges, column);
    if (factor < 0)
      end = emit.min(end, emit.clamp(emit.add(most, one), zero, other.extent));
    else
      first =
          emit.max(first, emit.clamp(emit.sub(zero, most), zero, other.extent));
  }
  return {emit.div(first, plan.bn), emit.ceilDiv(end, plan.bn)};
}

void BackwardKernel::store(const NestOperand &result, const Axis &axis,
                           int64_t extent, ArrayRef<Value> sums) {
  OpBuilder &builder = emit.builder;
  SmallVector<Index> ivs(blockIvs);
  for (int64_t row = 0; row < 2; ++row)
    ifInside(own, plan.bm(), rowAt(row), [&] {
      setIvs(ivs, own, rowAt(row));
      for (int64_t j = 0; j < extent / 8; ++j)
        for (int64_t one = 0; one < 2; ++one) {
          Index column = emit.add(emit.mul(emit.rem(lane, 4), 2),
                                  emit.constant(8 * j + one));
          ifInside(axis, extent, column, [&] {
            setIvs(ivs, axis, column);
            Value to = emit.value(result.address(emit, ivs));
            Value old =
                memref::LoadOp::create(builder, emit.loc, result.flat, to);
            Value sum = arith::AddFOp::create(
                builder, emit.loc, old, sums[at(extent / 8, 0, j, row, one)]);
            memref::StoreOp::create(builder, emit.loc, sum, result.flat, to);
          });
        }
    });
}

/// Within a body of scalar ops.
static bool dependsOn(Value value, BlockArgument argument) {
  Operation *op = value.getDefiningOp();
  return value == argument ||
         (op && op->getBlock() == argument.getOwner() &&
          llvm::any_of(op->getOperands(), [&](Value operand) {
            return dependsOn(operand, argument);
          }));
}

void BackwardKernel::run(StringRef name) {
  SmallVector<Index> tiles = problem.batch.extents;
  tiles.push_back(emit.ceilDiv(own.extent, plan.bm()));
  Index blocks = emit.constant(1);
  for (Index size : tiles)
    blocks = emit.mul(blocks, size);
  SharedLayout layout;
  for (Tile *tile : {&ownK, &ownV, &otherK, &otherV})
    takeShared(*tile, layout);
  takeMore(layout);

  emit.launch(name, {blocks}, plan.threads(), layout.bytes, [&] {
    SmallVector<Index> position = emit.decode(emit.block(0), tiles);
    rowStart = emit.mul(position.pop_back_val(), plan.bm());
    blockIvs.assign(problem.extents.size(), emit.constant(0));
    for (auto [loop, iv] : llvm::zip(problem.batch.loops, position))
      blockIvs[loop] = iv;
    lane = emit.rem(emit.thread(), 32);
    warp = emit.div(emit.thread(), 32);
    for (Tile *tile : {&ownK, &ownV, &otherK, &otherV})
      open(*tile, blockIvs);
    prepare();

    Index zero = emit.constant(0), one = emit.constant(1);
    auto [begin, end] = stepRange();
    Index first = begin, steps = end;
    copy(ownK, zero, rowStart, zero);
    copy(ownV, zero, rowStart, zero);
    Value newest;
    for (int64_t stage = 0; stage < plan.stages - 1; ++stage) {
      Index step = emit.add(first, emit.constant(stage));
      emit.branch(emit.lessThan(step, steps), [&] { load(step); });
      newest = commit();
    }
    int64_t firsts = part.first ? plan.k / 2 : 0,
            seconds = part.second ? plan.v / 2 : 0;
    // The sums of this kernel may need no gradient of probabilities.
    Operation *yield = problem.getOp().getBody().front().getTerminator();
    BlockArgument gradient = problem.getOp().getBody().getArgument(1);
    bool asksGradient =
        (part.first && dependsOn(yield->getOperand(1), gradient)) ||
        (part.second && dependsOn(yield->getOperand(0), gradient));
    SmallVector<Value> zeros(firsts + seconds, emit.zero(problem.wide));
    SmallVector<Value> sums = emit.loop(
        first, steps, one, zeros, [&](Index step, ValueRange carried) {
          wait(newest, plan.stages - 2);
          emit.barrier();
          Index next = emit.add(step, emit.constant(plan.stages - 1));
          emit.branch(emit.lessThan(next, steps), [&] { load(next); });
          commit();
          Index stage = emit.rem(step, plan.stages);
          Fragment s = scores(ownK, otherK, stage, plan.k);
          Fragment dp = asksGradient
                            ? scores(ownV, otherV, stage, plan.v)
                            : Fragment(s.size(), emit.zero(problem.wide));
          auto [p, ds] = runBodies(s, dp, step);
          Fragment made(carried.take_front(firsts)),
              more(carried.take_back(seconds));
          if (part.first)
            accumulate(ds, 0, otherK, stage, plan.k, made);
          if (part.second)
            accumulate(p, 1, otherV, stage, plan.v, more);
          llvm::append_range(made, more);
          return made;
        });
    if (part.first)
      store(problem.results[part.ofKeys ? 1 : 0], problem.k, plan.k,
            ArrayRef(sums).take_front(firsts));
    if (part.second)
      store(problem.results[2], problem.v, plan.v,
            ArrayRef(sums).take_back(seconds));
  });
}
