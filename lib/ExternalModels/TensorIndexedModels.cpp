//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses by index: gather, scatter, insert, extract. Dims that no index names
// pass through, and so do the positions of a gather. Of a dim that is named by
// data
//
//   gather    a split source is looked up by each device for what it holds, and
//             the results are the terms of a sum (an embedding whose vocabulary
//             is split);
//   scatter,  the device that holds a place writes it;
//   insert
//   extract   makes a scalar, which has no placement: the tensor is replicated.
//
// Requires indices within the global tensor, as upstream does.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardPosition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

/// True if an index along a dim of this extent can be answered by the device
/// that holds it: that takes more than one place.
static bool mayBeLookedUp(int64_t extent) {
  return ShapedType::isDynamic(extent) || extent > 1;
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

static ShardingRule gatherRule(tensor::GatherOp op) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto indices = dyn_cast<RankedTensorType>(op.getIndices().getType());
  auto result = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!source || !indices || !result)
    return ShardingRule::replicated(
        op, "the extents of an unranked tensor are not known");
  ShardingRule rule = replicatedRule(op);
  int64_t batchRank = indices.getRank() - 1;
  for (int64_t dim = 0; dim < batchRank; ++dim) {
    int factor = rule.addFactor(
        commonExtent(indices.getDimSize(dim), result.getDimSize(dim)));
    rule.operands[1].dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
  }
  bool keepsUnitDims = result.getRank() == batchRank + source.getRank();
  std::optional<PartialKind> kind = lookupKind(source.getElementType());
  int64_t next = batchRank;
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    int64_t extent = source.getDimSize(dim);
    if (!llvm::is_contained(op.getGatherDims(), dim)) {
      int factor =
          rule.addFactor(commonExtent(extent, result.getDimSize(next)));
      rule.operands[0].dims[dim] = {factor};
      rule.results[0].dims[next++] = {factor};
      continue;
    }
    next += keepsUnitDims;
    if (!kind || !mayBeLookedUp(extent))
      continue;
    int factor = rule.addFactor(extent, FactorKind::Reduction);
    rule.factors[factor].combiners = {*kind};
    rule.factors[factor].isIterated = false;
    rule.operands[0].dims[dim] = {factor};
  }
  // Of terms, terms are picked.
  passAnyPartial(rule, {0});
  return rule;
}

static LocalValues localizeGather(tensor::GatherOp op, OpBuilder &builder,
                                  Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  Value source = operands[0], indices = operands[1];
  Localizer::Global global = localizer.global(op.getSource());
  RankedTensorType local = localizer.localType(op.getResult());
  int64_t batchRank = cast<RankedTensorType>(indices.getType()).getRank() - 1;
  bool keepsUnitDims = local.getRank() == batchRank + global.type.getRank();
  SmallVector<Value> origins(local.getRank(), indices);
  SmallVector<int64_t> originDims;
  for (int64_t dim = 0; dim < batchRank; ++dim)
    originDims.push_back(dim);
  for (int64_t dim = 0; dim < global.type.getRank(); ++dim)
    if (keepsUnitDims || !llvm::is_contained(op.getGatherDims(), dim)) {
      origins[originDims.size()] = source;
      originDims.push_back(dim);
    }
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < local.getRank(); ++dim)
    if (local.isDynamicDim(dim))
      sizes.push_back(
          tensor::DimOp::create(builder, loc, origins[dim], originDims[dim]));
  // Only gathered dims need the global index turned into the shard's.
  ShardDigits digits = shardDigits(builder, loc, localizer, global);
  bool masked = false;
  for (auto [dim, own] : llvm::enumerate(digits)) {
    if (!llvm::is_contained(op.getGatherDims(), int64_t(dim)))
      own.clear();
    masked |= !own.empty();
  }
  Value result = buildGather(
      builder, loc, local, sizes, global.type.getRank(), indices,
      op.getGatherDims(),
      [&](OpBuilder &b, Location l, ValueRange position) -> Value {
        if (!masked)
          return tensor::ExtractOp::create(b, l, source, position);
        return extractOr(b, l, source, localPosition(b, l, digits, position),
                         *lookupKind(global.type.getElementType()),
                         mayBeEmpty(source));
      });
  return SmallVector<Value>{result};
}

