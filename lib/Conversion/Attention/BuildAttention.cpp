//===- BuildAttention.cpp - The attention op in place of its chain --------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires a match (AttentionMatch.h) in the program as it is; guarantees one
// attention op in its place, and that what used the chain's rows still finds
// them. Where an operand is not there in time nothing is changed.
//
//===----------------------------------------------------------------------===//

#include "AttentionRewrite.h"

#include "ShardIR/Dialect/Collective/Collective.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

void Rewrite::numberLoops() {
  MLIRContext *context = rewriter.getContext();
  unsigned next =
      cast<RankedTensorType>(scores->getResult(0).getType()).getRank();
  AffineMap out = scores.getIndexingMapMatchingResult(scores->getResult(0));
  scoreLoops.resize(scores.getNumLoops());
  for (auto [dim, expr] : llvm::enumerate(out.getResults()))
    scoreLoops[cast<AffineDimExpr>(expr).getPosition()] =
        getAffineDimExpr(dim, context);
  for (AffineExpr &expr : scoreLoops)
    if (!expr)
      expr = getAffineDimExpr(next++, context);

  productLoops.resize(product.getNumLoops());
  AffineMap in = product.getMatchingIndexingMap(match.probabilities);
  for (auto [dim, expr] : llvm::enumerate(in.getResults())) {
    int64_t loop = match.loopsOf[match.probabilities->get()][dim];
    if (auto position = dyn_cast<AffineDimExpr>(expr))
      productLoops[position.getPosition()] =
          loop < 0 ? getAffineConstantExpr(0, context)
                   : getAffineDimExpr(loop, context);
  }
  for (AffineExpr &expr : productLoops)
    if (!expr)
      expr = getAffineDimExpr(next++, context);
  numLoops = next;
}

Operand Rewrite::operandOf(OpOperand *operand, ArrayRef<AffineExpr> loops) {
  auto op = cast<linalg::LinalgOp>(operand->getOwner());
  AffineMap map = op.getMatchingIndexingMap(operand).replaceDimsAndSymbols(
      loops, {}, numLoops, 0);
  return {operand->get(), map};
}

/// Reads operands where they came from, as long as every loop keeps the
/// operands that give it its role and its extent.
void Rewrite::skipMovement() {
  double factors[] = {1, 1, 1};
  Operand moved[] = {throughScaling(query, factors[0]),
                     throughScaling(key, factors[1]), throughMovement(value)};
  auto has = [](const Operand &operand, unsigned loop) {
    return operand.map.isFunctionOfDim(loop);
  };
  Operand *operands[] = {&query, &key, &value};
  for (auto [i, own] : llvm::enumerate(operands)) {
    Operand before = *own;
    *own = moved[i];
    for (unsigned loop = 0; loop < numLoops; ++loop) {
      if (has(*own, loop) || !has(before, loop))
        continue;
      bool outer = llvm::is_contained(match.outer, loop);
      if (!outer || !(has(query, loop) || has(key, loop) || has(value, loop)))
        *own = before;
    }
    if (own->tensor == moved[i].tensor)
      scale *= factors[i];
  }
}

SmallVector<Value> Rewrite::leavesOf(ValueRange values) {
  SmallVector<Value> leaves, list(values);
  SmallPtrSet<Value, 16> seen;
  while (!list.empty()) {
    Value next = list.pop_back_val();
    if (!next || !seen.insert(next).second || next == graph.score())
      continue;
    if (graph.leafOf(next))
      leaves.push_back(next);
    else if (Operation *op = next.getDefiningOp();
             op && op->getBlock() == graph.score().getParentBlock())
      llvm::append_range(list, op->getOperands());
  }
  return leaves;
}

void Rewrite::collectExtras() {
  SmallVector<Value> roots = {match.x};
  for (Operation *kept : match.kept)
    for (Value operand : kept->getOperands())
      if (!graph.dependsOnScore(operand))
        roots.push_back(operand);
  extraLeaves = leavesOf(roots);
  for (Value leaf : extraLeaves)
    extras.push_back(operandOf(leaf));
}

