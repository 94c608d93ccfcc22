//===- AttentionScores.cpp - What a mask leaves of a tile -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies of an attention on the values that a thread holds, and the steps
// that a block makes. Guarantees that a step that is not made would have added
// nothing, and that nothing is read outside of an operand: where a row or a
// column does not exist, the last one stands for it, and columns count as -inf.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace shardir;

Value AttentionKernel::runRegion(Region &region, Value first,
                                 ArrayRef<Index> ivs, bool visible) {
  Block &body = region.front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), first);
  for (auto [argument, extra] :
       llvm::zip(body.getArguments().drop_front(), problem.extras))
    if (!argument.use_empty())
      mapping.map(argument, loadOf(extra, ivs));
  for (Operation &op : body.without_terminator()) {
    const AttentionCondition *known = llvm::find_if(
        mask.conditions, [&](const AttentionCondition &condition) {
          return condition.comparison == &op;
        });
    if (auto index = dyn_cast<kernel::LoopIndexOp>(op))
      mapping.map(index.getResult(), emit.value(ivs[index.getLoop()]));
    else if (visible && known != mask.conditions.end())
      mapping.map(op.getResult(0),
                  arith::ConstantOp::create(
                      emit.builder, emit.loc,
                      emit.builder.getBoolAttr(known->whenVisible)));
    else
      emit.builder.clone(op, mapping);
  }
  return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
}

/// The number that `value` is, times log2(e); null where it is none, or where
/// that is infinite and it is not.
static FloatAttr constantTimesLog2e(Value value) {
  FloatAttr number;
  if (!value.getType().isF32() || !matchPattern(value, m_Constant(&number)))
    return nullptr;
  double given = number.getValueAsDouble();
  auto scaled = float(given * M_LOG2E);
  return std::isinf(scaled) && !std::isinf(given)
             ? FloatAttr()
             : FloatAttr::get(value.getType(), double(scaled));
}

/// True if `value` times log2(e) needs no more instructions than `value`.
static bool takesLog2e(Value value) {
  if (constantTimesLog2e(value))
    return true;
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return takesLog2e(select.getTrueValue()) &&
           takesLog2e(select.getFalseValue());
  if (auto sum = value.getDefiningOp<arith::AddFOp>())
    return takesLog2e(sum.getLhs()) && takesLog2e(sum.getRhs());
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && (constantTimesLog2e(product.getLhs()) ||
                     constantTimesLog2e(product.getRhs()));
}

/// A value of which takesLog2e is true, times log2(e).
static Value timesLog2e(OpBuilder &builder, Location loc, Value value) {
  auto constant = [&](FloatAttr number) -> Value {
    return arith::ConstantOp::create(builder, loc, number);
  };
  auto inner = [&](Value part) { return timesLog2e(builder, loc, part); };
  if (FloatAttr number = constantTimesLog2e(value))
    return constant(number);
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return arith::SelectOp::create(builder, loc, select.getCondition(),
                                   inner(select.getTrueValue()),
                                   inner(select.getFalseValue()));
  if (auto sum = value.getDefiningOp<arith::AddFOp>())
    return arith::AddFOp::create(builder, loc, inner(sum.getLhs()),
                                 inner(sum.getRhs()));
  auto product = value.getDefiningOp<arith::MulFOp>();
  Value factor = product.getLhs(), other = product.getRhs();
  if (!constantTimesLog2e(factor))
    std::swap(factor, other);
  return arith::MulFOp::create(builder, loc, other,
                               constant(constantTimesLog2e(factor)));
}

bool AttentionKernel::inPowersOfTwo() const {
  kernel::AttentionOp op = problem.getOp();
  return isApproximate() && problem.wide.isF32() &&
         takesLog2e(op.getScore().front().getTerminator()->getOperand(0));
}

Value AttentionKernel::scaled(Value score) {
  return inPowersOfTwo() ? timesLog2e(emit.builder, emit.loc, score) : score;
}

