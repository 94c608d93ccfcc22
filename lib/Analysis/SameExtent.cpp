//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows extents through ops that keep them, a bounded number of ops.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/SameExtent.h"

#include "ShardIR/Analysis/Extents.h"
#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace shardir;

/// Where an extent comes from: dim `dim` of tensor `value`, or, with -1, the
/// integer `value`.
using ExtentRoot = std::pair<Value, int64_t>;

/// The value that a scalar is equal to; the same one where there is none.
static ExtentRoot behindScalar(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    return {cast.getIn(), -1};
  auto query = value.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> asked =
      query ? query.getConstantIndex() : std::nullopt;
  if (!asked || !isa<RankedTensorType>(query.getSource().getType()))
    return {value, -1};
  return {query.getSource(), *asked};
}

/// Another place that has the open extent of a result; the same where none is
/// known.
static ExtentRoot behindTensor(OpResult value, int64_t dim) {
  Operation *op = value.getOwner();
  ExtentRoot same = {value, dim};
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return {empty.getDynamicSize(dim), -1};
  if (auto inPlace = dyn_cast<DestinationStyleOpInterface>(op))
    return {inPlace.getTiedOpOperand(value)->get(), dim};
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto extent = dyn_cast<Value>(expand.getMixedOutputShape()[dim]);
    return extent ? ExtentRoot{extent, -1} : same;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    auto extent = slice.getDroppedDims().none()
                      ? dyn_cast<Value>(slice.getMixedSizes()[dim])
                      : Value();
    return extent ? ExtentRoot{extent, -1} : same;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return dim == int64_t(concat.getDim())
               ? same
               : ExtentRoot{concat.getInputs().front(), dim};
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    RankedTensorType source = collapse.getSrcType();
    SmallVector<int64_t> several;
    ReassociationIndices parts = collapse.getReassociationIndices()[dim];
    llvm::copy_if(parts, std::back_inserter(several),
                  [&](int64_t part) { return source.getDimSize(part) != 1; });
    return several.size() == 1 ? ExtentRoot{collapse.getSrc(), several[0]}
                               : same;
  }
  if (isa<RedistributeOp, ConstrainOp, collective::CollectiveOpInterface>(op) ||
      (op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() > 0 &&
       op->getOperand(0).getType() == value.getType()))
    return {op->getOperand(0), dim};
  return same;
}

/// The argument's dim that `shardir.extents` says has the same extent.
static ExtentRoot declared(BlockArgument argument, int64_t dim) {
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  // Localization adds arguments to the block before the function has them.
  if (!function || !argument.getOwner()->isEntryBlock() ||
      argument.getArgNumber() >= function.getNumArguments())
    return {argument, dim};
  auto extent = dyn_cast<ArrayAttr>(
      argumentExtent(function, argument.getArgNumber(), dim));
  if (!extent)
    return {argument, dim};
  return {function.getArgument(cast<IntegerAttr>(extent[0]).getInt()),
          cast<IntegerAttr>(extent[1]).getInt()};
}

static ExtentRoot followed(ExtentRoot root) {
  for (int steps = 0; steps < 64; ++steps) {
    auto [value, dim] = root;
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return dim < 0 ? root : declared(cast<BlockArgument>(value), dim);
    if (dim >= 0 && !cast<RankedTensorType>(value.getType()).isDynamicDim(dim))
      break;
    ExtentRoot next = dim < 0 ? behindScalar(value) : behindTensor(result, dim);
    if (next == root)
      break;
    root = next;
  }
  return root;
}

bool shardir::isExtentOf(OpFoldResult extent, Value tensor, int64_t dim) {
  int64_t own = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (std::optional<int64_t> known = getConstantIntValue(extent))
    return *known == own;
  return ShapedType::isDynamic(own) &&
         followed({cast<Value>(extent), -1}) == followed({tensor, dim});
}

bool shardir::haveSameExtent(Value tensor, int64_t dim, Value other,
                             int64_t otherDim) {
  int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  if (extent != cast<RankedTensorType>(other.getType()).getDimSize(otherDim))
    return false;
  return ShapedType::isStatic(extent) ||
         followed({tensor, dim}) == followed({other, otherDim});
}
