//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of 8-bit floats on GPUs whose matrix units are not used for them:
// each operand is widened to 16 bits by a map before the product, which
// represents every 8-bit float exactly. Where few tiles read it, the map then
// runs where the product loads it (Prologue.h).
//
//===----------------------------------------------------------------------===//

#include "ContractionKernel.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace shardir;

/// The type that the body multiplies in.
static Type factorTypeOf(linalg::GenericOp product) {
  return (*product.getBody()->getArgument(0).user_begin())
      ->getResult(0)
      .getType();
}

/// `input` as elements of type `wide`, in a buffer of its own that is freed
/// behind `product`.
static Value widen(RewriterBase &rewriter, linalg::GenericOp product,
                   Value input, Type wide) {
  Location loc = product.getLoc();
  auto type = cast<MemRefType>(input.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(rewriter, loc, input, dim));
  Value buffer = memref::AllocOp::create(rewriter, loc,
                                         MemRefType::get(type.getShape(), wide),
                                         sizes, rewriter.getI64IntegerAttr(64));
  AffineMap same = rewriter.getMultiDimIdentityMap(type.getRank());
  linalg::GenericOp::create(
      rewriter, loc, input, buffer, ArrayRef({same, same}),
      SmallVector<utils::IteratorType>(type.getRank(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        Value value = arith::ExtFOp::create(builder, loc, builder.getF32Type(),
                                            arguments[0]);
        value = arith::TruncFOp::create(builder, loc, wide, value);
        linalg::YieldOp::create(builder, loc, value);
      });
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointAfter(product);
  memref::DeallocOp::create(rewriter, loc, buffer);
  return buffer;
}

void shardir::widenFloat8(RewriterBase &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  auto product = dyn_cast<linalg::GenericOp>(op.getOperation());
  // A named product always has a generic form.
  if (!product)
    product = *linalg::generalizeNamedOp(rewriter, op);
  Type factor = factorTypeOf(product);
  Type wide = factor.isF16() ? factor : rewriter.getBF16Type();
  rewriter.setInsertionPoint(product);
  for (unsigned input : {0u, 1u}) {
    Value buffer =
        widen(rewriter, product, product.getDpsInputs()[input], wide);
    product->setOperand(input, buffer);
    BlockArgument argument = product.getBody()->getArgument(input);
    argument.setType(wide);
    if (factor != wide)
      continue;
    Operation *extended = *argument.user_begin();
    rewriter.replaceOp(extended, argument);
  }
}
