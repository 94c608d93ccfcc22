//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor dialect's other ops, and the registration of all of them.
//
// Requires ranked tensors; ops on unranked ones are replicated. A size query
// answers with the global extent whatever the shard's is, so it never
// needs a sharded tensor to be gathered where the extent is known.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardIR/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

static constexpr const char *kUnranked =
    "the extents of an unranked tensor are not known";

//===----------------------------------------------------------------------===//
// cast and bitcast
//===----------------------------------------------------------------------===//

template <typename Op> static ShardingRule castRule(Op op) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!source || !result)
    return ShardingRule::replicated(op, kUnranked);
  ShardingRule rule = replicatedRule(op);
  std::vector<int64_t> shape = shapeOf(source), toShape = shapeOf(result);
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    // Only an extent that is known can be split into shards, and both sides
    // must be: a dim whose extent the cast forgets or learns is unsharded.
    if (shape[dim] != toShape[dim])
      continue;
    int factor = rule.addFactor(shape[dim]);
    rule.operands[0].dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
  }
  // The sum of two bit patterns is not the bit pattern of the sum.
  if (source.getElementType() == result.getElementType())
    passAnyPartial(rule, {0});
  return rule;
}

static LocalValues localizeCast(tensor::CastOp op, OpBuilder &builder,
                                Localizer &localizer, ValueRange operands) {
  return SmallVector<Value>{castTo(builder, op.getLoc(), operands[0],
                                   localizer.localType(op.getResult()))};
}

//===----------------------------------------------------------------------===//
// dim and rank
//===----------------------------------------------------------------------===//

/// For an op that reads the shape alone: the global shape is known
/// everywhere.
template <typename OpTy> static ShardingRule shapeOnlyRule(OpTy op) {
  auto source = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!source)
    return ShardingRule::replicated(op, kUnranked);
  ShardingRule rule = replicatedRule(op);
  for (auto [dim, extent] : llvm::enumerate(shapeOf(source)))
    rule.operands[0].dims[dim] = {rule.addFactor(extent)};
  passAnyPartial(rule, {0});
  return rule;
}

static LocalValues localizeDim(tensor::DimOp op, OpBuilder &builder,
                               Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  Localizer::Global global = localizer.global(op.getSource());
  auto extent = [&](int64_t dim) {
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        localizer.globalExtent(builder, loc, global, dim, operands[0]));
  };
  int64_t rank = global.type.getRank();
  std::optional<int64_t> index = op.getConstantIndex();
  if (index) {
    if (*index >= 0 && *index < rank)
      return SmallVector<Value>{extent(*index)};
    // Out of bounds is undefined; keep a value.
    return SmallVector<Value>{arith::ConstantIndexOp::create(builder, loc, 1)};
  }
  Value result = rank ? extent(rank - 1)
                      : Value(arith::ConstantIndexOp::create(builder, loc, 1));
  for (int64_t dim = rank - 2; dim >= 0; --dim) {
    Value here = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, operands[1],
        arith::ConstantIndexOp::create(builder, loc, dim));
    result = arith::SelectOp::create(builder, loc, here, extent(dim), result);
  }
  return SmallVector<Value>{result};
}

//===----------------------------------------------------------------------===//
// Replicated tensors
//===----------------------------------------------------------------------===//

static ShardingRule reshapeRule(tensor::ReshapeOp op) {
  return ShardingRule::replicated(
      op,
      "the shape of 'tensor.reshape' is an operand; use 'tensor.expand_shape'"
      " and 'tensor.collapse_shape'");
}

void shardir::registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachTensorReshapeModels(context);
    attachTensorSliceModels(context);
    attachTensorJoinModels(context);
    attachTensorRematerializableModels(context);
    attachTensorIndexedModels(context);
    attachModels<tensor::CastOp, castRule<tensor::CastOp>, localizeCast>(
        context);
    attachRule<tensor::BitcastOp, castRule<tensor::BitcastOp>>(context);
    attachModels<tensor::DimOp, shapeOnlyRule<tensor::DimOp>, localizeDim>(
        context);
    attachRule<tensor::RankOp, shapeOnlyRule<tensor::RankOp>>(context);
    attachRule<tensor::ReshapeOp, reshapeRule>(context);
  });
}
