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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

namespace {
/// The number of a loop's iteration, plus what is computed outside of the body.
struct Position {
  unsigned loop = 0;
  Value first;
};

/// One side of a mask: an element of an input, at most or above a position.
struct Bound {
  BlockArgument element;
  Position position;
  /// element <= position, or else position < element.
  bool isFirst = false;
};
} // namespace

/// The position that `value` is, as an integer.
static std::optional<Position> positionOf(Value value) {
  if (auto narrow = value.getDefiningOp<arith::TruncIOp>())
    value = narrow.getIn();
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  Position position;
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    value = sum.getLhs();
    position.first = sum.getRhs();
    if (position.first.getParentBlock() == sum->getBlock())
      return std::nullopt;
  }
  auto index = value.getDefiningOp<linalg::IndexOp>();
  if (!index)
    return std::nullopt;
  position.loop = index.getDim();
  return position;
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
  std::optional<Position> position = positionOf(isFirst ? right : left);
  if (!element || element.getOwner() != body || !position)
    return std::nullopt;
  return Bound{element, *position, isFirst};
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
  auto element = dyn_cast<BlockArgument>(select.getTrueValue());
  // From loops of the map, by the result's dims, to loops of the op.
  AffineMap made = map.getIndexingMapsArray().back(),
            used = op.getIndexingMapsArray()[input];
  if (!element || element.getOwner() != body || !made.isPermutation() ||
      !used.isProjectedPermutation())
    return std::nullopt;
  AffineMap toOp = inversePermutation(made).compose(used);

  // The map makes the mask, or another one does for all elements of a row.
  linalg::LinalgOp mask = map;
  AffineMap maskToOp = toOp;
  Value condition = select.getCondition();
  if (auto argument = dyn_cast<BlockArgument>(condition)) {
    mask = map->getOperand(argument.getArgNumber())
               .getDefiningOp<linalg::LinalgOp>();
    AffineMap read = map.getIndexingMapsArray()[argument.getArgNumber()];
    if (!mask || mask->getNumResults() != 1 ||
        !mask.getIndexingMapsArray().back().isPermutation() ||
        !read.isProjectedPermutation())
      return std::nullopt;
    maskToOp = inversePermutation(mask.getIndexingMapsArray().back())
                   .compose(read)
                   .compose(toOp);
    condition = mask.getBlock()->getTerminator()->getOperand(0);
  }
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return std::nullopt;
  std::optional<Bound> from = matchBound(both.getLhs(), mask.getBlock()),
                       to = matchBound(both.getRhs(), mask.getBlock());
  if (from && to && !from->isFirst)
    std::swap(from, to);
  if (!from || !to || !from->isFirst || to->isFirst ||
      from->position.loop != to->position.loop ||
      from->position.first != to->position.first)
    return std::nullopt;

  auto boundMap = [&](const Bound &bound) {
    return mask.getIndexingMapsArray()[bound.element.getArgNumber()].compose(
        maskToOp);
  };
  RowGroups groups;
  groups.row = maskToOp.getDimPosition(from->position.loop);
  groups.firstRow = from->position.first;
  groups.rows = map->getOperand(element.getArgNumber());
  groups.rowsMap =
      map.getIndexingMapsArray()[element.getArgNumber()].compose(toOp);
  groups.from = mask->getOperand(from->element.getArgNumber());
  groups.fromMap = boundMap(*from);
  groups.to = mask->getOperand(to->element.getArgNumber());
  groups.toMap = boundMap(*to);
  for (AffineMap bound : {groups.fromMap, groups.toMap})
    if (bound.getNumResults() != 1 || !isa<AffineDimExpr>(bound.getResult(0)))
      return std::nullopt;
  groups.group = groups.fromMap.getDimPosition(0);
  bool fits = groups.toMap.getDimPosition(0) == groups.group &&
              groups.group != groups.row &&
              groups.rowsMap.isFunctionOfDim(groups.row) &&
              !groups.rowsMap.isFunctionOfDim(groups.group);
  return fits ? std::optional(groups) : std::nullopt;
}