//===----------------------------------------------------------------------===//
// scatter
//===----------------------------------------------------------------------===//

static ShardingRule scatterRule(tensor::ScatterOp op) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
  auto indices = dyn_cast<RankedTensorType>(op.getIndices().getType());
  if (!source || !dest || !indices)
    return ShardingRule::replicated(
        op, "the extents of an unranked tensor are not known");
  ShardingRule rule = replicatedRule(op);
  int64_t batchRank = indices.getRank() - 1;
  bool keepsUnitDims = source.getRank() == batchRank + dest.getRank();
  int64_t next = batchRank;
  for (int64_t dim = 0; dim < dest.getRank(); ++dim) {
    int64_t extent = dest.getDimSize(dim);
    bool scattered = llvm::is_contained(op.getScatterDims(), dim);
    if (scattered && !mayBeLookedUp(extent)) {
      next += keepsUnitDims;
      continue;
    }
    int factor = rule.addFactor(
        scattered ? extent : commonExtent(extent, source.getDimSize(next)));
    rule.operands[1].dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
    if (!scattered)
      rule.operands[0].dims[next] = {factor};
    next += !scattered || keepsUnitDims;
  }
  // Terms of the destination are replaced by terms of the source.
  passAnyPartial(rule, {0, 1});
  return rule;
}

static LocalValues localizeScatter(tensor::ScatterOp op, OpBuilder &builder,
                                   Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  ShardDigits digits =
      shardDigits(builder, loc, localizer, localizer.global(op.getDest()));
  for (auto [dim, own] : llvm::enumerate(digits))
    if (!llvm::is_contained(op.getScatterDims(), int64_t(dim)))
      own.clear();
  Value result = buildScatter(
      builder, loc, operands[0], operands[1], operands[2], op.getScatterDims(),
      [&](OpBuilder &b, Location l, ValueRange position) {
        return localPosition(b, l, digits, position);
      });
  return SmallVector<Value>{result};
}

//===----------------------------------------------------------------------===//
// insert and extract
//===----------------------------------------------------------------------===//

static ShardingRule insertRule(tensor::InsertOp op) {
  ShardingRule rule = replicatedRule(op);
  for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getDest().getType()))) {
    if (!mayBeLookedUp(extent))
      continue;
    int factor = rule.addFactor(extent);
    rule.operands[1].dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
  }
  passAnyPartial(rule, {1});
  rule.moves = ShardingRule::Moves::FirstOperand;
  return rule;
}

static LocalValues localizeInsert(tensor::InsertOp op, OpBuilder &builder,
                                  Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  Localizer::Global global = localizer.global(op.getDest());
  Value dest = operands[1];
  // Every device knows the scalar; of a partial result one keeps it.
  FailureOr<Value> scalar =
      termOfReplicated(builder, loc, localizer, global, operands[0]);
  if (failed(scalar))
    return failure();
  ShardDigits digits = shardDigits(builder, loc, localizer, global);
  ElementPosition position =
      localPosition(builder, loc, digits, operands.drop_front(2));
  auto write = [&](OpBuilder &b, Location l) -> Value {
    return tensor::InsertOp::create(b, l, *scalar, dest, position.indices);
  };
  if (!position.isHere)
    return SmallVector<Value>{write(builder, loc)};
  auto branch = scf::IfOp::create(
      builder, loc, position.isHere,
      [&](OpBuilder &b, Location l) {
        scf::YieldOp::create(b, l, write(b, l));
      },
      [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, dest); });
  return SmallVector<Value>(branch.getResults());
}

static ShardingRule extractRule(tensor::ExtractOp op) {
  // A tensor of one element has nothing to split.
  bool hasDims = op.getTensor().getType().getRank() > 0;
  ShardingRule rule = ShardingRule::replicated(
      op, hasDims ? "it reads one element, which may be on any device: its "
                    "operand is replicated"
                  : "");
  rule.moves = ShardingRule::Moves::Result;
  return rule;
}

void shardir::attachTensorIndexedModels(MLIRContext *context) {
  attachModels<tensor::GatherOp, gatherRule, localizeGather>(context);
  attachModels<tensor::ScatterOp, scatterRule, localizeScatter>(context);
  attachModels<tensor::InsertOp, insertRule, localizeInsert>(context);
  attachRule<tensor::ExtractOp, extractRule>(context);
}
