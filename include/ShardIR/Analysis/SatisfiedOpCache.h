//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of a propagated program whose operands have the placements they need,
// keyed by all that this depends on: a large program has many ops with equal
// placements, and requiredOperands is expensive.
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
    std::vector<const void *> parts; ///< empty: the op is like no other
    SharedRule rule;
  };

  /// Ops that have to do with halos, without tensors, over two meshes, or with
  /// a tensor that has no placement are like no other.
  static Key keyOf(mlir::Operation *op);

  bool contains(const Key &key) const { return known.count(key.parts); }
  /// Notes that an op of this key agrees with its operands as they are.
  void insert(Key key);

private:
  struct Hash {
    size_t operator()(const std::vector<const void *> &parts) const;
  };
  /// With the rules, whose addresses are among the parts.
  std::unordered_map<std::vector<const void *>, SharedRule, Hash> known;
};

} // namespace shardir

#endif // SHARDIR_ANALYSIS_SATISFIEDOPCACHE_H
