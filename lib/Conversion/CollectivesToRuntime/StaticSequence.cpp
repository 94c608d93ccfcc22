//===- StaticSequence.cpp - Collectives that no data chooses --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the bounds of loops, the conditions of branches and the operands of
// collectives back to constants and extents of global arguments. Requires
// nothing; guarantees to say no where it cannot tell.
//
//===----------------------------------------------------------------------===//

#include "StaticSequence.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardir;

namespace {

class StaticValues {
public:
  /// True if the number is the same on all ranks, whatever the data.
  bool isStatic(Value value) {
    auto [it, isNew] = known.try_emplace(value, false);
    if (!isNew)
      return it->second;
    bool result = decide(value);
    known[value] = result;
    return result;
  }

  bool areStatic(ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isStatic(value); });
  }

  /// True if all ranks come to `op` equally often.
  bool isReachedAlike(Operation *op) {
    for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
         parent = parent->getParentOp()) {
      if (auto loop = dyn_cast<scf::ForOp>(parent)) {
        if (!hasStaticBounds(loop))
          return false;
      } else if (auto branch = dyn_cast<scf::IfOp>(parent)) {
        if (!isStatic(branch.getCondition()))
          return false;
      } else {
        return false;
      }
    }
    return op->getParentOfType<func::FuncOp>().getBody().hasOneBlock();
  }

private:
  bool hasStaticBounds(scf::ForOp loop) {
    return areStatic(
        {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  }

  bool decide(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && value == loop.getInductionVar() && hasStaticBounds(loop);
    }
    Operation *op = value.getDefiningOp();
    if (isa<ExtentOp>(op))
      return true;
    // Local extents and coordinates differ between ranks.
    if (isa<AxisIndexOp, memref::DimOp>(op) || op->getNumRegions() > 0)
      return false;
    return isPure(op) && areStatic(op->getOperands());
  }

  llvm::DenseMap<Value, bool> known;
};

bool isCollective(Operation *op) {
  return isa_and_present<collective::CollectiveDialect>(op->getDialect());
}

} // namespace

bool shardir::hasStaticCollectives(func::FuncOp function) {
  StaticValues values;
  WalkResult result = function.walk([&](Operation *op) {
    // A called function's values are not followed.
    if (isa<func::CallOp>(op))
      if (auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
              op, cast<func::CallOp>(op).getCalleeAttr());
          callee && callee
                        .walk([](Operation *inner) {
                          return isCollective(inner) || isa<func::CallOp>(inner)
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted())
        return WalkResult::interrupt();
    if (!isCollective(op))
      return WalkResult::advance();
    for (Value operand : op->getOperands())
      if (!isa<MemRefType>(operand.getType()) && !values.isStatic(operand))
        return WalkResult::interrupt();
    return values.isReachedAlike(op) ? WalkResult::advance()
                                     : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}
