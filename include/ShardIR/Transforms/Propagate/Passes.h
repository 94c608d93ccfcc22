//===- Passes.h - Passes from annotated to propagated -----------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TRANSFORMS_PROPAGATE_PASSES_H
#define SHARDIR_TRANSFORMS_PROPAGATE_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace shardir {

class PropagationCostModel;

#define GEN_PASS_DECL
#include "ShardIR/Transforms/Propagate/Passes.h.inc"

/// The passes that compare costs, with those of an embedder
/// (ShardIR/Propagation/CostModel.h) in place of those of the mesh and the
/// machine; with those if null. The option `cost` orders the parts of a cost.
std::unique_ptr<mlir::Pass>
createPropagate(PropagateOptions options,
                std::shared_ptr<const PropagationCostModel> costModel);
std::unique_ptr<mlir::Pass>
createPropose(ProposeOptions options,
              std::shared_ptr<const PropagationCostModel> costModel);
std::unique_ptr<mlir::Pass>
createFitOptimizerState(FitOptimizerStateOptions options,
                        std::shared_ptr<const PropagationCostModel> costModel);

} // namespace shardir

#endif // SHARDIR_TRANSFORMS_PROPAGATE_PASSES_H
