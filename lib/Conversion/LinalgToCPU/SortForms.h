//===- SortForms.h - Sorts that have shorter forms --------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts of which slices read the first elements alone, as those of a top-k, and
// sorts by integers, which give the places of elements that are read
// afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_CONVERSION_LINALGTOCPU_SORTFORMS_H
#define SHARDIR_LIB_CONVERSION_LINALGTOCPU_SORTFORMS_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {

/// The extent of the sorted dim.
inline int64_t sortedExtent(SortOp op) {
  return llvm::cast<mlir::RankedTensorType>(op.getInputs()[0].getType())
      .getDimSize(op.getDim());
}

/// How many of the first elements along the sorted dim the users read, where
/// all users are slices that tell it and that is less than all. A tensor of
/// these elements may then replace the result.
inline std::optional<int64_t> leadingCount(SortOp op) {
  using mlir::ShapedType;
  int64_t count = 0, dim = op.getDim();
  for (mlir::Operation *user : op->getUsers()) {
    auto slice = llvm::dyn_cast<mlir::tensor::ExtractSliceOp>(user);
    if (!slice || slice.isDynamicOffset(dim) || slice.isDynamicSize(dim) ||
        slice.getStaticStrides()[dim] != 1)
      return std::nullopt;
    count =
        std::max(count, slice.getStaticOffset(dim) + slice.getStaticSize(dim));
  }
  int64_t extent = sortedExtent(op);
  if (count == 0 || (!ShapedType::isDynamic(extent) && count >= extent))
    return std::nullopt;
  return count;
}

/// True if the elements of the first tensor are integers of an even number of
/// bytes, compared with `<`.
inline bool isDigitSort(SortOp op) {
  mlir::Block &body = op.getComparator().front();
  auto compare =
      body.getTerminator()->getOperand(0).getDefiningOp<mlir::arith::CmpIOp>();
  return compare && compare.getPredicate() == mlir::arith::CmpIPredicate::slt &&
         compare.getLhs() == body.getArgument(0) &&
         compare.getRhs() == body.getArgument(1) &&
         compare.getLhs().getType().isInteger() &&
         compare.getLhs().getType().getIntOrFloatBitWidth() % 16 == 0;
}

/// The places along `dim`, as i32, of the elements of `keys` in ascending
/// order. `keys` are integers, compared as signed ones.
mlir::Value sortPlaces(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value keys, int64_t dim);

/// The elements of `tensor` at `places` along `dim`, of which there may be
/// fewer than elements. `map` says which place an element of the result has.
mlir::Value readAtPlaces(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value tensor, int64_t dim, mlir::Value places,
                         mlir::AffineMap map);

} // namespace shardir

#endif // SHARDIR_LIB_CONVERSION_LINALGTOCPU_SORTFORMS_H
