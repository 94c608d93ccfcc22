//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: redistributed to bufferized. Checks the peak, predicted or of buffers,
// against a limit, names the op at the peak (R6) and notes the largest values
// alive there. Changes nothing.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Dialect/ShardIR/Machine.h"
#include "ShardIR/Dialect/ShardIR/Provenance.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Memory/BufferPeak.h"
#include "ShardIR/Memory/MemorySavings.h"
#include "ShardIR/Memory/Recomputation.h"
#include "ShardIR/Report/RedistributionUsers.h"
#include "ShardIR/Transforms/Report/Passes.h"

namespace shardir {
#define GEN_PASS_DEF_CHECKMEMORY
#include "ShardIR/Transforms/Report/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

/// How many values the error names.
static constexpr size_t kNamed = 5;

/// `argument 1 of @main ("layers.0.weight")`, `result 0 of @main`, whose memory
/// is an argument of the program on buffers, `the result of 'math.exp'`; of a
/// tensor without contents `an init of 'linalg.matmul'`, the op it is for.
static std::string nameOf(func::FuncOp function, Value value, Operation *made) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (isa<MemRefType>(value.getType()) && !argument)
    return "a buffer";
  if (!argument)
    return (made == value.getDefiningOp() ? "the result of '"
                                          : "an init of '") +
           describeOp(made) + "'";
  unsigned number = argument.getArgNumber();
  auto isResult = [&](unsigned other) {
    return bool(function.getArgAttr(other, ShardIRDialect::kResult));
  };
  unsigned before = llvm::count_if(llvm::seq(number), isResult);
  std::string text = isResult(number)
                         ? "result " + std::to_string(before)
                         : "argument " + std::to_string(number - before);
  text += " of @" + function.getName().str();
  if (auto name =
          function.getArgAttrOfType<StringAttr>(number, ShardIRDialect::kName))
    text += " (\"" + name.getValue().str() + "\")";
  return text;
}

/// The provenance of the placement of `value`, whose op is `made`, or which is
/// an init for `made`.
static ArrayAttr decidedBy(Value value, Operation *made) {
  if (!made || !isa<RankedTensorType>(value.getType()))
    return {};
  if (made == value.getDefiningOp())
    return provenanceOnProducer(value);
  for (OpOperand &use : value.getUses())
    if (use.getOwner() == made)
      return provenanceOfUse(use);
  return provenanceOn(made);
}

/// Notes where `held` is from, how it is placed, and what would save memory.
static void explain(InFlightDiagnostic &diag, func::FuncOp function,
                    const HeldValue &held,
                    llvm::ArrayRef<Recomputation> recomputations,
                    const MeshTable &meshes) {
  Operation *made = held.value.getDefiningOp();
  if (made)
    made = purposeOf(made);
  Diagnostic &note =
      diag.attachNote(made ? made->getLoc() : held.value.getLoc());
  note << held.bytes << " bytes: " << nameOf(function, held.value, made) << ", "
       << held.value.getType();
  if (PlacementAttr placement = placedAs(held.value).second)
    note << ", " << placement;
  if (std::string text = describeProvenance(decidedBy(held.value, made));
      !text.empty())
    note << ", decided by " << text;
  if (std::optional<SplitSaving> split = bestSplit(held, meshes))
    note << "; splitting dim " << split->dim << " over \"" << split->axis
         << "\" saves " << split->bytes << " bytes";
  for (const Recomputation &way : recomputations)
    if (way.value == held.value)
      note << "; recomputing it after the peak saves " << way.bytes << " bytes";
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
        peak = peakMemory(function, meshes, /*alive=*/nullptr,
                          /*resultsFirst=*/false, checkedAgain);
      else if (function.isPublic())
        peak = bufferPeak(function, /*use=*/nullptr, /*listHeld=*/true)
                   .value_or(peak);
      if (peak.bytes <= limit)
        continue;
      // Ops on buffers are calls of kernels: their location says more.
      Operation *at = peak.op ? purposeOf(peak.op) : function;
      InFlightDiagnostic diag = at->emitError();
      if (isBufferized)
        diag << "the program on buffers ";
      else if (peak.op)
        diag << "'" << describeOp(at) << "' ";
      diag << "needs " << peak.bytes
           << " bytes at one time on a device, above the memory limit of "
           << int64_t(limit);
      diag.attachNote(function.getLoc())
          << (peak.op ? "split more of @"
                      : "the arguments alone need it; split "
                        "more of those of @")
          << function.getSymName() << "'s tensors, or raise memory-limit"
          << (peak.held.empty() ? "" : "; the largest tensors alive here are");
      std::vector<Recomputation> recomputations;
      if (!recomputed && stageOf(getOperation()) <= Stage::Collective)
        recomputations = recomputationsAt(peak, function, meshes,
                                          getMachine(getOperation()).rates,
                                          RecomputationState());
      for (const HeldValue &held : llvm::ArrayRef(peak.held).take_front(kNamed))
        explain(diag, function, held, recomputations, meshes);
      return signalPassFailure();
    }
  }
};

} // namespace
