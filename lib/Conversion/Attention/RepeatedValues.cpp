//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to local. Ops are compared in the order of the program,
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

/// Whether equal results may stand for each other.
static bool isComparable(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      op->hasAttr(ShardIRDialect::kUnstored))
    return false;
  return isa<collective::AllGatherOp, collective::ExchangeOp>(op) ||
         isMemoryEffectFree(op);
}

/// The attributes, but for why the op is there and who decided it.
static DictionaryAttr comparedAttributes(Operation *op) {
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
         comparedAttributes(op) == comparedAttributes(other) &&
         llvm::all_of(
             llvm::zip(op->getRegions(), other->getRegions()), [](auto pair) {
               auto [own, others] = pair;
               return OperationEquivalence::isRegionEquivalentTo(
                   &own, &others, OperationEquivalence::IgnoreLocations);
             });
}

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
  // Per hash of name and operands what was there first.
  llvm::DenseMap<llvm::hash_code, SmallVector<Operation *>> firsts;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    old.insert(op);
    if (isa<OptimizationBarrierOp>(op))
      return replace(op, op->getOperand(0));
    if (!isComparable(op))
      return;
    SmallVector<Operation *> &known = firsts[llvm::hash_combine(
        op->getName().getAsOpaquePointer(),
        llvm::hash_combine_range(op->operand_begin(), op->operand_end()))];
    auto first = llvm::find_if(
        known, [&](Operation *other) { return isSame(op, other); });
    if (first != known.end())
      return replace(op, (*first)->getResult(0));
    known.push_back(op);
  });
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
