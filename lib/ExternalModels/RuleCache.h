//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of ops that were computed before. Propagation, insertion and the
// checks between them each ask every op, and the layers of a model are the same
// ops again.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_LIB_EXTERNALMODELS_RULECACHE_H
#define SHARDIR_LIB_EXTERNALMODELS_RULECACHE_H

#include "ShardIR/Interfaces/ShardingRule.h"

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <mutex>
#include <unordered_map>

namespace shardir {

/// Belongs to a dialect, so that it lives as long as the attributes and types
/// that its keys are made of. Any number of threads may ask.
class RuleCache : public mlir::DialectInterface::Base<RuleCache> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RuleCache)

  RuleCache(mlir::Dialect *dialect) : Base(dialect) {}

  /// The rule of `op`, by `make` where no equal op was asked about: one of the
  /// same name, properties, types and body. A body that reads other values than
  /// its arguments, or has regions, equals no other.
  static SharedRule
  get(mlir::Operation *op,
      llvm::function_ref<ShardingRule(mlir::Operation *)> make);

private:
  using Key = std::vector<const void *>;
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };

  mutable std::mutex mutex;
  mutable std::unordered_map<Key, SharedRule, KeyHash> rules;
};

} // namespace shardir

#endif // SHARDIR_LIB_EXTERNALMODELS_RULECACHE_H
