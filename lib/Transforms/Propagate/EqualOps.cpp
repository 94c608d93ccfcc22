//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires that an op is asked about after the ops that it reads. Guarantees
// that ops it calls equal have equal names, attributes, types and regions, and
// read equal values; MLIR's own equivalence says so
// (mlir/IR/OperationSupport.h).
//
//===----------------------------------------------------------------------===//

#include "EqualOps.h"

#include "ShardIR/Dialect/ShardIR/ShardIR.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardir;

Operation *EqualOps::find(Operation *op) {
  if (op->getNumResults() == 0 || !isMemoryEffectFree(op) ||
      op->hasAttr(ShardIRDialect::kPlacements))
    return nullptr;
  // Producers of these operands were asked about; what is defined in a region
  // of the op itself was not, and stands for itself.
  uint64_t hash = OperationEquivalence::computeHash(
      op,
      [&](Value value) {
        return llvm::hash_value(first(value).getAsOpaquePointer());
      },
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  SmallVector<Operation *, 1> &entry = known[hash];
  for (Operation *other : entry) {
    if (other->getBlock() != op->getBlock())
      continue;
    llvm::SmallDenseMap<Value, Value> inside;
    bool isEqual = OperationEquivalence::isEquivalentTo(
        other, op,
        [&](Value a, Value b) {
          auto it = inside.find(b);
          return success(it == inside.end() ? first(a) == first(b)
                                            : it->second == a);
        },
        [&](Value a, Value b) { inside[b] = a; },
        OperationEquivalence::IgnoreLocations);
    if (!isEqual)
      continue;
    for (auto [result, same] : llvm::zip(op->getResults(), other->getResults()))
      firstOf[result] = same;
    return other;
  }
  entry.push_back(op);
  return nullptr;
}
