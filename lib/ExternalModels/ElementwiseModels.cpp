//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arith and math on tensors: every elementwise op passes every dim, and the
// table of which partial terms pass which op (P5).
//
// The local form is the op itself on local types; the one exception is
// arith.constant, a rematerializable value. Ops on scalars and vectors have
// empty rules: they run on every device.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"
#include "ShardIR/Analysis/BodyPartials.h"
#include "ShardIR/Dialect/ShardIR/PartialCast.h"
#include "ShardIR/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace shardir;

namespace {
/// Collects the ways for partial operands of one op to pass it.
struct Passes {
  SmallVectorImpl<PartialRule> &rules;

  void add(PartialKind kind, ArrayRef<SmallVector<int, 2>> operandSets) {
    for (const SmallVector<int, 2> &operands : operandSets)
      rules.push_back({kind, operands});
  }
  /// The op combines two terms by `kind`: equally partial operands pass, and
  /// where combining twice changes nothing, so does one with a complete value.
  void combines(PartialKind kind) {
    if (infoOf(kind).idempotent)
      add(kind, {{0, 1}, {0}, {1}});
    else
      add(kind, {{0, 1}});
  }
  /// A non-decreasing function of operand 0 that keeps NaN.
  void monotone() {
    for (const PartialKindInfo &info : kPartialKinds)
      if (info.idempotent && info.isFor(NumberClass::Floats))
        add(info.kind, {{0}});
  }
};
} // namespace

static void addPartials(Operation *op, SmallVectorImpl<PartialRule> &rules) {
  using K = PartialKind;
  Passes passes{rules};
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  // Terms of i1 add and multiply as xor and and do.
  bool oneBit = element.isInteger(1);

  if (isa<arith::SelectOp>(op)) {
    rules.push_back({std::nullopt, {1, 2}});
  } else if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(
                 op)) {
    passes.combines(oneBit ? K::Xor : K::Sum);
  } else if (isa<arith::NegFOp>(op)) {
    passes.add(K::Sum, {{0}});
  } else if (isa<arith::MulFOp, arith::MulIOp>(op)) {
    passes.combines(oneBit ? K::And : K::Prod);
    passes.add(oneBit ? K::Xor : K::Sum, {{0}, {1}});
  } else if (isa<arith::DivFOp>(op)) {
    passes.add(K::Sum, {{0}});
  } else if (isa<arith::ShLIOp>(op) && !oneBit) {
    passes.add(K::Sum, {{0}});
  } else if (isa<math::FmaOp>(op)) {
    passes.add(K::Sum, {{0, 2}, {1, 2}});
  } else if (isa<arith::ExtFOp>(op)) {
    passes.add(K::Sum, {{0}});
    passes.monotone();
  } else if (isMonotone(op)) {
    if (isa<arith::TruncFOp>(op) && op->hasAttr(kPartialCast))
      passes.add(K::Sum, {{0}});
    passes.monotone();
  } else if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    // Bits do not meet their neighbours; a sum may carry into them.
    for (K kind : {K::And, K::Or, K::Xor})
      passes.add(kind, {{0}});
    if (isa<arith::ExtSIOp>(op))
      for (K kind : {K::Max, K::Min})
        passes.add(kind, {{0}});
    if (isa<arith::ExtUIOp>(op))
      for (K kind : {K::UMax, K::UMin})
        passes.add(kind, {{0}});
  } else if (isa<arith::SIToFPOp>(op)) {
    for (K kind : {K::Max, K::Min})
      passes.add(kind, {{0}});
  } else if (isa<arith::MaximumFOp, arith::MaxSIOp>(op)) {
    // min distributes over max, so a clamp passes both.
    passes.combines(K::Max);
    passes.add(K::Min, {{0}, {1}});
  } else if (isa<arith::MinimumFOp, arith::MinSIOp>(op)) {
    passes.combines(K::Min);
    passes.add(K::Max, {{0}, {1}});
  } else if (isa<arith::MaxUIOp>(op)) {
    passes.combines(K::UMax);
    passes.add(K::UMin, {{0}, {1}});
  } else if (isa<arith::MinUIOp>(op)) {
    passes.combines(K::UMin);
    passes.add(K::UMax, {{0}, {1}});
  } else if (isa<arith::MaxNumFOp>(op)) {
    passes.combines(K::MaxNum);
  } else if (isa<arith::MinNumFOp>(op)) {
    passes.combines(K::MinNum);
  } else if (isa<arith::AndIOp>(op)) {
    passes.combines(K::And);
    for (K kind : {K::Or, K::Xor})
      passes.add(kind, {{0}, {1}});
  } else if (isa<arith::OrIOp>(op)) {
    passes.combines(K::Or);
    passes.add(K::And, {{0}, {1}});
  } else if (isa<arith::XOrIOp>(op)) {
    passes.combines(K::Xor);
  }
}

static ShardingRule elementwiseRule(Operation *op) {
  RankedTensorType first;
  for (Type type : op->getResultTypes())
    if (!first)
      first = dyn_cast<RankedTensorType>(type);
  if (!first)
    return replicatedRule(op);
  // Types that say different things of one extent, and unranked tensors, can
  // agree only where they are replicated.
  auto agrees = [&](Type type) {
    if (isa<UnrankedTensorType>(type))
      return false;
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.getShape() == first.getShape();
  };
  if (!llvm::all_of(op->getOperandTypes(), agrees) ||
      !llvm::all_of(op->getResultTypes(), agrees))
    return ShardingRule::replicated(
        op, "its tensors' types disagree on which extents are known");
  ShardingRule rule = ShardingRule::elementwise(op);
  addPartials(op, rule.partials);
  return rule;
}

namespace {
struct ElementwiseModel
    : ShardingRuleOpInterface::FallbackModel<ElementwiseModel> {
  ShardingRule getShardingRule(Operation *op) const {
    return elementwiseRule(op);
  }
};
} // namespace

static void attachElementwise(Dialect *dialect) {
  attachToOps<ElementwiseModel>(dialect, [](RegisteredOperationName name) {
    return name.hasTrait<OpTrait::Elementwise>();
  });
}

void shardir::registerElementwiseModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *arith) {
    // No dialect is loaded here: linalg loads this one while it is loaded
    // itself. Passes that localize name the dialects that they make ops of.
    attachElementwise(arith);
    attachConstantModel(context);
  });
  registry.addExtension(
      +[](MLIRContext *, math::MathDialect *math) { attachElementwise(math); });
}
