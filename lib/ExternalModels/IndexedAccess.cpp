//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masked reads and writes of shards, gathers as linalg, scatters as loops.
// Requires ranked tensors; guarantees that nothing outside of a shard is read
// or written, an empty one included, for every index that is within the global
// tensor. An index outside of it is undefined upstream; here it reads the
// identity and writes nothing where the dim is split.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/ExternalModels/IndexedAccess.h"

#include "ModelUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace shardir;

Value shardir::extractOr(OpBuilder &builder, Location loc, Value shard,
                         const ElementPosition &position, PartialKind kind,
                         bool mayBeEmpty) {
  auto read = [&](OpBuilder &b) -> Value {
    return tensor::ExtractOp::create(b, loc, shard, position.indices);
  };
  if (!position.isHere)
    return read(builder);
  Value other = createPartialIdentity(
      builder, loc, cast<RankedTensorType>(shard.getType()).getElementType(),
      kind);
  if (!mayBeEmpty)
    return arith::SelectOp::create(builder, loc, position.isHere, read(builder),
                                   other);
  auto branch = scf::IfOp::create(
      builder, loc, position.isHere,
      [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, read(b)); },
      [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, other); });
  return branch.getResult(0);
}

static Value extractIndex(OpBuilder &builder, Location loc, Value indices,
                          ValueRange at) {
  Value index = tensor::ExtractOp::create(builder, loc, indices, at);
  if (index.getType().isIndex())
    return index;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    index);
}

Value shardir::buildGather(OpBuilder &builder, Location loc,
                           RankedTensorType type, ValueRange sizes,
                           int64_t sourceRank, Value indices,
                           ArrayRef<int64_t> gatherDims, ReadElement read) {
  int64_t rank = type.getRank();
  int64_t batchRank = cast<RankedTensorType>(indices.getType()).getRank() - 1;
  bool keepsUnitDims = rank == batchRank + sourceRank;
  Value empty = tensor::EmptyOp::create(builder, loc, type, sizes);
  SmallVector<AffineMap> maps(1, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, ValueRange(), empty, maps, iterators,
      [&](OpBuilder &b, Location l, ValueRange) {
        SmallVector<Value> position(sourceRank);
        int64_t next = batchRank;
        for (int64_t dim = 0; dim < sourceRank; ++dim)
          if (keepsUnitDims || !llvm::is_contained(gatherDims, dim))
            position[dim] = linalg::IndexOp::create(b, l, next++);
        SmallVector<Value> at;
        for (int64_t dim = 0; dim < batchRank; ++dim)
          at.push_back(linalg::IndexOp::create(b, l, dim));
        at.push_back(nullptr);
        for (auto [i, dim] : llvm::enumerate(gatherDims)) {
          at.back() = arith::ConstantIndexOp::create(b, l, i);
          position[dim] = extractIndex(b, l, indices, at);
        }
        linalg::YieldOp::create(b, l, read(b, l, position));
      });
  return generic.getResult(0);
}

Value shardir::buildScatter(OpBuilder &builder, Location loc, Value source,
                            Value dest, Value indices,
                            ArrayRef<int64_t> scatterDims, LocateSlice locate,
                            ArrayRef<int64_t> batchDims,
                            CombineSlices combine) {
  auto destType = cast<RankedTensorType>(dest.getType());
  auto sourceType = cast<RankedTensorType>(source.getType());
  auto indicesType = cast<RankedTensorType>(indices.getType());
  int64_t rank = destType.getRank(), batchRank = indicesType.getRank() - 1;
  bool keepsUnitDims = sourceType.getRank() == batchRank + rank;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto extent = [&](Value tensor, int64_t dim) -> OpFoldResult {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return builder.getIndexAttr(type.getDimSize(dim));
    return tensor::DimOp::create(builder, loc, tensor, dim).getResult();
  };
  SmallVector<Value> lower(batchRank, zero), upper, steps(batchRank, one);
  for (int64_t dim = 0; dim < batchRank; ++dim)
    upper.push_back(
        getValueOrCreateConstantIndexOp(builder, loc, extent(indices, dim)));
  OpFoldResult attrOne = builder.getIndexAttr(1);

  // One slice: what it covers of the source, and of the destination.
  SmallVector<OpFoldResult> sourceSizes(batchRank, attrOne), destSizes;
  SmallVector<int64_t> sliceShape, destShape;
  int64_t next = batchRank;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool scattered = llvm::is_contained(scatterDims, dim) ||
                     llvm::is_contained(batchDims, dim);
    destSizes.push_back(scattered ? attrOne : extent(dest, dim));
    if (scattered && !keepsUnitDims)
      continue;
    sourceSizes.push_back(scattered ? attrOne : extent(source, next));
    sliceShape.push_back(scattered ? 1 : sourceType.getDimSize(next));
    destShape.push_back(scattered ? 1 : destType.getDimSize(dim));
    ++next;
  }
  auto sliceType =
      RankedTensorType::get(sliceShape, sourceType.getElementType());
  SmallVector<OpFoldResult> destStrides(rank, attrOne),
      sourceStrides(sourceType.getRank(), attrOne);

  auto body = [&](OpBuilder &b, Location l, ValueRange at,
                  Value accumulated) -> Value {
    SmallVector<Value> position(rank, zero), entry(at);
    entry.push_back(nullptr);
    for (auto [i, dim] : llvm::enumerate(scatterDims)) {
      entry.back() = arith::ConstantIndexOp::create(b, l, i);
      position[dim] = extractIndex(b, l, indices, entry);
    }
    for (auto [loop, dim] : llvm::zip(at, batchDims))
      position[dim] = loop;
    ElementPosition where = locate(b, l, position);
    auto write = [&](OpBuilder &inner) -> Value {
      SmallVector<OpFoldResult> sourceOffsets(at.begin(), at.end());
      sourceOffsets.resize(sourceType.getRank(), builder.getIndexAttr(0));
      Value slice = tensor::ExtractSliceOp::create(inner, l, sliceType, source,
                                                   sourceOffsets, sourceSizes,
                                                   sourceStrides);
      SmallVector<OpFoldResult> destOffsets(where.indices.begin(),
                                            where.indices.end());
      if (combine) {
        Value old = tensor::ExtractSliceOp::create(
            inner, l, destType.clone(destShape), accumulated, destOffsets,
            destSizes, destStrides);
        slice = combine(inner, l, slice, old);
      }
      return tensor::InsertSliceOp::create(inner, l, slice, accumulated,
                                           destOffsets, destSizes, destStrides);
    };
    if (!where.isHere)
      return write(b);
    return scf::IfOp::create(
               b, l, where.isHere,
               [&](OpBuilder &then, Location) {
                 scf::YieldOp::create(then, l, write(then));
               },
               [&](OpBuilder &other, Location) {
                 scf::YieldOp::create(other, l, accumulated);
               })
        .getResult(0);
  };
  if (batchRank == 0)
    return body(builder, loc, {}, dest);
  scf::LoopNest loops = scf::buildLoopNest(
      builder, loc, lower, upper, steps, dest,
      [&](OpBuilder &b, Location l, ValueRange at, ValueRange accumulated) {
        return scf::ValueVector{body(b, l, at, accumulated[0])};
      });
  return loops.results[0];
}
