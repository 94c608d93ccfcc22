//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes between stages propagated, redistributed and collective, for the
// pipelines and for who plans an answer to see what it costs. Requires and
// guarantees what the stages do (docs/Pipeline.md).
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Transforms/Redistribute/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace shardir;

void shardir::buildRedistribution(
    OpPassManager &passes, InsertRedistributeOptions insert,
    SimplifyRedistributeOptions simplify,
    std::shared_ptr<const PropagationCostModel> costModel) {
  // Equal steps would run once, and are to be counted once.
  insert.mergeEqual = simplify.mergeEqual = true;
  // Unused values need no redistribution, and `strict` has nothing to forbid
  // there.
  passes.addPass(createEraseUnused());
  passes.addPass(createInsertRedistribute(insert));
  passes.addPass(createSimplifyRedistribute(simplify, std::move(costModel)));
}

void shardir::buildCollectives(
    OpPassManager &passes, RedistributeToCollectivesOptions options,
    std::shared_ptr<const PropagationCostModel> costModel) {
  options.mergeEqual = true;
  passes.addPass(
      createRedistributeToCollectives(options, std::move(costModel)));
}
