//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rematerializable values: they hold no data of their own, so they take their
// users' placement and each device makes its own shard or term (R5). A value
// that depends on an index uses the global index (R9).
//
// Of a partial sum the first device keeps the value and the others hold the
// identity; where the value may be counted many times (zeros, max, and, …)
// every device keeps it.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardir;

/// A rematerializable value: one factor for each dim of the one result.
static ShardingRule rematerializableRule(Operation *op) {
  ShardingRule rule = replicatedRule(op);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return rule;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(type)))
    rule.results[0].dims[dim] = {rule.addFactor(extent)};
  rule.isRematerializable = true;
  return rule;
}

template <typename Op> static ShardingRule rematerializableRuleOf(Op op) {
  return rematerializableRule(op);
}

static ShardingRule generateRule(tensor::GenerateOp op) {
  ShardingRule rule = rematerializableRule(op);
  // An op with effects must not be cloned per placement.
  rule.isRematerializable = isMemoryEffectFree(op);
  return rule;
}

/// True if every device may hold `value` as its term of a partial `kind`.
static bool countsManyTimes(PartialKind kind, Attribute value) {
  if (infoOf(kind).idempotent)
    return true;
  auto number = [&](bool one) {
    if (auto f = dyn_cast<FloatAttr>(value))
      return one ? f.getValue().isExactlyValue(1.0) : f.getValue().isZero();
    if (auto i = dyn_cast<IntegerAttr>(value))
      return one ? i.getValue().isOne() : i.getValue().isZero();
    return false;
  };
  return number(/*one=*/kind == PartialKind::Prod);
}

/// `scalar`, or the identity where another device keeps it.
static FailureOr<Value> scalarTerm(OpBuilder &builder, Location loc,
                                   const Localizer &localizer,
                                   const Localizer::Global &global,
                                   Value scalar) {
  Attribute known;
  if (global.placement && global.placement.getValue().partial &&
      matchPattern(scalar, m_Constant(&known)) &&
      countsManyTimes(*global.placement.getValue().partial, known))
    return scalar;
  return termOfReplicated(builder, loc, localizer, global, scalar);
}

//===----------------------------------------------------------------------===//
// arith.constant
//===----------------------------------------------------------------------===//

static LocalValues localizeConstant(arith::ConstantOp op, OpBuilder &builder,
                                    Localizer &localizer, ValueRange) {
  Location loc = op.getLoc();
  Localizer::Global global = localizer.global(op.getResult());
  RankedTensorType local = localizer.localType(op.getResult());
  bool partial = global.placement && global.placement.getValue().partial;

  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  TypedAttr splat;
  if (dense && dense.isSplat() && local.getElementType().isIntOrIndexOrFloat())
    splat = dense.getSplatValue<TypedAttr>();
  if (splat && local.hasStaticShape() &&
      (!partial ||
       countsManyTimes(*global.placement.getValue().partial, splat)))
    return SmallVector<Value>{
        arith::ConstantOp::create(builder, loc, dense.resizeSplat(local))};
  if (splat) {
    Value scalar = arith::ConstantOp::create(builder, loc, splat);
    FailureOr<Value> term = scalarTerm(builder, loc, localizer, global, scalar);
    if (failed(term))
      return failure();
    return SmallVector<Value>{
        fillLocal(builder, loc, localizer, global, *term, {})};
  }
  Value constant = arith::ConstantOp::create(builder, loc, op.getValue());
  Value shard = shardOfReplicated(builder, loc, localizer, global, constant);
  FailureOr<Value> term =
      termOfReplicated(builder, loc, localizer, global, shard);
  if (failed(term))
    return failure();
  return SmallVector<Value>{*term};
}

//===----------------------------------------------------------------------===//
// tensor.empty, splat, generate, from_elements
//===----------------------------------------------------------------------===//

static LocalValues localizeEmpty(tensor::EmptyOp op, OpBuilder &builder,
                                 Localizer &localizer, ValueRange operands) {
  Localizer::Global global = localizer.global(op.getResult());
  RankedTensorType local = localizer.localType(op.getResult());
  return SmallVector<Value>{tensor::EmptyOp::create(
      builder, op.getLoc(), local,
      localSizes(builder, op.getLoc(), localizer, global, operands))};
}

static LocalValues localizeSplat(tensor::SplatOp op, OpBuilder &builder,
                                 Localizer &localizer, ValueRange operands) {
  Localizer::Global global = localizer.global(op.getResult());
  FailureOr<Value> term =
      scalarTerm(builder, op.getLoc(), localizer, global, operands[0]);
  if (failed(term))
    return failure();
  return SmallVector<Value>{tensor::SplatOp::create(
      builder, op.getLoc(), localizer.localType(op.getResult()), *term,
      localSizes(builder, op.getLoc(), localizer, global,
                 operands.drop_front()))};
}

static LocalValues localizeGenerate(tensor::GenerateOp op, OpBuilder &builder,
                                    Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  Localizer::Global global = localizer.global(op.getResult());
  auto digits = allDigits(builder, loc, localizer, global, operands);
  auto local = tensor::GenerateOp::create(
      builder, loc, localizer.localType(op.getResult()),
      localSizes(builder, loc, localizer, global, operands));
  LogicalResult made = success();
  cloneIndexedBody(builder, localizer, op.getBody(), local.getBody(), digits,
                   [&](OpBuilder &inner, Value value) {
                     FailureOr<Value> term =
                         scalarTerm(inner, loc, localizer, global, value);
                     if (succeeded(term))
                       return *term;
                     made = failure();
                     return value;
                   });
  if (failed(made))
    return failure();
  return SmallVector<Value>{local.getResult()};
}

static LocalValues localizeFromElements(tensor::FromElementsOp op,
                                        OpBuilder &builder,
                                        Localizer &localizer,
                                        ValueRange operands) {
  Location loc = op.getLoc();
  Localizer::Global global = localizer.global(op.getResult());
  Value constant =
      tensor::FromElementsOp::create(builder, loc, global.type, operands);
  Value shard = shardOfReplicated(builder, loc, localizer, global, constant);
  FailureOr<Value> term =
      termOfReplicated(builder, loc, localizer, global, shard);
  if (failed(term))
    return failure();
  return SmallVector<Value>{*term};
}

void shardir::attachTensorRematerializableModels(MLIRContext *context) {
  attachModels<tensor::EmptyOp, rematerializableRuleOf<tensor::EmptyOp>,
               localizeEmpty>(context);
  attachModels<tensor::SplatOp, rematerializableRuleOf<tensor::SplatOp>,
               localizeSplat>(context);
  attachModels<tensor::GenerateOp, generateRule, localizeGenerate>(context);
  attachModels<tensor::FromElementsOp,
               rematerializableRuleOf<tensor::FromElementsOp>,
               localizeFromElements>(context);
}

void shardir::attachConstantModel(MLIRContext *context) {
  attachModels<arith::ConstantOp, rematerializableRuleOf<arith::ConstantOp>,
               localizeConstant>(context);
}
