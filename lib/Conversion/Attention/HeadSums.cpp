//===- HeadSums.cpp - Gradients summed over heads that share a head -------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand repeated for several heads in the forward pass is summed over them
// in the backward: behind the products that give the gradients of keys and of
// values stand moves, perhaps a reshape that takes the dim of heads apart, and
// a sum. The backward op sums over those heads itself, if it can for both.
// Requires chains that nothing else reads; without them gradients per head stay
// results.
//
//===----------------------------------------------------------------------===//

#include "AttentionRewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

AffineMap BackwardRewrite::resultMap(unsigned i) {
  AffineMap map = forward.inOp(maps[i]);
  if (i == 0 || !summedLoop)
    return map;
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults())
    if (expr != rewriter.getAffineDimExpr(*summedLoop))
      results.push_back(expr);
  return AffineMap::get(map.getNumDims(), 0, results, rewriter.getContext());
}

std::string BackwardRewrite::misplacedLoop() {
  SmallVector<AffineMap> all;
  for (const Operand *operand : {&query, &key, &value, &gradient})
    all.push_back(forward.mapInOp(*operand));
  for (Value leaf : extraLeaves)
    all.push_back(forward.mapInOp(forward.operandOf(leaf), /*isExtra=*/true));
  for (unsigned i = 0; i < 3; ++i)
    all.push_back(resultMap(i));
  return kernel::AttentionBackwardOp::findMisplacedLoop(all);
}

/// The dims of what a reshape makes, from those of its operand; the split
/// loop's dim may become two. Fails for other reshapes.
static FailureOr<SmallVector<AffineExpr>>
reshaped(Operation *reshape, ArrayRef<AffineExpr> dims,
         const std::optional<SplitLoop> &split, unsigned numLoops) {
  MLIRContext *context = reshape->getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  bool expands = isa<tensor::ExpandShapeOp>(reshape);
  auto groups =
      expands
          ? cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices()
          : cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices();
  auto longer = cast<RankedTensorType>(
      (expands ? reshape->getResult(0) : reshape->getOperand(0)).getType());
  SmallVector<AffineExpr> made(expands ? longer.getRank() : groups.size(),
                               zero);
  for (auto [shortDim, group] : llvm::enumerate(groups)) {
    SmallVector<int64_t> wide;
    for (int64_t dim : group)
      if (longer.getDimSize(dim) != 1)
        wide.push_back(dim);
    if (wide.size() == 1)
      (expands ? made[wide[0]] : made[shortDim]) =
          expands ? dims[shortDim] : dims[wide[0]];
    if (wide.size() < 2)
      continue;
    if (!expands || !split || wide.size() > 2 ||
        dims[shortDim] != getAffineDimExpr(split->loop, context))
      return failure();
    unsigned repeated = split->repeated;
    if (longer.getDimSize(wide[repeated]) != split->extents[repeated])
      return failure();
    made[wide[0]] = dims[shortDim];
    made[wide[1]] = getAffineDimExpr(numLoops, context);
  }
  return made;
}

/// True if a body yields `argument`, perhaps in another float type.
static bool isMoved(Value yielded, BlockArgument argument) {
  while (
      isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(yielded.getDefiningOp()))
    yielded = yielded.getDefiningOp()->getOperand(0);
  return yielded == argument;
}

