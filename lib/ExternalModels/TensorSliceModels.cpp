//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, pads and concatenations. A dim that such an op takes as it is passes
// through; one that it cuts, pads or joins is whole on each device, so that no
// offset or clamp ever meets a shard.
//
// Requires operands and results that agree on the dims that pass; guarantees
// local ops with the same offsets, pads and order on all others.
//
//===----------------------------------------------------------------------===//

#include "ModelUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardir;

//===----------------------------------------------------------------------===//
// extract_slice and insert_slice
//===----------------------------------------------------------------------===//

/// Whether `size` is all of dim `dim` of `tensor`.
static bool isExtentOf(OpFoldResult size, Value tensor, int64_t dim) {
  int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return *known == extent;
  auto query = cast<Value>(size).getDefiningOp<tensor::DimOp>();
  return query && query.getSource() == tensor &&
         query.getConstantIndex() == dim;
}

/// For each dim of `tensor`, the dim of the slice that takes it as it is, or
/// -1. Requires that `op` takes its slice of `tensor`, or puts it there.
template <typename Op>
static SmallVector<int64_t> dimsTakenWhole(Op op, Value tensor) {
  SmallVector<int64_t> result;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t sliceDim = 0;
  for (auto [dim, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    bool whole = isConstantIntValue(offset, 0) &&
                 isConstantIntValue(stride, 1) && isExtentOf(size, tensor, dim);
    bool isDropped = dropped.test(dim);
    result.push_back(whole && !isDropped ? sliceDim : -1);
    sliceDim += !isDropped;
  }
  return result;
}

static ShardingRule extractSliceRule(tensor::ExtractSliceOp op) {
  ShardingRule rule = wholeRule(op);
  for (auto [dim, sliceDim] :
       llvm::enumerate(dimsTakenWhole(op, op.getSource()))) {
    if (sliceDim < 0)
      continue;
    int factor =
        rule.addFactor(commonExtent(op.getSourceType().getDimSize(dim),
                                    op.getResultType().getDimSize(sliceDim)));
    rule.operands[0].dims[dim] = {factor};
    rule.results[0].dims[sliceDim] = {factor};
  }
  passAnyPartial(rule, {0});
  return rule;
}

static ShardingRule insertSliceRule(tensor::InsertSliceOp op) {
  ShardingRule rule = wholeRule(op);
  for (auto [dim, sliceDim] :
       llvm::enumerate(dimsTakenWhole(op, op.getDest()))) {
    if (sliceDim < 0)
      continue;
    int factor =
        rule.addFactor(commonExtent(op.getDestType().getDimSize(dim),
                                    op.getSourceType().getDimSize(sliceDim)));
    rule.operands[0].dims[sliceDim] = {factor};
    rule.operands[1].dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
  }
  // The source replaces terms of the destination by terms of its own.
  passAnyPartial(rule, {0, 1});
  return rule;
}

namespace {
/// The offsets, sizes and strides of the local form of a slice of `tensor`,
/// and the type of the local slice.
struct LocalSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;
};
} // namespace

/// `local` is `tensor`'s local form; `operands` are the op's.
template <typename Op>
static LocalSlice localSlice(Op op, Value tensor, Value local,
                             OpBuilder &builder, Localizer &localizer,
                             ValueRange operands) {
  LocalSlice slice;
  unsigned next = op.getOffsetSizeAndStrideStartOperandIndex();
  auto mixed = [&](ArrayRef<int64_t> statics) {
    SmallVector<OpFoldResult> result;
    for (int64_t value : statics)
      result.push_back(ShapedType::isDynamic(value)
                           ? OpFoldResult(operands[next++])
                           : builder.getIndexAttr(value));
    return result;
  };
  slice.offsets = mixed(op.getStaticOffsets());
  slice.sizes = mixed(op.getStaticSizes());
  slice.strides = mixed(op.getStaticStrides());
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<int64_t> shape;
  auto localTensor = cast<RankedTensorType>(local.getType());
  for (auto [dim, sliceDim] : llvm::enumerate(dimsTakenWhole(op, tensor))) {
    if (sliceDim >= 0) {
      slice.sizes[dim] =
          localTensor.isDynamicDim(dim)
              ? localizer.localExtent(builder, op.getLoc(),
                                      localizer.global(tensor), dim, local)
              : builder.getIndexAttr(localTensor.getDimSize(dim));
    }
    if (dropped.test(dim))
      continue;
    auto size = dyn_cast<Attribute>(slice.sizes[dim]);
    shape.push_back(size ? cast<IntegerAttr>(size).getInt()
                         : ShapedType::kDynamic);
  }
  slice.type = RankedTensorType::get(shape, localTensor.getElementType());
  return slice;
}

