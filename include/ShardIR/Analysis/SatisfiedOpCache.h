//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remembers ops of a propagated program whose operands have the placements that
// they need, keyed by rule, types and placements: a large program has many ops
// with equal placements, and requiredOperands is expensive.
//
// Requires the propagated stage or a later one that is not local. Holds for one
// module, as long as its meshes do not change.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_SATISFIEDOPCACHE_H
#define SHARDIR_ANALYSIS_SATISFIEDOPCACHE_H

#include "ShardIR/Interfaces/ShardingRule.h"

#include <unordered_map>

namespace shardir {

class SatisfiedOpCache {
public:
  /// An op's rule, its types, and the placements of its tensors.
  struct Key {
    std::vector<const void *> parts; ///< empty: the op is not cached
    SharedRule rule;
  };

  /// Not cached: ops with halos, without tensors, over two meshes, or with a
  /// tensor that has no placement.
  static Key keyOf(mlir::Operation *op);

  bool contains(const Key &key) const { return known.count(key.parts); }
  /// Notes that an op of this key agrees with its operands as they are.
  void insert(Key key);

private:
  struct Hash {
    size_t operator()(const std::vector<const void *> &parts) const;
  };
  /// The values keep the rules alive, whose addresses are among the parts.
  std::unordered_map<std::vector<const void *>, SharedRule, Hash> known;
};

} // namespace shardir

#endif // SHARDIR_ANALYSIS_SATISFIEDOPCACHE_H
