//===- SplitLoops.cpp - Keys and values that several heads share ----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a program repeats each head of keys and values for several heads of
// queries, by a broadcast and a reshape that makes the heads one dim again
// (repeat_kv of Hugging Face's models), the op has two loops in the place of
// that dim's: keys and values are read where they are not repeated, all other
// operands as they are with the dim in two. What is around the op still sees
// one loop. Guarantees that nothing but metadata is made for that.
//
//===----------------------------------------------------------------------===//

#include "AttentionRewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

std::optional<Operand> shardir::throughRepeat(const Operand &operand,
                                              SplitLoop &split) {
  Operand moved = throughMovement(operand);
  auto collapse = moved.tensor.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return std::nullopt;
  MLIRContext *context = collapse.getContext();
  unsigned numLoops = operand.map.getNumDims();
  RankedTensorType type = collapse.getSrcType();
  SmallVector<AffineExpr> results(type.getRank(),
                                  getAffineConstantExpr(0, context));
  int64_t dims[] = {-1, -1};
  for (auto [short_, group] :
       llvm::enumerate(collapse.getReassociationIndices())) {
    AffineExpr at = moved.map.getResult(short_);
    SmallVector<int64_t> wide;
    for (int64_t dim : group)
      if (type.getDimSize(dim) != 1)
        wide.push_back(dim);
    if (wide.size() == 1)
      results[wide[0]] = at;
    if (wide.size() < 2)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(at);
    if (wide.size() > 2 || dims[0] >= 0 || !loop)
      return std::nullopt;
    split.loop = loop.getPosition();
    dims[0] = wide[0];
    dims[1] = wide[1];
    results[wide[0]] = at;
    results[wide[1]] = getAffineDimExpr(numLoops, context);
  }
  if (dims[0] < 0)
    return std::nullopt;
  Operand source = throughMovement(
      {collapse.getSrc(), AffineMap::get(numLoops + 1, 0, results, context)});
  bool has[] = {source.map.isFunctionOfDim(split.loop),
                source.map.isFunctionOfDim(numLoops)};
  if (has[0] == has[1])
    return std::nullopt;
  split.repeated = has[0] ? 1 : 0;
  for (unsigned part : {0, 1})
    split.extents[part] = type.getDimSize(dims[part]);
  if (ShapedType::isDynamic(split.extents[split.repeated]))
    return std::nullopt;
  AffineExpr kept = getAffineDimExpr(has[0] ? split.loop : numLoops, context);
  split.source = source.tensor;
  split.dim = llvm::find(source.map.getResults(), kept) -
              source.map.getResults().begin();
  return source;
}

void Rewrite::findSplit() {
  SplitLoop found;
  for (const Operand *operand : {&key, &value}) {
    if (!throughRepeat(*operand, found) ||
        !llvm::is_contained(match.outer, found.loop) ||
        !query.map.isFunctionOfDim(found.loop))
      continue;
    split = found;
    // The head dims of the queries.
    for (auto [dim, expr] : llvm::enumerate(query.map.getResults())) {
      int64_t heads =
          cast<RankedTensorType>(query.tensor.getType()).getDimSize(dim);
      if (expr == rewriter.getAffineDimExpr(found.loop) &&
          !ShapedType::isDynamic(heads))
        split->extents[1 - found.repeated] =
            heads / found.extents[found.repeated];
    }
    return;
  }
}

OpFoldResult Rewrite::splitExtent(unsigned part) {
  if (!ShapedType::isDynamic(split->extents[part]))
    return rewriter.getIndexAttr(split->extents[part]);
  return tensor::getMixedSize(rewriter, loc, split->source, split->dim);
}

/// Loops behind `position` one further; d`position` becomes two.
static AffineMap divide(AffineMap map, unsigned position) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (loop && loop.getPosition() > position)
      expr = getAffineDimExpr(loop.getPosition() + 1, context);
    results.push_back(expr);
    if (loop && loop.getPosition() == position)
      results.push_back(getAffineDimExpr(position + 1, context));
  }
  return AffineMap::get(map.getNumDims() + 1, 0, results, context);
}

AffineMap Rewrite::inOp(AffineMap map) {
  return split ? divide(map, split->loop) : map;
}

