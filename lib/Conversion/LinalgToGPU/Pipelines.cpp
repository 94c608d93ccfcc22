//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the passes and why it is that order. The tensor pipeline
// requires linalg on tensors and guarantees ops that bufferize; the other one
// requires the bufferized stage and guarantees host code that calls the
// runtime.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/GpuToHost/Passes.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Conversion/LinalgToGPU/GpuTarget.h"
#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Transforms/Normalize/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using shardir::SchedulingOptions;

SchedulingOptions shardir::schedulingForGpu(StringRef arch) {
  SchedulingOptions options;
  if (auto target = GpuTarget::get(arch)) {
    options.collectives.flops = 0.4 * target->scalarFlops;
    options.collectives.narrowFlops = 0.5 * target->matrixFlops;
    options.collectives.launch = target->launchSeconds;
    options.collectives.bandwidth = target->copyBytesPerSecond;
  }
  return options;
}

void shardir::buildGpuLoops(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSortsToNetworks());
  pm.addNestedPass<func::FuncOp>(createIndexedOpsToLoops());
  pm.addNestedPass<func::FuncOp>(createWindowsToScans());
  pm.addNestedPass<func::FuncOp>(createLoopsToElements());
  // Behind that, which looks for all of a loop's work in its body.
  pm.addNestedPass<func::FuncOp>(createHoistFromLoops());
  pm.addNestedPass<func::FuncOp>(createSplitArgReductions());
}

void shardir::buildGpuTensorPipeline(OpPassManager &pm) {
  buildFusion(pm);
  pm.addNestedPass<func::FuncOp>(createSortRowsByGroup());
  // The sorts that this has added.
  pm.addNestedPass<func::FuncOp>(createSortsToNetworks());
  pm.addNestedPass<func::FuncOp>(createIndexedOpsToLoops());
  pm.addNestedPass<func::FuncOp>(createLoopsToElements());
}

void shardir::buildGpuSchedules(OpPassManager &pm, const GpuOptions &options) {
  // No simplification between these two: it would dissolve marked regions.
  pm.addNestedPass<func::FuncOp>(createPlaceOnGpu());
  pm.addNestedPass<func::FuncOp>(createScheduleForGpu(
      {options.arch, options.schedule, options.explain, options.tf32,
       options.plan, options.library, options.kernelTimes}));
  // Kernels that are equal are found to be so in simplified form. From the
  // bottom up it takes half of the time: users drop what they do not need
  // before that is simplified.
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(false);
  // Structured control flow has no blocks to remove, and looking takes a third.
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  pm.addPass(createCanonicalizerPass(config));
  pm.addPass(createCSEPass());
}

void shardir::buildGpuKernels(OpPassManager &pm, const GpuOptions &options) {
  bool host = options.arch == "host";
  pm.addPass(createOutlineGpuKernels());
  pm.addPass(createLaunchesToRuntime({options.arch}));
  if (host) {
    pm.addPass(createGpuToHost());
    return;
  }
  pm.addNestedPass<gpu::GPUModuleOp>(createKernelsToNVVM({options.arch}));
  pm.addPass(createAssembleKernels(
      {options.arch, options.ptxas, options.explain, ""}));
}

void shardir::buildKernelTables(OpPassManager &pm, const GpuOptions &options) {
  if (options.arch == "host")
    pm.addPass(createEmulatedKernelTables());
}

void shardir::registerGpuPasses() {
  registerGpuToHostPasses();
  registerLinalgToGPUPasses();
}
