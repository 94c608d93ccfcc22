//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ub.poison on tensors, which stands where branches between blocks meet and one
// of them has no value. It is rematerializable: any placement will do. Its
// local form has the extents of a shard and no content, so that whatever runs
// on it stays in bounds.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardIR/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace shardir;

static ShardingRule poisonRule(ub::PoisonOp op) {
  ShardingRule rule = ShardingRule::elementwise(op);
  rule.isRematerializable = true;
  return rule;
}

static LocalValues localizePoison(ub::PoisonOp op, OpBuilder &builder,
                                  Localizer &localizer, ValueRange) {
  Location loc = op.getLoc();
  Localizer::Global global = localizer.global(op.getResult());
  // No value has these extents: none is as good as any.
  SmallVector<Value> unknown(
      global.type.getNumDynamicDims(),
      arith::ConstantIndexOp::create(builder, loc, 0).getResult());
  return SmallVector<Value>{tensor::EmptyOp::create(
      builder, loc, localizer.localType(op.getResult()),
      localSizes(builder, loc, localizer, global, unknown))};
}

void shardir::registerUBModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ub::UBDialect *) {
    attachModels<ub::PoisonOp, poisonRule, localizePoison>(context);
  });
}
