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
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void shardir::buildGpuTensorPipeline(OpPassManager &pm,
                                     const GpuOptions &options) {
  // Before what the loops' steps compute is fused with anything else.
  pm.addNestedPass<func::FuncOp>(createRecognizeSorts({options.explain}));
  pm.addNestedPass<func::FuncOp>(createWindowsToScans());
  pm.addNestedPass<func::FuncOp>(createLoopsToElements());
  pm.addNestedPass<func::FuncOp>(createHoistFromLoops());
  pm.addNestedPass<func::FuncOp>(createSplitArgReductions());
  FusionOptions fusion;
  fusion.recognizeAttention = options.attention;
  fusion.explain = options.explain;
  fusion.keepAttention = true;
  // The rates are those that schedules reach with most products.
  if (auto target = GpuTarget::get(options.arch)) {
    fusion.rings.flops = 0.4 * target->scalarFlops;
    fusion.rings.narrowFlops = 0.5 * target->matrixFlops;
    fusion.rings.launch = target->launchSeconds;
    fusion.bandwidth = target->copyBytesPerSecond;
  }
  fusion.rings.mode = options.rings;
  fusion.rings.overlap = options.overlap;
  fusion.rings.explain = options.explain;
  buildFusion(pm, fusion);
}

void shardir::buildGpuKernels(OpPassManager &pm, const GpuOptions &options) {
  bool host = options.arch == "host";
  // No simplification between these two: it would dissolve marked regions.
  pm.addNestedPass<func::FuncOp>(createPlaceOnGpu());
  pm.addNestedPass<func::FuncOp>(createScheduleForGpu(
      {options.arch, options.schedule, options.explain, options.tf32}));
  // Kernels that are equal are found to be so in simplified form.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.overlap)
    pm.addNestedPass<func::FuncOp>(createOverlapCollectives());
  pm.addPass(createOutlineGpuKernels());
  pm.addPass(createLaunchesToRuntime({options.arch}));
  if (host) {
    pm.addPass(createGpuToHost());
    return;
  }
  pm.addNestedPass<gpu::GPUModuleOp>(createKernelsToNVVM({options.arch}));
  pm.addPass(createAssembleKernels({options.arch, options.ptxas, options.explain, ""}));
}