FailureOr<SetVector<Operation *>>
Rewrite::findLate(Operation *anchor, ArrayRef<Value> needed,
                  const SmallPtrSetImpl<Operation *> &own) {
  SetVector<Operation *> late;
  SmallVector<Value> list(needed);
  while (!list.empty()) {
    Operation *producer = list.pop_back_val().getDefiningOp();
    if (!producer || producer->getBlock() != anchor->getBlock() ||
        producer->isBeforeInBlock(anchor) || late.contains(producer))
      continue;
    if (own.contains(producer) ||
        !(isMemoryEffectFree(producer) ||
          isa<collective::CollectiveDialect>(producer->getDialect())))
      return failure();
    late.insert(producer);
    llvm::append_range(list, producer->getOperands());
    producer->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (operand.getParentBlock() == anchor->getBlock())
          list.push_back(operand);
    });
  }
  return late;
}

void Rewrite::moveBefore(Operation *anchor,
                         const SetVector<Operation *> &late) {
  for (Operation *producer : topologicalSort(late))
    rewriter.moveOpBefore(producer, anchor);
}

/// The op stands where the first of its results is made. What it reads and is
/// computed later moves up, if nothing stands against that.
LogicalResult Rewrite::makeAvailable() {
  anchor = product;
  SmallPtrSet<Operation *, 16> own;
  own.insert(product);
  for (linalg::LinalgOp row :
       llvm::concat<linalg::LinalgOp>(match.maxima, match.sums)) {
    own.insert(row);
    if (row->isBeforeInBlock(anchor))
      anchor = row;
  }
  SmallVector<Value> needed = {query.tensor, key.tensor, value.tensor};
  if (split)
    needed.push_back(split->source);
  for (const Operand &extra : extras)
    needed.push_back(extra.tensor);
  auto late = findLate(anchor, needed, own);
  if (failed(late))
    return failure();
  moveBefore(anchor, *late);
  return success();
}

OpFoldResult Rewrite::extentOf(unsigned loop) {
  for (const Operand *known : {&query, &key, &value}) {
    Operand operand = *known;
    // A repeated operand must not stay alive for its extents alone.
    SplitLoop own;
    if (split && loop != split->loop)
      if (std::optional<Operand> source = throughRepeat(operand, own))
        operand = *source;
    for (auto [dim, expr] : llvm::enumerate(operand.map.getResults()))
      if (expr == rewriter.getAffineDimExpr(loop))
        return tensor::getMixedSize(rewriter, loc, operand.tensor, dim);
  }
  // A dim that scores have by an extra alone does not exist: one operand of
  // a contraction has each of its loops.
  llvm_unreachable("a loop that is in no operand");
}

Value Rewrite::neutral(ArrayRef<unsigned> loops, double value) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop : loops)
    sizes.push_back(extentOf(loop));
  return neutral(sizes, value);
}

Value Rewrite::neutral(ArrayRef<OpFoldResult> sizes, double value) {
  Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, compute);
  Value scalar = arith::ConstantOp::create(
      rewriter, loc, rewriter.getFloatAttr(compute, value));
  return linalg::FillOp::create(rewriter, loc, scalar, empty).getResult(0);
}

Value Rewrite::converted(OpBuilder &builder, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, value);
  if (from > to)
    return arith::TruncFOp::create(builder, loc, type, value);
  // bf16 and f16: through f32.
  return converted(builder, converted(builder, value, builder.getF32Type()),
                   type);
}

Value Rewrite::cloned(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *made = value.getDefiningOp();
  if (!made || made->getBlock() != graph.score().getParentBlock())
    return value;
  for (Value operand : made->getOperands())
    mapping.map(operand, cloned(builder, operand, mapping));
  Operation *copy = builder.clone(*made, mapping);
  copy->setLoc(loc);
  mapping.map(value, copy->getResult(0));
  return copy->getResult(0);
}

