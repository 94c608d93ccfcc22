//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: local. Requires what verifyStage says of the scheduled stage, but for
// the module's attribute; guarantees that rings are made where they save time.
//
//===----------------------------------------------------------------------===//

#include "Rings.h"

#include "ShardIR/Dialect/Collective/Collective.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace shardir {
#define GEN_PASS_DEF_SCHEDULECOLLECTIVES
#include "ShardIR/Transforms/Schedule/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct ScheduleCollectivesPass
    : shardir::impl::ScheduleCollectivesBase<ScheduleCollectivesPass> {
  using ScheduleCollectivesBase::ScheduleCollectivesBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (rings != "auto" && rings != "always" && rings != "never") {
      module.emitError("unknown mode '")
          << rings << "' of rings; use auto, always or never";
      return signalPassFailure();
    }
    if (stageOf(module) > Stage::Local)
      return markAllAnalysesPreserved();
    if (failed(expectLocal(module, "shardir-schedule-collectives",
                           "--shardir-to-scheduled")))
      return signalPassFailure();
    if (rings != "never") {
      ScheduleCollectivesOptions options{rings,  overlap,   flops,  narrowFlops,
                                         launch, bandwidth, explain};
      FailureOr<bool> gathers = makeGatherRings(module, options);
      FailureOr<bool> sums = FailureOr<bool>(failure());
      if (succeeded(gathers))
        sums = makeSumRings(module, options);
      if (failed(sums))
        return signalPassFailure();
      if (*gathers || *sums)
        module->setAttr(collective::kRings, UnitAttr::get(&getContext()));
    }
  }
};

} // namespace