std::optional<BackwardRewrite::HeadSum>
BackwardRewrite::findHeadSum(unsigned result) {
  const BackwardMatch::Use &use = result == 1 ? backward.key : backward.value;
  linalg::LinalgOp product = use.product.op;
  const std::optional<SplitLoop> &split = forward.split;
  unsigned numLoops = forward.numLoops;
  AffineExpr summed =
      !split
          ? rewriter.getAffineDimExpr(*summedLoop)
          : rewriter.getAffineDimExpr(split->repeated ? numLoops : split->loop);
  if (!hasNeutralInit(product))
    return std::nullopt;
  SmallVector<AffineExpr> dims;
  for (AffineExpr expr :
       product.getIndexingMapMatchingResult(product->getResult(0)).getResults())
    dims.push_back(loops[result][cast<AffineDimExpr>(expr).getPosition()]);
  HeadSum sum;
  Operation *made = product;
  for (unsigned depth = 0; depth < 8; ++depth) {
    if (!made->hasOneUse())
      return std::nullopt;
    OpOperand &next = *made->use_begin();
    sum.chain.push_back(made);
    made = next.getOwner();
    if (made->getBlock() != product->getBlock())
      return std::nullopt;
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(made)) {
      auto longer = reshaped(made, dims, split, numLoops);
      if (failed(longer))
        return std::nullopt;
      dims = *longer;
      continue;
    }
    auto op = dyn_cast<linalg::LinalgOp>(made);
    if (!op || !op.hasPureTensorSemantics() || !op.isDpsInput(&next) ||
        op.getNumDpsInputs() != 1 || op->getNumResults() != 1)
      return std::nullopt;
    AffineMap in = op.getMatchingIndexingMap(&next),
              out = op.getIndexingMapMatchingResult(op->getResult(0));
    if (!in.isPermutation())
      return std::nullopt;
    SmallVector<AffineExpr> own(op.getNumLoops());
    for (auto [expr, dim] : llvm::zip(in.getResults(), dims))
      own[cast<AffineDimExpr>(expr).getPosition()] = dim;
    BlockArgument argument = op.getMatchingBlockArgument(&next);
    if (isElementwise(op)) {
      if (!isMoved(op.getBlock()->getTerminator()->getOperand(0), argument))
        return std::nullopt;
      dims.clear();
      for (AffineExpr expr : out.getResults())
        dims.push_back(own[cast<AffineDimExpr>(expr).getPosition()]);
      continue;
    }
    auto combiner = combinerOf(op);
    if (!combiner || !isa<arith::AddFOp>(combiner->first) ||
        !isMoved(combiner->second, argument) ||
        !out.isProjectedPermutation(/*allowZeroInResults=*/false))
      return std::nullopt;
    bool found = false;
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (iterator == utils::IteratorType::parallel) {
        if (own[loop] == summed)
          return std::nullopt;
        continue;
      }
      if (own[loop] != summed && !isa<AffineConstantExpr>(own[loop]))
        return std::nullopt;
      found |= own[loop] == summed;
    }
    if (!found)
      return std::nullopt;
    // The remainder of a split loop keeps that loop's number.
    for (AffineExpr &expr : own)
      if (expr == summed)
        expr = rewriter.getAffineConstantExpr(0);
      else if (expr == rewriter.getAffineDimExpr(numLoops))
        expr = rewriter.getAffineDimExpr(split->loop);
    sum.op = op;
    sum.loops = own;
    return sum;
  }
  return std::nullopt;
}

void BackwardRewrite::findHeadSums() {
  if (const std::optional<SplitLoop> &split = forward.split) {
    summedLoop = split->loop + split->repeated;
  } else {
    for (unsigned loop : forward.match.outer)
      if (maps[0].isFunctionOfDim(loop) && maps[1].isFunctionOfDim(loop) &&
          maps[2].isFunctionOfDim(loop) && !key.map.isFunctionOfDim(loop) &&
          !value.map.isFunctionOfDim(loop) && !summedLoop)
        summedLoop = loop;
  }
  if (!summedLoop)
    return;
  bool found = true;
  for (unsigned i : {1, 2})
    if (useOf(i)) {
      headSums[i - 1] = findHeadSum(i);
      found &= headSums[i - 1].has_value();
    }
  if (!found || !misplacedLoop().empty()) {
    headSums[0] = headSums[1] = std::nullopt;
    summedLoop = std::nullopt;
  }
}

SmallVector<Operation *> BackwardRewrite::chains() {
  SmallVector<Operation *> ops;
  for (const std::optional<HeadSum> &sum : headSums)
    if (sum) {
      llvm::append_range(ops, sum->chain);
      ops.push_back(sum->op);
    }
  return ops;
}
