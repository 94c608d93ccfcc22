//===- BufferUse.cpp - Which ops may change places ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires linalg ops on memrefs. Guarantees to name every buffer that an op
// touches, views seen through to what they are views of. Whatever else uses a
// buffer, other than freeing it or asking for its extents, counts as reading.
//
//===----------------------------------------------------------------------===//

#include "BufferUse.h"
#include "KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace shardir;

namespace {
bool meet(ArrayRef<Value> a, ArrayRef<Value> b) {
  return llvm::any_of(
      a, [&](Value value) { return llvm::is_contained(b, value); });
}
} // namespace

bool BufferUse::writesAny(ArrayRef<Value> buffers) const {
  return meet(writes, buffers);
}

bool BufferUse::readsAny(ArrayRef<Value> buffers) const {
  return meet(reads, buffers);
}

BufferUse shardir::bufferUseOf(linalg::LinalgOp op) {
  BufferUse use;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Value base = baseOf(operand.get());
    if (op.isDpsInit(&operand))
      use.writes.push_back(base);
    if (!op.isDpsInit(&operand) || op.payloadUsesValueFromOperand(&operand))
      use.reads.push_back(base);
  }
  if (Block *body = op.getBlock())
    body->walk([&](memref::LoadOp load) {
      use.reads.push_back(baseOf(load.getMemref()));
    });
  return use;
}

bool shardir::independent(const BufferUse &a, const BufferUse &b) {
  return !a.writesAny(b.writes) && !a.writesAny(b.reads) &&
         !a.readsAny(b.writes);
}

bool shardir::isQuiet(Operation *op) {
  return isMemoryEffectFree(op) || isa<memref::AllocOp>(op);
}

bool shardir::touches(Operation *op, Value view) {
  Value base = baseOf(view);
  auto result = op->walk([&](Operation *nested) {
    bool found = llvm::any_of(nested->getOperands(), [&](Value operand) {
      return isa<BaseMemRefType>(operand.getType()) && baseOf(operand) == base;
    });
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

OtherUses
shardir::otherUsesOf(Value view,
                     const llvm::SmallPtrSetImpl<Operation *> &members,
                     Operation *last) {
  OtherUses uses;
  Value base = baseOf(view);
  uses.escapes = !isa_and_present<memref::AllocOp>(base.getDefiningOp());
  SmallVector<Value> names = {base};
  while (!names.empty()) {
    Value name = names.pop_back_val();
    for (Operation *user : name.getUsers()) {
      if (members.contains(user) || isa<memref::DimOp>(user))
        continue;
      if (isa<memref::DeallocOp>(user)) {
        if (user->getBlock() == last->getBlock() &&
            user->isBeforeInBlock(last) &&
            !llvm::is_contained(uses.earlyFrees, user))
          uses.earlyFrees.push_back(user);
        continue;
      }
      if (isa<ViewLikeOpInterface>(user)) {
        names.append(user->result_begin(), user->result_end());
        continue;
      }
      uses.escapes = true;
    }
  }
  return uses;
}
