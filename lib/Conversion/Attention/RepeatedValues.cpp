//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to local.
//
//===----------------------------------------------------------------------===//

#include "RepeatedValues.h"

#include "ShardIR/Analysis/EqualValues.h"

using namespace mlir;
using namespace shardir;

void RepeatedValues::replace(Operation *again, Value first) {
  Repeated &one = repeated.emplace_back();
  one.first = first;
  one.made = first.getDefiningOp();
  one.again = again;
  for (OpOperand &use : again->getResult(0).getUses())
    one.uses.push_back({use.getOwner(), use.getOperandNumber()});
  again->getResult(0).replaceAllUsesWith(first);
}

RepeatedValues::RepeatedValues(func::FuncOp function) {
  function.walk([&](Operation *op) { old.insert(op); });
  for (auto [again, first] : findEqualValues(function))
    replace(again, first);
}

void RepeatedValues::restore(const llvm::DenseSet<Operation *> &erased) {
  auto isNew = [&](Operation *op) {
    return !old.contains(op) || erased.contains(op);
  };
  for (Repeated &one : llvm::reverse(repeated)) {
    Operation *again = one.again;
    if (erased.contains(again))
      continue;
    if (!erased.contains(one.made))
      one.first.replaceUsesWithIf(again->getResult(0), [&](OpOperand &use) {
        std::pair own(use.getOwner(), use.getOperandNumber());
        // Ops may have been moved, too.
        Operation *user = again->getBlock()->findAncestorOpInBlock(*own.first);
        return user && again->isBeforeInBlock(user) &&
               (isNew(own.first) || llvm::is_contained(one.uses, own));
      });
    if (again->use_empty())
      again->erase();
  }
}
