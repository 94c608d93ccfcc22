//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bufferization dialect's ops on tensors. A new tensor is rematerializable,
// or a copy with the placement of its source; a tensor put into another takes
// the placement of that one. A buffer is what each device holds, so that what
// goes to one or comes from one is replicated.
//
// Requires ranked tensors; guarantees local ops of the same kind.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardIR/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// alloc_tensor
//===----------------------------------------------------------------------===//

static ShardingRule allocRule(bufferization::AllocTensorOp op) {
  ShardingRule rule = replicatedRule(op);
  for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getType()))) {
    int factor = rule.addFactor(extent);
    rule.results[0].dims[dim] = {factor};
    if (op.getCopy())
      rule.operands[op.getCopyMutable()[0].getOperandNumber()].dims[dim] = {
          factor};
  }
  if (op.getCopy())
    passAnyPartial(rule, {int(op.getCopyMutable()[0].getOperandNumber())});
  else
    rule.isRematerializable = true;
  return rule;
}

static LocalValues localizeAlloc(bufferization::AllocTensorOp op,
                                 OpBuilder &builder, Localizer &localizer,
                                 ValueRange operands) {
  Localizer::Global global = localizer.global(op.getResult());
  RankedTensorType local = localizer.localType(op.getResult());
  Value copy;
  SmallVector<Value> sizes;
  if (op.getCopy())
    copy = operands[op.getCopyMutable()[0].getOperandNumber()];
  else
    sizes = localSizes(builder, op.getLoc(), localizer, global,
                       operands.take_front(op.getDynamicSizes().size()));
  return SmallVector<Value>{bufferization::AllocTensorOp::create(
      builder, op.getLoc(), local, sizes, copy, /*size_hint=*/Value(),
      op.getMemorySpaceAttr())};
}

//===----------------------------------------------------------------------===//
// materialize_in_destination and dealloc_tensor
//===----------------------------------------------------------------------===//

static ShardingRule
materializeRule(bufferization::MaterializeInDestinationOp op) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto dest = dyn_cast<RankedTensorType>(op.getDest().getType());
  if (!source || !dest)
    return ShardingRule::replicated(
        op, "a buffer exists on each device, and takes a replicated tensor");
  ShardingRule rule = replicatedRule(op);
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    int factor = rule.addFactor(
        commonExtent(source.getDimSize(dim), dest.getDimSize(dim)));
    for (TensorFactors *tensor :
         {&rule.operands[0], &rule.operands[1], &rule.results[0]})
      tensor->dims[dim] = {factor};
  }
  // The old content of the destination is overwritten.
  passAnyPartial(rule, {0});
  return rule;
}

static LocalValues
localizeMaterialize(bufferization::MaterializeInDestinationOp op,
                    OpBuilder &builder, Localizer &, ValueRange operands) {
  return SmallVector<Value>(
      bufferization::MaterializeInDestinationOp::create(
          builder, op.getLoc(), operands[1].getType(), operands[0], operands[1])
          ->getResults());
}

static ShardingRule deallocRule(bufferization::DeallocTensorOp op) {
  ShardingRule rule = replicatedRule(op);
  if (auto type = dyn_cast<RankedTensorType>(op.getTensor().getType()))
    for (auto [dim, extent] : llvm::enumerate(shapeOf(type)))
      rule.operands[0].dims[dim] = {rule.addFactor(extent)};
  return rule;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

template <typename Op> static ShardingRule bufferRule(Op op) {
  return ShardingRule::replicated(
      op, "a buffer exists on each device, and is of a replicated tensor");
}

void shardir::registerBufferTensorModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, bufferization::BufferizationDialect *) {
        using namespace bufferization;
        attachModels<AllocTensorOp, allocRule, localizeAlloc>(context);
        attachModels<MaterializeInDestinationOp, materializeRule,
                     localizeMaterialize>(context);
        attachRule<DeallocTensorOp, deallocRule>(context);
        attachRule<ToTensorOp, bufferRule<ToTensorOp>>(context);
        attachRule<ToBufferOp, bufferRule<ToBufferOp>>(context);
      });
}
