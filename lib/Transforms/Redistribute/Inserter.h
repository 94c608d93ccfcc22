//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: propagated to redistributed. Implements shardir-insert-redistribute
// for one function: Insert.cpp visits ops and requests placements of their
// operands, MaterializePlacement.cpp gives one value the requested placement.
// Requires `shardir.placements` on every op with tensor results.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_INSERTER_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_INSERTER_H

#include "ShardIR/Analysis/SatisfiedOpCache.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace shardir {

class Inserter {
public:
  Inserter(mlir::func::FuncOp function, const MeshTable &meshes, bool strict)
      : function(function), meshes(meshes), strict(strict) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult visit(mlir::Operation *op);
  mlir::LogicalResult visitBlock(mlir::Block &block);
  mlir::LogicalResult visitGrouped(mlir::Operation *op);
  mlir::LogicalResult visitReturn(mlir::Operation *op);
  mlir::LogicalResult bringScalars(mlir::Operation *op);
  mlir::LogicalResult visitStep(mlir::Operation *op, PlacementAttr from);
  mlir::LogicalResult visitConstrain(ConstrainOp op);
  mlir::LogicalResult dropConstraintsOfWholeRegions();
  void eraseUnused(mlir::Block &block);
  void remarkOnMeshes(mlir::Operation *op, llvm::StringRef mesh);
  /// Gives `operand` the placement `wanted`, if it has another.
  mlir::LogicalResult require(mlir::OpOperand &operand, const Placement &wanted,
                              llvm::StringRef mesh, bool isExplicit,
                              ReasonAttr reason, const Halo &halo = {});

  //===--------------------------------------------------------------------===//
  // One value for one use (MaterializePlacement.cpp)
  //===--------------------------------------------------------------------===//

  /// Extent and shift of each open window of `halo`, which operand `i` of `op`
  /// is read with; in front of the op.
  llvm::SmallVector<mlir::Value> windowValues(mlir::Operation *op, unsigned i,
                                              const Halo &halo);
  /// `value` with the placement `wanted` and a halo, created in front of
  /// `before`.
  mlir::FailureOr<mlir::Value>
  materializePlacement(mlir::Value value, PlacementAttr wanted,
                       mlir::Operation *before, bool isExplicit,
                       ReasonAttr reason, const Halo &halo = {},
                       mlir::OpOperand *use = nullptr);
  /// The op of `value` rematerialized with its result as `wanted` and a halo,
  /// if any, where it only moves elements and less is received for its operands
  /// then than for its result; null if not.
  mlir::FailureOr<mlir::Value> rematerialize(mlir::Value value,
                                             PlacementAttr wanted,
                                             mlir::Operation *before,
                                             const Halo &halo);
  /// The value that `value` was redistributed or made with a halo from, for a
  /// use; adds the bytes received for that where no other use needs them.
  mlir::Value originOf(mlir::Value value, llvm::StringRef mesh, int64_t *bytes);
  /// The bytes that a device receives for a change of placement, at most.
  int64_t bytesFor(mlir::RankedTensorType type, PlacementAttr from,
                   PlacementAttr to, const Halo &halo) const;
  mlir::LogicalResult refuse(mlir::Value value, PlacementAttr wanted,
                             mlir::Operation *before, mlir::OpOperand *use,
                             ReasonAttr reason, const Halo &halo);

  mlir::func::FuncOp function;
  const MeshTable &meshes;
  bool strict;
  /// Existing redistributions of a value, by the spelling of the target.
  llvm::DenseMap<mlir::Value, llvm::StringMap<mlir::Value>> known;
  /// Ops that were cloned with a halo for some use, and their originals.
  llvm::DenseSet<mlir::Operation *> remade;
  llvm::DenseMap<mlir::Value, mlir::Value> madeFrom;
  llvm::DenseSet<mlir::Operation *> inserted; ///< redistributions
  SatisfiedOpCache agreed;
};

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_INSERTER_H
