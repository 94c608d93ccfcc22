//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies products that the GPU's library computes.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace shardir::kernel;

LogicalResult LibraryMatmulOp::verify() {
  constexpr size_t count = 10;
  if (getNumbers().size() != count)
    return emitOpError("needs ")
           << count << " numbers (m, n, k, batch, three strides of rows, three "
           << "of products), found " << getNumbers().size();
  auto element = [](Value buffer) {
    return getElementTypeOrSelf(buffer.getType());
  };
  Type a = element(getA()), c = element(getC());
  if (!a.isBF16() && !a.isF16() && !a.isF32())
    return emitOpError("takes elements of bf16, f16 or f32, found ") << a;
  if (element(getB()) != a)
    return emitOpError("needs operands of one element type, found ")
           << a << " and " << element(getB());
  if (c != a && !c.isF32())
    return emitOpError("gives elements of its operands' type or f32, found ")
           << c;
  if (getBias() && element(getBias()) != c)
    return emitOpError("needs a bias of the result's element type ")
           << c << ", found " << element(getBias());
  return success();
}
