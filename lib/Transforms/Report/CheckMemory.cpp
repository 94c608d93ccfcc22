//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to local. Checks the predicted peak against a limit, and
// names the op at the peak (R6). Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Analysis/PeakMemory.h"
#include "ShardIR/Transforms/Passes.h"

namespace shardir {
#define GEN_PASS_DEF_CHECKMEMORY
#include "ShardIR/Transforms/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct CheckMemoryPass : shardir::impl::CheckMemoryBase<CheckMemoryPass> {
  using CheckMemoryBase::CheckMemoryBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    MeshTable meshes(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (limit <= 0 || function.isDeclaration() ||
          !function.getBody().hasOneBlock())
        continue;
      MemoryPeak peak = peakMemory(function, meshes);
      if (peak.bytes <= limit)
        continue;
      Operation *at = peak.op ? peak.op : function;
      InFlightDiagnostic diag =
          at->emitError() << "needs " << peak.bytes << " bytes at one time on a "
                          << "device, above the memory limit of "
                          << int64_t(limit);
      diag.attachNote(function.getLoc())
          << (peak.op ? "split more of @" : "the arguments alone need it; split "
                                            "more of those of @")
          << function.getSymName() << "'s tensors, or raise memory-limit";
      return signalPassFailure();
    }
  }
};

} // namespace
