//===- AttentionKernel.cpp - Attention tile by tile -----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The online softmax (Milakov and Gimelshein, arXiv:1805.02867) over a ring of
// stages. Each step waits for the oldest stage, starts the copies that replace
// the one that was read last, and works on it; one barrier does for both
// directions. A row's maximum is known to its four lanes after each step, its
// sum is added up among them at the end: every lane scales its own part.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

AttentionKernel::AttentionKernel(KernelEmitter &emit,
                                 const AttentionProblem &problem,
                                 const AttentionPlan &plan)
    : AttentionTiles(emit, plan.threads()), problem(problem), plan(plan) {
  query = makeTile(problem.query, problem.rows, plan.bm(), problem.k, plan.k,
                   /*stages=*/1);
  key = makeTile(problem.key, problem.columns, plan.bn, problem.k, plan.k,
                 plan.stages);
  value = makeTile(problem.value, problem.columns, plan.bn, problem.v, plan.bv,
                   plan.stages);
  if (problem.columns.loops.size() == 1)
    mask = findMask(problem.getOp());
}

Value AttentionKernel::float_(double number) {
  return arith::ConstantOp::create(
      emit.builder, emit.loc, emit.builder.getFloatAttr(problem.wide, number));
}

Index AttentionKernel::rowAt(int64_t row) {
  Index inWarp = emit.add(emit.div(lane, 4), emit.constant(8 * row));
  Index warpStart = emit.mul(warp, 16 * plan.rowTiles);
  return emit.add(rowStart, emit.add(warpStart, inWarp));
}

Value AttentionKernel::exponential(Value x, Value shift) {
  OpBuilder &builder = emit.builder;
  // First the difference: a multiply-add would lose it where scores are as
  // large as some masks.
  Value difference = arith::SubFOp::create(builder, emit.loc, x, shift);
  if (problem.wide.isF64())
    return math::ExpOp::create(builder, emit.loc, difference);
  if (!inPowersOfTwo())
    difference =
        arith::MulFOp::create(builder, emit.loc, difference, float_(M_LOG2E));
  return math::Exp2Op::create(builder, emit.loc, difference,
                              isApproximate() ? arith::FastMathFlags::afn
                                              : arith::FastMathFlags::none);
}

SmallVector<Value> AttentionKernel::softmax(Fragment &values, Sums &sums) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  SmallVector<Value> factors;
  Value lowest = float_(-std::numeric_limits<double>::infinity());
  for (int64_t row = 0; row < rowCount(); ++row) {
    auto mine = [&](int64_t j, int64_t one) -> Value & {
      return values[at(scoreTiles(), row / 2, j, row % 2, one)];
    };
    auto larger = [&](Value a, Value b) -> Value {
      return arith::MaximumFOp::create(builder, loc, a, b);
    };
    Value best;
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t one = 0; one < 2; ++one)
        best = best ? larger(best, mine(j, one)) : mine(j, one);
    best = larger(sums.max[row], emit.butterfly(best, 4, larger));
    Value empty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        best, lowest);
    Value shift = arith::SelectOp::create(builder, loc, empty, float_(0), best);
    Value factor = exponential(sums.max[row], shift);
    sums.max[row] = best;
    Value total;
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t one = 0; one < 2; ++one) {
        Value &p = mine(j, one);
        p = exponential(p, shift);
        total = total ? arith::AddFOp::create(builder, loc, total, p) : p;
      }
    sums.sum[row] =
        math::FmaOp::create(builder, loc, sums.sum[row], factor, total);
    factors.push_back(factor);
  }
  return factors;
}

void AttentionKernel::scale(Fragment &acc, ArrayRef<Value> factors) {
  for (auto [row, factor] : llvm::enumerate(factors))
    for (int64_t j = 0; j < valueTiles(); ++j)
      for (int64_t one = 0; one < 2; ++one) {
        Value &a = acc[at(valueTiles(), row / 2, j, row % 2, one)];
        a = arith::MulFOp::create(emit.builder, emit.loc, a, factor);
      }
}

