//===- Pairs.h - Redistributions on real ranks ------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans changes of placement and runs the plans through the runtime, one thread
// per rank, as a compiled program would: the steps are in the metadata of one
// program, buffers come from the rank's arena and are freed after their last
// use. Requires meshes and shapes with known sizes (a plan may come from
// unknown ones); guarantees that everything a plan promises is checked on what
// the ranks hold afterwards: every element, the bytes, the memory.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_REDISTRIBUTE_PAIRS_H
#define SHARDIR_TEST_UNIT_REDISTRIBUTE_PAIRS_H

#include "ShardIR/Placement/RedistributePlan.h"
#include "Shards.h"

#include <functional>

namespace shardir::test {

/// The outcome of a pair. Figures are the largest over devices, in bytes.
struct Outcome {
  std::string wrong; ///< what is wrong, "" for nothing
  RedistributePlan plan;
  int64_t received = 0; ///< counted by the runtime
  /// The bytes a device lacks by set arithmetic; -1 for pairs with partials.
  int64_t least = -1;
  int64_t sourceBytes = 0, destinationBytes = 0;
  /// The largest intermediate value, 0 where there is none.
  int64_t intermediateBytes = 0;
  /// Source, destination and temporaries alive at one time, by the arena.
  int64_t peak = 0;
};

/// Requirements on a plan: the least bytes too; right values within rule D2's
/// memory, as of one that was weighed by time; or right values alone, as of one
/// that was made before sizes were known.
enum class Promise { Everything, Memory, RightValues };

using PlanFunction =
    std::function<std::variant<RedistributePlan, PlacementError>(const Pair &)>;

/// Plans as `shardir-redistribute-to-collectives{cost=bytes}` does.
PlanFunction planOn(const Mesh &mesh);

/// Runs every pair on the ranks of `mesh`; outcomes in the order of `pairs`.
/// `plan` is called from the calling thread alone.
std::vector<Outcome> runPairs(const Mesh &mesh, const std::vector<Pair> &pairs,
                              const PlanFunction &plan,
                              Promise promise = Promise::Everything);

} // namespace shardir::test

#endif // SHARDIR_TEST_UNIT_REDISTRIBUTE_PAIRS_H
