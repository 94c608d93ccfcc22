//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialects whose values are few and the same on all devices: shapes (the shape
// dialect), and the state of a program (ml_program's globals).
//
// A shape is replicated; a size query reads no element, so that the tensor may
// have any placement where the extents are known. A mutable global is
// replicated: every device stores and loads the same in every call. Immutable
// ones are constants before placements are decided (shardir-normalize).
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardIR/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// shape
//===----------------------------------------------------------------------===//

namespace {
/// Of ops on shapes and extents alone.
struct ShapeModel : ShardingRuleOpInterface::FallbackModel<ShapeModel> {
  ShardingRule getShardingRule(Operation *op) const {
    return replicatedRule(op);
  }
};
} // namespace

static ShardingRule shapeOfRule(shape::ShapeOfOp op) {
  ShardingRule rule = replicatedRule(op);
  rule.moves = ShardingRule::Moves::Nothing;
  auto type = dyn_cast<RankedTensorType>(op.getArg().getType());
  if (!type)
    return rule;
  // An extent that is known only at run time is read from the unsharded dim.
  for (auto [dim, extent] : llvm::enumerate(shapeOf(type)))
    if (extent != kUnknown)
      rule.operands[0].dims[dim] = {rule.addFactor(extent)};
  return rule;
}

static LocalValues localizeShapeOf(shape::ShapeOfOp op, OpBuilder &builder,
                                   Localizer &localizer, ValueRange operands) {
  Location loc = op.getLoc();
  RankedTensorType type = localizer.global(op.getArg()).type;
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!result)
    return op.emitOpError("of a split tensor is a '!shape.shape'; make it a "
                          "tensor of extents");
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    extents.push_back(
        type.isDynamicDim(dim)
            ? tensor::DimOp::create(builder, loc, operands[0], dim).getResult()
            : arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim))
                  .getResult());
  Value shape = tensor::FromElementsOp::create(
      builder, loc,
      RankedTensorType::get({type.getRank()}, builder.getIndexType()), extents);
  return SmallVector<Value>{castTo(builder, loc, shape, result)};
}

//===----------------------------------------------------------------------===//
// ml_program
//===----------------------------------------------------------------------===//

template <typename Op> static ShardingRule globalRule(Op op) {
  return ShardingRule::replicated(
      op, "a global that the program changes is replicated");
}

void shardir::registerScalarModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, shape::ShapeDialect *shape) {
    attachToOps<ShapeModel>(shape, [](RegisteredOperationName name) {
      return name.getTypeID() != TypeID::get<shape::ShapeOfOp>();
    });
    attachModels<shape::ShapeOfOp, shapeOfRule, localizeShapeOf>(context);
  });
  registry.addExtension(
      +[](MLIRContext *context, ml_program::MLProgramDialect *) {
        using namespace ml_program;
        attachRule<GlobalLoadOp, globalRule<GlobalLoadOp>>(context);
        attachRule<GlobalLoadConstOp, globalRule<GlobalLoadConstOp>>(context);
        attachRule<GlobalStoreOp, globalRule<GlobalStoreOp>>(context);
      });
}
