//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires rules that depend on types, properties and bodies alone, as the
// interface of rules needs. Guarantees the rule that would be made: keys are
// compared, not only hashed, and name everything that a rule can depend on.
//
//===----------------------------------------------------------------------===//

#include "RuleCache.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/Hashing.h"

using namespace mlir;
using namespace shardir;

/// A program has few kinds of ops; one that has more forgets them.
static constexpr size_t kMostRules = 4096;

size_t RuleCache::KeyHash::operator()(const Key &key) const {
  return llvm::hash_combine_range(key.begin(), key.end());
}

/// Small numbers stand for themselves, between the pointers.
static const void *number(uintptr_t value) {
  return reinterpret_cast<const void *>(value);
}

/// Appends what distinguishes an op but for its operands.
static void describe(Operation *op, std::vector<const void *> &key) {
  key.push_back(op->getName().getAsOpaquePointer());
  key.push_back(op->getPropertiesAsAttribute().getAsOpaquePointer());
  key.push_back(number(op->getNumResults()));
  for (Type type : op->getResultTypes())
    key.push_back(type.getAsOpaquePointer());
}

/// True if `key` describes the op's region as well.
static bool describeBody(Region &region, std::vector<const void *> &key) {
  if (!region.hasOneBlock())
    return region.empty();
  llvm::SmallDenseMap<Value, unsigned, 16> known;
  Block &block = region.front();
  key.push_back(number(block.getNumArguments()));
  for (BlockArgument argument : block.getArguments()) {
    known[argument] = known.size();
    key.push_back(argument.getType().getAsOpaquePointer());
  }
  for (Operation &op : block) {
    if (op.getNumRegions())
      return false;
    describe(&op, key);
    key.push_back(op.getDiscardableAttrDictionary().getAsOpaquePointer());
    key.push_back(number(op.getNumOperands()));
    for (Value operand : op.getOperands()) {
      auto it = known.find(operand);
      if (it == known.end())
        return false;
      key.push_back(number(it->second));
    }
    for (Value result : op.getResults())
      known[result] = known.size();
  }
  return true;
}

SharedRule RuleCache::get(Operation *op,
                          llvm::function_ref<ShardingRule(Operation *)> make) {
  auto *cache = op->getName().getDialect()->getRegisteredInterface<RuleCache>();
  Key key;
  key.reserve(48);
  describe(op, key);
  key.push_back(number(op->getNumOperands()));
  for (Type type : op->getOperandTypes())
    key.push_back(type.getAsOpaquePointer());
  for (Region &region : op->getRegions())
    if (!describeBody(region, key))
      return make(op);
  if (!cache)
    return make(op);
  {
    std::lock_guard<std::mutex> lock(cache->mutex);
    auto it = cache->rules.find(key);
    if (it != cache->rules.end())
      return it->second;
  }
  SharedRule rule = make(op);
  std::lock_guard<std::mutex> lock(cache->mutex);
  if (cache->rules.size() >= kMostRules)
    cache->rules.clear();
  return cache->rules.emplace(std::move(key), std::move(rule)).first->second;
}
