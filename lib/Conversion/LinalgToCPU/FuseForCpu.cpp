//===- FuseForCpu.cpp - Elementwise fusion that pays ----------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires linalg on tensors; guarantees that what
// Fusion.h says is fused. Uses the fusion of two generics alone: upstream's
// pass also moves reshapes through generics, and gave wrong results on a
// program whose bodies have linalg.index and captured tensors (tried,
// LLVM 22.1).
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/Fusion.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace shardir {
#define GEN_PASS_DEF_FUSEFORCPU
#include "ShardIR/Conversion/LinalgToCPU/Passes.h.inc"
} // namespace shardir

using namespace mlir;

namespace {
struct FuseForCpuPass : shardir::impl::FuseForCpuBase<FuseForCpuPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, shardir::isFusedAt);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
