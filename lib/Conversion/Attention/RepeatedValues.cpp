//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to local. Ops are compared in the order of the program,
// when their operands have been replaced already.
//
//===----------------------------------------------------------------------===//

#include "RepeatedValues.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardir;

static bool isGather(Operation *op) {
  return isa<collective::AllGatherOp, collective::ExchangeOp>(op);
}

/// Whether equal results may stand for each other.
static bool isComparable(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      op->hasAttr(ShardIRDialect::kUnstored))
    return false;
  return isGather(op) || isMemoryEffectFree(op);
}

/// The attributes, but for why the op is there and who decided it.
static DictionaryAttr purpose(Operation *op) {
  NamedAttrList attributes(op->getAttrs());
  attributes.erase("reason");
  attributes.erase(ShardIRDialect::kDecidedBy);
  return attributes.getDictionary(op->getContext());
}

static bool isSame(Operation *op, Operation *other) {
  return op->getName() == other->getName() &&
         op->getBlock() == other->getBlock() &&
         op->getOperands() == other->getOperands() &&
         op->getResultTypes() == other->getResultTypes() &&
         purpose(op) == purpose(other) &&
         llvm::all_of(
             llvm::zip(op->getRegions(), other->getRegions()), [](auto pair) {
               auto [own, others] = pair;
               return OperationEquivalence::isRegionEquivalentTo(
                   &own, &others, OperationEquivalence::IgnoreLocations);
             });
}

RepeatedValues::RepeatedValues(func::FuncOp function) {
  // Per hash of name and operands what was there first.
  llvm::DenseMap<llvm::hash_code, SmallVector<Operation *>> firsts;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<OptimizationBarrierOp>(op)) {
      repeated.push_back(
          {op->getOperand(0), op->getOperand(0).getDefiningOp(), op});
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      return;
    }
    if (!isComparable(op))
      return;
    SmallVector<Operation *> &known = firsts[llvm::hash_combine(
        op->getName().getAsOpaquePointer(),
        llvm::hash_combine_range(op->operand_begin(), op->operand_end()))];
    auto first = llvm::find_if(
        known, [&](Operation *other) { return isSame(op, other); });
    if (first == known.end()) {
      known.push_back(op);
      return;
    }
    repeated.push_back({(*first)->getResult(0), *first, op});
    op->getResult(0).replaceAllUsesWith((*first)->getResult(0));
  });
}

void RepeatedValues::restore(const llvm::DenseSet<Operation *> &erased) {
  for (auto [first, made, again] : llvm::reverse(repeated)) {
    if (erased.contains(again))
      continue;
    if (!erased.contains(made))
      Value(first).replaceUsesWithIf(
          again->getResult(0), [again = again](OpOperand &use) {
            Operation *user =
                again->getBlock()->findAncestorOpInBlock(*use.getOwner());
            return user && again->isBeforeInBlock(user);
          });
    if (again->use_empty())
      again->erase();
  }
}
