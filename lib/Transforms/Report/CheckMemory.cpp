//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to bufferized. Checks the peak, predicted or of buffers,
// against a limit, and names the op at the peak (R6). Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Transforms/Report/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace shardir {
#define GEN_PASS_DEF_CHECKMEMORY
#include "ShardIR/Transforms/Report/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// The purpose of an allocation: the first op that does more with it than fill
/// it, whose place in the program says more than that of what it starts from.
static Operation *purposeOf(Operation *alloc) {
  Operation *first = nullptr;
  for (Operation *user : alloc->getUsers()) {
    Operation *top = alloc->getBlock()->findAncestorOpInBlock(*user);
    if (top && !isa<linalg::FillOp>(top) &&
        (!first || top->isBeforeInBlock(first)))
      first = top;
  }
  return first ? first : alloc;
}

namespace {

struct CheckMemoryPass : shardir::impl::CheckMemoryBase<CheckMemoryPass> {
  using CheckMemoryBase::CheckMemoryBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    MeshTable meshes(getOperation());
    bool isBufferized = stageOf(getOperation()) == Stage::Bufferized;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (limit <= 0 || function.isDeclaration() ||
          !function.getBody().hasOneBlock())
        continue;
      MemoryPeak peak;
      if (!isBufferized)
        peak = peakMemory(function, meshes);
      else if (function.isPublic())
        peak = bufferPeak(function, meshes).value_or(peak);
      if (peak.bytes <= limit)
        continue;
      Operation *at = function;
      if (peak.op)
        at = isBufferized ? purposeOf(peak.op) : peak.op;
      InFlightDiagnostic diag =
          at->emitError() << "needs " << peak.bytes
                          << " bytes at one time on a device, above the memory "
                             "limit of "
                          << int64_t(limit);
      diag.attachNote(function.getLoc())
          << (peak.op ? "split more of @"
                      : "the arguments alone need it; split "
                        "more of those of @")
          << function.getSymName() << "'s tensors, or raise memory-limit";
      return signalPassFailure();
    }
  }
};

} // namespace
