//===- AttentionMask.cpp - Which tiles of scores a mask leaves ------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires an attention that verifies; changes nothing. Guarantees that scores
// of which a condition does not hold are -inf (or as low as the mask says),
// whatever the operands hold: what is not understood gives no condition.
// Positions do not overflow the integers that they are compared in.
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"

#include "ShardIR/Conversion/Attention/MaskedExponent.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Below this, a finite score counts for nothing beside any real one.
constexpr double lowEnough = -1e30;

class MaskFinder {
public:
  MaskFinder(Region &region, unsigned numLoops)
      : region(region), numLoops(numLoops) {}

  /// Of the score `x`, which the region computes.
  AttentionMask run(Value x) {
    visit(x);
    return std::move(mask);
  }

private:
  using Linear = AttentionCondition;

  /// True if `value` is a mask's lowest number.
  bool isMasked(Value value) {
    APFloat number(0.0f);
    if (!matchPattern(value, m_ConstantFloat(&number)) || !number.isNegative())
      return false;
    bool lost = false;
    APFloat wide = number;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    if (wide.isNaN() || wide.convertToDouble() > lowEnough)
      return false;
    mask.isInfinite &= wide.isInfinity();
    return true;
  }

  /// Follows `value`, on which all that is masked depends.
  void visit(Value value) {
    auto select = value.getDefiningOp<arith::SelectOp>();
    if (!select)
      return;
    bool high = isMasked(select.getFalseValue());
    if (!high && !isMasked(select.getTrueValue()))
      return;
    require(select.getCondition(), high);
    visit(high ? select.getTrueValue() : select.getFalseValue());
  }

  /// A score counts only where `condition` is `visible`.
  void require(Value condition, bool visible) {
    Operation *op = condition.getDefiningOp();
    if (op && (visible ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op))) {
      for (Value part : op->getOperands())
        require(part, visible);
      return;
    }
    mask.isComplete &= compareIs(condition, visible);
  }

  bool compareIs(Value condition, bool visible) {
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return false;
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    if (!visible)
      predicate = arith::invertPredicate(predicate);
    bool less = predicate == Predicate::slt || predicate == Predicate::sle;
    bool strict = predicate == Predicate::slt || predicate == Predicate::sgt;
    if (!less && predicate != Predicate::sge && predicate != Predicate::sgt)
      return false;
    Linear result;
    result.loops.assign(numLoops, 0);
    int64_t sign = less ? -1 : 1;
    if (!add(result, compare.getLhs(), sign) ||
        !add(result, compare.getRhs(), -sign))
      return false;
    result.constant -= strict;
    result.comparison = compare;
    result.whenVisible = visible;
    mask.conditions.push_back(result);
    return true;
  }

  /// Adds `factor` times `value`.
  bool add(Linear &result, Value value, int64_t factor) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number))) {
      result.constant += factor * number.getSExtValue();
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (auto index = dyn_cast_or_null<kernel::LoopIndexOp>(op)) {
      result.loops[index.getLoop()] += factor;
      return true;
    }
    if (!region.isAncestor(value.getParentRegion())) {
      result.values.push_back({value, factor});
      return true;
    }
    if (!op)
      return false;
    if (isa<arith::AddIOp>(op))
      return add(result, op->getOperand(0), factor) &&
             add(result, op->getOperand(1), factor);
    if (isa<arith::SubIOp>(op))
      return add(result, op->getOperand(0), factor) &&
             add(result, op->getOperand(1), -factor);
    // Narrow integers could not hold positions.
    if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op)) {
      Type to = op->getResult(0).getType(), from = op->getOperand(0).getType();
      auto wide = [](Type type) {
        return type.isIndex() || type.getIntOrFloatBitWidth() >= 32;
      };
      return wide(to) && wide(from) && add(result, op->getOperand(0), factor);
    }
    return false;
  }

  Region &region;
  unsigned numLoops;
  AttentionMask mask;
};

Index extreme(KernelEmitter &emit, const AttentionCondition &condition,
              const LoopRanges &ranges, int except, bool greatest) {
  Index result = emit.constant(condition.constant);
  for (auto [value, factor] : condition.values)
    result = emit.add(result, emit.mul(emit.index(value), factor));
  for (auto [loop, factor] : llvm::enumerate(condition.loops)) {
    if (factor == 0 || static_cast<int>(loop) == except)
      continue;
    bool end = (factor > 0) == greatest;
    result = emit.add(
        result, emit.mul(end ? ranges.last[loop] : ranges.first[loop], factor));
  }
  return result;
}
} // namespace

