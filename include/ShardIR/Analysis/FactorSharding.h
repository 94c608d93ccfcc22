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
// after another with the integers that stay on the device in between (P4).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_ANALYSIS_FACTORSHARDING_H
#define SHARDIR_ANALYSIS_FACTORSHARDING_H

#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Interfaces/ShardingRule.h"

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
/// tensor lacks, or shows in a way that does not project, stays empty.
FactorSplits projectTensor(const ShardingRule &rule,
                           const TensorFactors &factors,
                           const Placement &placement, const Mesh &mesh);

/// The placement, not partial, that the factors' splits give a tensor of
/// `rank` dims; nothing where a dim does not compose or an axis would split two
/// dims.
std::optional<Placement> composeTensor(const ShardingRule &rule,
                                       const TensorFactors &factors,
                                       const FactorSplits &splits,
                                       const Mesh &mesh);

/// The axes among splits.
std::vector<AxisRef> axesOf(const Splits &splits);
/// The axes that split a tensor's dims and those that it owes.
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
  /// nothing for what is not a tensor or may lie any way.
  std::vector<std::optional<Placement>> operands;
};

/// What `op` needs, from the placements on its results and operands. Emits an
/// error and fails where one is missing or no sharding of the op gives it.
mlir::FailureOr<OperandRequirements> requiredOperands(mlir::Operation *op,
                                                      const MeshTable &meshes);

} // namespace shardir

#endif // SHARDIR_ANALYSIS_FACTORSHARDING_H
