//===- Passes.h - Passes from propagated to collective ----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_H
#define SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace shardir {

class PropagationCostModel;

#define GEN_PASS_DECL
#include "ShardIR/Transforms/Redistribute/Passes.h.inc"

/// The passes with costs of an embedder (ShardIR/Propagation/CostModel.h), by
/// whose `redistribute` the steps of each plan are compared; null for those of
/// the mesh and the machine.
std::unique_ptr<mlir::Pass> createSimplifyRedistribute(
    SimplifyRedistributeOptions options,
    std::shared_ptr<const PropagationCostModel> costModel);
std::unique_ptr<mlir::Pass> createRedistributeToCollectives(
    RedistributeToCollectivesOptions options,
    std::shared_ptr<const PropagationCostModel> costModel);

/// From stage propagated to stage redistributed, with costs as above.
void buildRedistribution(
    mlir::OpPassManager &passes, InsertRedistributeOptions insert,
    SimplifyRedistributeOptions simplify,
    std::shared_ptr<const PropagationCostModel> costModel = nullptr);

/// From stage redistributed to stage collective, with costs as above.
void buildCollectives(
    mlir::OpPassManager &passes, RedistributeToCollectivesOptions options,
    std::shared_ptr<const PropagationCostModel> costModel = nullptr);

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_REDISTRIBUTE_PASSES_H
