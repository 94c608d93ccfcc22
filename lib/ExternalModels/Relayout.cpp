//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pack and unpack as tensor ops. A tiled dim of N elements is [outer, inner];
// where outer x inner is more than N the rest is padding. Requires ranked
// tensors, and that only unsharded dims are padded; guarantees
// ops that one-shot bufferization and the lowering to loops have.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/ExternalModels/Relayout.h"
#include "ShardIR/Interfaces/IndexMath.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace {
/// The dims of a packed tensor, per dim of the plain one.
struct PackedDims {
  SmallVector<int64_t> outer; ///< where the outer dim is
  SmallVector<int64_t> inner; ///< where the tile is, or -1
};
} // namespace

static PackedDims packedDims(int64_t rank, ArrayRef<int64_t> innerDimsPos,
                             ArrayRef<int64_t> outerDimsPerm) {
  PackedDims dims;
  dims.outer.resize(rank);
  dims.inner.assign(rank, -1);
  for (int64_t i = 0; i < rank; ++i)
    dims.outer[outerDimsPerm.empty() ? i : outerDimsPerm[i]] = i;
  for (auto [k, dim] : llvm::enumerate(innerDimsPos))
    dims.inner[dim] = rank + k;
  return dims;
}

static Value cast(OpBuilder &builder, Location loc, Value value,
                  ArrayRef<int64_t> shape) {
  auto type = llvm::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return tensor::CastOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value);
}

namespace {
/// How a packed tensor is a regrouping of the plain one.
struct Regrouping {
  PackedDims dims;
  /// The dims of the packed tensor in the order [outer, inner, outer, …], and
  /// their extents.
  SmallVector<int64_t> order, shape;
  /// Per plain dim where its outer and inner dim are in that order, and their
  /// product.
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> merged;
};
} // namespace

/// Of linalg.pack and linalg.unpack.
template <typename OpTy>
static Regrouping regroup(OpTy op, RankedTensorType plain,
                          RankedTensorType packed) {
  Regrouping result;
  result.dims =
      packedDims(plain.getRank(), op.getInnerDimsPos(), op.getOuterDimsPerm());
  for (auto [outer, inner] : llvm::zip(result.dims.outer, result.dims.inner)) {
    ReassociationIndices &group = result.groups.emplace_back();
    int64_t product = 1;
    for (int64_t dim : {outer, inner}) {
      if (dim < 0)
        continue;
      group.push_back(result.order.size());
      result.order.push_back(dim);
      int64_t extent = packed.getDimSize(dim);
      result.shape.push_back(extent);
      product = ShapedType::isDynamic(extent) || ShapedType::isDynamic(product)
                    ? ShapedType::kDynamic
                    : product * extent;
    }
    result.merged.push_back(product);
  }
  return result;
}

Value shardir::buildPack(OpBuilder &builder, linalg::PackOp op, Value source,
                         Value dest, Value padding) {
  Location loc = op.getLoc();
  auto packed = llvm::cast<RankedTensorType>(dest.getType());
  auto plain = llvm::cast<RankedTensorType>(source.getType());
  Type element = packed.getElementType();
  int64_t rank = plain.getRank();
  auto [dims, order, shape, groups, merged] = regroup(op, plain, packed);
  if (padding) {
    SmallVector<OpFoldResult> low(rank, builder.getIndexAttr(0)), high = low;
    SmallVector<int64_t> padded(plain.getShape());
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dims.inner[dim] < 0)
        continue;
      IndexMath math(builder, loc);
      OpFoldResult all =
          math.mul(tensor::getMixedSize(builder, loc, dest, dims.outer[dim]),
                   tensor::getMixedSize(builder, loc, dest, dims.inner[dim]));
      high[dim] =
          math.sub(all, tensor::getMixedSize(builder, loc, source, dim));
      padded[dim] =
          plain.isDynamicDim(dim) ? ShapedType::kDynamic : merged[dim];
      if (!getConstantIntValue(high[dim]))
        padded[dim] = ShapedType::kDynamic;
    }
    source = tensor::PadOp::create(builder, loc,
                                   RankedTensorType::get(padded, element),
                                   source, low, high, padding);
  }
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : order)
    sizes.push_back(tensor::getMixedSize(builder, loc, dest, dim));
  source = cast(builder, loc, source, merged);
  Value expanded = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, element), source, groups,
      sizes);
  SmallVector<int64_t> permutation(order.size());
  for (auto [position, dim] : llvm::enumerate(order))
    permutation[dim] = position;
  return linalg::TransposeOp::create(builder, loc, expanded, dest, permutation)
      ->getResult(0);
}

Value shardir::buildUnPack(OpBuilder &builder, linalg::UnPackOp op,
                           Value source, Value dest) {
  Location loc = op.getLoc();
  auto packed = llvm::cast<RankedTensorType>(source.getType());
  auto plain = llvm::cast<RankedTensorType>(dest.getType());
  Type element = packed.getElementType();
  int64_t rank = plain.getRank();
  auto [dims, order, shape, groups, merged] = regroup(op, plain, packed);
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : order)
    sizes.push_back(tensor::getMixedSize(builder, loc, source, dim));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
  Value transposed =
      linalg::TransposeOp::create(builder, loc, source, empty, order)
          ->getResult(0);
  Value collapsed = tensor::CollapseShapeOp::create(
      builder, loc, RankedTensorType::get(merged, element), transposed, groups);
  // Drops the padding; where there is none, this is the full value.
  bool exact = true;
  SmallVector<OpFoldResult> kept;
  for (int64_t dim = 0; dim < rank; ++dim) {
    kept.push_back(tensor::getMixedSize(builder, loc, dest, dim));
    exact &= dims.inner[dim] < 0 || (!ShapedType::isDynamic(merged[dim]) &&
                                     merged[dim] == plain.getDimSize(dim));
  }
  if (!exact) {
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)),
        strides(rank, builder.getIndexAttr(1));
    collapsed = tensor::ExtractSliceOp::create(builder, loc, plain, collapsed,
                                               offsets, kept, strides);
  }
  return cast(builder, loc, collapsed, plain.getShape());
}
