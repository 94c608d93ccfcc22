//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewrites of redistributions as patterns, for other compilers to add to
// passes of their own. `shardir-simplify-redistribute` and
// `shardir-redistribute-to-collectives` are thin users of the same patterns.
//
// All patterns match `shardir.redistribute` alone. They need no dialect
// conversion and no folding, and work in a greedy driver or in a walk.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_PATTERNS_H
#define SHARDIR_TRANSFORMS_PATTERNS_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Placement/RedistributePlan.h"

#include "mlir/IR/PatternMatch.h"

#include <memory>

namespace shardir {

class PropagationCostModel;

/// Adds the pattern that makes a redistribution a chain of collectives and
/// local slices (rule D5 of docs/Semantics.md). What has no plan does not
/// match: `explainNoPlan` says why. `meshes` holds the meshes of the module
/// that is rewritten and outlives the patterns, as does the cache that
/// `options` may name; the size of an element is each op's own.
void populateRedistributeToCollectivesPatterns(
    mlir::RewritePatternSet &patterns, const MeshTable &meshes,
    const PlanOptions &options = {});

/// Why a redistribution has no plan, in the words of an error message; empty if
/// it has one.
std::string explainNoPlan(RedistributeOp op, const MeshTable &meshes);

/// The options of the simplification.
struct RedistributePatternOptions {
  /// Whether predicted time decides, or bytes received.
  CostMode mode = CostMode::Bytes;
  /// Gather an argument once for all of its uses, and keep it in between; else
  /// once per region of use (docs/Pipeline.md).
  bool shareGathers = false;
  /// Bytes per device. What would keep values alive for longer is done only
  /// while the predicted peak stays below; 0 is no limit.
  int64_t memoryLimit = 0;
  /// Move redistributions to the other side of ops where they cost less there.
  /// Best added once the others have come to an end: what a value's
  /// redistributions share is then known.
  bool moveAcrossOps = true;
  /// Costs of an embedder (ShardIR/Propagation/CostModel.h), by whose
  /// `redistribute` the steps of each plan are compared; null for those of the
  /// mesh and the machine.
  std::shared_ptr<const PropagationCostModel> costModel = nullptr;
};

/// Adds the patterns that leave fewer bytes to move: chains of redistributions
/// collapse, those of one value are shared or start from one another, and a
/// redistribution moves to the side of an op where it is cheaper, terms of sums
/// included. Requires the redistributed stage and keeps it. Every rewrite
/// lowers (time under CostMode::Time, bytes, collectives, local work), but for
/// gathers of arguments, which are repeated per region of use; so the patterns
/// end.
///
/// `meshes` outlives the patterns. The patterns keep costs that they have
/// computed: one thread may use one set of patterns at a time.
void populateSimplifyRedistributePatterns(
    mlir::RewritePatternSet &patterns, const MeshTable &meshes,
    const RedistributePatternOptions &options = {});

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_PATTERNS_H
