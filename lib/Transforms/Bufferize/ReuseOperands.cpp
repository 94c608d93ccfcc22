//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local or scheduled, just before bufferization, with an empty tensor
// for each op. Requires tensors; guarantees that an elementwise op whose result
// would have a buffer of its own writes into an operand which ends there.
//
// This is a matter of memory alone: should somebody read the operand's buffer
// later after all, one-shot bufferization copies it.
//
//===----------------------------------------------------------------------===//

#include "ReuseOperands.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Memory/PeakMemory.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

/// True if nobody behind `op` uses `value` or a view of it, and `op` reads of
/// it only what it writes to the same place.
static bool endsAt(Value value, linalg::LinalgOp op) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (user == op)
      return !op.isDpsInit(&use) &&
             op.getMatchingIndexingMap(&use).isIdentity();
    Operation *at = op->getBlock()->findAncestorOpInBlock(*user);
    return at && at != op && at->isBeforeInBlock(op) &&
           (!isViewOfOperand(user) || endsAt(user->getResult(0), op));
  });
}

/// True if `value` is in a buffer that ends at `op`.
static bool isDeadAfter(Value value, linalg::LinalgOp op) {
  Operation *producer = value.getDefiningOp();
  // A slice is but a part of the buffer.
  while (producer && isViewOfOperand(producer) &&
         !isa<tensor::ExtractSliceOp>(producer)) {
    value = producer->getOperand(0);
    producer = value.getDefiningOp();
  }
  return producer && producer->getBlock() == op->getBlock() &&
         isa<linalg::LinalgOp, collective::CollectiveOpInterface,
             scf::ForallOp>(producer) &&
         endsAt(value, op);
}

static void reuseOperands(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    auto empty = init.get().getDefiningOp<tensor::EmptyOp>();
    if (!empty || op.payloadUsesValueFromOperand(&init) ||
        !op.getMatchingIndexingMap(&init).isIdentity())
      continue;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (input->get().getType() != init.get().getType() ||
          !isDeadAfter(input->get(), op))
        continue;
      init.set(input->get());
      if (empty->use_empty())
        empty->erase();
      break;
    }
  }
}

void shardir::reuseOperands(ModuleOp module) {
  module.walk([](linalg::LinalgOp op) { ::reuseOperands(op); });
}
