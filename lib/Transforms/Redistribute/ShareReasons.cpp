//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages: propagated to collective, after every op has its placements. Requires
// ops in an order in which producers come first. Guarantees that pure ops of
// one block with equal computations and placements have equal reasons, so that
// CSE merges them. Rematerializable tensors are cloned once per user, each with
// its user's reason; two of them would keep two equal partial sums apart, which
// are then reduced twice. Changes no other attribute.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "ShardIR/Dialect/ShardIR/Provenance.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace shardir;

/// The ops in the regions of `op`, in one order for ops of equal structure.
static SmallVector<Operation *> opsInside(Operation *op) {
  SmallVector<Operation *> inside;
  op->walk([&](Operation *inner) {
    if (inner != op)
      inside.push_back(inner);
  });
  return inside;
}

/// Lets `op` say the reasons of `first`.
static void takeProvenance(Operation *op, Operation *first) {
  for (StringRef name :
       {StringRef(ShardIRDialect::kDecidedBy), StringRef(kAlternatives)}) {
    if (Attribute said = first->getAttr(name))
      op->setAttr(name, said);
    else
      op->removeAttr(name);
  }
}

/// A constraint on one of two equal ops holds for the other as well.
static void shareConstraint(Operation *a, Operation *b) {
  if (!isConstrained(a) && !isConstrained(b))
    return;
  for (Operation *op : {a, b})
    op->setAttr(ShardIRDialect::kConstrained, UnitAttr::get(op->getContext()));
}

namespace {

/// Value numbering of one block, which does not look at reasons.
class Numbering {
public:
  /// The first op that is like `op` but for reasons, or null.
  Operation *find(Operation *op) {
    SmallVector<NamedAttribute> attributes = attributesOf(op);
    uint64_t hash = llvm::hash_combine(
        OperationEquivalence::computeHash(
            op,
            [&](Value value) {
              return llvm::hash_value(first(value).getAsOpaquePointer());
            },
            OperationEquivalence::ignoreHashValue, kFlags),
        llvm::hash_combine_range(attributes.begin(), attributes.end()));
    SmallVector<Operation *, 1> &entry = known[hash];
    for (Operation *other : entry) {
      if (attributesOf(other) != attributes || !computesSame(other, op) ||
          !liesAlikeInside(other, op))
        continue;
      for (auto [result, same] :
           llvm::zip(op->getResults(), other->getResults()))
        firstOf[result] = same;
      return other;
    }
    entry.push_back(op);
    return nullptr;
  }

private:
  static constexpr auto kFlags =
      OperationEquivalence::Flags(OperationEquivalence::IgnoreLocations |
                                  OperationEquivalence::IgnoreDiscardableAttrs);

  Value first(Value value) const {
    auto it = firstOf.find(value);
    return it == firstOf.end() ? value : it->second;
  }

  static SmallVector<NamedAttribute> attributesOf(Operation *op) {
    SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
    llvm::erase_if(attributes, [](NamedAttribute each) {
      return each.getName() == ShardIRDialect::kDecidedBy ||
             each.getName() == kAlternatives ||
             each.getName() == ShardIRDialect::kConstrained;
    });
    return attributes;
  }

  bool computesSame(Operation *a, Operation *b) const {
    llvm::SmallDenseMap<Value, Value> inside;
    return OperationEquivalence::isEquivalentTo(
        a, b,
        [&](Value x, Value y) {
          auto it = inside.find(y);
          return success(it == inside.end() ? first(x) == first(y)
                                            : it->second == x);
        },
        [&](Value x, Value y) { inside[y] = x; }, kFlags);
  }

  /// True if the regions of two equal ops are equal except for reasons.
  static bool liesAlikeInside(Operation *a, Operation *b) {
    if (a->getNumRegions() == 0 || isa<linalg::LinalgOp>(a))
      return true;
    return llvm::all_of(llvm::zip_equal(opsInside(a), opsInside(b)),
                        [](const auto &pair) {
                          auto &[one, other] = pair;
                          return attributesOf(one) == attributesOf(other);
                        });
  }

  llvm::DenseMap<Value, Value> firstOf;
  llvm::DenseMap<uint64_t, SmallVector<Operation *, 1>> known;
};

} // namespace

void shardir::shareProvenance(Operation *root) {
  root->walk([](Block *block) {
    Numbering numbering;
    for (Operation &op : block->without_terminator()) {
      if (op.getNumResults() == 0 || !isMemoryEffectFree(&op))
        continue;
      // Scalars have no reasons, but what is computed from them has.
      Operation *first = numbering.find(&op);
      if (!first)
        continue;
      if (op.hasAttr(ShardIRDialect::kPlacements)) {
        takeProvenance(&op, first);
        shareConstraint(&op, first);
      }
      if (!isa<linalg::LinalgOp>(op))
        for (auto [inner, same] :
             llvm::zip_equal(opsInside(&op), opsInside(first)))
          takeProvenance(inner, same);
    }
  });
}
