//===- LoopMaps.h - Ops whose operands have maps from loops -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the attention ops: one map per operand, from the op's loops to the
// operand's dims; extents that follow from shapes; tiles of all operands.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_DIALECT_KERNEL_LOOPMAPS_H
#define SHARDIR_LIB_DIALECT_KERNEL_LOOPMAPS_H

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace shardir::kernel {

/// The maps of an op that has one per operand.
class LoopMaps {
public:
  LoopMaps(mlir::Operation *op, mlir::ArrayAttr maps) : op(op), maps(maps) {}

  mlir::AffineMap of(unsigned operand) const {
    return mlir::cast<mlir::AffineMapAttr>(maps[operand]).getValue();
  }
  unsigned numLoops() const { return of(0).getNumDims(); }

  /// ShapedType::kDynamic where no operand's type tells.
  llvm::SmallVector<int64_t> staticExtents() const;
  /// Extents that are not static are computed at the builder's insertion point.
  llvm::SmallVector<mlir::OpFoldResult> extents(mlir::OpBuilder &builder) const;
  llvm::SmallVector<mlir::Range> domain(mlir::OpBuilder &builder) const;

  /// One projected permutation of the loops per operand, 0 allowed for an
  /// input's dim of one element, and extents that agree; all operands ranked
  /// tensors or all memrefs, `inits` results of the last operands' types on
  /// tensors. Errors call operands as `nameOf` does.
  mlir::LogicalResult
  verify(unsigned inits,
         llvm::function_ref<std::string(unsigned)> nameOf) const;

  /// The position of the tile in operand `operand`.
  void positionOf(mlir::OpBuilder &builder, unsigned operand,
                  llvm::ArrayRef<mlir::OpFoldResult> offsets,
                  llvm::ArrayRef<mlir::OpFoldResult> sizes,
                  llvm::SmallVectorImpl<mlir::OpFoldResult> &at,
                  llvm::SmallVectorImpl<mlir::OpFoldResult> &tile) const;
  /// The op on slices of its operands; loop indices in its bodies count on
  /// from the tile's offsets. An error where the tile does not hold all of
  /// `untiled`, as far as types tell: such a loop `what`.
  mlir::FailureOr<mlir::TilingResult>
  tiled(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::OpFoldResult> offsets,
        llvm::ArrayRef<mlir::OpFoldResult> sizes,
        std::initializer_list<llvm::ArrayRef<unsigned>> untiled,
        llvm::StringRef what) const;

private:
  mlir::Operation *op;
  mlir::ArrayAttr maps;
};

/// Reads of memrefs, and writes of those that are inits.
void addDestinationEffects(
    mlir::DestinationStyleOpInterface op,
    llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);

/// `body` takes `arguments`, ends in a kernel.yield of `yields` values and has
/// no effects; `name` is how errors call it, `what` what its arguments are.
mlir::LogicalResult verifyScalarBody(mlir::Operation *op, mlir::Region &region,
                                     llvm::StringRef name,
                                     llvm::ArrayRef<mlir::Type> arguments,
                                     llvm::StringRef what, unsigned yields);

} // namespace shardir::kernel

#endif // SHARDIR_LIB_DIALECT_KERNEL_LOOPMAPS_H
