//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops and branches whose regions run on shards. A group is one tensor as it
// flows through such an op: what enters (operands of the op), what comes back
// or leaves (operands of terminators), and what stands for it (region arguments
// and results). All of a group's values have one type and one placement (R11 of
// docs/Semantics.md).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_SHARDABLEREGION_H
#define SHARDIR_INTERFACES_SHARDABLEREGION_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace shardir {

/// `scf.for`: {init, yielded} -> {region argument, result}.
/// `scf.if`: {yielded by each branch} -> {result}.
/// `scf.while`: {condition's} -> {after argument, result}, and
/// {init, yielded} -> {before argument}, which has no result.
struct RegionValueGroup {
  llvm::SmallVector<mlir::OpOperand *> operands;
  llvm::SmallVector<mlir::Value> values; ///< never empty
};

} // namespace shardir

#include "ShardIR/Interfaces/ShardableRegionOpInterface.h.inc"

namespace shardir {

/// `op` as one whose regions run on shards; null for any other op, and where a
/// region has several blocks.
ShardableRegionOpInterface asShardableRegion(mlir::Operation *op);

/// True if ops of `block` are placed one by one: it is a function's body or a
/// region of an op whose regions run on shards, all the way up.
bool isPlacedBlock(mlir::Block *block);

/// The placements of `groups`, which are all of `op`'s, as its attributes hold
/// them; null for those that have none yet.
llvm::SmallVector<PlacementAttr>
getGroupPlacements(ShardableRegionOpInterface op,
                   llvm::ArrayRef<RegionValueGroup> groups);

/// Writes the placements of all groups, one each.
void setGroupPlacements(ShardableRegionOpInterface op,
                        llvm::ArrayRef<PlacementAttr> placements);

/// Operands of `op` in region value groups, with the placement that each must
/// have: those of an op whose regions run on shards, and those of its
/// terminators.
llvm::SmallVector<std::pair<mlir::OpOperand *, PlacementAttr>>
getGroupedOperands(mlir::Operation *op);

} // namespace shardir

#endif // SHARDIR_INTERFACES_SHARDABLEREGION_H
