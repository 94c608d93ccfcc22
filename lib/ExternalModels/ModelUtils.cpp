//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shards and terms of a replicated value, and clones on local types.
// Requires a concrete mesh and verified placements. A dim of digits is cut by
// expanding it to its digits, slicing each, and collapsing what is left, which
// is right for every placement (P4).
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace shardir;

ShardingRule shardir::replicatedRule(Operation *op) {
  return ShardingRule::replicated(op, "");
}

void shardir::passAnyPartial(ShardingRule &rule, ArrayRef<int> operands) {
  rule.partials.push_back(
      {std::nullopt, SmallVector<int, 2>(operands.begin(), operands.end())});
}

std::optional<PartialKind> shardir::lookupKind(Type elementType) {
  if (!elementType.isIntOrIndexOrFloat() && !isa<ComplexType>(elementType))
    return std::nullopt;
  return elementType.isInteger(1) ? PartialKind::Or : PartialKind::Sum;
}

bool shardir::mayBeEmpty(Value local) {
  auto type = cast<RankedTensorType>(local.getType());
  return !type.hasStaticShape() || type.getNumElements() == 0;
}

int64_t shardir::commonExtent(int64_t a, int64_t b) {
  if (!ShapedType::isDynamic(a))
    return a;
  return ShapedType::isDynamic(b) ? kUnknown : b;
}

Operation *shardir::cloneLocal(OpBuilder &builder, const Localizer &localizer,
                               Operation *op, ValueRange operands) {
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  clone->removeDiscardableAttr(ShardIRDialect::kPlacements);
  for (auto [result, original] :
       llvm::zip(clone->getResults(), op->getResults()))
    if (isa<RankedTensorType>(original.getType()))
      result.setType(localizer.localType(original));
  return clone;
}

Value shardir::castTo(OpBuilder &builder, Location loc, Value value,
                      RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

/// `global` with all of its unknown extents.
static Localizer::Global withExtents(Localizer::Global global,
                                     ValueRange globalSizes) {
  global.extents.resize(global.type.getRank());
  for (int64_t dim = 0; dim < global.type.getRank(); ++dim)
    if (global.type.isDynamicDim(dim))
      global.extents[dim] = globalSizes[global.type.getDynamicDimIndex(dim)];
  return global;
}

SmallVector<SmallVector<Localizer::DigitValue>>
shardir::allDigits(OpBuilder &builder, Location loc, const Localizer &localizer,
                   const Localizer::Global &global, ValueRange globalSizes) {
  SmallVector<SmallVector<Localizer::DigitValue>> result;
  Localizer::Global known = withExtents(global, globalSizes);
  for (int64_t dim = 0; dim < global.type.getRank(); ++dim)
    result.push_back(localizer.digits(builder, loc, known, dim));
  return result;
}

SmallVector<Value> shardir::localSizes(OpBuilder &builder, Location loc,
                                       const Localizer &localizer,
                                       const Localizer::Global &global,
                                       ValueRange globalSizes) {
  return localizer.dynamicSizes(builder, loc, withExtents(global, globalSizes));
}

Value shardir::fillLocal(OpBuilder &builder, Location loc,
                         const Localizer &localizer,
                         const Localizer::Global &global, Value scalar,
                         ValueRange globalSizes) {
  RankedTensorType type = localizer.localType(global.type, global.placement);
  Value empty = tensor::EmptyOp::create(
      builder, loc, type,
      localSizes(builder, loc, localizer, global, globalSizes));
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

Value shardir::shardOfReplicated(OpBuilder &builder, Location loc,
                                 const Localizer &localizer,
                                 const Localizer::Global &global,
                                 Value replicated) {
  RankedTensorType local = localizer.localType(global.type, global.placement);
  Type element = local.getElementType();
  SmallVector<int64_t> expanded, sliced;
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> offsets, sizes;
  bool cuts = false;
  for (ArrayRef<Localizer::DigitValue> digits :
       allDigits(builder, loc, localizer, global, {})) {
    ReassociationIndices &group = groups.emplace_back();
    for (const Localizer::DigitValue &digit : digits) {
      group.push_back(expanded.size());
      expanded.push_back(digit.extent);
      offsets.push_back(digit.offset);
      sizes.push_back(digit.length);
      std::optional<int64_t> length = getConstantIntValue(digit.length);
      sliced.push_back(length ? *length : ShapedType::kDynamic);
      cuts |= length != digit.extent;
    }
  }
  if (!cuts)
    return castTo(builder, loc, replicated, local);
  bool regroup = expanded.size() != groups.size();
  Value value = replicated;
  if (regroup)
    value = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(expanded, element), value, groups);
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  value = tensor::ExtractSliceOp::create(builder, loc,
                                         RankedTensorType::get(sliced, element),
                                         value, offsets, sizes, strides);
  if (regroup)
    value = tensor::CollapseShapeOp::create(builder, loc, value, groups);
  return castTo(builder, loc, value, local);
}

FailureOr<Value> shardir::termOfReplicated(OpBuilder &builder, Location loc,
                                           const Localizer &localizer,
                                           const Localizer::Global &global,
                                           Value value) {
  if (!global.placement || !global.placement.getValue().partial)
    return value;
  const Placement &placement = global.placement.getValue();
  // Every device may hold max(v, v) = v.
  if (infoOf(*placement.partial).idempotent)
    return value;
  Type element = global.type.getElementType();
  Value first = localizer.isFirst(
      builder, loc, localizer.meshOf(global.placement), placement.partialAxes);
  Value other =
      createPartialIdentity(builder, loc, element, *placement.partial);
  if (!other)
    return emitError(loc) << "cannot hold a tensor of " << element
                          << " as terms of a "
                          << stringifyPartialKind(*placement.partial)
                          << ": the kind has no identity for that type";
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
      if (tensor.isDynamicDim(dim))
        sizes.push_back(
            tensor::DimOp::create(builder, loc, value, dim).getResult());
    Value empty = tensor::EmptyOp::create(builder, loc, tensor, sizes);
    other = linalg::FillOp::create(builder, loc, other, empty).getResult(0);
  }
  return arith::SelectOp::create(builder, loc, first, value, other).getResult();
}

void shardir::cloneIndexedBody(
    OpBuilder &builder, const Localizer &localizer, Region &from, Region &to,
    ArrayRef<SmallVector<Localizer::DigitValue>> digits,
    function_ref<Value(OpBuilder &, Value)> yielded) {
  OpBuilder::InsertionGuard guard(builder);
  Block &body = from.front();
  Location loc = from.getLoc();
  SmallVector<Location> locs;
  for (BlockArgument argument : body.getArguments())
    locs.push_back(argument.getLoc());
  Block *block =
      builder.createBlock(&to, to.end(), body.getArgumentTypes(), locs);
  IRMapping mapping;
  for (auto [dim, argument] : llvm::enumerate(body.getArguments())) {
    Value index = block->getArgument(dim);
    if (!argument.use_empty())
      index = localizer.globalIndex(builder, loc, digits[dim], index);
    mapping.map(argument, index);
  }
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  Operation *terminator = body.getTerminator();
  Value value = mapping.lookupOrDefault(terminator->getOperand(0));
  if (yielded)
    value = yielded(builder, value);
  tensor::YieldOp::create(builder, terminator->getLoc(), value);
}
