//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to localization. Values of a mesh that names fewer ranks than the
// program has exist on its ranks alone (P7): others must not compute with them,
// for what they would compute with are no numbers of the program. Requires the
// ops of a block in order; guarantees that the local forms of adjacent ops on
// such a mesh are in one `scf.if` on its ranks.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_LOCALIZE_MESHGUARD_H
#define SHARDIR_LIB_TRANSFORMS_LOCALIZE_MESHGUARD_H

#include "ShardIR/Interfaces/Localizer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace shardir {

class MeshGuard {
public:
  /// For the ops of block `whole`, whose local forms go to the end of `local`,
  /// which may be the same block.
  MeshGuard(mlir::func::FuncOp function, mlir::Block &whole, mlir::Block &local,
            const MeshTable &meshes, Localizer &localizer,
            mlir::IRMapping &mapping);

  /// Sets the insertion point for the local form of `op`, whose results the
  /// localizer knows: in the open guard, in front of it, or, after closing it,
  /// at the end of the block.
  void enter(mlir::Operation *op, mlir::OpBuilder &builder);

private:
  /// The index of the mesh whose ranks alone run `op`, or -1 for all ranks.
  int guardedMesh(mlir::Operation *op) const;
  bool usesGuarded(mlir::Operation *op) const;
  void open(int mesh, mlir::Operation *op, mlir::OpBuilder &builder);
  /// Gives the guard results for what is used behind it.
  void close(mlir::OpBuilder &builder);
  mlir::Value isMember(mlir::OpBuilder &builder, mlir::Location loc,
                       const Mesh &mesh);

  mlir::func::FuncOp function;
  mlir::Block &whole, &local;
  const MeshTable &meshes;
  Localizer &localizer;
  mlir::IRMapping &mapping;
  int64_t numRanks = 1;
  mlir::StringAttr rankMesh; ///< a mesh of one axis that names every rank
  mlir::scf::IfOp guard;     ///< the open one
  int guardMesh = -1;
  llvm::SmallVector<mlir::Operation *> guarded; ///< whole ops in it
};

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_LOCALIZE_MESHGUARD_H
