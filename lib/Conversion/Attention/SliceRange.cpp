//===- SliceRange.cpp - Slices along one dim ------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two extents are equal where they are the same number or the same value; what
// cannot be seen is no part.
//
//===----------------------------------------------------------------------===//

#include "SliceRange.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

OpFoldResult shardir::extentOf(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return Builder(tensor.getContext()).getIndexAttr(type.getDimSize(dim));
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return empty.getDynamicSize(dim);
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    return type.getRank() == slice.getSourceType().getRank()
               ? slice.getMixedSizes()[dim]
               : OpFoldResult();
  if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op))
    return extentOf(linalgOp.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                    dim);
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
    return extentOf(insert.getDest(), dim);
  return {};
}

/// True if a slice of `tensor` leaves out or moves nothing of `dim`.
static bool isWhole(OffsetSizeAndStrideOpInterface slice, Value tensor,
                    int64_t dim) {
  OpFoldResult size = slice.getMixedSizes()[dim],
               extent = extentOf(tensor, dim);
  return isConstantIntValue(slice.getMixedOffsets()[dim], 0) &&
         isConstantIntValue(slice.getMixedStrides()[dim], 1) && extent &&
         isEqualConstantIntOrValue(size, extent);
}

static std::optional<SliceRange> rangeOf(OffsetSizeAndStrideOpInterface slice,
                                         Value tensor, RankedTensorType small) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() != small.getRank())
    return std::nullopt;
  int64_t along = -1;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (isWhole(slice, tensor, dim))
      continue;
    if (along >= 0)
      return std::nullopt;
    along = dim;
  }
  if (along < 0 || type.isDynamicDim(along))
    return std::nullopt;
  auto offset = getConstantIntValue(slice.getMixedOffsets()[along]),
       size = getConstantIntValue(slice.getMixedSizes()[along]);
  if (!offset || !size || *size <= 0 ||
      !isConstantIntValue(slice.getMixedStrides()[along], 1))
    return std::nullopt;
  return SliceRange{along, *offset, *offset + *size};
}

std::optional<SliceRange> shardir::rangeOf(tensor::InsertSliceOp op) {
  return ::rangeOf(op, op.getDest(), op.getSourceType());
}

std::optional<SliceRange> shardir::rangeOf(tensor::ExtractSliceOp op) {
  return ::rangeOf(op, op.getSource(), op.getType());
}

Value shardir::throughWholeSlices(Value tensor,
                                  llvm::SetVector<Operation *> &passed) {
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    if (slice.getSourceType() != slice.getType())
      return tensor;
    for (int64_t dim = 0; dim < slice.getType().getRank(); ++dim)
      if (!isWhole(slice, slice.getSource(), dim))
        return tensor;
    passed.insert(slice);
    tensor = slice.getSource();
  }
  return tensor;
}
