//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires kernels whose reductions are uniform; guarantees that of gpu's ops
// that lanes execute together shuffles and barriers are left. Upstream's
// patterns do it.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/GpuToHost/Passes.h"

#include "WarpOps.h"

#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

LogicalResult shardir::reductionsToShuffles(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateGpuRewritePatterns(patterns);
  populateGpuBreakDownSubgroupReducePatterns(patterns);
  populateGpuLowerSubgroupReduceToShufflePatterns(patterns, kLanes);
  populateGpuLowerClusteredSubgroupReduceToShufflePatterns(patterns, kLanes);
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return module.emitError("its reductions do not become shuffles");
  return success();
}