void Rewrite::createOp() {
  rewriter.setInsertionPoint(anchor);
  SmallVector<OpFoldResult> rows = sizesOf(inOp(outerMap()));
  Value acc = neutral(sizesOf(inOp(accMap)), 0.0),
        max = neutral(rows, -std::numeric_limits<double>::infinity()),
        sum = neutral(rows, 0.0);

  Operand own[] = {inOp(query), inOp(key), inOp(value)};
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps = {own[0].map, own[1].map, own[2].map};
  for (const Operand &known : extras) {
    Operand extra = inOp(known, /*isExtra=*/true);
    tensors.push_back(extra.tensor);
    maps.push_back(extra.map);
  }
  AffineMap resultMaps[] = {accMap, outerMap(), outerMap()};
  for (AffineMap map : resultMaps)
    maps.push_back(inOp(map));
  op = kernel::AttentionOp::create(
      rewriter, loc, TypeRange{acc.getType(), max.getType(), sum.getType()},
      own[0].tensor, own[1].tensor, own[2].tensor, tensors, acc, max, sum,
      rewriter.getAffineMapArrayAttr(maps));
  for (auto [i, map] : llvm::enumerate(resultMaps))
    results[i] = joined(op.getResult(i), map);

  SmallVector<Type> types = {compute};
  for (Value leaf : extraLeaves)
    types.push_back(leaf.getType());
  SmallVector<Location> locs(types.size(), loc);
  auto begin = [&](Region &region, IRMapping &mapping) {
    Block *body = rewriter.createBlock(&region, {}, types, locs);
    for (auto [leaf, argument] :
         llvm::zip(extraLeaves, body->getArguments().drop_front()))
      mapping.map(leaf, argument);
    return body->getArgument(0);
  };
  OpBuilder::InsertionGuard guard(rewriter);
  {
    IRMapping mapping;
    Value s = begin(op.getScore(), mapping);
    if (scale != 1)
      s = arith::MulFOp::create(
          rewriter, loc, s,
          arith::ConstantOp::create(rewriter, loc,
                                    rewriter.getFloatAttr(compute, scale)));
    mapping.map(graph.score(), converted(rewriter, s, graph.score().getType()));
    Value x = cloned(rewriter, match.x, mapping);
    kernel::YieldOp::create(rewriter, loc, converted(rewriter, x, compute));
  }
  IRMapping mapping;
  Value p = begin(op.getProb(), mapping);
  for (Operation *kept : llvm::reverse(match.kept)) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(kept)) {
      p = converted(rewriter, p, kept->getResult(0).getType());
      continue;
    }
    p = converted(rewriter, p, kept->getResult(0).getType());
    IRMapping own;
    for (Value operand : kept->getOperands())
      own.map(operand, graph.dependsOnScore(operand)
                           ? p
                           : cloned(rewriter, operand, mapping));
    p = rewriter.clone(*kept, own)->getResult(0);
    p.getDefiningOp()->setLoc(loc);
  }
  p = converted(rewriter, p, match.probability.getType());
  kernel::YieldOp::create(rewriter, loc, p);
  renumberIndices(op.getScore());
  renumberIndices(op.getProb());
}

