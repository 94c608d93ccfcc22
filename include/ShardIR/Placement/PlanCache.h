//===- PlanCache.h - Plans that were made before ----------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program changes placements in the same way many times over: one plan per
// layer, not one per op. A cache is a value; planRedistribute looks into the
// one that its options name. Any number of threads may use one cache.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_PLACEMENT_PLANCACHE_H
#define SHARDIR_PLACEMENT_PLANCACHE_H

#include "ShardIR/Placement/RedistributePlan.h"

#include <mutex>
#include <optional>
#include <unordered_map>

namespace shardir {

/// Plans by what decides them: source and destination in normal form, the
/// mesh's axes with their sizes and links, the shape, and the options. Names of
/// meshes and the order of devices change no plan. Keeps all that it is given.
class PlanCache {
public:
  PlanCache() = default;
  PlanCache(const PlanCache &other);
  PlanCache &operator=(const PlanCache &other);

  /// The key of the plan from `src` to `dst`, both in normal form.
  static std::string keyOf(const Placement &src, const Placement &dst,
                           const Mesh &mesh, const std::vector<int64_t> &shape,
                           const PlanOptions &options);

  std::optional<RedistributePlan> find(const std::string &key);
  void insert(const std::string &key, const RedistributePlan &plan);

  /// How many plans it holds, and how often one was found here.
  size_t size() const;
  size_t hits() const;

private:
  mutable std::mutex mutex;
  std::unordered_map<std::string, RedistributePlan> plans;
  size_t found = 0;
};

} // namespace shardir

#endif // SHARDIR_PLACEMENT_PLANCACHE_H
