//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local, on tensors. Requires nothing; guarantees that reductions which
// give the extremum and its place, and that threads cannot share as they are,
// are two which they can, and which one kernel does over rows. The normalizer
// has split before what needs no choice: here the sign of an extremum that is
// zero may be that of another zero.
//
//===----------------------------------------------------------------------===//

#include "SplitArgReduction.h"

#include "ShardIR/Transforms/Normalize/Passes.h"

namespace shardir {
#define GEN_PASS_DEF_SPLITARGREDUCTIONS
#include "ShardIR/Transforms/Normalize/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {
struct SplitArgReductionsPass
    : shardir::impl::SplitArgReductionsBase<SplitArgReductionsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (matchArgReduction(op, /*anyZero=*/true))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : found) {
      rewriter.setInsertionPoint(op);
      splitArgReduction(rewriter, op, *matchArgReduction(op, true));
    }
  }
};
} // namespace
