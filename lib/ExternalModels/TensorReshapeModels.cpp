//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reshapes. Each group of dims [a, b, c] <-> [abc] has factors a, b, c, and the
// merged dim lists all three; so a split of any of them stays where it is, as a
// strided shard if it is not the major one (P4), and nothing moves.
//
// Requires that both sides agree on their factors. Then the local extent of the
// merged dim is the product of its parts' on every device, uneven and empty
// shards included, and the local reshape is the same reshape: the local index
// runs row-major over the digits' lengths on both sides.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

/// The factors of `parts` merged by `groups` into `merged`.
static void reshapeFactors(ShardingRule &rule, RankedTensorType parts,
                           ArrayRef<ReassociationIndices> groups,
                           TensorFactors &partFactors,
                           TensorFactors &mergedFactors) {
  for (auto [merged, group] : llvm::enumerate(groups)) {
    SmallVector<int64_t> carriers;
    int unknown = 0;
    bool empty = false;
    for (int64_t dim : group) {
      int64_t extent = parts.getDimSize(dim);
      if (extent == 1)
        continue;
      carriers.push_back(dim);
      unknown += ShapedType::isDynamic(extent);
      empty |= extent == 0;
    }
    // Where one of two unknown extents ends is not known, and of nothing there
    // is nothing to split.
    if (empty || unknown > 1)
      continue;
    for (int64_t dim : carriers) {
      int64_t extent = parts.getDimSize(dim);
      int factor =
          rule.addFactor(ShapedType::isDynamic(extent) ? kUnknown : extent);
      partFactors.dims[dim].push_back(factor);
      mergedFactors.dims[merged].push_back(factor);
    }
  }
}

static ShardingRule collapseRule(tensor::CollapseShapeOp op) {
  ShardingRule rule = replicatedRule(op);
  reshapeFactors(rule, op.getSrcType(), op.getReassociationIndices(),
                 rule.operands[0], rule.results[0]);
  passAnyPartial(rule, {0});
  return rule;
}

static ShardingRule expandRule(tensor::ExpandShapeOp op) {
  ShardingRule rule = replicatedRule(op);
  reshapeFactors(rule, op.getResultType(), op.getReassociationIndices(),
                 rule.results[0], rule.operands[0]);
  passAnyPartial(rule, {0});
  return rule;
}

/// The type that `groups` of `parts` collapse to: known where all parts are.
static RankedTensorType mergedType(RankedTensorType parts,
                                   ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : groups) {
    int64_t extent = 1;
    for (int64_t dim : group)
      extent = parts.isDynamicDim(dim) || ShapedType::isDynamic(extent)
                   ? ShapedType::kDynamic
                   : extent * parts.getDimSize(dim);
    shape.push_back(extent);
  }
  return RankedTensorType::get(shape, parts.getElementType());
}

static LocalValues localizeCollapse(tensor::CollapseShapeOp op,
                                    OpBuilder &builder, Localizer &localizer,
                                    ValueRange operands) {
  auto groups = op.getReassociationIndices();
  auto source = cast<RankedTensorType>(operands[0].getType());
  Value result = tensor::CollapseShapeOp::create(
      builder, op.getLoc(), mergedType(source, groups), operands[0], groups);
  return SmallVector<Value>{castTo(builder, op.getLoc(), result,
                                   localizer.localType(op.getResult()))};
}

static LocalValues localizeExpand(tensor::ExpandShapeOp op, OpBuilder &builder,
                                  Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  auto groups = op.getReassociationIndices();
  Localizer::Global global = localizer.global(op.getResult());
  RankedTensorType local = localizer.localType(op.getResult());

  // The global tensor's unknown extents are operands.
  ValueRange globalSizes = operands.drop_front();
  SmallVector<OpFoldResult> shape(local.getRank());
  size_t unknown = 0;
  for (int64_t dim = 0; dim < local.getRank(); ++dim) {
    Value extent;
    if (ShapedType::isDynamic(op.getStaticOutputShape()[dim]))
      extent = globalSizes[unknown++];
    if (!local.isDynamicDim(dim))
      shape[dim] = builder.getIndexAttr(local.getDimSize(dim));
    else if (!global.type.isDynamicDim(dim) || localizer.isCut(global, dim))
      shape[dim] = localizer.localExtent(builder, loc, global, dim);
    else
      shape[dim] = extent
                       ? OpFoldResult(extent)
                       : builder.getIndexAttr(op.getStaticOutputShape()[dim]);
  }
  Value source = castTo(builder, loc, operands[0], mergedType(local, groups));
  return SmallVector<Value>{
      tensor::ExpandShapeOp::create(builder, loc, local, source, groups, shape)
          .getResult()};
}

void shardir::attachTensorReshapeModels(MLIRContext *context) {
  attachModels<tensor::CollapseShapeOp, collapseRule, localizeCollapse>(
      context);
  attachModels<tensor::ExpandShapeOp, expandRule, localizeExpand>(context);
}