Fragment AttentionKernel::scored(const Fragment &products, Index step,
                                 bool visible) {
  kernel::AttentionOp op = problem.getOp();
  Fragment result(products.size());
  Index columnStart =
      emit.add(emit.mul(step, plan.bn), emit.mul(emit.rem(lane, 4), 2));
  bool rowsExist = problem.rows.isDividedBy(plan.bm()),
       columnsExist = visible || problem.columns.isDividedBy(plan.bn);
  Value lowest = float_(-std::numeric_limits<double>::infinity());
  auto inside = [&](Index position, const Axis &axis, bool exist) {
    if (exist)
      return position;
    return emit.min(position, emit.sub(axis.extent, emit.constant(1)));
  };
  SmallVector<Index> ivs(blockIvs);
  for (int64_t row = 0; row < 2 * plan.rowTiles; ++row) {
    setIvs(ivs, problem.rows, inside(rowAt(row), problem.rows, rowsExist));
    for (int64_t j = 0; j < scoreTiles(); ++j)
      for (int64_t one = 0; one < 2; ++one) {
        Index column = emit.add(columnStart, emit.constant(8 * j + one));
        setIvs(ivs, problem.columns,
               inside(column, problem.columns, columnsExist));
        int64_t place = at(scoreTiles(), row / 2, j, row % 2, one);
        Value score =
            scaled(runRegion(op.getScore(), products[place], ivs, visible));
        if (!columnsExist)
          score = arith::SelectOp::create(
              emit.builder, emit.loc,
              emit.lessThan(column, problem.columns.extent), score, lowest);
        result[place] = score;
      }
  }
  return result;
}

LoopRanges AttentionKernel::blockRanges() {
  LoopRanges ranges;
  Index one = emit.constant(1);
  ranges.first.assign(problem.extents.size(), emit.constant(0));
  for (Index extent : problem.extents)
    ranges.last.push_back(emit.sub(extent, one));
  for (int loop : problem.outer.loops)
    ranges.first[loop] = ranges.last[loop] = blockIvs[loop];
  if (problem.rows.loops.size() == 1) {
    int loop = problem.rows.loops[0];
    Index end = emit.add(rowStart, emit.constant(plan.bm() - 1));
    ranges.first[loop] = rowStart;
    ranges.last[loop] = problem.rows.isDividedBy(plan.bm())
                            ? end
                            : emit.min(end, ranges.last[loop]);
  }
  return ranges;
}

std::pair<Index, Index> AttentionKernel::stepRange() {
  Index zero = emit.constant(0), one = emit.constant(1);
  Index first = zero, end = problem.columns.extent;
  // True if a row has a score that is not masked is simple to say of one
  // condition only.
  if (mask.isInfinite || (mask.isComplete && mask.conditions.size() == 1))
    for (const AttentionCondition &condition : mask.conditions) {
      int column = problem.columns.loops[0];
      int64_t factor = condition.loops[column];
      if (factor != 1 && factor != -1)
        continue;
      LoopRanges ranges = blockRanges();
      Index most = greatestOf(emit, condition, ranges, column);
      Index all = problem.columns.extent;
      Index bound = factor < 0 ? emit.clamp(emit.add(most, one), zero, all)
                               : emit.clamp(emit.sub(zero, most), zero, all);
      if (!mask.isInfinite) {
        // Each row has the first column, or the last one.
        Index least = leastOf(emit, condition, ranges, column);
        if (factor > 0)
          least = emit.add(least, emit.sub(all, one));
        Value some = emit.lessEqual(zero, least);
        Index everything = factor < 0 ? all : zero;
        bound = emit.select(some, bound, everything);
      }
      (factor < 0 ? end : first) =
          factor < 0 ? emit.min(end, bound) : emit.max(first, bound);
    }
  Index begin = emit.div(first, plan.bn), steps = emit.ceilDiv(end, plan.bn);
  if (problem.partLoop < 0)
    return {begin, steps};
  // Every part but the last has as many steps.
  Index each = emit.ceilDiv(emit.max(emit.sub(steps, begin), zero), plan.parts);
  begin = emit.add(begin, emit.mul(blockIvs[problem.partLoop], each));
  return {begin, emit.min(steps, emit.add(begin, each))};
}

Value AttentionKernel::isVisible(Index step) {
  Index start = emit.mul(step, plan.bn);
  Index end = emit.add(start, emit.constant(plan.bn));
  Value visible;
  if (!problem.columns.isDividedBy(plan.bn))
    visible = emit.lessEqual(end, problem.columns.extent);
  if (mask.conditions.empty())
    return visible;
  LoopRanges ranges = blockRanges();
  for (int loop : problem.columns.loops) {
    ranges.first[loop] = start;
    ranges.last[loop] = emit.sub(end, emit.constant(1));
  }
  for (const AttentionCondition &condition : mask.conditions)
    visible =
        emit.both(visible, emit.lessEqual(emit.constant(0),
                                          leastOf(emit, condition, ranges)));
  return visible;
}

Fragment AttentionKernel::scored(const Fragment &products, Index step) {
  Value visible = isVisible(step);
  if (!visible)
    return scored(products, step, /*visible=*/true);
  return Fragment(emit.either(
      visible, [&] { return scored(products, step, /*visible=*/true); },
      [&] { return scored(products, step, /*visible=*/false); }));
}
