//===- BuildBackward.cpp - The backward op in place of its chain ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a match with a backward pass and its forward op. Guarantees one
// kernel.attention_backward in the place of three products, and that what used
// their results and the sums of gradients still finds them. A sum over n of
// p * dp is acc's row times the gradient's row, summed over v.
//
//===----------------------------------------------------------------------===//

#include "AttentionRewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

static bool isUnit(const Operand &operand, unsigned dim) {
  return cast<RankedTensorType>(operand.tensor.getType()).getDimSize(dim) == 1;
}

LogicalResult BackwardRewrite::solveLoops(const Product &product,
                                          OpOperand *other,
                                          const Operand &known,
                                          SmallVectorImpl<AffineExpr> &loops) {
  linalg::LinalgOp op = product.op;
  Operand moved =
      throughMovement({other->get(), op.getMatchingIndexingMap(other)});
  if (moved.tensor != known.tensor)
    return failure();
  for (auto [dim, pair] : llvm::enumerate(
           llvm::zip(moved.map.getResults(), known.map.getResults()))) {
    auto [own, wanted] = pair;
    auto loop = dyn_cast<AffineDimExpr>(own);
    if (!loop) {
      if (own != wanted && !isUnit(known, dim))
        return failure();
      continue;
    }
    AffineExpr &is = loops[loop.getPosition()];
    if (!is)
      is = wanted;
    else if (is != wanted && !isUnit(known, dim))
      return failure();
  }
  // Two loops are never one: that would be the diagonal of their product alone.
  SmallVector<AffineExpr> seen;
  for (AffineExpr expr : loops) {
    if (!expr || llvm::is_contained(seen, expr))
      return failure();
    if (isa<AffineDimExpr>(expr))
      seen.push_back(expr);
  }
  return success();
}

/// The loops of a product's operand or result with dims `of`, from scores'.
static void setLoops(AffineMap map, ArrayRef<int64_t> of,
                     SmallVectorImpl<AffineExpr> &loops) {
  for (auto [expr, loop] : llvm::zip(map.getResults(), of))
    if (auto own = dyn_cast<AffineDimExpr>(expr))
      loops[own.getPosition()] =
          loop < 0 ? getAffineConstantExpr(0, map.getContext())
                   : getAffineDimExpr(loop, map.getContext());
}

std::optional<AffineMap>
BackwardRewrite::solveUse(const BackwardMatch::Use &use, const Operand &known,
                          SmallVectorImpl<AffineExpr> &loops) {
  linalg::LinalgOp op = use.product.op;
  loops.assign(op.getNumLoops(), AffineExpr());
  setLoops(op.getMatchingIndexingMap(use.of),
           forward.match.loopsOf[use.of->get()], loops);
  if (failed(solveLoops(use.product, use.other(), known, loops)))
    return std::nullopt;
  SmallVector<AffineExpr> results;
  for (AffineExpr expr :
       op.getIndexingMapMatchingResult(op->getResult(0)).getResults()) {
    AffineExpr loop = loops[cast<AffineDimExpr>(expr).getPosition()];
    // Dims of one element are no loops, or they are added to all results.
    if (isa<AffineDimExpr>(loop))
      results.push_back(loop);
  }
  return AffineMap::get(forward.numLoops, 0, results, rewriter.getContext());
}

