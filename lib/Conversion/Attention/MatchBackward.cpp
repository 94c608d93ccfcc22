//===- MatchBackward.cpp - What of a program is attention's gradient ------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A training program multiplies four times with what it computed from scores:
// probabilities with values and with the result's gradient, scores' gradients
// with keys and with queries. In between stands a fifth product, the
// probabilities' gradient, which meets them element by element. Which product
// is which follows from what it sums over and from what it was computed from.
// A score's gradient may be computed in any way, except for sums of rows:
// such a sum of exponentials times their gradients is a row of the result times
// one of its gradient (FlashAttention, arXiv:2205.14135, appendix B.2), and so
// needs no matrix.
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

/// Backward from a tensor that meets scores element by element, through such
/// ops, to products whose results run along all of scores' loops.
void Matcher::findGradients(Value tensor, ArrayRef<int64_t> loops,
                            unsigned depth) {
  Operation *op = tensor.getDefiningOp();
  if (!op || depth > 8 || match.loopsOf.contains(tensor) ||
      op->getBlock() != match.scores.op->getBlock())
    return;
  if (asProduct(op)) {
    auto type = cast<RankedTensorType>(match.derived[0].getType());
    for (int64_t loop = 0; loop < type.getRank(); ++loop)
      if (type.getDimSize(loop) != 1 && !llvm::is_contained(loops, loop))
        return;
    if (llvm::none_of(gradients,
                      [&](auto &known) { return known.first == tensor; }))
      gradients.push_back({tensor, SmallVector<int64_t>(loops)});
    return;
  }
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    if (auto from = reshapedLoops(op, loops, /*toOperand=*/true))
      findGradients(op->getOperand(0), *from, depth + 1);
    return;
  }
  if (auto elementwise = dyn_cast<linalg::LinalgOp>(op);
      elementwise && isElementwise(elementwise))
    findGradientsOfOperands(elementwise, loops, depth + 1);
}

void Matcher::findGradientsOfOperands(linalg::LinalgOp op,
                                      ArrayRef<int64_t> loops, unsigned depth) {
  AffineMap out = op.getIndexingMapMatchingResult(op->getResult(0));
  SmallVector<int64_t> own(op.getNumLoops(), -1);
  for (auto [dim, expr] : llvm::enumerate(out.getResults()))
    own[cast<AffineDimExpr>(expr).getPosition()] = loops[dim];
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<RankedTensorType>(input->get().getType()))
      continue;
    SmallVector<int64_t> from;
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults()) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      from.push_back(loop ? own[loop.getPosition()] : -1);
    }
    findGradients(input->get(), from, depth);
  }
}

LogicalResult Matcher::collectBackward() {
  std::string user =
      ("'" + products[1].product.op->getName().getStringRef() + "'").str();
  for (Value derived : match.derived)
    if (auto op = derived.getDefiningOp<linalg::LinalgOp>();
        op && isElementwise(op))
      findGradientsOfOperands(op, match.loopsOf[derived], 0);
  // Without a gradient of probabilities that of values is all that is wanted.
  if (gradients.size() > 1 || products.size() > 4 ||
      (gradients.empty() && products.size() != 2))
    return no("scores or what is computed from them are also used by " + user);
  BackwardMatch &backward = match.backward.emplace();
  Value gradient;
  if (!gradients.empty()) {
    gradient = gradients[0].first;
    backward.probabilityGradient = *asProduct(gradient.getDefiningOp());
    size_t known = match.derived.size();
    match.derived.push_back(gradient);
    match.loopsOf[gradient] = gradients[0].second;
    collectUses(known);
    if (products.size() > 4 || match.derived.size() > 96)
      return no("more than the gradients of queries, keys and values is "
                "computed from scores and the result's gradient");
  }

  // Values that depend on the result's gradient belong to the backward pass.
  llvm::stable_sort(match.derived, [](Value a, Value b) {
    return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
  });
  llvm::SmallDenseSet<Value> mixed;
  if (gradient)
    mixed.insert(gradient);
  SmallVector<Value> forward;
  for (Value derived : match.derived) {
    bool depends = derived == gradient;
    for (Value operand : derived.getDefiningOp()->getOperands())
      depends |= mixed.contains(operand);
    if (depends)
      mixed.insert(derived);
    (depends ? backward.derived : forward).push_back(derived);
  }
  match.derived = forward;
  SmallVector<OpOperand *> rows;
  for (OpOperand *use : reductions) {
    if (!mixed.contains(use->get())) {
      rows.push_back(use);
      continue;
    }
    auto op = cast<linalg::LinalgOp>(use->getOwner());
    if (llvm::none_of(backward.sums, [&](auto &sum) { return sum.op == op; }))
      backward.sums.push_back({op, {}});
  }
  std::swap(reductions, rows);
  if (reductions.empty())
    return no("no row of scores is summed");
  auto columns = reducedLoops(cast<linalg::LinalgOp>(reductions[0]->getOwner()),
                              *reductions[0]);
  for (const BackwardMatch::Use &use : products) {
    bool ofColumns = reducedLoops(use.product.op, *use.of) == columns;
    bool ofGradients = mixed.contains(use.of->get());
    if (!ofGradients && ofColumns && !match.values.op) {
      match.values = use.product;
      match.probabilities = use.of;
      continue;
    }
    BackwardMatch::Use &place = ofGradients
                                    ? ofColumns ? backward.query : backward.key
                                    : backward.value;
    if (place.of || (!ofGradients && ofColumns))
      return no("scores or what is computed from them are also used by " +
                user);
    place = use;
  }
  if (!match.values.op) {
    if (gradient && backward.value.of && columns) {
      Value probabilities = backward.value.of->get();
      absent = {backward.probabilityGradient,
                probabilities,
                match.loopsOf[probabilities],
                match.loopsOf[gradient],
                unsigned(match.loopsOf[match.scores.op->getResult(0)].size()),
                *columns};
    }
    return no("no product with values is there");
  }
  if (gradient && !backward.query.of && !backward.key.of)
    return no("the gradient of probabilities leads to none of queries or keys");
  return success();
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

void Matcher::factorize(Value value, int power, Factors &factors) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(op))
    return factorize(op->getOperand(0), power, factors);
  if (isa_and_nonnull<arith::NegFOp>(op)) {
    factors.negative ^= true;
    return factorize(op->getOperand(0), power, factors);
  }
  if (isa_and_nonnull<arith::MulFOp, arith::DivFOp>(op)) {
    factorize(op->getOperand(0), power, factors);
    return factorize(op->getOperand(1), isa<arith::DivFOp>(op) ? -power : power,
                     factors);
  }
  if (isa_and_nonnull<arith::AddFOp>(op)) {
    // A product without a sum still adds to what its init held.
    bool first = isZero(op->getOperand(0)), second = isZero(op->getOperand(1));
    if (first || second)
      return factorize(op->getOperand(first ? 1 : 0), power, factors);
  }
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op);
      select && power > 0 &&
      (isZero(select.getTrueValue()) || isZero(select.getFalseValue()))) {
    bool when = isZero(select.getFalseValue());
    std::pair<Value, bool> condition(select.getCondition(), when);
    if (!llvm::is_contained(factors.conditions, condition))
      factors.conditions.push_back(condition);
    return factorize(when ? select.getTrueValue() : select.getFalseValue(),
                     power, factors);
  }
  factors.powers.push_back({value, power});
}

