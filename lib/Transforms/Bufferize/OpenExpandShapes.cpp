//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strides of a group are products of the extents behind each dim, in units
// of the source's. See OpenExpandShapes.h for what is required and guaranteed.
//
//===----------------------------------------------------------------------===//

#include "OpenExpandShapes.h"

#include "ShardIR/Interfaces/IndexMath.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace shardir;

static bool isOpen(memref::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(),
                      [&](const ReassociationIndices &group) {
                        return llvm::count_if(group, [&](int64_t dim) {
                                 return op.getResultType().isDynamicDim(dim);
                               }) > 1;
                      });
}

static void rewrite(memref::ExpandShapeOp op) {
  OpBuilder builder(op);
  IndexMath math(builder, op.getLoc());
  MemRefType type = op.getResultType();
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, op.getLoc(),
                                                           op.getSrc());
  // Static strides and offsets stay static: the casts' types have them.
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  auto known = [&](int64_t inType, OpFoldResult computed) {
    return ShapedType::isDynamic(inType) ? OpFoldResult(math.value(computed))
                                         : math.constant(inType);
  };
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), strides;
  for (auto [dim, size] : llvm::enumerate(sizes))
    size = known(type.getDimSize(dim), size);
  strides.resize(sizes.size());
  for (auto [source, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = metadata.getStrides()[source];
    auto sourceType = cast<MemRefType>(op.getSrc().getType());
    int64_t sourceStride = sourceType.getStridesAndOffset().first[source];
    if (!ShapedType::isDynamic(sourceStride))
      stride = math.constant(sourceStride);
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = known(typeStrides[dim], stride);
      stride = math.mul(stride, sizes[dim]);
    }
  }
  OpFoldResult offset = known(typeOffset, metadata.getOffset());
  Value cast = memref::ReinterpretCastOp::create(
      builder, op.getLoc(), type, op.getSrc(), offset, sizes, strides);
  op.replaceAllUsesWith(cast);
  op.erase();
}

void shardir::rewriteOpenExpandShapes(ModuleOp module) {
  SmallVector<memref::ExpandShapeOp> ops;
  module.walk([&](memref::ExpandShapeOp op) {
    if (isOpen(op))
      ops.push_back(op);
  });
  for (memref::ExpandShapeOp op : ops)
    rewrite(op);
}