/// The probabilities' gradient is that of the result times the values.
LogicalResult BackwardRewrite::findGradient(std::string &why) {
  const Product &product = backward.probabilityGradient;
  linalg::LinalgOp op = product.op ? product.op : backward.value.product.op;
  SmallVector<AffineExpr> own(op.getNumLoops());
  OpOperand *gradientOf = nullptr;
  if (product.op) {
    Value made = backward.derived[0];
    for (OpOperand *candidate : {product.left, product.right}) {
      own.assign(op.getNumLoops(), AffineExpr());
      setLoops(op.getIndexingMapMatchingResult(cast<OpResult>(made)),
               forward.match.loopsOf.lookup(made), own);
      if (succeeded(solveLoops(product, candidate, value, own))) {
        gradientOf = candidate == product.left ? product.right : product.left;
        break;
      }
    }
  } else {
    // The gradient of values alone: what it is multiplied with has their dim.
    const BackwardMatch::Use &use = backward.value;
    setLoops(op.getMatchingIndexingMap(use.of),
             forward.match.loopsOf.lookup(use.of->get()), own);
    SmallVector<unsigned> dims;
    for (auto [dim, expr] : llvm::enumerate(value.map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (loop &&
          !llvm::is_contained(forward.match.outer, loop.getPosition()) &&
          !llvm::is_contained(forward.match.columns, loop.getPosition()))
        dims.push_back(dim);
    }
    if (dims.size() == 1 && llvm::count(own, AffineExpr()) == 1) {
      unsigned loop = llvm::find(own, AffineExpr()) - own.begin();
      own[loop] = value.map.getResult(dims[0]);
      int64_t extent = op.getStaticLoopRanges()[loop];
      if (!ShapedType::isDynamic(extent) &&
          extent == cast<RankedTensorType>(value.tensor.getType())
                        .getDimSize(dims[0]))
        gradientOf = use.other();
    }
  }
  if (!gradientOf) {
    why = "the product with the values has no gradient of probabilities";
    return failure();
  }
  gradient = throughMovement(forward.operandOf(gradientOf, own));
  return success();
}

/// The map of a result that is not there, as the others have theirs.
AffineMap BackwardRewrite::unwantedMap(unsigned result) {
  const AttentionMatch &match = forward.match;
  // A loop that the gradient beside it has, or keys and values, if that is not
  // there either.
  unsigned beside = 3 - result;
  auto isBatch = [&](unsigned loop) {
    if (result > 0 && useOf(beside))
      return maps[beside].isFunctionOfDim(loop);
    return key.map.isFunctionOfDim(loop) || value.map.isFunctionOfDim(loop);
  };
  auto isSummed = [&](unsigned loop) {
    return !llvm::is_contained(match.outer, loop) &&
           !llvm::is_contained(match.columns, loop);
  };
  SmallVector<AffineExpr> results;
  for (unsigned loop = 0; loop < forward.numLoops; ++loop) {
    bool outer = llvm::is_contained(match.outer, loop),
         column = llvm::is_contained(match.columns, loop);
    const Operand &own = result == 2 ? value : query;
    bool has = result == 0 ? outer : column || (outer && isBatch(loop));
    if (has || (isSummed(loop) && own.map.isFunctionOfDim(loop)))
      results.push_back(rewriter.getAffineDimExpr(loop));
  }
  return AffineMap::get(forward.numLoops, 0, results, rewriter.getContext());
}

LogicalResult BackwardRewrite::prepare(std::string &why) {
  auto no = [&](const Twine &reason) {
    why = reason.str();
    return failure();
  };
  const AttentionMatch &match = forward.match;
  auto moved = [&](OpOperand *operand, ArrayRef<AffineExpr> of) {
    return throughMovement(forward.operandOf(operand, of));
  };
  OpOperand *queryOf = match.keyIsLeft ? match.scores.right : match.scores.left,
            *keyOf = match.keyIsLeft ? match.scores.left : match.scores.right,
            *valueOf = match.values.left == match.probabilities
                           ? match.values.right
                           : match.values.left;
  query = moved(queryOf, forward.scoreLoops);
  key = moved(keyOf, forward.scoreLoops);
  value = moved(valueOf, forward.productLoops);

  if (failed(findGradient(why)))
    return failure();

  const Operand *others[] = {&key, &query, &gradient};
  for (unsigned i = 0; i < 3; ++i) {
    const BackwardMatch::Use *use = useOf(i);
    if (!use)
      continue;
    std::optional<AffineMap> map = solveUse(*use, *others[i], loops[i]);
    if (!map)
      return no("scores' gradients are multiplied with other tensors than "
                "queries and keys, or probabilities with another gradient");
    maps[i] = *map;
  }
  for (unsigned i = 0; i < 3; ++i)
    if (!useOf(i))
      maps[i] = unwantedMap(i);

  // A loop of one iteration that a product has left out is a batch loop.
  auto scores = cast<RankedTensorType>(match.derived[0].getType());
  for (auto [loop, extent] : llvm::enumerate(scores.getShape())) {
    if (extent != 1)
      continue;
    AffineExpr unit = rewriter.getAffineDimExpr(loop);
    for (AffineMap &map : maps) {
      SmallVector<AffineExpr> results = {unit};
      for (AffineExpr expr : map.getResults())
        if (expr != unit)
          results.push_back(expr);
      map = AffineMap::get(forward.numLoops, 0, results, rewriter.getContext());
    }
  }

  SmallVector<Value> roots = {backward.probability, backward.scoreGradient};
  Value probabilityGradient =
      backward.derived.empty() ? Value() : backward.derived[0];
  for (Value leaf : forward.leavesOf(roots)) {
    if (forward.graph.leafOf(leaf)->tensor != probabilityGradient) {
      extraLeaves.push_back(leaf);
      continue;
    }
    if (gradientLeaf)
      return no("gradients of probabilities are read at several places");
    gradientLeaf = leaf;
  }
  findHeadSums();
  if (std::string misplaced = misplacedLoop(); !misplaced.empty())
    return no("of what would be their backward op, " + misplaced);

  // The op stands where the first of its results is made.
  SmallPtrSet<Operation *, 4> products;
  for (unsigned i = 0; i < 3; ++i) {
    if (!useOf(i))
      continue;
    Operation *made = useOf(i)->product.op;
    products.insert(made);
    if (!anchor || made->isBeforeInBlock(anchor))
      anchor = made;
  }
  // Their sums are computed from acc, and brought to the program's shift.
  for (const BackwardMatch::RowSum &sum : backward.sums) {
    bool early = sum.op->isBeforeInBlock(forward.firstShifted());
    for (linalg::LinalgOp row : match.sums)
      early |= sum.op->isBeforeInBlock(row);
    if (early)
      return no("gradients of scores are summed before exponentials are");
  }
  if (failed(forward.findLate(anchor, neededTensors(), products)))
    return no("an operand of the gradients is computed from them");
  return success();
}

SmallVector<Value> BackwardRewrite::neededTensors() {
  SmallVector<Value> needed = {query.tensor, key.tensor, value.tensor,
                               gradient.tensor};
  for (Value leaf : extraLeaves)
    needed.push_back(forward.operandOf(leaf).tensor);
  return needed;
}

/// The tensor to which `op`, which is elementwise, copies its only input:
/// transposed or narrowed. Null for other ops.
static Value copyMadeBy(Operation *op) {
  auto copy = dyn_cast<linalg::LinalgOp>(op);
  if (!copy || !isElementwise(copy) || copy.getNumDpsInputs() != 1 ||
      !llvm::all_of(copy.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isPermutation(); }))
    return {};
  Value yielded = copy.getBlock()->getTerminator()->getOperand(0);
  if (auto cast = yielded.getDefiningOp<arith::TruncFOp>())
    yielded = cast.getIn();
  return yielded == copy.getBlock()->getArgument(0) ? copy->getResult(0)
                                                    : Value();
}

