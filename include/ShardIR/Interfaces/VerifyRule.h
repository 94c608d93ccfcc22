//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one check of sharding rules, from wherever they come.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_INTERFACES_VERIFYRULE_H
#define SHARDIR_INTERFACES_VERIFYRULE_H

#include "ShardIR/Dialect/ShardIR/ShardIROps.h"
#include "ShardIR/Interfaces/ShardingRule.h"

namespace shardir {

/// Emits an error at `op` if `rule` does not fit it: list lengths, indices,
/// sizes, combiners, initial values. Factors are named by `names`, or by their
/// numbers where there are none. Passes verify the rules of all ops before they
/// read one (checkSupported in Transforms/StageUtils.h).
mlir::LogicalResult verifyRule(mlir::Operation *op, const ShardingRule &rule,
                               llvm::ArrayRef<llvm::StringRef> names = {});
/// The same for a rule by attribute.
mlir::LogicalResult verifyRule(mlir::Operation *op, RuleAttr rule);

/// True if the op has a rule of its own, right or wrong.
bool hasShardingRule(mlir::Operation *op);

} // namespace shardir

#endif // SHARDIR_INTERFACES_VERIFYRULE_H
