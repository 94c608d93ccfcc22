//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes at indices that are data: tensor.gather and tensor.scatter
// as linalg and loops, and single elements of a tensor of which each device
// holds a shard. What a device does not hold is masked: a read gives the
// identity of a reduction there, so that the terms of all devices add up to the
// element, and a write is left to the device that holds the place.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_EXTERNALMODELS_INDEXEDACCESS_H
#define SHARDIR_EXTERNALMODELS_INDEXEDACCESS_H

#include "ShardIR/Placement/PartialKind.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {

/// An element of a tensor, by its index along each dim.
struct ElementPosition {
  llvm::SmallVector<mlir::Value> indices;
  mlir::Value isHere; ///< `i1`: it is in this shard; null: always
};

/// The element of `shard` at `position`, or the identity of `kind` where it is
/// on another device. A shard that `mayBeEmpty` is not read then.
mlir::Value extractOr(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value shard, const ElementPosition &position,
                      PartialKind kind, bool mayBeEmpty);

/// Gives the element of a gather's source at `indices`, one per dim.
using ReadElement = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// tensor.gather as one linalg.generic of type `type` with dynamic extents
/// `sizes`: result[b..., s...] = read(position), which takes the gathered dims
/// from indices[b..., :] and the others from s.
mlir::Value buildGather(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type, mlir::ValueRange sizes,
                        int64_t sourceRank, mlir::Value indices,
                        llvm::ArrayRef<int64_t> gatherDims, ReadElement read);

/// tensor.scatter as loops over the indices, each of which puts one slice of
/// `source` into `dest` where `locate` says; the position has index 0 along
/// dims that are not scattered to. The first loops are those of `batchDims` of
/// `dest`. `combine`, if given, makes the slice that is put from the source's
/// and the one that is there.
using LocateSlice = llvm::function_ref<ElementPosition(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
using CombineSlices = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value)>;
mlir::Value buildScatter(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value source, mlir::Value dest,
                         mlir::Value indices,
                         llvm::ArrayRef<int64_t> scatterDims,
                         LocateSlice locate,
                         llvm::ArrayRef<int64_t> batchDims = {},
                         CombineSlices combine = {});

} // namespace shardir

#endif // SHARDIR_EXTERNALMODELS_INDEXEDACCESS_H
