//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated to scheduled. Ops are compared in the order of the program,
// when their operands are known to be equal or not.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/EqualValues.h"

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

namespace {

class Comparison {
public:
  Value firstOf(Value value) const {
    Operation *made = value.getDefiningOp();
    auto it = made ? found.find(made) : found.end();
    return it == found.end() ? value : it->second;
  }

  bool isSame(Operation *op, Operation *other) const {
    return op->getName() == other->getName() &&
           op->getBlock() == other->getBlock() &&
           llvm::equal(
               op->getOperands(), other->getOperands(),
               [&](Value a, Value b) { return firstOf(a) == firstOf(b); }) &&
           op->getResultTypes() == other->getResultTypes() &&
           comparedAttributes(op) == comparedAttributes(other) &&
           llvm::all_of(llvm::zip(op->getRegions(), other->getRegions()),
                        [&](auto pair) {
                          auto [own, others] = pair;
                          return isSameRegion(own, others);
                        });
  }

  llvm::MapVector<Operation *, Value> found;

private:
  bool isSameRegion(Region &own, Region &others) const {
    llvm::DenseMap<Value, Value> inside;
    return OperationEquivalence::isRegionEquivalentTo(
        &own, &others,
        [&](Value a, Value b) {
          Value known = inside.lookup(a);
          return success(known ? known == b : firstOf(a) == firstOf(b));
        },
        [&](Value a, Value b) { inside[a] = b; },
        OperationEquivalence::IgnoreLocations);
  }
};

} // namespace

llvm::MapVector<Operation *, Value>
shardir::findEqualValues(func::FuncOp function) {
  Comparison comparison;
  // Per hash of name and operands what was there first.
  llvm::DenseMap<llvm::hash_code, SmallVector<Operation *>> firsts;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<OptimizationBarrierOp>(op)) {
      comparison.found[op] = comparison.firstOf(op->getOperand(0));
      return;
    }
    if (auto copy = dyn_cast<collective::HostCopyOp>(op)) {
      auto store = copy.getInput().getDefiningOp<collective::HostCopyOp>();
      if (store && !copy.getToHost())
        comparison.found[op] = comparison.firstOf(store.getInput());
      return;
    }
    if (!isComparable(op))
      return;
    llvm::hash_code hash =
        llvm::hash_combine(op->getName().getAsOpaquePointer());
    for (Value operand : op->getOperands())
      hash = llvm::hash_combine(
          hash, comparison.firstOf(operand).getAsOpaquePointer());
    SmallVector<Operation *> &known = firsts[hash];
    auto first = llvm::find_if(
        known, [&](Operation *other) { return comparison.isSame(op, other); });
    if (first != known.end())
      comparison.found[op] = (*first)->getResult(0);
    else
      known.push_back(op);
  });
  return std::move(comparison.found);
}