/// Takes one of `value` out of `factors`; whether there was one.
static bool takeOut(Factors &factors, std::pair<Value, int> value) {
  auto *found = llvm::find(factors.powers, value);
  if (found == factors.powers.end())
    return false;
  factors.powers.erase(found);
  return true;
}

LogicalResult Matcher::findBackwardFormulas() {
  BackwardMatch &backward = *match.backward;
  ScalarGraph &graph = *match.graph;
  auto elementOf = [&](OpOperand *use) {
    return graph.elementOf(use->get(), mapOf(use->get()));
  };
  const char *several = "scores are read at several places for one gradient";
  if (backward.value.of) {
    backward.probability = elementOf(backward.value.of);
    if (!backward.probability)
      return no(several);
  }
  if (!backward.probabilityGradient.op)
    return success();
  for (const BackwardMatch::Use *use : {&backward.query, &backward.key}) {
    if (!use->of)
      continue;
    Value element = elementOf(use->of);
    if (!element)
      return no(several);
    if (backward.scoreGradient && element != backward.scoreGradient)
      return no("the gradients of queries and keys are computed from two "
                "gradients of scores");
    backward.scoreGradient = element;
  }
  Value gradient =
      graph.elementOf(backward.derived[0], mapOf(backward.derived[0]));

  // A value that differs along a row must also be an operand of the product
  // with values.
  Factors forward;
  factorize(match.probability, 1, forward);
  auto differs = [&](Value value) {
    return graph.dependsOnColumns(value) || graph.dependsOnScore(value);
  };
  for (BackwardMatch::RowSum &sum : backward.sums) {
    auto combiner = combinerOf(sum.op);
    auto loops = match.iterationOf(sum.op);
    OpOperand *use = nullptr;
    for (OpOperand *input : sum.op.getDpsInputOperands())
      if (match.loopsOf.contains(input->get()))
        use = input;
    if (!use || !isa<arith::AddFOp>(combiner->first) ||
        !reducesColumns(sum.op, *use))
      return no("gradients of scores are reduced otherwise than to sums of "
                "their rows");
    Value element =
        loops ? graph.bodyValue(sum.op, combiner->second, *loops) : Value();
    if (!element)
      return no("scores are read at several places for one gradient");
    Factors own;
    factorize(element, 1, own);
    bool same = takeOut(own, {gradient, 1});
    for (const std::pair<Value, int> &power : forward.powers)
      if (differs(power.first))
        same &= takeOut(own, power);
    for (const std::pair<Value, int> &power : own.powers)
      same &= !differs(power.first) && power.first != gradient;
    auto contains = [](const Factors &all, const Factors &some) {
      return llvm::all_of(some.conditions, [&](auto &condition) {
        return llvm::is_contained(all.conditions, condition);
      });
    };
    if (!same || !contains(own, forward) || !contains(forward, own))
      return no("a sum is not one of exponentials times their gradients");
    own.conditions.clear();
    own.negative ^= forward.negative;
    sum.factors = own;
  }
  return success();
}
