//===- CausalMask.cpp - Which tiles of attention a mask empties -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires attention ops that verify. Guarantees of a mask that it finds that
// tiles behind it add nothing to what rows with a score hold. It looks for one
// comparison of two positions that selects between scores and a low constant.
//
//===----------------------------------------------------------------------===//

#include "AttentionTiles.h"

#include "ShardIR/Conversion/Attention/MaskedExponent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

unsigned shardir::largestLoop(ArrayRef<unsigned> list,
                              ArrayRef<int64_t> extents) {
  return *llvm::max_element(list, [&](unsigned a, unsigned b) {
    return assumedLoopExtent(extents[a]) < assumedLoopExtent(extents[b]);
  });
}

namespace {
/// The iteration of a loop plus a constant and numbers from outside.
struct Position {
  unsigned loop;
  int64_t offset = 0;
  SmallVector<Value> more = {};
};
} // namespace

static std::optional<Position> asPosition(Value value) {
  Position position{0};
  for (;;) {
    if (auto cast = value.getDefiningOp<arith::IndexCastOp>()) {
      value = cast.getIn();
      continue;
    }
    APInt constant;
    auto add = value.getDefiningOp<arith::AddIOp>();
    if (add && matchPattern(add.getRhs(), m_ConstantInt(&constant))) {
      position.offset += constant.getSExtValue();
      value = add.getLhs();
      continue;
    }
    // Where a device's part or a block around a ring begins.
    auto isOutside = [&](Value addend) {
      return addend.getType().isIndex() &&
             addend.getParentRegion() != add->getParentRegion();
    };
    if (add && (isOutside(add.getLhs()) || isOutside(add.getRhs()))) {
      bool left = isOutside(add.getLhs());
      position.more.push_back(left ? add.getLhs() : add.getRhs());
      value = left ? add.getRhs() : add.getLhs();
      continue;
    }
    auto index = value.getDefiningOp<kernel::LoopIndexOp>();
    if (!index)
      return std::nullopt;
    position.loop = index.getLoop();
    return position;
  }
}

/// The mask of `x`, a select; `isFinite` says whether what it selects instead
/// of scores is a low finite value.
static std::optional<CausalMask> maskOf(Value x, bool &isFinite) {
  auto select = x.getDefiningOp<arith::SelectOp>();
  FloatAttr low;
  if (!select || !matchPattern(select.getFalseValue(), m_Constant(&low)))
    return std::nullopt;
  double value = low.getValueAsDouble();
  isFinite = value != -std::numeric_limits<double>::infinity();
  if (isFinite && value > -1e30)
    return std::nullopt;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  auto left = asPosition(compare.getLhs()),
       right = asPosition(compare.getRhs());
  if (!left || !right)
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::sle || predicate == Predicate::slt) {
    std::swap(left, right);
    predicate = predicate == Predicate::sle ? Predicate::sge : Predicate::sgt;
  }
  if (predicate != Predicate::sge && predicate != Predicate::sgt)
    return std::nullopt;
  CausalMask mask{left->loop, right->loop,
                  left->offset - right->offset -
                      (predicate == Predicate::sgt ? 1 : 0),
                  left->more, right->more};
  if (isFinite && (mask.distance < 0 || !mask.isStatic()))
    return std::nullopt;
  return mask;
}

/// True if a select is among what `value` is computed from in its block.
static bool selects(Value value) {
  Operation *op = value.getDefiningOp();
  return op &&
         (isa<arith::SelectOp>(op) || llvm::any_of(op->getOperands(), selects));
}

/// True if what mask `x` selects where it does not hold may be as low.
static bool hasOtherMask(Value x) {
  return selects(x.getDefiningOp<arith::SelectOp>().getTrueValue());
}

std::optional<CausalMask> shardir::findCausalMask(kernel::AttentionOp op) {
  Block &body = op.getScore().front();
  Value x = body.getTerminator()->getOperand(0);
  bool isFinite = false;
  std::optional<CausalMask> mask = maskOf(x, isFinite);
  // A finite value counts in rows whose other scores are as low: only scores
  // themselves are known not to be.
  if (!mask || (isFinite && (!op.getExtras().empty() || hasOtherMask(x))))
    return std::nullopt;
  kernel::AttentionOp::Loops loops = op.getLoops();
  if (!llvm::is_contained(loops.outer(), mask->rows) ||
      !llvm::is_contained(loops.n, mask->columns))
    return std::nullopt;
  return mask;
}

std::optional<CausalMask>
shardir::findCausalMask(kernel::AttentionBackwardOp op) {
  Value x = maskedExponent(op);
  if (!x)
    return std::nullopt;
  bool isFinite = false;
  std::optional<CausalMask> mask = maskOf(x, isFinite);
  // Every row has a column in sight, so that what its scores are reduced by is
  // not as low as the mask.
  if (!mask || mask->distance < 0 || !mask->isStatic())
    return std::nullopt;
  kernel::AttentionBackwardOp::Loops loops = op.getLoops();
  if (!llvm::is_contained(loops.m, mask->rows) ||
      !llvm::is_contained(loops.n, mask->columns))
    return std::nullopt;
  if (!isFinite)
    return mask;
  // Masks and biases among the extras may be as low.
  for (auto [i, extra] : llvm::enumerate(op.getExtras()))
    for (unsigned loop : loops.n)
      if (op.getMap(4 + i).isFunctionOfDim(loop))
        return std::nullopt;
  if (hasOtherMask(x))
    return std::nullopt;
  return mask;
}

void shardir::endAtMask(RewriterBase &rewriter, scf::ForOp columns,
                        Value firstRow, const CausalMask &mask) {
  rewriter.setInsertionPoint(columns);
  Location loc = columns.getLoc();
  Value behind = arith::AddIOp::create(
      rewriter, loc, firstRow,
      arith::ConstantIndexOp::create(rewriter, loc,
                                     attentionTileRows + mask.distance));
  for (Value more : mask.rowsBegin)
    behind = arith::AddIOp::create(rewriter, loc, behind, more);
  for (Value more : mask.columnsBegin)
    behind = arith::SubIOp::create(rewriter, loc, behind, more);
  Value end =
      arith::MinSIOp::create(rewriter, loc, behind, columns.getUpperBound());
  rewriter.modifyOpInPlace(columns, [&] { columns.setUpperBound(end); });
}
