//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, its first step. Rewrites Shardy's and GSPMD's annotations
// into meshes, placements and constraints, and scatters, sorts and scans of
// other dialects into ours (lib/Import). Guarantees that nothing of these is
// left, and that a program without any is unchanged.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Import/ImportAnnotations.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Transforms/Import/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {
#define GEN_PASS_DEF_IMPORTANNOTATIONS
#include "ShardIR/Transforms/Import/Passes.h.inc"
} // namespace shardir

namespace {

struct ImportAnnotationsPass
    : shardir::impl::ImportAnnotationsBase<ImportAnnotationsPass> {
  void runOnOperation() override {
    mlir::FailureOr<bool> changed = shardir::importAnnotations(getOperation());
    if (failed(changed))
      return signalPassFailure();
    if (!*changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