/// The result of attention as the program stores it for other readers, so that
/// acc, in a wider type, need not be kept for `reader`. Nullopt if `reader`
/// precedes it, or if acc is added to another init.
std::optional<Operand> BackwardRewrite::storedResult(Operation *reader) {
  OpResult result = forward.product->getResult(0);
  Operand stored = {forward.replaced.lookup(result), forward.accMap};
  // Dims of one element may be no loops of acc.
  bool hasDimsOfAcc = cast<RankedTensorType>(result.getType()).getRank() ==
                      stored.map.getNumResults();
  if (!hasNeutralInit(forward.product) || !hasDimsOfAcc ||
      !stored.tensor.getDefiningOp()->isBeforeInBlock(reader))
    return std::nullopt;
  while (stored.tensor.hasOneUse()) {
    Operation *user = *stored.tensor.user_begin();
    Value copied =
        user->getBlock() == reader->getBlock() && user->isBeforeInBlock(reader)
            ? copyMadeBy(user)
            : Value();
    if (!copied)
      break;
    auto copy = cast<linalg::LinalgOp>(user);
    AffineMap in = copy.getMatchingIndexingMap(copy.getDpsInputOperand(0));
    AffineMap out = copy.getIndexingMapMatchingResult(user->getResult(0));
    stored = {copied, out.compose(inversePermutation(in)).compose(stored.map)};
  }
  return stored;
}