void AttentionKernel::finishProbabilities(Fragment &values, Index step) {
  kernel::AttentionOp op = problem.getOp();
  bool plain = op.hasPlainProb();
  SmallVector<Index> ivs(blockIvs);
  Index columnStart =
      emit.add(emit.mul(step, plan.bn), emit.mul(emit.rem(lane, 4), 2));
  auto inside = [&](Index position, const Axis &axis, int64_t tile) {
    if (axis.isDividedBy(tile))
      return position;
    return emit.min(position, emit.sub(axis.extent, emit.constant(1)));
  };
  for (int64_t row = 0; row < rowCount(); ++row)
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t one = 0; one < 2; ++one) {
        if (!plain) {
          setIvs(ivs, problem.rows,
                 inside(rowAt(row), problem.rows, plan.bm()));
          Index column = emit.add(columnStart, emit.constant(8 * j + one));
          setIvs(ivs, problem.columns,
                 inside(column, problem.columns, plan.bn));
        }
        Value &p = values[at(scoreTiles(), row / 2, j, row % 2, one)];
        p = runRegion(op.getProb(), p, ivs);
      }
}

AttentionKernel::Sums AttentionKernel::sumsOf(ValueRange carried) const {
  int64_t accs = plan.rowTiles * valueTiles() * 4;
  return {Fragment(carried.take_front(accs)),
          SmallVector<Value>(carried.slice(accs, rowCount())),
          SmallVector<Value>(carried.slice(accs + rowCount(), rowCount()))};
}

AttentionKernel::Sums AttentionKernel::initial() {
  const AttentionNeighbours &known = problem.neighbours;
  OpBuilder &builder = emit.builder;
  // Values of rows and columns that do not exist are never stored.
  auto read = [&](const NestOperand &operand, Value exists,
                  ArrayRef<Index> ivs) -> Value {
    auto branch =
        scf::IfOp::create(builder, emit.loc, problem.wide, exists, true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value value = loadOf(operand, ivs);
    if (value.getType() != problem.wide)
      value = arith::ExtFOp::create(builder, emit.loc, problem.wide, value);
    scf::YieldOp::create(builder, emit.loc, value);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, emit.loc, float_(0));
    return branch.getResult(0);
  };
  int64_t rows = rowCount();
  SmallVector<Value> acc(8 * plan.rowTiles * valueTiles() / 2, float_(0)),
      max(rows, float_(-std::numeric_limits<double>::infinity())),
      sum(rows, float_(0));
  SmallVector<Index> ivs(blockIvs);
  for (int64_t row = 0; row < rows; ++row) {
    Value exists = emit.lessThan(rowAt(row), problem.rows.extent);
    setIvs(ivs, problem.rows, rowAt(row));
    if (!known.lowestMax)
      max[row] = read(problem.max, exists, ivs);
    if (!known.lowestMax && inPowersOfTwo())
      max[row] =
          arith::MulFOp::create(builder, emit.loc, max[row], float_(M_LOG2E));
    // One of the four lanes has it.
    if (!known.zeroSum)
      sum[row] = read(
          problem.sum,
          emit.both(exists, emit.equal(emit.rem(lane, 4), emit.constant(0))),
          ivs);
    // Beside a maximum of -inf acc counts for nothing.
    if (known.zeroAcc || known.lowestMax)
      continue;
    for (int64_t j = 0; j < valueTiles(); ++j)
      for (int64_t one = 0; one < 2; ++one) {
        Index column =
            emit.add(emit.add(valueStart, emit.mul(emit.rem(lane, 4), 2)),
                     emit.constant(8 * j + one));
        Value both = emit.both(exists, emit.lessThan(column, problem.v.extent));
        setIvs(ivs, problem.v, column);
        acc[at(valueTiles(), row / 2, j, row % 2, one)] =
            read(problem.acc, both, ivs);
      }
  }
  return {acc, max, sum};
}

