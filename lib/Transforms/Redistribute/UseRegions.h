//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed. Partitions the uses of a gathered argument into regions
// of use, each with one gather. Requires one block of uses; changes nothing.
//
// Weights that are gathered before use (FSDP) must not stay gathered from the
// forward to the backward pass, and nothing marks where one ends. Two things
// tell: a product and the gradient of its other operand contract different dims
// of the weight, and between the two uses other gathered arguments are used,
// which would all be alive at one time.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_USEREGIONS_H
#define SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_USEREGIONS_H

#include "Utils.h"

namespace shardir {

/// True if `value` is a function's argument, or computed from one argument
/// alone by ops that keep the number of elements (casts, transposes, reshapes).
bool isOfArgument(mlir::Value value);

/// True if a device holds more of a tensor in placement `to` than in `from`.
bool grows(PlacementAttr from, PlacementAttr to, mlir::RankedTensorType type,
           const MeshTable &meshes);

/// The op in `block` in which, or in a region of which, `use` is.
mlir::Operation *topOf(mlir::OpOperand *use, mlir::Block *block);

/// Numbers the regions of use of `root`, 0 first, one per use. `uses` are uses
/// of redistributions of `root`, ordered as their ops are in `block`.
llvm::SmallVector<int> findUseRegions(mlir::Value root,
                                      llvm::ArrayRef<mlir::OpOperand *> uses,
                                      mlir::Block *block,
                                      const MeshTable &meshes);

} // namespace shardir

#endif // SHARDIR_LIB_TRANSFORMS_REDISTRIBUTE_USEREGIONS_H
