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

namespace {
/// A map that yields an element or 0, and the op that computes which.
struct Masked {
  arith::SelectOp select;
  /// From loops of the map to loops of the op that reads its result.
  AffineMap toOp;
  linalg::LinalgOp mask;
  AffineMap maskToOp;
  Value condition;
};
} // namespace

static std::optional<Masked> matchMasked(linalg::LinalgOp op, unsigned input,
                                         linalg::LinalgOp map) {
  Masked masked;
  Operation *yield = map.getBlock()->getTerminator();
  if (yield->getNumOperands() != 1)
    return std::nullopt;
  masked.select = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  // From loops of the map, by the result's dims, to loops of the op.
  AffineMap made = map.getIndexingMapsArray().back(),
            used = op.getIndexingMapsArray()[input];
  if (!masked.select ||
      !matchPattern(masked.select.getFalseValue(), m_AnyZeroFloat()) ||
      !made.isPermutation() || !used.isProjectedPermutation())
    return std::nullopt;
  masked.toOp = inversePermutation(made).compose(used);

  // The map makes the mask, or another one does for all elements of a row.
  masked.mask = map;
  masked.maskToOp = masked.toOp;
  masked.condition = masked.select.getCondition();
  if (auto argument = dyn_cast<BlockArgument>(masked.condition)) {
    auto mask = map->getOperand(argument.getArgNumber())
                    .getDefiningOp<linalg::LinalgOp>();
    AffineMap read = map.getIndexingMapsArray()[argument.getArgNumber()];
    if (!mask || mask->getNumResults() != 1 ||
        !mask.getIndexingMapsArray().back().isPermutation() ||
        !read.isProjectedPermutation())
      return std::nullopt;
    masked.mask = mask;
    masked.maskToOp = inversePermutation(mask.getIndexingMapsArray().back())
                          .compose(read)
                          .compose(masked.toOp);
    masked.condition = mask.getBlock()->getTerminator()->getOperand(0);
  }
  return masked;
}

std::optional<RowGroups> shardir::matchRowGroups(linalg::LinalgOp op,
                                                 unsigned input,
                                                 linalg::LinalgOp map) {
  std::optional<Masked> masked = matchMasked(op, input, map);
  if (!masked)
    return std::nullopt;
  AffineMap maskToOp = masked->maskToOp;
  linalg::LinalgOp mask = masked->mask;
  auto element = dyn_cast<BlockArgument>(masked->select.getTrueValue());
  if (!element || element.getOwner() != map.getBlock())
    return std::nullopt;
  auto both = masked->condition.getDefiningOp<arith::AndIOp>();
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
      map.getIndexingMapsArray()[element.getArgNumber()].compose(masked->toOp);
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

std::optional<ChosenGroups> shardir::matchChosenGroups(linalg::LinalgOp op,
                                                       unsigned input,
                                                       linalg::LinalgOp map) {
  std::optional<Masked> masked = matchMasked(op, input, map);
  auto equal = masked ? masked->condition.getDefiningOp<arith::CmpIOp>()
                      : arith::CmpIOp();
  if (!equal || equal.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  auto chosen = dyn_cast<BlockArgument>(equal.getLhs());
  std::optional<Position> group = positionOf(equal.getRhs());
  if (!chosen) {
    chosen = dyn_cast<BlockArgument>(equal.getRhs());
    group = positionOf(equal.getLhs());
  }
  if (!chosen || chosen.getOwner() != masked->mask.getBlock() || !group)
    return std::nullopt;
  AffineMap rows =
      masked->mask.getIndexingMapsArray()[chosen.getArgNumber()].compose(
          masked->maskToOp);
  if (rows.getNumResults() != 1 || !isa<AffineDimExpr>(rows.getResult(0)))
    return std::nullopt;
  ChosenGroups groups;
  groups.row = rows.getDimPosition(0);
  groups.group = masked->maskToOp.getDimPosition(group->loop);
  groups.groupOf = masked->mask->getOperand(chosen.getArgNumber());
  groups.firstGroup = group->first;
  groups.mapToOp = masked->toOp;
  groups.select = masked->select;
  return groups.row == groups.group ? std::nullopt : std::optional(groups);
}
