//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires what SatisfiedOpCache.h says. Two ops share a rule only where a
// cache of rules found them equal; an op with a rule of its own matches no
// other, for the rule's address is one of its own. Attributes and types are
// unique in their context, so that addresses tell them apart.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/SatisfiedOpCache.h"

#include "ShardIR/Analysis/FactorSharding.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/ShardIROps.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace shardir;

size_t SatisfiedOpCache::Hash::operator()(
    const std::vector<const void *> &parts) const {
  return llvm::hash_combine_range(parts.begin(), parts.end());
}

SatisfiedOpCache::Key SatisfiedOpCache::keyOf(Operation *op) {
  if (op->getNumResults() == 0 || op->hasAttr(ShardIRDialect::kHalo))
    return {};
  Key key;
  key.parts.reserve(16);
  PlacementAttr first;
  auto add = [&](Value value, PlacementAttr placement) {
    if (!isa<RankedTensorType>(value.getType()))
      return true;
    first = first ? first : placement;
    if (!placement || placement.getMesh() != first.getMesh())
      return false;
    key.parts.push_back(value.getType().getAsOpaquePointer());
    key.parts.push_back(placement.getAsOpaquePointer());
    return true;
  };
  for (OpResult result : op->getResults())
    if (!add(result, getResultPlacement(result)))
      return {};
  for (Value operand : op->getOperands())
    if (!add(operand, getPlacement(operand)) || !presentHalo(operand).empty())
      return {};
  for (Value captured : capturedTensors(op))
    if (!add(captured, getPlacement(captured)) ||
        !presentHalo(captured).empty())
      return {};
  if (!first)
    return {};
  key.rule = getShardingRule(op);
  if (!key.rule.isShared())
    return {};
  key.parts.push_back(&*key.rule);
  key.parts.push_back(op->getName().getAsOpaquePointer());
  if (Attribute decided = op->getDiscardableAttr(kOperands))
    key.parts.push_back(decided.getAsOpaquePointer());
  return key;
}

void SatisfiedOpCache::insert(Key key) {
  if (!key.parts.empty())
    known.emplace(std::move(key.parts), std::move(key.rule));
}
