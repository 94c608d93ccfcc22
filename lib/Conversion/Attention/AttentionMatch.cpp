//===- AttentionMatch.cpp - What of a program is an attention -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward from a contraction: the tensors that hold its scores, elementwise
// ops of them, reductions of rows, and one contraction that takes what became
// of them. Then the formulas, as scalar expressions: exp(x - shift) with shift
// a row's, sums of the same exponentials, maxima of the same x, and between
// exponential and product only what is linear in the former. Whatever shift is,
// exp(x - shift) = exp(x - max) * exp(max - shift), so the shift may have come
// from other devices; nothing needs to be known about collectives.
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

Value shardir::skipExtension(Value value) {
  if (auto cast = value.getDefiningOp<arith::ExtFOp>())
    return cast.getIn();
  return value;
}

std::optional<Product> shardir::asProduct(Operation *operation) {
  auto op = dyn_cast_or_null<linalg::LinalgOp>(operation);
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op->getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands())
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        !op.getMatchingIndexingMap(&operand).isProjectedPermutation(
            /*allowZeroInResults=*/!op.isDpsInit(&operand)))
      return std::nullopt;
  // A loop of the result alone would have no extent once the product is gone.
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (llvm::none_of(op.getDpsInputOperands(), [&](OpOperand *input) {
          return op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
        }))
      return std::nullopt;
  Block *body = op.getBlock();
  BlockArgument a = body->getArgument(0), b = body->getArgument(1),
                c = body->getArgument(2);
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || (add.getLhs() != c && add.getRhs() != c))
    return std::nullopt;
  auto mul = (add.getLhs() == c ? add.getRhs() : add.getLhs())
                 .getDefiningOp<arith::MulFOp>();
  if (!mul)
    return std::nullopt;
  Value x = skipExtension(mul.getLhs()), y = skipExtension(mul.getRhs());
  if (!(x == a && y == b) && !(x == b && y == a))
    return std::nullopt;
  return Product{op, &op->getOpOperand(0), &op->getOpOperand(1)};
}

std::optional<SmallVector<AffineExpr>>
AttentionMatch::iterationOf(linalg::LinalgOp op) const {
  SmallVector<AffineExpr> loops(op.getNumLoops());
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto known = loopsOf.find(input->get());
    if (known == loopsOf.end())
      continue;
    AffineMap in = op.getMatchingIndexingMap(input);
    for (auto [dim, expr] : llvm::enumerate(in.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop)
        continue;
      int64_t own = known->second[dim];
      loops[loop.getPosition()] =
          own < 0 ? getAffineConstantExpr(0, op.getContext())
                  : getAffineDimExpr(own, op.getContext());
    }
  }
  if (llvm::any_of(loops, [](AffineExpr expr) { return !expr; }))
    return std::nullopt;
  return loops;
}

bool shardir::isInfinitelyLow(const APFloat &x) {
  return x.isInfinity() && x.isNegative();
}

bool shardir::isFilledWith(Value tensor,
                           llvm::function_ref<bool(const APFloat &)> test) {
  FloatAttr scalar;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_Constant(&scalar)) &&
           test(scalar.getValue());
  DenseFPElementsAttr splat;
  return matchPattern(tensor, m_Constant(&splat)) && splat.isSplat() &&
         test(splat.getSplatValue<APFloat>());
}

static bool isFloat(Value value, llvm::function_ref<bool(const APFloat &)> is) {
  FloatAttr attr;
  return matchPattern(value, m_Constant(&attr)) && is(attr.getValue());
}
bool shardir::isZero(Value value) {
  return isFloat(value, [](const APFloat &x) { return x.isZero(); });
}
bool shardir::isLowest(Value value) { return isFloat(value, isInfinitelyLow); }

static bool isReduction(utils::IteratorType type) {
  return type == utils::IteratorType::reduction;
}

std::optional<std::pair<Operation *, Value>>
shardir::combinerOf(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  Block *body = op.getBlock();
  Value accumulator = body->getArguments().back();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!accumulator.hasOneUse() ||
      !isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp, arith::AddFOp>(
          combiner))
    return std::nullopt;
  if (combiner->getOperand(0) == accumulator)
    return std::pair(combiner, combiner->getOperand(1));
  if (combiner->getOperand(1) == accumulator)
    return std::pair(combiner, combiner->getOperand(0));
  return std::nullopt;
}

