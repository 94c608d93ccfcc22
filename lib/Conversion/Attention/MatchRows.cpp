//===- MatchRows.cpp - What of a program are rows of an attention ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the maxima and sums of rows that the op computes, and how they differ
// from them by.
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace shardir;

/// True if `value` is the exponential where a mask holds and 0 elsewhere, and
/// x is -inf there.
bool Matcher::isMaskedSum(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto mask = skipExtension(match.x).getDefiningOp<arith::SelectOp>();
  return select && mask && select.getCondition() == mask.getCondition() &&
         skipExtension(select.getTrueValue()) == match.exponential &&
         isZero(select.getFalseValue()) && isLowest(mask.getFalseValue());
}

/// Of which exponents maxima are: x, or x that some of the rows have been
/// subtracted from, as where a maximum is taken out before a softmax that
/// takes out its own.
LogicalResult Matcher::findLowered(ArrayRef<Value> elements) {
  SmallVector<Value> exponents = {match.x}, rows;
  SmallVector<unsigned> places;
  for (Value element : elements) {
    unsigned place = 0;
    while (skipExtension(exponents[place]) != element) {
      if (++place < exponents.size())
        continue;
      auto difference =
          skipExtension(exponents.back()).getDefiningOp<arith::SubFOp>();
      if (!difference || match.graph->dependsOnColumns(difference.getRhs()) ||
          match.graph->dependsOnScore(difference.getRhs()))
        return failure();
      exponents.push_back(difference.getLhs());
      rows.push_back(difference.getRhs());
    }
    places.push_back(place);
  }
  // No deeper than some maximum is.
  for (unsigned place : places)
    match.lowered.push_back(rows.size() - place);
  match.x = exponents[rows.size()];
  std::reverse(rows.begin(), rows.end());
  match.shifts.insert(match.shifts.begin(), rows.begin(), rows.end());
  return success();
}

/// The value that `exponent` subtracts from x.
std::optional<SmallVector<Value>> Matcher::rowsOf(Value exponent) {
  SmallVector<Value> rows;
  Value x = skipExtension(match.x);
  while (skipExtension(exponent) != x) {
    auto difference = skipExtension(exponent).getDefiningOp<arith::SubFOp>();
    if (!difference || match.graph->dependsOnColumns(difference.getRhs()) ||
        match.graph->dependsOnScore(difference.getRhs()))
      return std::nullopt;
    rows.push_back(difference.getRhs());
    exponent = difference.getLhs();
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

LogicalResult Matcher::checkRows() {
  SmallVector<Value> elements, exponents;
  for (OpOperand *use : reductions) {
    auto op = cast<linalg::LinalgOp>(use->getOwner());
    auto &list =
        isa<arith::AddFOp>(combinerOf(op)->first) ? match.sums : match.maxima;
    if (llvm::is_contained(list, op))
      continue;
    std::optional<SmallVector<AffineExpr>> loops = match.iterationOf(op);
    Value element =
        loops ? match.graph->bodyValue(op, combinerOf(op)->second, *loops)
              : Value();
    if (!element)
      return no("a reduction reads scores at several places");
    element = skipExtension(element);
    if (&list == &match.maxima) {
      elements.push_back(element);
    } else {
      // Null: that of the probabilities.
      Value &exponent = exponents.emplace_back();
      if (element != skipExtension(match.exponential) &&
          !isMaskedSum(element)) {
        auto exp = element.getDefiningOp<math::ExpOp>();
        if (!exp)
          return no("a sum is not one of the exponentials");
        exponent = exp.getOperand();
      }
    }
    list.push_back(op);
  }
  if (failed(findLowered(elements)))
    return no("a maximum is not one of the exponents");
  // Rows of an exponential may be shifted twice, once for the probabilities and
  // once for the logarithm of their sum.
  for (Value exponent : exponents) {
    auto &own = match.ownShifts.emplace_back();
    if (!exponent)
      continue;
    own = rowsOf(exponent);
    if (!own)
      return no("a sum is not one of the exponentials");
  }
  // Is the shift what these maxima give, moved and widened alone?
  Value shift =
      match.shifts.size() == 1 ? skipExtension(match.shifts[0]) : Value();
  if (const ScalarGraph::Leaf *leaf =
          shift ? match.graph->leafOf(shift) : nullptr)
    for (linalg::LinalgOp max : match.maxima)
      if (leaf->tensor == max->getResult(0)) {
        auto loops = *match.iterationOf(max);
        AffineMap out = max.getIndexingMapMatchingResult(max->getResult(0));
        bool same = true;
        for (auto [expr, at] :
             llvm::zip(out.getResults(), leaf->map.getResults())) {
          auto kept = dyn_cast<AffineDimExpr>(expr);
          same &= isa<AffineConstantExpr>(at) ||
                  (kept && loops[kept.getPosition()] == at);
        }
        match.shiftIsMax |= same && hasNeutralInit(max);
      }
  return success();
}