AttentionMask shardir::findMask(kernel::AttentionOp op) {
  return MaskFinder(op.getScore(), op.getNumLoops())
      .run(op.getScore().front().getTerminator()->getOperand(0));
}

AttentionMask shardir::findMask(kernel::AttentionBackwardOp op) {
  Value x = maskedExponent(op);
  if (!x)
    return {};
  AttentionMask mask = MaskFinder(op.getBody(), op.getNumLoops()).run(x);
  if (mask.isInfinite || mask.conditions.empty())
    return mask;
  // A finite mask counts in rows that have nothing else: that none is so is
  // plain to see of one causal mask beside which nothing is as low.
  kernel::AttentionBackwardOp::Loops loops = op.getLoops();
  const AttentionCondition &first = mask.conditions.front();
  bool isCausal = mask.isComplete && mask.conditions.size() == 1 &&
                  first.values.empty() && first.constant >= 0;
  for (auto [loop, factor] : llvm::enumerate(first.loops)) {
    bool isRow = llvm::is_contained(loops.m, loop),
         isColumn = llvm::is_contained(loops.n, loop);
    isCausal &=
        factor == 0 || (isRow && factor == 1) || (isColumn && factor == -1);
  }
  for (auto [i, extra] : llvm::enumerate(op.getExtras()))
    for (unsigned loop : loops.n)
      isCausal &= !op.getMap(4 + i).isFunctionOfDim(loop);
  return isCausal ? mask : AttentionMask();
}

/// With `together` the rows of a block are of all loops of m, else of the one
/// along which scores are masked.
template <typename Op>
static double shareOf(Op op, int64_t rows, int64_t columns, bool together) {
  AttentionMask mask = findMask(op);
  typename Op::Loops loops = op.getLoops();
  llvm::erase_if(loops.m, [&](unsigned loop) { return !mask.runsAlong(loop); });
  // Steps are left out along single loops, as AttentionKernel::stepRange does.
  if (loops.m.size() != 1 || loops.n.size() != 1 ||
      !(mask.isInfinite || (mask.isComplete && mask.conditions.size() == 1)))
    return 1;
  SmallVector<int64_t> extents = op.getStaticLoopExtents();
  for (int64_t &extent : extents)
    if (ShapedType::isDynamic(extent))
      extent = assumedExtent;
  unsigned row = loops.m[0], column = loops.n[0];
  if (together)
    for (unsigned loop : op.getLoops().m)
      if (loop != row)
        rows = ceilDivide(rows, std::max<int64_t>(extents[loop], 1));
  int64_t tiles = ceilDivide(extents[row], rows),
          steps = ceilDivide(extents[column], columns);
  if (tiles == 0 || steps == 0)
    return 1;
  // Some of many tiles are enough.
  int64_t visible = 0, seen = 0;
  for (int64_t tile = 0; tile < tiles; tile += ceilDivide(tiles, 64), ++seen) {
    int64_t first = 0, end = extents[column];
    for (const AttentionCondition &condition : mask.conditions) {
      int64_t factor = condition.loops[column], most = condition.constant;
      if ((factor != 1 && factor != -1) || !condition.values.empty())
        continue;
      for (auto [loop, of] : llvm::enumerate(condition.loops)) {
        int64_t from = loop == row ? tile * rows : 0;
        int64_t to =
            loop == row ? std::min(from + rows, extents[loop]) : extents[loop];
        if (loop != column)
          most += of * (of > 0 ? to - 1 : from);
      }
      if (factor < 0)
        end = std::min(end, most + 1);
      else
        first = std::max(first, -most);
    }
    if (first < end)
      visible += ceilDivide(end, columns) - first / columns;
  }
  return double(visible) / double(seen * steps);
}

double shardir::visibleShare(kernel::AttentionOp op, int64_t rows,
                             int64_t columns) {
  return shareOf(op, rows, columns, /*together=*/false);
}
double shardir::visibleShare(kernel::AttentionBackwardOp op, int64_t rows,
                             int64_t columns) {
  return shareOf(op, rows, columns, /*together=*/true);
}

Index shardir::leastOf(KernelEmitter &emit, const AttentionCondition &condition,
                       const LoopRanges &ranges, int except) {
  return extreme(emit, condition, ranges, except, /*greatest=*/false);
}

Index shardir::greatestOf(KernelEmitter &emit,
                          const AttentionCondition &condition,
                          const LoopRanges &ranges, int except) {
  return extreme(emit, condition, ranges, except, /*greatest=*/true);
}