void Rewrite::replace(linalg::LinalgOp old, ArrayRef<AffineExpr> loops,
                      ArrayRef<Operand> inputs, bool isSame, Body body,
                      bool divides) {
  OpResult result = old->getResult(0);
  Value init = old.getDpsInits()[0];
  auto type = cast<RankedTensorType>(result.getType());
  unsigned rank = type.getRank();
  // From the attention's loops to the result's dims.
  SmallVector<AffineExpr> own(numLoops, rewriter.getAffineConstantExpr(0));
  AffineMap out = old.getIndexingMapMatchingResult(result);
  for (auto [dim, expr] : llvm::enumerate(out.getResults())) {
    auto kept = dyn_cast<AffineDimExpr>(expr); // 0 where a sum keeps the dim
    AffineExpr loop = kept ? loops[kept.getPosition()] : expr;
    if (auto position = dyn_cast<AffineDimExpr>(loop))
      own[position.getPosition()] = rewriter.getAffineDimExpr(dim);
  }
  bool continues = !hasNeutralInit(old);
  rewriter.setInsertionPoint(old);
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const Operand &input : inputs) {
    tensors.push_back(input.tensor);
    maps.push_back(input.map.replaceDimsAndSymbols(own, {}, rank, 0));
  }
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  if (inputs.size() == 1 && !continues && tensors[0].getType() == type &&
      maps[0] == identity && isSame) {
    rewriter.replaceAllUsesWith(result, tensors[0]);
    replaced[result] = tensors[0];
    return;
  }
  if (continues) {
    tensors.push_back(init);
    maps.push_back(identity);
  }
  maps.push_back(identity);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  // Users read the op's result directly.
  std::optional<unsigned> dim;
  if (split && divides)
    if (auto position = dyn_cast<AffineDimExpr>(own[split->loop]))
      dim = position.getPosition();
  if (dim) {
    for (auto [tensor, map] : llvm::zip(tensors, maps)) {
      Operand input = divided({tensor, map}, *dim);
      tensor = input.tensor;
      map = input.map;
    }
    maps.back() = rewriter.getMultiDimIdentityMap(++rank);
    sizes[*dim] = splitExtent(1);
    sizes.insert(sizes.begin() + *dim, splitExtent(0));
  }
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto build = [&](OpBuilder &builder, Location, ValueRange args) {
    Value made = body(builder, args.take_front(inputs.size()));
    if (continues) {
      Value before = converted(builder, args[inputs.size()], compute);
      Operation *combiner = combinerOf(old)->first;
      made =
          isa<arith::AddFOp>(combiner)
              ? arith::AddFOp::create(builder, loc, made, before).getResult()
          : isa<arith::MaxNumFOp>(combiner)
              ? arith::MaxNumFOp::create(builder, loc, made, before).getResult()
              : arith::MaximumFOp::create(builder, loc, made, before)
                    .getResult();
    }
    linalg::YieldOp::create(builder, loc,
                            converted(builder, made, type.getElementType()));
  };
  Value made = linalg::GenericOp::create(rewriter, loc, empty.getType(),
                                         tensors, empty, maps, iterators, build)
                   .getResult(0);
  if (dim) {
    made = joinedAt(made, *dim);
    if (made.getType() != type)
      made = tensor::CastOp::create(rewriter, loc, type, made);
  }
  rewriter.replaceAllUsesWith(result, made);
  replaced[result] = made;
}

void Rewrite::replaceProduct() {
  SmallVector<Operand> inputs = {{results[0], accMap}};
  if (factor)
    inputs.push_back({factor, outerMap()});
  bool guarded = llvm::any_of(match.factors,
                              [](const RowFactor &row) { return row.guarded; });
  if (guarded)
    inputs.push_back({results[1], outerMap()});
  size_t firstLeaf = inputs.size();
  SmallVector<Value> roots;
  for (const RowFactor &row : match.factors)
    roots.push_back(row.factor);
  SmallVector<Value> leaves = leavesOf(roots);
  for (Value leaf : leaves)
    inputs.push_back(operandOf(leaf));
  replace(
      product, productLoops, inputs, /*isSame=*/false,
      [&](OpBuilder &builder, ValueRange args) -> Value {
        IRMapping mapping;
        for (auto [leaf, arg] : llvm::zip(leaves, args.drop_front(firstLeaf)))
          mapping.map(leaf, arg);
        Value made = args[0];
        if (factor)
          made = arith::MulFOp::create(builder, loc, made, args[1]);
        for (const RowFactor &row : match.factors) {
          Value by =
              converted(builder, cloned(builder, row.factor, mapping), compute);
          made =
              row.divides
                  ? arith::DivFOp::create(builder, loc, made, by).getResult()
                  : arith::MulFOp::create(builder, loc, made, by).getResult();
        }
        if (!guarded)
          return made;
        // All of the row is masked: what is selected is 0, not 0 / 0.
        Value lowest = arith::ConstantOp::create(
            builder, loc,
            builder.getFloatAttr(compute,
                                 APFloat::getInf(compute.getFloatSemantics(),
                                                 /*Negative=*/true)));
        Value zero = arith::ConstantOp::create(
            builder, loc, builder.getFloatAttr(compute, 0.0));
        Value none =
            arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                  args[firstLeaf - 1], lowest);
        return arith::SelectOp::create(builder, loc, none, zero, made);
      });
}