void AttentionKernel::finish(const Sums &sums) {
  OpBuilder &builder = emit.builder;
  bool paired = problem.isPaired(emit);
  for (int64_t row = 0; row < rowCount(); ++row) {
    Value max = sums.max[row];
    if (inPowersOfTwo())
      max = arith::MulFOp::create(builder, emit.loc, max, float_(M_LN2));
    Value sum =
        emit.butterfly(sums.sum[row], 4, [&](Value a, Value b) -> Value {
          return arith::AddFOp::create(builder, emit.loc, a, b);
        });
    ifInside(problem.rows, plan.bm(), rowAt(row), [&] {
      SmallVector<Index> ivs(blockIvs);
      setIvs(ivs, problem.rows, rowAt(row));
      if (problem.neighbours.maxEscapes || problem.neighbours.sumEscapes) {
        // One lane of a row, of the first of the blocks that share it.
        Index other = emit.add(emit.rem(lane, 4), valueStart);
        emit.branch(emit.equal(other, emit.constant(0)),
                    [&] { problem.finishRow(emit, ivs, max, sum); });
      }
      for (int64_t j = 0; j < valueTiles(); ++j) {
        SmallVector<Value> two;
        for (int64_t one = 0; one < 2; ++one)
          two.push_back(sums.acc[at(valueTiles(), row / 2, j, row % 2, one)]);
        Index column =
            emit.add(emit.add(valueStart, emit.mul(emit.rem(lane, 4), 2)),
                     emit.constant(8 * j));
        int64_t together = paired ? 2 : 1;
        for (int64_t one = 0; one < 2; one += together) {
          Index here = emit.add(column, emit.constant(one));
          ifInside(problem.v, plan.bv, here, [&] {
            setIvs(ivs, problem.v, here);
            problem.finish(emit, ivs, ArrayRef(two).slice(one, together), max,
                           sum);
          });
        }
      }
    });
  }
}

void AttentionKernel::run(StringRef name) {
  SmallVector<Index> tiles = problem.outer.extents;
  tiles.push_back(emit.ceilDiv(problem.v.extent, plan.bv));
  tiles.push_back(emit.ceilDiv(problem.rows.extent, plan.bm()));
  Index blocks = emit.constant(1);
  for (Index size : tiles)
    blocks = emit.mul(blocks, size);
  SharedLayout layout;
  for (Tile *tile : {&query, &key, &value})
    takeShared(*tile, layout);
  takeMore(layout);

  emit.launch(name, {blocks}, plan.blockThreads(), layout.bytes, [&] {
    // Neighbouring blocks share keys and values: they stay in the second cache.
    SmallVector<Index> at = emit.decode(emit.block(0), tiles);
    Index rowTile = at.pop_back_val();
    // Where later rows see more, those blocks begin that have most to do.
    if (!mask.conditions.empty())
      rowTile = emit.sub(emit.sub(tiles.back(), emit.constant(1)), rowTile);
    rowStart = emit.mul(rowTile, plan.bm());
    valueStart = emit.mul(at.pop_back_val(), plan.bv);
    blockIvs.assign(problem.extents.size(), emit.constant(0));
    for (auto [loop, iv] : llvm::zip(problem.outer.loops, at))
      blockIvs[loop] = iv;
    lane = emit.rem(emit.thread(), 32);
    warp = emit.div(emit.thread(), 32);
    for (Tile *tile : {&query, &key, &value})
      open(*tile, blockIvs);
    prepare();
    auto [first, end] = stepRange();
    attend(first, end);
    giveBack();
  });
}

void AttentionKernel::attend(Index first, Index end) {
  auto waitFor = [&](Value newest) {
    wait(newest, plan.stages - 2);
    beforeBarrier();
    emit.barrier();
  };
  Index zero = emit.constant(0), one = emit.constant(1);
  copy(query, zero, rowStart, zero);
  Value newest;
  for (int64_t stage = 0; stage < plan.stages - 1; ++stage) {
    Index step = emit.add(first, emit.constant(stage));
    emit.branch(emit.lessThan(step, end), [&] { load(step); });
    newest = commit();
  }
  waitFor(newest);
  holdQuery();
  SmallVector<Value> carried = emit.loop(
      first, end, one, initial().values(), [&](Index step, ValueRange carried) {
        waitFor(newest);
        Index next = emit.add(step, emit.constant(plan.stages - 1));
        emit.branch(emit.lessThan(next, end), [&] { load(next); });
        commit();
        Sums sums = sumsOf(carried);
        Index stage = emit.rem(step, plan.stages);
        Fragment values = scored(scores(stage), step);
        scale(sums.acc, softmax(values, sums));
        finishProbabilities(values, step);
        accumulate(stage, values, sums.acc);
        return sums.values();
      });
  finish(sumsOf(carried));
}
