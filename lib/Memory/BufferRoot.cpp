//===- BufferRoot.cpp - The memory that a buffer is in --------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires memrefs; guarantees nothing about those that control flow or a call
// has made.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Memory/BufferRoot.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

Value shardir::bufferRoot(Value buffer) {
  while (Operation *definition = buffer.getDefiningOp()) {
    if (isa<memref::AllocOp, memref::AllocaOp>(definition))
      return buffer;
    auto view = dyn_cast<ViewLikeOpInterface>(definition);
    if (!view)
      return Value();
    buffer = view.getViewSource();
  }
  return isa<FunctionOpInterface>(buffer.getParentBlock()->getParentOp())
             ? buffer
             : Value();
}
