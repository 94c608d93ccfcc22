//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the placements of tensors and the splits of an op's factors.
//
// The splits of a factor are those of a dim that the factor alone makes up. A
// dim of several factors, such as a merged one, has its factors' splits one
// after another with the integers that stay on the device in between (P4 of
// docs/Semantics.md).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_FACTORSHARDING_H
#define SHARDIR_ANALYSIS_FACTORSHARDING_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/ShardingRule.h"
#include "ShardIR/Placement/Collectives.h"

#include <variant>

namespace shardir {

using Splits = std::vector<Split>;
/// The splits of every factor of one op.
using FactorSplits = std::vector<Splits>;

/// Takes the splits of a dim that is made of factors of the given sizes apart.
/// Nothing where a block would straddle two factors.
std::optional<std::vector<Splits>>
projectDim(const Splits &splits, llvm::ArrayRef<int64_t> factorSizes,
           const Mesh &mesh);

/// The inverse: the splits of the dim. Nothing where an uneven cut is not the
/// last one (P4).
std::optional<Splits> composeDim(llvm::ArrayRef<Splits> factorSplits,
                                 llvm::ArrayRef<int64_t> factorSizes,
                                 const Mesh &mesh);

/// The factors' splits as one tensor's placement shows them; a factor that the
/// tensor lacks, or shows in a way that does not project, stays empty. The axes
/// of a dim that is read through a window are the factor's.
FactorSplits projectTensor(const ShardingRule &rule,
                           const TensorFactors &factors,
                           const Placement &placement, const Mesh &mesh);

/// The placement, not partial, that the factors' splits give a tensor of
/// `rank` dims; nothing where a dim does not compose, an axis would split two
/// dims, or an integer would split a dim that is read through a window or a
/// factor that is one block. A dim
/// that is read through a window has its factor's splits, which cut the
/// factor's extent and not the dim's own: haloOf says what of the dim each
/// block reads.
std::optional<Placement> composeTensor(const ShardingRule &rule,
                                       const TensorFactors &factors,
                                       const FactorSplits &splits,
                                       const Mesh &mesh);

/// The halo that operand `operand` needs beyond its placement: per dim that is
/// read through a window, the window (Placement/Halo.h) in the least form
/// (normalHalo); empty where blocks are enough. It holds for any sizes of axes.
/// A window of an unsharded dim needs a part of the dim, which is
/// already present: see agrees.
Halo haloOf(const ShardingRule &rule, int operand, const FactorSplits &splits,
            const Mesh &mesh);
/// The same where the op's one result is wanted with the halo `result`
/// (ShardingRule::takesResultHalo). Nothing where a window of a window is not a
/// window.
std::optional<Halo> haloOf(const ShardingRule &rule, int operand,
                           const FactorSplits &splits, const Mesh &mesh,
                           const Halo &result);

/// The exchange where operand `operand` has placement `from`, not partial, and
/// the op runs with `splits`: a device receives the elements that its shard
/// with the halo holds and its shard of `from` does not. With the operand
/// placed by composeTensor these are the elements beyond its own block. Nothing
/// where the splits do not compose.
std::optional<CollectiveStep> haloStep(const ShardingRule &rule, int operand,
                                       const Placement &from,
                                       const FactorSplits &splits,
                                       const Mesh &mesh);

/// The extents of an operand or result as its rule knows them; 1 where a dim
/// has no factors.
std::vector<int64_t> shapeOf(const ShardingRule &rule,
                             const TensorFactors &factors);

/// The axes among splits.
std::vector<AxisRef> axesOf(const Splits &splits);
/// The axes that split a tensor's dims and those that it is partial over.
std::vector<AxisRef> axesOf(const Placement &placement);

/// How one op is sharded, read back from the placements of its results.
struct OpSharding {
  FactorSplits splits;
  std::vector<Placement> operands; ///< what each operand must be
};

/// Reads how `op` is sharded from its results' placements (R7: they are the
/// whole decision). Where a partial axis can come from several factors or
/// operands, the operands' present placements decide. The message says which
/// result placement no sharding of the op gives.
std::variant<OpSharding, PlacementError>
inferSharding(const ShardingRule &rule, llvm::ArrayRef<Placement> results,
              llvm::ArrayRef<std::optional<Placement>> operands,
              const Mesh &mesh);

/// How an op of a propagated program must have its operands.
struct OperandRequirements {
  std::string mesh; ///< empty: the op has no tensors
  /// One per operand, then one per tensor that the op's regions capture;
  /// nothing for an operand that is not a tensor or may have any placement.
  std::vector<std::optional<Placement>> operands;
  /// One per entry of `operands`: the halo that the shards must have.
  std::vector<Halo> halos;
};

/// The halo that the shards of a value have before localization: that of the
/// redistribution or step that gives it, or the attribute `shardir.halo`.
Halo presentHalo(mlir::Value value);

/// True if a value with placement `present` and a halo can be used where
/// `wanted` is needed. Any part of an unsharded dim is present.
bool agrees(const Placement &present, const Halo &presentHalo,
            const Placement &wanted, const Halo &wantedHalo, const Mesh &mesh,
            const std::vector<int64_t> &shape);

/// The operand placements that `op` needs, from the placements on its results
/// and operands. Emits an error and fails where one is missing or no sharding
/// of the op gives it.
mlir::FailureOr<OperandRequirements> requiredOperands(mlir::Operation *op,
                                                      const MeshTable &meshes);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_FACTORSHARDING_H
