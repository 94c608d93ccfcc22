//===- PlannedBytes.cpp - What an answer costs once it is planned ---------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what PlannedBytes.h says.
//
//===----------------------------------------------------------------------===//

#include "PlannedBytes.h"

#include "ShardIR/Analysis/Report.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace shardir;

static void addPasses(OpPassManager &passes) {
  buildRedistribution(passes, /*insert=*/{}, /*simplify=*/{"bytes"});
  buildCollectives(passes, {/*cost=*/"bytes"});
}

void shardir::getPlanningDialects(DialectRegistry &registry) {
  OpPassManager passes(ModuleOp::getOperationName());
  addPasses(passes);
  passes.getDependentDialects(registry);
}

std::optional<int64_t> shardir::plannedBytes(ModuleOp module) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(false);
  addPasses(passes);
  if (failed(passes.run(module)))
    return std::nullopt;
  return buildReport(module).getInteger("bytes_per_device");
}