/// The sum over v of the result, or of acc, and the result's gradient, times
/// what differs by row.
void BackwardRewrite::replaceSum(const BackwardMatch::RowSum &sum) {
  MLIRContext *context = rewriter.getContext();
  Location loc = forward.loc;
  rewriter.setInsertionPoint(sum.op);
  const AttentionMatch &match = forward.match;
  // One loop per dim of max, then those of v.
  SmallVector<AffineExpr> own(forward.numLoops,
                              getAffineConstantExpr(0, context));
  SmallVector<utils::IteratorType> iterators(match.outer.size(),
                                             utils::IteratorType::parallel);
  for (auto [position, loop] : llvm::enumerate(match.outer))
    own[loop] = getAffineDimExpr(position, context);
  for (unsigned loop = 0; loop < forward.numLoops; ++loop) {
    if (!forward.accMap.isFunctionOfDim(loop) ||
        llvm::is_contained(match.outer, loop))
      continue;
    own[loop] = getAffineDimExpr(iterators.size(), context);
    iterators.push_back(utils::IteratorType::reduction);
  }
  auto renamed = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(own, {}, iterators.size(), 0);
  };
  std::optional<Operand> stored = storedResult(sum.op);
  Operand summed = stored.value_or(Operand{forward.results[0], forward.accMap});
  auto powers = sum.factors.powers;
  if (stored) // the result is acc times these
    for (const RowFactor &row : match.factors) {
      int power = row.divides ? 1 : -1;
      auto *cancelled = llvm::find(powers, std::pair(row.factor, -power));
      if (cancelled != powers.end())
        powers.erase(cancelled);
      else
        powers.push_back({row.factor, power});
    }
  Value init = forward.neutral(match.outer, 0.0);
  auto body = [&](OpBuilder &builder, Location, ValueRange args) {
    Value term = arith::MulFOp::create(
        builder, loc, forward.converted(builder, args[0], forward.compute),
        forward.converted(builder, args[1], forward.compute));
    linalg::YieldOp::create(
        builder, loc,
        arith::AddFOp::create(builder, loc, args[2], term).getResult());
  };
  Value dot =
      linalg::GenericOp::create(
          rewriter, loc, init.getType(),
          ValueRange{summed.tensor, gradient.tensor}, init,
          ArrayRef<AffineMap>{renamed(summed.map), renamed(gradient.map),
                              renamed(forward.outerMap())},
          iterators, body)
          .getResult(0);

  SmallVector<Operand> inputs = {{dot, forward.outerMap()}};
  bool isScaled = forward.factor && !stored;
  if (isScaled)
    inputs.push_back({forward.factor, forward.outerMap()});
  size_t firstLeaf = inputs.size();
  SmallVector<Value> factors;
  for (auto &[value, power] : powers)
    factors.push_back(value);
  SmallVector<Value> leaves = forward.leavesOf(factors);
  for (Value leaf : leaves)
    inputs.push_back(forward.operandOf(leaf));
  forward.replace(
      sum.op, *match.iterationOf(sum.op), inputs, /*isSame=*/false,
      [&](OpBuilder &builder, ValueRange args) -> Value {
        IRMapping mapping;
        for (auto [leaf, arg] : llvm::zip(leaves, args.drop_front(firstLeaf)))
          mapping.map(leaf, arg);
        Value made = args[0];
        if (isScaled)
          made = arith::MulFOp::create(builder, loc, made, args[1]);
        for (auto &[value, power] : powers) {
          Value by = forward.converted(builder,
                                       forward.cloned(builder, value, mapping),
                                       forward.compute);
          made =
              power < 0
                  ? arith::DivFOp::create(builder, loc, made, by).getResult()
                  : arith::MulFOp::create(builder, loc, made, by).getResult();
        }
        return sum.factors.negative
                   ? arith::NegFOp::create(builder, loc, made).getResult()
                   : made;
      });
}

