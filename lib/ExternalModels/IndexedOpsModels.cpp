//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules and local forms of shardir.scatter and shardir.sort.
//
//   scatter   dims of a window and batch dims pass through; so do indexed dims,
//             of which each device applies the rows that fall into its shard;
//             rows are a reduction if the body is one
//   sort      all dims but the sorted one pass through
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardIR/Analysis/BodyPartials.h"
#include "ShardIR/ExternalModels/ExternalModels.h"
#include "ShardPosition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

static ShardingRule scatterRule(ScatterRowsOp op) {
  enum { Updates, Indices, Init };
  ShardingRule rule = replicatedRule(op);
  RankedTensorType updates = op.getUpdates().getType(),
                   indices = op.getIndices().getType(),
                   init = op.getInit().getType();
  Block &body = op.getCombiner().front();
  BlockArgument old = body.getArgument(1);
  auto kind = matchAccumulation(body.getTerminator()->getOperand(0), old);
  rule.inits = {Init};
  auto addInitFactor = [&](int64_t dim, int64_t extent) {
    int factor = rule.addFactor(commonExtent(init.getDimSize(dim), extent));
    rule.operands[Init].dims[dim] = rule.results[0].dims[dim] = {factor};
    return factor;
  };
  for (int64_t dim = 0; dim < op.getNumRowDims(); ++dim) {
    int64_t extent =
        commonExtent(indices.getDimSize(dim), updates.getDimSize(dim));
    int factor;
    if (dim < int64_t(op.getBatchDims().size())) {
      factor = addInitFactor(op.getBatchDims()[dim], extent);
    } else if (kind) {
      factor = rule.addFactor(extent, FactorKind::Reduction);
      rule.factors[factor].combiners = {*kind};
    } else {
      continue;
    }
    rule.operands[Updates].dims[dim] = {factor};
    rule.operands[Indices].dims[dim] = {factor};
  }
  for (auto [i, dim] : llvm::enumerate(op.getWindowDims())) {
    int64_t own = op.getNumRowDims() + i;
    rule.operands[Updates].dims[own] = {
        addInitFactor(dim, updates.getDimSize(own))};
  }
  for (int64_t dim : op.getIndexDims())
    if (init.getDimSize(dim) != 1)
      addInitFactor(dim, init.getDimSize(dim));

  // Elements that no row names are those of the initial tensor: it is partial
  // wherever the result is.
  for (PartialRule &partial : bodyPartials(body, {Updates, Init}, {old})) {
    if (!llvm::is_contained(partial.operands, Init)) {
      if (!old.use_empty())
        continue;
      partial.operands.push_back(Init);
    }
    rule.partials.push_back(partial);
  }
  rule.moves = ShardingRule::Moves::FirstOperand;
  return rule;
}

/// The rows with the coordinates that their places have in this device's shard,
/// or -1 where that lacks them. `digits` are those of `init`.
static Value localRows(OpBuilder &builder, Location loc, ScatterRowsOp op,
                       Value indices, const ShardDigits &digits) {
  auto type = cast<RankedTensorType>(indices.getType());
  SmallVector<AffineMap> maps(1,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto toIndex = [](OpBuilder &b, Location l, Value value, Type type) -> Value {
    if (value.getType() == type)
      return value;
    return arith::IndexCastOp::create(b, l, type, value);
  };
  auto generic = linalg::GenericOp::create(
      builder, loc, type, ValueRange(), indices, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange args) {
        Value global = toIndex(b, l, args[0], b.getIndexType());
        Value number = linalg::IndexOp::create(b, l, type.getRank() - 1);
        Value none = arith::ConstantIndexOp::create(b, l, -1);
        Value result = global;
        for (auto [i, dim] : llvm::enumerate(op.getIndexDims())) {
          if (digits[dim].empty())
            continue;
          ElementPosition place = localPosition(
              b, l, ArrayRef<SmallVector<Localizer::DigitValue>>(digits[dim]),
              global);
          Value local = arith::SelectOp::create(b, l, place.isHere,
                                                place.indices[0], none);
          Value own =
              arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq, number,
                                    arith::ConstantIndexOp::create(b, l, i));
          result = arith::SelectOp::create(b, l, own, local, result);
        }
        linalg::YieldOp::create(b, l,
                                toIndex(b, l, result, type.getElementType()));
      });
  return generic.getResult(0);
}

static LocalValues localizeScatter(ScatterRowsOp op, OpBuilder &builder,
                                   Localizer &localizer, ValueRange operands) {
  ShardDigits digits = shardDigits(builder, op.getLoc(), localizer,
                                   localizer.global(op.getInit()));
  SmallVector<Value> local(operands);
  if (llvm::any_of(op.getIndexDims(),
                   [&](int64_t dim) { return !digits[dim].empty(); }))
    local[1] = localRows(builder, op.getLoc(), op, local[1], digits);
  return SmallVector<Value>(
      cloneLocal(builder, localizer, op, local)->getResults());
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

static ShardingRule sortRule(SortOp op) {
  ShardingRule rule = replicatedRule(op);
  for (auto [dim, extent] : llvm::enumerate(
           shapeOf(cast<ShapedType>(op->getOperand(0).getType())))) {
    if (dim == op.getDim())
      continue;
    int factor = rule.addFactor(extent);
    for (TensorFactors &tensor :
         llvm::concat<TensorFactors>(rule.operands, rule.results))
      tensor.dims[dim] = {factor};
  }
  return rule;
}

void shardir::registerIndexedOpsModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ShardIRDialect *) {
    attachModels<ScatterRowsOp, scatterRule, localizeScatter>(context);
    attachRule<SortOp, sortRule>(context);
  });
}
