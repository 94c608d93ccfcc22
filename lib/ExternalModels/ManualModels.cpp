//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules and local forms of what manual regions are once inlined. A dim that
// manual axes cut is two factors outside, the shards along them and what is in
// one; inside it is the second alone. The first is split by the manual axes,
// always, so that on a device both sides hold the same elements and the border
// is nothing. A collective leaves the dims that it does not change to other
// axes.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/ExternalModels/ExternalModels.h"
#include "ShardIR/Placement/Collectives.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace shardir;

/// The factors of the global tensor and of its shard.
static void addBorder(ShardingRule &rule, Operation *op,
                      PlacementAttr placement, ArrayAttr axes, ShapedType outer,
                      ShapedType shard, TensorFactors &outside,
                      TensorFactors &inside) {
  Placement manual = manualPart(placement.getValue(), axes, /*isManual=*/true);
  auto extents = shapeOf(outer), shards = shapeOf(shard);
  for (auto [dim, extent] : llvm::enumerate(shards)) {
    DimFactors &out = outside.dims.emplace_back();
    if (!manual.dims[dim].splits.empty()) {
      int64_t pieces =
          extents[dim] == 0 || extent == 0 ? 1
          : extent == kUnknown
              ? groupSize(lookupMesh(op, placement.getMesh()).getMesh(),
                          manual.axesOf(dim))
              : extents[dim] / extent;
      out.push_back(rule.addFactor(pieces));
      rule.factors.back().pinned = manual.dims[dim].splits;
    }
    out.push_back(rule.addFactor(extent));
    inside.dims.push_back({out.back()});
  }
}

/// The rule of an op of one tensor and one result, without factors yet.
static ShardingRule oneToOne(Operation *op) {
  ShardingRule rule;
  rule.operands.resize(op->getNumOperands());
  rule.results.emplace_back();
  rule.inits = {-1};
  return rule;
}

static ShardingRule inRule(ManualInOp op) {
  ShardingRule rule = oneToOne(op);
  addBorder(rule, op, op.getPlacement(), op.getAxes(), op.getInput().getType(),
            op.getType(), rule.operands[0], rule.results[0]);
  return rule;
}

static ShardingRule outRule(ManualOutOp op) {
  ShardingRule rule = oneToOne(op);
  const Placement &placement = op.getPlacement().getValue();
  addBorder(rule, op, op.getPlacement(), op.getAxes(), op.getType(),
            op.getInput().getType(), rule.results[0], rule.operands[0]);
  // Partial terms come from the region alone.
  if (placement.partial) {
    Factor &pending = rule.factors[rule.addFactor(2, FactorKind::Reduction)];
    pending.combiners = {*placement.partial};
    for (const AxisRef &axis : placement.partialAxes)
      pending.pinned.push_back(Split::byAxis(axis));
  }
  return rule;
}

static ShardingRule collectiveRule(ManualCollectiveOp op) {
  ShardingRule rule = oneToOne(op);
  const Placement &from = op.getSource().getValue();
  const Placement &to = op.getTarget().getValue();
  for (auto [dim, extent] : llvm::enumerate(shapeOf(op.getInput().getType()))) {
    DimFactors factors;
    bool moves = op.getSource().getMesh() != op.getTarget().getMesh() &&
                 !from.dims[dim].splits.empty();
    if (!moves && from.dims[dim].splits == to.dims[dim].splits)
      factors.push_back(rule.addFactor(extent));
    rule.operands[0].dims.push_back(factors);
    rule.results[0].dims.push_back(factors);
  }
  return rule;
}

/// Both sides of a border are the same elements on a device.
template <typename Op>
static LocalValues borderLocal(Op op, OpBuilder &builder, Localizer &localizer,
                               ValueRange operands) {
  // Shards along manual axes are equal; of an open dim that is known here.
  Value outer = isa<ManualInOp>(op) ? op->getOperand(0) : Value();
  Placement manual =
      manualPart(op.getPlacement().getValue(), op.getAxes(), true);
  for (auto [dim, own] : llvm::enumerate(manual.dims)) {
    if (!outer || own.splits.empty() ||
        !cast<RankedTensorType>(outer.getType()).isDynamicDim(dim))
      continue;
    int64_t pieces =
        groupSize(localizer.meshOf(op.getPlacement()), manual.axesOf(dim));
    Value extent = getValueOrCreateConstantIndexOp(
        builder, op.getLoc(),
        localizer.globalExtent(builder, op.getLoc(), localizer.global(outer),
                               dim, operands[0]));
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, op.getLoc(), value);
    };
    Value rest =
        arith::RemUIOp::create(builder, op.getLoc(), extent, constant(pieces));
    Value divided = arith::CmpIOp::create(
        builder, op.getLoc(), arith::CmpIPredicate::eq, rest, constant(0));
    cf::AssertOp::create(builder, op.getLoc(), divided,
                         "dim " + std::to_string(dim) +
                             " has an extent that does not divide by " +
                             std::to_string(pieces) +
                             ", into which manual axes cut it");
  }
  return SmallVector<Value>{castTo(builder, op.getLoc(), operands[0],
                                   localizer.localType(op.getResult()))};
}

static LocalValues collectiveLocal(ManualCollectiveOp op, OpBuilder &builder,
                                   Localizer &localizer, ValueRange operands) {
  Localizer::Global inside = localizer.global(op.getResult());
  ValueRange numbers = operands.drop_front();
  inside.extents.resize(inside.type.getRank());
  for (int64_t dim = 0, next = 0; dim < inside.type.getRank(); ++dim)
    if (inside.type.isDynamicDim(dim))
      inside.extents[dim] = numbers[next++];
  auto type = localizer.localType(op.getResult());
  CollectiveStep step = collective::manualStep(op, inside.placement);
  auto attr = [&](const Placement &placement, PlacementAttr on) {
    return PlacementAttr::get(op.getContext(), on.getMesh(), placement);
  };
  return SmallVector<Value>{collective::createLocalStep(
      builder, op.getLoc(), step.kind, operands[0],
      attr(step.from, op.getSource()), attr(step.to, op.getTarget()),
      cast<RankedTensorType>(op.getGlobal()), type,
      localizer.dynamicSizes(builder, op.getLoc(), inside, Value()),
      numbers.drop_front(op.getSizes().size()),
      ReasonAttr::ofProgram(op.getContext()))};
}

void shardir::registerManualModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ShardIRDialect *) {
    attachModels<ManualInOp, inRule, borderLocal<ManualInOp>>(context);
    attachModels<ManualOutOp, outRule, borderLocal<ManualOutOp>>(context);
    attachModels<ManualCollectiveOp, collectiveRule, collectiveLocal>(context);
  });
}
