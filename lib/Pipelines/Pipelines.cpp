//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines `--shardir-to-<stage>`: stages in order, each verified. Passes
// leave modules of a later stage alone, so a printed stage can be re-entered.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void shardir::buildPipeline(OpPassManager &pm, Stage to,
                            const PipelineOptions &options,
                            const LoweringOptions &lowering) {
  auto reached = [&](Stage stage) { return to <= stage; };
  auto verify = [&](Stage stage) {
    pm.addPass(createVerifyStage({stageName(stage).str()}));
  };
  pm.addPass(createImportAnnotations());
  pm.addPass(createLowerDTensorSyntax());
  pm.addPass(createSpecializeMesh({options.mesh}));
  pm.addPass(createUseMachine({options.getMachine()}));
  // Analyses follow regions, not blocks.
  pm.addPass(createCheckExits());
  pm.addPass(createLiftControlFlowToSCFPass());
  pm.addPass(createForallToFor());
  // Callees take part in propagation as if written in place.
  pm.addPass(createConstrainCallees());
  pm.addPass(createInlineCallees());
  pm.addPass(createShortenCallStacks());
  pm.addPass(createInlineManual());
  pm.addNestedPass<func::FuncOp>(createShareExtents());
  pm.addPass(createNormalize());
  pm.addPass(createExpandOpenDims());
  if (options.reduce == "result-type")
    pm.addPass(createCastPartials());
  markAttention(pm, to, options);
  if (options.propose)
    pm.addPass(createPropose({options.cost, options.getMemoryLimit(), ""},
                             options.costModel));
  if (!options.shardOptimizerState.empty())
    pm.addPass(createShardOptimizerState({options.shardOptimizerState}));
  else if (options.getMemoryLimit() > 0)
    pm.addPass(createFitOptimizerState(
        {options.cost, options.conflicts, options.getMemoryLimit()},
        options.costModel));
  pm.addPass(createPropagate(
      {options.cost, options.conflicts, options.getMemoryLimit()},
      options.costModel));
  verify(Stage::Propagated);
  if (reached(Stage::Propagated))
    return;
  SimplifyRedistributeOptions simplify;
  simplify.cost = options.cost;
  simplify.shareGathers = options.shareGathers;
  simplify.memoryLimit = options.getMemoryLimit();
  buildRedistribution(pm, {options.strict}, simplify, options.costModel);
  verify(Stage::Redistributed);
  if (reached(Stage::Redistributed))
    return;
  buildCollectives(pm, {options.cost}, options.costModel);
  // A collective among scores keeps them.
  markAttention(pm, to, options);
  if (options.getMemoryLimit() > 0) {
    // By default copies go on beside work on the machine that is described,
    // whatever the program is compiled for.
    pm.addPass(createRecomputeToFit(
        {options.getMemoryLimit(),
         !options.overlap.hasValue() || bool(options.overlap)}));
    pm.addPass(createCheckMemory({options.getMemoryLimit(), /*recomputed=*/true,
                                  /*checkedAgain=*/to >= Stage::Cpu}));
  }
  verify(Stage::Collective);
  if (reached(Stage::Collective))
    return;
  // A compiled program carries its report; printed stages do without.
  if (to >= Stage::Cpu)
    pm.addPass(createReport({"", /*embed=*/true}));
  pm.addPass(createLocalize());
  pm.addPass(createCSEPass());
  verify(Stage::Local);
  if (reached(Stage::Local)) {
    (void)addOwnPasses(pm, options.afterLocal); // parseOptions has read it
    return;
  }
  if (options.pipeline == "1f1b") {
    pm.addPass(createPipelineMicroBatches());
    pm.addPass(createCanonicalizerPass());
  }
  pm.addPass(createChooseLayouts({options.layout}));
  pm.addPass(createCSEPass());
  buildScheduled(pm, to, options);
  if (to >= Stage::Cpu)
    pm.addPass(createReport({"", /*embed=*/true}));
  verify(Stage::Scheduled);
  if (!reached(Stage::Scheduled))
    buildLowering(pm, to, options, lowering);
}

void shardir::buildUnsharded(OpPassManager &pm, const PipelineOptions &options,
                             const LoweringOptions &lowering) {
  // The limit is one device's: a program that is split to fit it exceeds it
  // where it is not split.
  PipelineOptions own;
  own.copyOptionValuesFrom(options);
  own.memoryLimit = "0";
  own.plan = ""; // a GPU's numbers say nothing of the CPU's tiles
  buildScheduled(pm, Stage::Cpu, own);
  buildLowering(pm, Stage::Cpu, own, lowering);
}

void shardir::registerPipelines() {
  for (Stage stage : {Stage::Propagated, Stage::Redistributed,
                      Stage::Collective, Stage::Local, Stage::Scheduled,
                      Stage::Bufferized, Stage::Cpu, Stage::Gpu}) {
    std::string name = ("shardir-to-" + stageName(stage)).str();
    // PassPipelineRegistration would leave no way to refuse a value.
    registerPassPipeline(
        name,
        ("Runs the stages that are missing up to " + stageName(stage)).str(),
        [stage,
         name](OpPassManager &pm, StringRef text,
               llvm::function_ref<LogicalResult(const Twine &)> onError) {
          StringRef module = ModuleOp::getOperationName();
          if (pm.getOpAnchorName() != module)
            return onError(name + " runs on '" + module + "', found '" +
                           pm.getOpAnchorName() + "'; write " + module + "(" +
                           name + ")");
          PipelineOptions options;
          std::string error;
          if (failed(parseOptions(text, stage, options, error)))
            return onError(error);
          if (options.function.hasValue())
            return onError("option function does nothing here, where all "
                           "public functions are kept; give it to "
                           "shard-compile or shard-run, or leave it out");
          buildPipeline(pm, stage, options);
          return success();
        },
        [](llvm::function_ref<void(const mlir::detail::PassOptions &)>
               describe) { describe(PipelineOptions()); });
  }
}