Operand Rewrite::sourceInOp(const Operand &operand) {
  SplitLoop own;
  std::optional<Operand> source = throughRepeat(operand, own);
  if (!split || !source || own.loop != split->loop ||
      own.repeated != split->repeated ||
      own.extents[own.repeated] != split->extents[own.repeated])
    return {};
  // The faster part comes right behind the slower one.
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    loops.push_back(
        rewriter.getAffineDimExpr(loop > split->loop ? loop + 1 : loop));
  loops.push_back(rewriter.getAffineDimExpr(split->loop + 1));
  return {source->tensor,
          source->map.replaceDimsAndSymbols(loops, {}, numLoops + 1, 0)};
}

AffineMap Rewrite::mapInOp(const Operand &operand, bool isExtra) {
  Operand source = isExtra ? Operand() : sourceInOp(operand);
  return source.tensor ? source.map : inOp(operand.map);
}

Operand Rewrite::inOp(const Operand &operand, bool isExtra) {
  Operand source = isExtra ? Operand() : sourceInOp(operand);
  if (source.tensor)
    return source;
  return split ? divided(operand, split->loop) : operand;
}

SmallVector<OpFoldResult> Rewrite::sizesOf(AffineMap map) {
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : map.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (split && (loop == split->loop || loop == split->loop + 1))
      sizes.push_back(splitExtent(loop - split->loop));
    else
      sizes.push_back(extentOf(split && loop > split->loop ? loop - 1 : loop));
  }
  return sizes;
}

/// One group of two at `dim`, others of one.
static SmallVector<ReassociationIndices> pairAt(int64_t dim, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0, next = 0; i < rank; ++i) {
    groups.push_back({next++});
    if (i == dim)
      groups.back().push_back(next++);
  }
  return groups;
}

Operand Rewrite::divided(const Operand &operand, unsigned position) {
  const auto *found =
      llvm::find(operand.map.getResults(), rewriter.getAffineDimExpr(position));
  AffineMap map = divide(operand.map, position);
  if (found == operand.map.getResults().end())
    return {operand.tensor, map};
  int64_t dim = found - operand.map.getResults().begin();
  auto type = cast<RankedTensorType>(operand.tensor.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, operand.tensor);
  sizes[dim] = splitExtent(1);
  sizes.insert(sizes.begin() + dim, splitExtent(0));
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = llvm::any_of(split->extents, ShapedType::isDynamic)
                   ? ShapedType::kDynamic
                   : split->extents[0] * split->extents[1];
  Value tensor = operand.tensor;
  if (shape[dim] != type.getDimSize(dim))
    tensor = tensor::CastOp::create(
        rewriter, loc, RankedTensorType::get(shape, type.getElementType()),
        tensor);
  shape[dim] = split->extents[1];
  shape.insert(shape.begin() + dim, split->extents[0]);
  Value made = rewriter.createOrFold<tensor::ExpandShapeOp>(
      loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      pairAt(dim, type.getRank()), sizes);
  return {made, map};
}

Value Rewrite::joined(Value tensor, AffineMap map) {
  const auto *found = split ? llvm::find(map.getResults(),
                                         rewriter.getAffineDimExpr(split->loop))
                            : map.getResults().end();
  return found == map.getResults().end()
             ? tensor
             : joinedAt(tensor, found - map.getResults().begin());
}

Value Rewrite::joinedAt(Value tensor, int64_t dim) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return tensor::CollapseShapeOp::create(rewriter, loc, tensor,
                                         pairAt(dim, rank - 1));
}

void Rewrite::renumberIndices(Region &region) {
  if (!split)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  region.walk([&](kernel::LoopIndexOp index) {
    unsigned loop = index.getLoop();
    if (loop < split->loop)
      return;
    if (loop > split->loop) {
      index.setLoop(loop + 1);
      return;
    }
    rewriter.setInsertionPoint(region.getParentOp());
    Value faster =
        getValueOrCreateConstantIndexOp(rewriter, loc, splitExtent(1));
    rewriter.setInsertionPointAfter(index);
    Value inner =
        kernel::LoopIndexOp::create(rewriter, loc, rewriter.getIndexType(),
                                    rewriter.getI64IntegerAttr(loop + 1));
    Value start = arith::MulIOp::create(rewriter, loc, index, faster),
          sum = arith::AddIOp::create(rewriter, loc, start, inner);
    rewriter.replaceAllUsesExcept(index, sum, start.getDefiningOp());
  });
}
