//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shards of tensors in a program of one device: to cut the shard of one
// position of a mesh out of a tensor, to put shards together again, and to
// combine terms. Requires placements that verify; guarantees that an empty
// shard is an empty tensor.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_IMPORT_SHARDS_H
#define SHARDIR_LIB_TRANSFORMS_IMPORT_SHARDS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/Builders.h"

namespace shardir {

/// A tensor that shards are cut out of, or put together to.
struct GlobalTensor {
  mlir::RankedTensorType type;
  llvm::SmallVector<mlir::OpFoldResult> extents; ///< one per dim
};

class Shards {
public:
  Shards(mlir::OpBuilder &builder, mlir::Location loc, const MeshTable &meshes)
      : builder(builder), loc(loc), meshes(meshes) {}

  /// The shard of `value` that the device at `position` of `mesh` holds, as
  /// `type`.
  mlir::Value cut(mlir::Value value, const GlobalTensor &global,
                  const Placement &placement, const Mesh &mesh,
                  int64_t position, mlir::RankedTensorType type);
  /// A tensor without content that shards are put into.
  mlir::Value empty(const GlobalTensor &global);
  /// `value` with the shard of the device at `position` in its place.
  mlir::Value put(mlir::Value shard, mlir::Value value,
                  const GlobalTensor &global, const Placement &placement,
                  const Mesh &mesh, int64_t position);
  /// The elements of two tensors of one type, combined.
  mlir::Value combine(PartialKind kind, mlir::Value a, mlir::Value b);
  mlir::Value cast(mlir::Value value, mlir::RankedTensorType type);

private:
  /// A run of elements of one dim that is contiguous in the tensor and in the
  /// shard.
  struct Run {
    mlir::OpFoldResult offset, local, length;
  };
  struct DimRuns {
    llvm::SmallVector<Run> runs;
    mlir::OpFoldResult extent; ///< of the shard
  };
  DimRuns runsOf(const GlobalTensor &global, const Placement &placement,
                 const Mesh &mesh, int64_t position, size_t dim);
  /// Calls with offsets in the tensor and in the shard, and sizes, of each
  /// block that is contiguous in both.
  void forEachBlock(llvm::ArrayRef<DimRuns> dims,
                    llvm::function_ref<void(llvm::ArrayRef<mlir::OpFoldResult>,
                                            llvm::ArrayRef<mlir::OpFoldResult>,
                                            llvm::ArrayRef<mlir::OpFoldResult>)>
                        visit);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const MeshTable &meshes;
};

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_IMPORT_SHARDS_H
