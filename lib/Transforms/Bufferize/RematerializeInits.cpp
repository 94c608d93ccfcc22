//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local or scheduled, just before bufferization. Requires tensors;
// guarantees that a value which is the same everywhere and is overwritten by
// its user (a fill, a splat constant, an empty tensor) is made where it is
// used.
//
// Common-subexpression elimination merges such values. Each user but one would
// then copy the shared buffer, which costs a read and a buffer more than
// filling its own; and a large splat constant would lie in the compiled file in
// full.
//
//===----------------------------------------------------------------------===//

#include "RematerializeInits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

/// A constant of more bytes than this is filled when the program runs.
static constexpr int64_t kMaxConstantBytes = 4096;

/// True if the user overwrites the tensor, or is a loop that carries it.
static bool isInit(OpOperand &use) {
  if (isa<LoopLikeOpInterface>(use.getOwner()))
    return true;
  auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  return user && user.isDpsInit(&use);
}

static Value createFill(OpBuilder &builder, Location loc, RankedTensorType type,
                        ValueRange sizes, Value element) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType(), sizes);
  return linalg::FillOp::create(builder, loc, element, empty).getResult(0);
}

static void rematerializeFill(linalg::FillOp fill) {
  auto empty = fill.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
  if (!empty || fill->getNumResults() != 1)
    return;
  // Outside of the loop, the one user would still copy in each iteration.
  if (fill->hasOneUse() &&
      (*fill->user_begin())->getBlock() == fill->getBlock())
    return;
  for (OpOperand &use :
       llvm::make_early_inc_range(fill.getResult(0).getUses())) {
    if (!isInit(use))
      continue;
    OpBuilder builder(use.getOwner());
    use.set(createFill(builder, fill.getLoc(), empty.getType(),
                       empty.getDynamicSizes(), fill.getInputs()[0]));
  }
}

static void rematerializeConstant(arith::ConstantOp constant) {
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!type || !splat || type.getNumElements() <= 1 ||
      !type.getElementType().isIntOrIndexOrFloat() || type.getEncoding())
    return;
  auto fillAt = [&](OpBuilder builder) {
    Value element = arith::ConstantOp::create(builder, constant.getLoc(),
                                              splat.getSplatValue<TypedAttr>());
    return createFill(builder, constant.getLoc(), type, {}, element);
  };
  for (OpOperand &use : llvm::make_early_inc_range(constant->getUses()))
    if (isInit(use))
      use.set(fillAt(OpBuilder(use.getOwner())));
  int64_t bits = type.getElementType().isIndex()
                     ? 64
                     : type.getElementType().getIntOrFloatBitWidth();
  if (!constant->use_empty() &&
      type.getNumElements() > kMaxConstantBytes * 8 / bits)
    constant.getResult().replaceAllUsesWith(fillAt(OpBuilder(constant)));
}

/// A loop may read what it has written to a tensor that it carries, which had
/// no contents before: two such tensors must not share a buffer. Other results
/// may, but the buffer would be alive between one's last use and the next one,
/// and bufferization would compare each write to it with each of its reads.
static void rematerializeEmpty(tensor::EmptyOp empty) {
  if (empty->hasOneUse())
    return;
  for (OpOperand &use : llvm::make_early_inc_range(empty->getUses()))
    if (isInit(use))
      use.set(OpBuilder(use.getOwner()).clone(*empty)->getResult(0));
}

void shardir::rematerializeInits(ModuleOp module) {
  SmallVector<Operation *> values;
  module.walk([&](Operation *op) {
    if (isa<linalg::FillOp, arith::ConstantOp, tensor::EmptyOp>(op))
      values.push_back(op);
  });
  for (Operation *op : values) {
    if (auto fill = dyn_cast<linalg::FillOp>(op))
      rematerializeFill(fill);
    else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      rematerializeEmpty(empty);
    else
      rematerializeConstant(cast<arith::ConstantOp>(op));
    if (isOpTriviallyDead(op))
      op->erase();
  }
}
