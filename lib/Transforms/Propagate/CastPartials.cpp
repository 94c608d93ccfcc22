//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, behind shardir-normalize. Requires nothing; guarantees that
// every cast of floats to a narrower type takes terms of sums.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/PartialCast.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Transforms/Propagate/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace shardir {
#define GEN_PASS_DEF_CASTPARTIALS
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct CastPartialsPass : shardir::impl::CastPartialsBase<CastPartialsPass> {
  using CastPartialsBase::CastPartialsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (stageOf(module) >= Stage::Local)
      return markAllAnalysesPreserved();
    module.walk([](arith::TruncFOp op) {
      op->setAttr(kPartialCast, UnitAttr::get(op.getContext()));
    });
  }
};

} // namespace