static LocalValues localizeExtractSlice(tensor::ExtractSliceOp op,
                                        OpBuilder &builder,
                                        Localizer &localizer,
                                        ValueRange operands) {
  LocalSlice slice =
      localSlice(op, op.getSource(), operands[0], builder, localizer, operands);
  Value result = tensor::ExtractSliceOp::create(
      builder, op.getLoc(), slice.type, operands[0], slice.offsets, slice.sizes,
      slice.strides);
  return SmallVector<Value>{castTo(builder, op.getLoc(), result,
                                   localizer.localType(op.getResult()))};
}

static LocalValues localizeInsertSlice(tensor::InsertSliceOp op,
                                       OpBuilder &builder, Localizer &localizer,
                                       ValueRange operands) {
  LocalSlice slice =
      localSlice(op, op.getDest(), operands[1], builder, localizer, operands);
  Value source = castTo(builder, op.getLoc(), operands[0], slice.type);
  Value result =
      tensor::InsertSliceOp::create(builder, op.getLoc(), source, operands[1],
                                    slice.offsets, slice.sizes, slice.strides);
  return SmallVector<Value>{castTo(builder, op.getLoc(), result,
                                   localizer.localType(op.getResult()))};
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

static ShardingRule padRule(tensor::PadOp op) {
  ShardingRule rule = wholeRule(op);
  Block &body = op.getRegion().front();
  for (auto [dim, low, high] :
       llvm::enumerate(op.getMixedLowPad(), op.getMixedHighPad())) {
    if (!isConstantIntValue(low, 0) || !isConstantIntValue(high, 0))
      continue;
    int64_t extent = commonExtent(op.getSourceType().getDimSize(dim),
                                  op.getResultType().getDimSize(dim));
    // A body that reads the index of a split dim needs its offset.
    if (extent == kUnknown && !body.getArgument(dim).use_empty())
      continue;
    int factor = rule.addFactor(extent);
    rule.operands[0].dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
  }
  // All devices pad with the same value: it counts as many times.
  for (PartialKind kind :
       {PartialKind::Max, PartialKind::Min, PartialKind::MaxNum,
        PartialKind::MinNum, PartialKind::UMax, PartialKind::UMin,
        PartialKind::And, PartialKind::Or})
    rule.partials.push_back({kind, {0}});
  Value padding = cast<tensor::YieldOp>(body.getTerminator()).getValue();
  if (matchPattern(padding, m_AnyZeroFloat()) ||
      matchPattern(padding, m_Zero()))
    for (PartialKind kind : {PartialKind::Sum, PartialKind::Xor})
      rule.partials.push_back({kind, {0}});
  if (matchPattern(padding, m_OneFloat()) || matchPattern(padding, m_One()))
    rule.partials.push_back({PartialKind::Prod, {0}});
  return rule;
}

static LocalValues localizePad(tensor::PadOp op, OpBuilder &builder,
                               Localizer &localizer, ValueRange operands) {
  auto local =
      cast<tensor::PadOp>(cloneLocal(builder, localizer, op, operands));
  Block &body = op.getRegion().front();
  if (llvm::any_of(body.getArguments(),
                   [](BlockArgument index) { return !index.use_empty(); })) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(local);
    // Dims of unknown extent whose index is read are whole.
    Localizer::Global global = localizer.global(op.getResult());
    SmallVector<Value> wholeSizes;
    for (int64_t dim = 0; dim < global.type.getRank(); ++dim)
      if (global.type.isDynamicDim(dim))
        wholeSizes.push_back(
            arith::ConstantIndexOp::create(builder, op.getLoc(), 0));
    auto digits =
        allDigits(builder, op.getLoc(), localizer, global, wholeSizes);
    local.getRegion().dropAllReferences();
    local.getRegion().getBlocks().clear();
    cloneIndexedBody(builder, localizer, op.getRegion(), local.getRegion(),
                     digits, {});
  }
  return SmallVector<Value>{local.getResult()};
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

static ShardingRule concatRule(tensor::ConcatOp op) {
  ShardingRule rule = wholeRule(op);
  auto result = cast<RankedTensorType>(op.getResult().getType());
  SmallVector<int> all;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    if (dim == static_cast<int64_t>(op.getDim()))
      continue;
    int64_t extent = result.getDimSize(dim);
    for (Type input : op.getInputs().getTypes())
      extent =
          commonExtent(extent, cast<RankedTensorType>(input).getDimSize(dim));
    int factor = rule.addFactor(extent);
    for (TensorFactors &operand : rule.operands)
      operand.dims[dim] = {factor};
    rule.results[0].dims[dim] = {factor};
  }
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    all.push_back(i);
  passAnyPartial(rule, all);
  return rule;
}

void shardir::attachTensorSliceModels(MLIRContext *context) {
  attachModels<tensor::ExtractSliceOp, extractSliceRule, localizeExtractSlice>(
      context);
  attachModels<tensor::InsertSliceOp, insertSliceRule, localizeInsertSlice>(
      context);
  attachModels<tensor::PadOp, padRule, localizePad>(context);
  attachRule<tensor::ConcatOp, concatRule>(context);
}