bool shardir::hasNeutralInit(linalg::LinalgOp op) {
  auto combined = combinerOf(op);
  bool ignoresNan = combined && isa<arith::MaxNumFOp>(combined->first);
  bool isMax =
      ignoresNan || (combined && isa<arith::MaximumFOp>(combined->first));
  return isFilledWith(op.getDpsInits()[0], [&](const APFloat &x) {
    return isMax ? isInfinitelyLow(x) || (ignoresNan && x.isNaN()) : x.isZero();
  });
}

AffineMap Matcher::mapOf(Value derived) {
  MLIRContext *context = derived.getContext();
  SmallVector<AffineExpr> results;
  for (int64_t loop : match.loopsOf[derived])
    results.push_back(loop < 0 ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(loop, context));
  unsigned loops = cast<RankedTensorType>(match.derived[0].getType()).getRank();
  return AffineMap::get(loops, 0, results, context);
}

LogicalResult Matcher::addElementwise(linalg::LinalgOp op, OpOperand &use) {
  AffineMap in = op.getMatchingIndexingMap(&use),
            out = op.getIndexingMapMatchingResult(op->getResult(0));
  SmallVector<int64_t> loops(op.getNumLoops(), -1);
  for (auto [dim, expr] : llvm::enumerate(in.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      loops[loop.getPosition()] = match.loopsOf[use.get()][dim];
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> dims;
  for (auto [dim, expr] : llvm::enumerate(out.getResults())) {
    int64_t loop = loops[cast<AffineDimExpr>(expr).getPosition()];
    if (loop < 0 && type.getDimSize(dim) != 1)
      return failure();
    dims.push_back(loop);
  }
  match.derived.push_back(op->getResult(0));
  match.loopsOf[op->getResult(0)] = dims;
  hasExponential |= llvm::any_of(*op.getBlock(), [](Operation &nested) {
    return isa<math::ExpOp>(nested);
  });
  return success();
}

std::optional<SmallVector<int64_t>>
shardir::reshapedLoops(Operation *op, ArrayRef<int64_t> from, bool toOperand) {
  std::optional<UnitReshape> reshape = matchUnitReshape(op);
  if (!reshape)
    return std::nullopt;
  // True if `from` is the one of fewer dims.
  bool expands = isa<tensor::ExpandShapeOp>(op) != toOperand;
  SmallVector<int64_t> to(
      expands ? reshape->longRank : reshape->longDims.size(), -1);
  for (auto [shortDim, longDim] : llvm::enumerate(reshape->longDims))
    if (longDim >= 0)
      (expands ? to[longDim] : to[shortDim]) =
          expands ? from[shortDim] : from[longDim];
  return to;
}

LogicalResult Matcher::addReshape(Operation *op) {
  auto loops = reshapedLoops(op, match.loopsOf[op->getOperand(0)],
                             /*toOperand=*/false);
  if (!loops)
    return failure();
  match.derived.push_back(op->getResult(0));
  match.loopsOf[op->getResult(0)] = *loops;
  return success();
}

LogicalResult Matcher::addUse(OpOperand &use) {
  Operation *user = use.getOwner();
  if (user->getBlock() != match.scores.op->getBlock())
    return failure();
  if (llvm::any_of(user->getResults(), [&](Value result) {
        return match.loopsOf.contains(result);
      }))
    return success();
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
    return addReshape(user);
  if (isa<tensor::DimOp>(user))
    return success();
  auto op = dyn_cast<linalg::LinalgOp>(user);
  if (!op || !op.isDpsInput(&use))
    return failure();
  if (isElementwise(op))
    return addElementwise(op, use);
  if (std::optional<Product> product = asProduct(op)) {
    products.push_back({*product, &use});
    return success();
  }
  if (!combinerOf(op))
    return failure();
  reductions.push_back(&use);
  return success();
}

void Matcher::collectUses(size_t next) {
  for (; next < match.derived.size() && match.derived.size() <= 96; ++next)
    for (OpOperand &use : match.derived[next].getUses())
      if (failed(addUse(use)) && other.empty())
        other = ("'" + use.getOwner()->getName().getStringRef() + "'").str();
}

LogicalResult Matcher::collect() {
  Value scores = match.scores.op->getResult(0);
  match.derived.push_back(scores);
  auto rank = cast<RankedTensorType>(scores.getType()).getRank();
  match.loopsOf[scores] = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  collectUses(0);
  // Without these it is nothing like an attention.
  if (products.empty() || !hasExponential || match.derived.size() > 96)
    return failure();
  if (products.size() == 1) {
    match.values = products[0].product;
    match.probabilities = products[0].of;
  } else if (failed(collectBackward())) {
    return failure();
  }
  if (!other.empty())
    return no("scores or what is computed from them are also used by " + other);
  llvm::stable_sort(match.derived, [](Value a, Value b) {
    return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
  });
  return success();
}

/// The loops of `op` that `operand` runs along.
static llvm::SmallDenseSet<unsigned> loopsIn(linalg::LinalgOp op,
                                             OpOperand *operand) {
  llvm::SmallDenseSet<unsigned> loops;
  for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      loops.insert(loop.getPosition());
  return loops;
}

std::optional<SmallVector<unsigned>> Matcher::reducedLoops(linalg::LinalgOp op,
                                                           OpOperand &use) {
  AffineMap in = op.getMatchingIndexingMap(&use);
  SmallVector<unsigned> reduced;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, expr] : llvm::enumerate(in.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      continue;
    seen.insert(loop.getPosition());
    int64_t own = match.loopsOf[use.get()][dim];
    if (own >= 0 && isReduction(op.getIteratorTypesArray()[loop.getPosition()]))
      reduced.push_back(own);
  }
  // A loop that the operand does not depend on would count it several times.
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (isReduction(iterator) && !seen.contains(loop))
      return std::nullopt;
  llvm::sort(reduced);
  return reduced;
}

LogicalResult Matcher::findLoops() {
  // The dims of the scores that the product with the values reduces.
  linalg::LinalgOp product = match.values.op;
  AffineMap in = product.getMatchingIndexingMap(match.probabilities);
  OpOperand *value = match.values.left == match.probabilities
                         ? match.values.right
                         : match.values.left;
  if (match.loopsOf.contains(value->get()))
    return no("probabilities are multiplied with each other");
  auto inValue = loopsIn(product, value);
  ArrayRef<int64_t> loops = match.loopsOf[match.probabilities->get()];
  llvm::SmallDenseSet<unsigned> present;
  for (auto [dim, expr] : llvm::enumerate(in.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || loops[dim] < 0)
      continue;
    present.insert(loops[dim]);
    if (!isReduction(product.getIteratorTypesArray()[loop.getPosition()])) {
      match.outer.push_back(loops[dim]);
      continue;
    }
    if (!inValue.contains(loop.getPosition()))
      return no("a dim of the probabilities is summed and not in the values");
    match.columns.push_back(loops[dim]);
  }
  llvm::sort(match.columns);
  llvm::sort(match.outer);
  auto type = cast<RankedTensorType>(match.derived[0].getType());
  if (int64_t(present.size()) != type.getRank())
    return no(
        "a dim of the scores has gone before the product with the values");
  if (match.columns.empty())
    return no("no dim of the scores is summed with the values");
  if (!reducesColumns(product, *match.probabilities))
    return no(
        "the product with the values sums over more than scores' columns");
  for (OpOperand *use : reductions)
    if (!reducesColumns(cast<linalg::LinalgOp>(use->getOwner()), *use))
      return no("a reduction of the scores is not over the columns that are "
                "summed with the values");

  // One operand of the scores has all columns: the keys.
  linalg::LinalgOp scores = match.scores.op;
  AffineMap out = scores.getIndexingMapMatchingResult(scores->getResult(0));
  auto left = loopsIn(scores, match.scores.left),
       right = loopsIn(scores, match.scores.right);
  auto hasAll = [&](auto &set) {
    return llvm::all_of(match.columns, [&](unsigned column) {
      return set.contains(
          cast<AffineDimExpr>(out.getResult(column)).getPosition());
    });
  };
  auto hasAny = [&](auto &set) {
    return llvm::any_of(match.columns, [&](unsigned column) {
      return set.contains(
          cast<AffineDimExpr>(out.getResult(column)).getPosition());
    });
  };
  match.keyIsLeft = hasAll(left) && !hasAny(right);
  if (!match.keyIsLeft && !(hasAll(right) && !hasAny(left)))
    return no("both operands of the scores run along the columns");
  for (auto [loop, iterator] : llvm::enumerate(scores.getIteratorTypesArray()))
    if (isReduction(iterator) && !(left.contains(loop) && right.contains(loop)))
      return no("the scores sum over a dim that one operand lacks");
  return success();
}

LogicalResult Matcher::findExponential() {
  ScalarGraph &graph = *match.graph;
  Value value = match.probability;
  // Is there a select with zero between here and the probability?
  bool guarded = false;
  for (;;) {
    if (graph.leafOf(value) || !graph.dependsOnScore(value))
      return no("probabilities are not linear in exponentials of scores");
    Operation *op = value.getDefiningOp();
    if (isa<math::ExpOp>(op))
      break;
    if (isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp>(op)) {
      match.kept.push_back(op);
      value = op->getOperand(0);
      continue;
    }
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      Value a = select.getTrueValue(), b = select.getFalseValue();
      if (graph.dependsOnScore(select.getCondition()) ||
          (!isZero(a) && !isZero(b)))
        return no("probabilities are selected from more than zero");
      match.kept.push_back(op);
      value = isZero(b) ? a : b;
      guarded = true;
      continue;
    }
    if (auto add = dyn_cast<arith::AddFOp>(op)) {
      // A product without a sum still adds to what its init held.
      bool first = isZero(add.getLhs()), second = isZero(add.getRhs());
      if (first || second) {
        value = first ? add.getRhs() : add.getLhs();
        continue;
      }
    }
    if (!isa<arith::MulFOp, arith::DivFOp>(op))
      return no("between exponentials and values stands '" +
                op->getName().getStringRef() + "'");
    Value a = op->getOperand(0), b = op->getOperand(1);
    if (isa<arith::MulFOp>(op) && !graph.dependsOnScore(a))
      std::swap(a, b);
    if (graph.dependsOnScore(b))
      return no("probabilities are not linear in exponentials of scores");
    if (graph.dependsOnColumns(b))
      match.kept.push_back(op);
    else
      match.factors.push_back({isa<arith::DivFOp>(op), b, guarded});
    value = a;
  }
  // Outermost first so far.
  std::reverse(match.factors.begin(), match.factors.end());
  match.exponential = value;
  Value argument = value.getDefiningOp()->getOperand(0);
  match.x = argument;
  if (auto difference = argument.getDefiningOp<arith::SubFOp>())
    if (!graph.dependsOnColumns(difference.getRhs()) &&
        !graph.dependsOnScore(difference.getRhs())) {
      match.x = difference.getLhs();
      match.shifts = {difference.getRhs()};
    }
  if (!graph.dependsOnScore(match.x))
    return no("exponentials do not depend on scores");
  return success();
}

