//===- RowGroups.cpp - Products of each group of rows ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See RowGroups.h for what is guaranteed.
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
/// One side of a mask: an element of an input, at most or above a position.
struct Bound {
  BlockArgument element;
  unsigned loop = 0;
  /// element <= position, or else position < element.
  bool isFirst = false;
};
} // namespace

/// The loop whose position `value` is, as an integer.
static std::optional<unsigned> loopOf(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index ? std::optional<unsigned>(index.getDim()) : std::nullopt;
}

static std::optional<Bound> matchBound(Value condition, Block *body) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  arith::CmpIPredicate predicate = compare.getPredicate();
  Value left = compare.getLhs(), right = compare.getRhs();
  // As `left <= right` or `left < right`.
  if (predicate == arith::CmpIPredicate::sge ||
      predicate == arith::CmpIPredicate::sgt) {
    std::swap(left, right);
    predicate = predicate == arith::CmpIPredicate::sge
                    ? arith::CmpIPredicate::sle
                    : arith::CmpIPredicate::slt;
  }
  bool isFirst = predicate == arith::CmpIPredicate::sle;
  if (!isFirst && predicate != arith::CmpIPredicate::slt)
    return std::nullopt;
  auto element = dyn_cast<BlockArgument>(isFirst ? left : right);
  std::optional<unsigned> loop = loopOf(isFirst ? right : left);
  if (!element || element.getOwner() != body || !loop)
    return std::nullopt;
  return Bound{element, *loop, isFirst};
}

std::optional<RowGroups> shardir::matchRowGroups(linalg::LinalgOp op,
                                                 unsigned input,
                                                 linalg::LinalgOp map) {
  Block *body = map.getBlock();
  auto select =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!select || body->getTerminator()->getNumOperands() != 1 ||
      !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
    return std::nullopt;
  auto both = select.getCondition().getDefiningOp<arith::AndIOp>();
  auto element = dyn_cast<BlockArgument>(select.getTrueValue());
  if (!both || !element || element.getOwner() != body)
    return std::nullopt;
  std::optional<Bound> from = matchBound(both.getLhs(), body),
                       to = matchBound(both.getRhs(), body);
  if (from && to && !from->isFirst)
    std::swap(from, to);
  if (!from || !to || !from->isFirst || to->isFirst || from->loop != to->loop)
    return std::nullopt;

  // From loops of the map, by the result's dims, to loops of the op.
  AffineMap made = map.getIndexingMapsArray().back(),
            used = op.getIndexingMapsArray()[input];
  if (!made.isPermutation() || !used.isProjectedPermutation())
    return std::nullopt;
  AffineMap toOp = inversePermutation(made).compose(used);
  auto mapOf = [&](BlockArgument of) {
    return map.getIndexingMapsArray()[of.getArgNumber()].compose(toOp);
  };
  RowGroups groups;
  groups.row = toOp.getDimPosition(from->loop);
  groups.rows = map->getOperand(element.getArgNumber());
  groups.rowsMap = mapOf(element);
  groups.from = map->getOperand(from->element.getArgNumber());
  groups.fromMap = mapOf(from->element);
  groups.to = map->getOperand(to->element.getArgNumber());
  groups.toMap = mapOf(to->element);
  for (AffineMap bound : {groups.fromMap, groups.toMap})
    if (bound.getNumResults() != 1 || !isa<AffineDimExpr>(bound.getResult(0)))
      return std::nullopt;
  groups.group = groups.fromMap.getDimPosition(0);
  bool fits = groups.toMap.getDimPosition(0) == groups.group &&
              groups.group != groups.row &&
              !groups.rowsMap.isFunctionOfDim(groups.group) &&
              isa<MemRefType>(groups.rows.getType()) &&
              isa<MemRefType>(groups.from.getType()) &&
              isa<MemRefType>(groups.to.getType());
  return fits ? std::optional(groups) : std::nullopt;
}