/// Extents of what is gone are those of the operands.
void Rewrite::replaceDims(ArrayRef<Value> derivedTensors) {
  for (Value derived : derivedTensors)
    for (Operation *user : llvm::to_vector(derived.getUsers())) {
      auto dim = dyn_cast<tensor::DimOp>(user);
      std::optional<int64_t> index =
          dim ? dim.getConstantIndex() : std::nullopt;
      if (!index)
        continue;
      int64_t loop = match.loopsOf[derived][*index];
      rewriter.setInsertionPoint(dim);
      OpFoldResult extent =
          loop < 0 ? OpFoldResult(rewriter.getIndexAttr(1)) : extentOf(loop);
      rewriter.replaceOp(
          dim, getValueOrCreateConstantIndexOp(rewriter, loc, extent));
    }
}

void Rewrite::eraseDead(ArrayRef<Operation *> late) {
  SetVector<Operation *> dead;
  dead.insert(product);
  for (linalg::LinalgOp row :
       llvm::concat<linalg::LinalgOp>(match.sums, match.maxima))
    dead.insert(row);
  for (Value derived : match.derived)
    dead.insert(derived.getDefiningOp());
  if (match.backward) {
    const BackwardMatch &backward = *match.backward;
    for (const BackwardMatch::Use *use :
         {&backward.query, &backward.key, &backward.value})
      if (use->of)
        dead.insert(use->product.op);
    for (const BackwardMatch::RowSum &sum : backward.sums)
      dead.insert(sum.op);
    for (Value derived : backward.derived)
      dead.insert(derived.getDefiningOp());
    dead.insert(late.begin(), late.end());
  }
  // Users before what they use.
  dead = topologicalSort(dead);
  for (Operation *old : llvm::reverse(dead))
    if (old->use_empty())
      rewriter.eraseOp(old);
}

LogicalResult Rewrite::run(std::string &why) {
  numberLoops();
  OpOperand *values = match.values.left == match.probabilities
                          ? match.values.right
                          : match.values.left;
  query = operandOf(match.keyIsLeft ? match.scores.right : match.scores.left,
                    scoreLoops);
  key = operandOf(match.keyIsLeft ? match.scores.left : match.scores.right,
                  scoreLoops);
  value = operandOf(values, productLoops);
  skipMovement();
  findSplit();
  bool wideTypes = false;
  for (Value tensor : std::initializer_list<Value>{
           query.tensor, key.tensor, value.tensor, scores->getResult(0),
           product->getResult(0)})
    wideTypes |=
        cast<RankedTensorType>(tensor.getType()).getElementType().isF64();
  compute = wideTypes ? rewriter.getF64Type() : rewriter.getF32Type();
  SmallVector<AffineExpr> accExprs;
  for (AffineExpr expr :
       product.getIndexingMapMatchingResult(product->getResult(0))
           .getResults()) {
    AffineExpr loop = productLoops[cast<AffineDimExpr>(expr).getPosition()];
    if (isa<AffineDimExpr>(loop))
      accExprs.push_back(loop);
  }
  accMap = AffineMap::get(numLoops, 0, accExprs, rewriter.getContext());
  collectExtras();
  std::optional<BackwardRewrite> backward;
  if (match.backward && failed(backward.emplace(*this).prepare(why)))
    return failure();
  if (failed(makeAvailable())) {
    why = "an operand is computed from what depends on its scores";
    return failure();
  }
  createOp();
  replaceDims(match.derived);
  replaceRows();
  replaceProduct();
  if (backward)
    backward->run();
  eraseDead(backward ? backward->chains() : SmallVector<Operation *>());
  return success();
}

LogicalResult shardir::buildAttention(RewriterBase &rewriter,
                                      AttentionMatch &match, std::string &why) {
  return Rewrite(rewriter, match).run(why);
}