LogicalResult Matcher::findFormulas() {
  SmallVector<Value> expanded(match.derived);
  if (match.backward && !match.backward->derived.empty())
    // The probabilities' gradient is an element of its own, as the score is.
    llvm::append_range(expanded,
                       ArrayRef(match.backward->derived).drop_front());
  match.graph = std::make_unique<ScalarGraph>(match.scores.op->getResult(0),
                                              expanded, match.columns);
  Value probabilities = match.probabilities->get();
  match.probability =
      match.graph->elementOf(probabilities, mapOf(probabilities));
  if (!match.probability)
    return no("scores are read at several places for one probability");
  if (failed(findExponential()) || failed(checkRows()))
    return failure();
  return match.backward ? findBackwardFormulas() : success();
}

std::optional<AttentionMatch> Matcher::run() {
  if (failed(collect()) || failed(findLoops()) || failed(findFormulas()))
    return std::nullopt;
  return std::move(match);
}

std::optional<AttentionMatch>
shardir::matchAttention(Operation *op, std::string &why,
                        std::optional<MissingForwardMatmul> &absent) {
  std::optional<Product> product = asProduct(op);
  if (!product ||
      !isa<FloatType>(
          cast<RankedTensorType>(op->getResult(0).getType()).getElementType()))
    return std::nullopt;
  return Matcher(*product, why, absent).run();
}