void BackwardRewrite::createOp() {
  Location loc = anchor->getLoc();
  rewriter.setInsertionPoint(anchor);
  SmallVector<int64_t> unwanted;
  for (unsigned i = 0; i < 3; ++i)
    if (!useOf(i))
      unwanted.push_back(i);
  SmallVector<Value> inits;
  for (unsigned i = 0; i < 3; ++i)
    inits.push_back(forward.neutral(forward.sizesOf(resultMap(i)), 0.0));
  Operand own[] = {forward.inOp(query), forward.inOp(key), forward.inOp(value),
                   forward.inOp(gradient)};
  SmallVector<Value> tensors;
  SmallVector<AffineMap> all;
  for (const Operand &operand : own)
    all.push_back(operand.map);
  SmallVector<Type> types(2, forward.compute);
  for (Value leaf : extraLeaves) {
    Operand extra = forward.inOp(forward.operandOf(leaf), /*isExtra=*/true);
    tensors.push_back(extra.tensor);
    all.push_back(extra.map);
    types.push_back(leaf.getType());
  }
  for (unsigned i = 0; i < 3; ++i)
    all.push_back(resultMap(i));
  op = kernel::AttentionBackwardOp::create(
      rewriter, loc, ValueRange(inits).getTypes(), own[0].tensor, own[1].tensor,
      own[2].tensor, own[3].tensor, tensors, inits[0], inits[1], inits[2],
      rewriter.getAffineMapArrayAttr(all),
      unwanted.empty() ? DenseI64ArrayAttr()
                       : rewriter.getDenseI64ArrayAttr(unwanted));

  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Location> locs(types.size(), loc);
  Block *body = rewriter.createBlock(&op.getBody(), {}, types, locs);
  IRMapping mapping;
  mapping.map(forward.graph.score(),
              forward.converted(rewriter, body->getArgument(0),
                                forward.graph.score().getType()));
  if (gradientLeaf)
    mapping.map(gradientLeaf, forward.converted(rewriter, body->getArgument(1),
                                                gradientLeaf.getType()));
  for (auto [leaf, argument] :
       llvm::zip(extraLeaves, body->getArguments().drop_front(2)))
    mapping.map(leaf, argument);
  // An unused gradient costs nothing: the other one stands in for it.
  Value p, ds;
  if (backward.probability)
    p = forward.cloned(rewriter, backward.probability, mapping);
  if (backward.scoreGradient)
    ds = forward.cloned(rewriter, backward.scoreGradient, mapping);
  p = p ? p : ds;
  ds = ds ? ds : p;
  kernel::YieldOp::create(rewriter, loc, ValueRange{p, ds});
  forward.renumberIndices(op.getBody());
}

void BackwardRewrite::replaceProducts() {
  auto same = [](OpBuilder &, ValueRange args) { return args[0]; };
  for (unsigned i = 0; i < 3; ++i) {
    if (!useOf(i))
      continue;
    rewriter.setInsertionPointAfter(op);
    if (i == 0 || !summedLoop) {
      forward.replace(
          useOf(i)->product.op, loops[i],
          Operand{forward.joined(op.getResult(i), maps[i]), maps[i]},
          /*isSame=*/true, same);
      continue;
    }
    // The remaining head dims keep their position.
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : maps[i].getResults())
      if (forward.split || expr != rewriter.getAffineDimExpr(*summedLoop))
        results.push_back(expr);
    AffineMap map =
        AffineMap::get(forward.numLoops, 0, results, rewriter.getContext());
    const HeadSum &sum = *headSums[i - 1];
    forward.replace(sum.op, sum.loops, Operand{op.getResult(i), map},
                    /*isSame=*/true, same, /*divides=*/false);
  }
}

void BackwardRewrite::run() {
  forward.replaceDims(backward.derived);
  for (const BackwardMatch::RowSum &sum : backward.sums)
    replaceSum(sum);
  SmallPtrSet<Operation *, 4> none;
  auto late = forward.findLate(anchor, neededTensors(), none);
  assert(succeeded(late) && "what was there in time is so still");
  forward.moveBefore(anchor, *late);
  createOp();
  replaceProducts();
}
