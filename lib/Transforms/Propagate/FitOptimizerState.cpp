//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stage: annotated, calls inlined. Requires sugar resolved. Guarantees that a
// program within the memory limit, or without optimizer states, is as it was.
// Of another the peak of each way is measured on a copy, up to the collective
// stage, and the first that fits is taken, else the one with the lowest peak.
//
//===----------------------------------------------------------------------===//

#include "PropagateModule.h"

#include "ShardIR/Dialect/ShardIR/FittedStates.h"
#include "ShardIR/Dialect/ShardIR/ShardIR.h"
#include "ShardIR/Dialect/ShardIR/Stage.h"
#include "ShardIR/Memory/PeakMemory.h"
#include "ShardIR/Transforms/Propagate/Passes.h"
#include "ShardIR/Transforms/Redistribute/Passes.h"
#include "ShardIR/Transforms/StageUtils.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

namespace shardir {
#define GEN_PASS_DEF_FITOPTIMIZERSTATE
#include "ShardIR/Transforms/Propagate/Passes.h.inc"
} // namespace shardir

using namespace mlir;
using namespace shardir;

namespace {

struct FitOptimizerStatePass
    : shardir::impl::FitOptimizerStateBase<FitOptimizerStatePass> {
  using FitOptimizerStateBase::FitOptimizerStateBase;
  FitOptimizerStatePass(FitOptimizerStateOptions options,
                        std::shared_ptr<const PropagationCostModel> costModel)
      : FitOptimizerStateBase(std::move(options)),
        costModel(std::move(costModel)) {}

  void addPassesAfterPropagate(OpPassManager &passes) const {
    SimplifyRedistributeOptions simplify;
    simplify.cost = cost;
    simplify.memoryLimit = memoryLimit;
    buildRedistribution(passes, {}, simplify, costModel);
    RedistributeToCollectivesOptions plan;
    plan.cost = cost;
    buildCollectives(passes, plan, costModel);
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    FitOptimizerStateBase::getDependentDialects(registry);
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createPropagate({cost, conflicts, memoryLimit}, costModel));
    addPassesAfterPropagate(passes);
    passes.getDependentDialects(registry);
  }

  /// A copy with states split over `axes`; null where there are none to split.
  OwningOpRef<ModuleOp> withStatesOver(StringRef axes) {
    OwningOpRef<ModuleOp> copy(getOperation().clone());
    PassManager passes(&getContext(), ModuleOp::getOperationName());
    passes.addPass(createShardOptimizerState({axes.str()}));
    bool isSplit = false;
    if (succeeded(passes.run(*copy)))
      for (auto [before, after] :
           llvm::zip(getOperation().getOps<func::FuncOp>(),
                     copy->getOps<func::FuncOp>()))
        isSplit |= before.getAllArgAttrs() != after.getAllArgAttrs();
    return isSplit ? std::move(copy) : OwningOpRef<ModuleOp>();
  }

