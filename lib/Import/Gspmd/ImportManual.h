//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GSPMD's manual regions, which have no op of their own: custom calls stand
// where tensors enter (SPMDFullToShardShape) and leave (SPMDShardToFullShape).
// Requires that annotations have not been read yet; guarantees that what lies
// between the borders stands in a `shardir.manual`, whose placements and axes
// the caller fills in from the shardings that are told.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_IMPORT_GSPMD_IMPORTMANUAL_H
#define SHARDIR_LIB_IMPORT_GSPMD_IMPORTMANUAL_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardir {

/// The sharding of one tensor at a border.
struct GspmdBorder {
  mlir::Attribute sharding;
  llvm::SmallVector<int64_t> openDims;
};

/// A region whose `in`, `out` and `axes` are empty as yet.
struct GspmdRegion {
  ManualOp op;
  llvm::SmallVector<GspmdBorder> in, out;
  mlir::Attribute inside; ///< of a shard: which axes are manual
  mlir::Type insideType;  ///< of that shard
};

/// Reads what a custom call with the sharding `sharding` says of a tensor.
/// `backend_config` has open dims, `unspecified_dims=[0,1]`: those that JAX's
/// P.UNCONSTRAINED leaves.
mlir::LogicalResult readBorder(mlir::Operation *op, mlir::Attribute sharding,
                               GspmdBorder &border);

/// A custom call's target, or nothing.
llvm::StringRef customCallTarget(mlir::Operation *op);

/// Makes the regions of the module, outer ones first.
mlir::LogicalResult
groupManualRegions(mlir::ModuleOp module,
                   llvm::SmallVectorImpl<GspmdRegion> &regions);

/// Inlines what a manual region, or Shardy's op for one, calls: its tensors are
/// shards, and collectives mean something there alone.
mlir::LogicalResult inlineIntoRegions(mlir::ModuleOp module,
                                      mlir::Operation *region);

} // namespace shardir

#endif // SHARDIR_LIB_IMPORT_GSPMD_IMPORTMANUAL_H