  /// The bytes of a device at its peak; nothing where a pass refuses the
  /// program. `module` is at the collective stage then.
  std::optional<int64_t> peakOf(ModuleOp module) {
    if (failed(propagateModule(module,
                               {{cost, conflicts, memoryLimit}, costModel},
                               getAnalysis<RedistributionPlans>().plans,
                               getAnalysis<PropagationAnswers>(),
                               /*isTrial=*/true)))
      return std::nullopt;
    PassManager passes(&getContext(), ModuleOp::getOperationName());
    addPassesAfterPropagate(passes);
    if (failed(passes.run(module)))
      return std::nullopt;
    MeshTable meshes(module);
    int64_t peak = 0;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isDeclaration())
        peak = std::max(peak, peakMemory(function, meshes).bytes);
    return peak;
  }

  /// Axes to split states over.
  struct Way {
    std::string axes;
    OwningOpRef<ModuleOp> program; ///< with states split over them
    int64_t saved;                 ///< bytes of arguments
  };

  struct Fit {
    std::string axes;
    std::optional<int64_t> without, with;
  };

  static int64_t bytesOfArguments(ModuleOp module, const MeshTable &meshes) {
    int64_t bytes = 0;
    for (auto function : module.getOps<func::FuncOp>())
      for (BlockArgument argument : function.getArguments())
        bytes += localBytes(argument.getType(), getPlacement(argument), meshes);
    return bytes;
  }

  /// Removes the ways that cannot save `wanted` bytes at the peak, for each one
  /// takes a search; keeps the one that saves most. Gradients and results may
  /// be split as states are: a way saves less than kMostPerArgument times the
  /// bytes that arguments lose. None where nearly all is left to recomputation.
  static void dropInsufficient(std::vector<Way> &ways, int64_t wanted) {
    auto most = llvm::max_element(
        ways, [](const Way &a, const Way &b) { return a.saved < b.saved; });
    int64_t least =
        std::max(std::min(most->saved, wanted / kMostPerArgument),
                 wanted / kMostPerArgument / kLeastShareOfWanted);
    llvm::erase_if(ways, [&](const Way &way) { return way.saved < least; });
  }
  static constexpr int64_t kMostPerArgument = 4;
  /// Less than one part in so many of the limit is not worth a search: states
  /// of norms, where all others are split already.
  static constexpr int64_t kLeastShare = 1000;
  static constexpr int64_t kLeastShareOfWanted = 10;

  /// The axes to split states over; none where nothing is to be done.
  std::optional<Fit> findFit() {
    // The pipeline itself runs these passes later, and shows their messages.
    ScopedDiagnosticHandler quiet(&getContext(),
                                  [](Diagnostic &) { return success(); });
    std::vector<std::string> ways;
    MeshTable meshes(getOperation());
    for (const Mesh &mesh : meshes.all()) {
      std::vector<std::string> names;
      for (const MeshAxis &axis : mesh.axes)
        if (axis.assumedSize() > 1)
          names.push_back(axis.name);
      llvm::append_range(ways, names);
      if (names.size() > 1)
        ways.push_back(llvm::join(names, ","));
    }
    std::vector<Way> all;
    std::optional<int64_t> without;
    int64_t bytes = bytesOfArguments(getOperation(), meshes);
    for (const std::string &axes : ways) {
      OwningOpRef<ModuleOp> copy = withStatesOver(axes);
      if (!copy)
        continue;
      int64_t saved = bytes - bytesOfArguments(*copy, meshes);
      if (saved < memoryLimit / kMostPerArgument / kLeastShare)
        continue;
      if (all.empty()) {
        OwningOpRef<ModuleOp> plain(getOperation().clone());
        without = peakOf(*plain);
        if (without && *without <= memoryLimit)
          return std::nullopt;
      }
      all.push_back({axes, std::move(copy), saved});
    }
    if (without && !all.empty())
      dropInsufficient(all, *without - memoryLimit);
    Fit best{"", without, without};
    for (Way &way : all) {
      std::optional<int64_t> peak = peakOf(*way.program);
      if (peak && (!best.with || *peak < *best.with))
        best = Fit{way.axes, without, peak};
      if (best.with && *best.with <= memoryLimit)
        break;
    }
    return best.axes.empty() ? std::nullopt : std::optional(std::move(best));
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (memoryLimit <= 0 || stageOf(module) >= Stage::Propagated)
      return markAllAnalysesPreserved();
    std::optional<Fit> fit = findFit();
    if (!fit)
      return markAllAnalysesPreserved();
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createShardOptimizerState({fit->axes}));
    if (failed(runPipeline(passes, module)))
      return signalPassFailure();
    SmallVector<StringRef> names;
    llvm::SplitString(fit->axes, names, ",");
    Builder builder(module.getContext());
    NamedAttrList fitted;
    fitted.set("axes", builder.getStrArrayAttr(names));
    if (fit->without)
      fitted.set("peak", builder.getI64IntegerAttr(*fit->without));
    module->setAttr(kFittedStates, fitted.getDictionary(module.getContext()));
    InFlightDiagnostic diag = module.emitRemark()
                              << "optimizer states are split over " << fit->axes
                              << ", as by shard-optimizer-state=" << fit->axes
                              << ": a device needs " << *fit->with
                              << " bytes at its peak";
    if (fit->without)
      diag << ", and " << *fit->without << " without that";
    diag << "; memory-limit is " << int64_t(memoryLimit);
  }

  std::shared_ptr<const PropagationCostModel> costModel; ///< null: the default
};

} // namespace

std::unique_ptr<Pass> shardir::createFitOptimizerState(
    FitOptimizerStateOptions options,
    std::shared_ptr<const PropagationCostModel> costModel) {
  return std::make_unique<FitOptimizerStatePass>(std::move(options),
                                                 std::move(costModel));
}
