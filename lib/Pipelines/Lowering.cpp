//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way from local tensors to LLVM dialect: the passes to the scheduled
// stage, then the tensor pipeline of the target, bufferization, the runtime's
// calls, and the target's lowering.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "ShardIR/Conversion/Attention/Passes.h"
#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Conversion/ShapeToStandard/ShapeToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shape/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using shardir::GpuOptions, shardir::SchedulingOptions, shardir::Stage;

/// Buffers for the CPU are those of tiled loops; an architecture that is named
/// asks for those of whole kernels.
static bool isForGpu(Stage to, const shardir::PipelineOptions &options) {
  return to == Stage::Gpu || (to < Stage::Cpu && !options.arch.empty());
}

void shardir::markAttention(OpPassManager &pm, Stage to,
                            const PipelineOptions &options) {
  if (!options.attention)
    return;
  MarkAttentionOptions mark;
  if (!isForGpu(to, options))
    mark.minBytes = SchedulingOptions::forCpu().leastScoreBytes;
  pm.addNestedPass<func::FuncOp>(createMarkAttention(mark));
}

/// Unless the option says so, collectives go on beside work on the GPU alone.
static bool overlaps(Stage to, const shardir::PipelineOptions &options) {
  return options.overlap.hasValue() ? bool(options.overlap)
                                    : isForGpu(to, options);
}

static GpuOptions gpuOptions(const shardir::PipelineOptions &options) {
  GpuOptions gpu;
  if (!options.arch.empty())
    gpu.arch = options.arch;
  gpu.explain = options.explain;
  gpu.schedule = options.schedule;
  gpu.plan = options.plan;
  llvm::append_range(gpu.library, options.library);
  gpu.kernelTimes = options.kernelTimes;
  gpu.ptxas = options.ptxas;
  gpu.tf32 = options.tf32;
  return gpu;
}

LogicalResult shardir::addOwnPasses(OpPassManager &pm, StringRef passes,
                                    raw_ostream &errors) {
  passes = passes.trim();
  // In MLIR's words this would be a module within the module.
  if (StringRef inner = passes;
      inner.consume_front("builtin.module(") && inner.consume_back(")"))
    passes = inner;
  return parsePassPipeline(passes, pm, errors);
}

void shardir::buildScheduled(OpPassManager &pm, Stage to,
                             const PipelineOptions &options) {
  (void)addOwnPasses(pm, options.afterLocal); // parseOptions has read it
  // The unsharded program comes here as it was written.
  pm.addPass(createCheckExits());
  pm.addPass(createLiftControlFlowToSCFPass());
  pm.addPass(createNormalize());
  // One function per entry: fusion then sees all of a program, and outlining
  // gives equal kernels back one function.
  // Nothing is folded before elementwise ops are linalg's: upstream folds x ^ x
  // of unknown extents to a constant that has no shape.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createSymbolDCEPass());
  pm.addNestedPass<func::FuncOp>(createShapeToShapeLoweringPass());
  pm.addPass(createConvertShapeToStandardPass());
  SchedulingOptions scheduling = SchedulingOptions::forCpu();
  if (isForGpu(to, options)) {
    scheduling = schedulingForGpu(gpuOptions(options).arch);
    scheduling.explain = options.explain;
    buildGpuLoops(pm);
  }
  scheduling.recognizeAttention = options.attention;
  scheduling.collectives.overlap = overlaps(to, options);
  scheduling.collectives.rings = options.rings;
  scheduling.collectives.explain = options.explain;
  scheduling.combining = {options.getCombineThreshold(),
                          options.getMemoryLimit(), options.explain};
  buildScheduling(pm, scheduling);
}

void shardir::buildLowering(OpPassManager &pm, Stage to,
                            const PipelineOptions &options,
                            const LoweringOptions &lowering) {
  CpuOptions cpu;
  cpu.targetName = options.target;
  cpu.attention = options.attention;
  cpu.explain = options.explain;
  cpu.plan = options.plan;
  cpu.kernelTimes = options.kernelTimes;
  if (auto target = CpuTarget::get(options.target))
    cpu.target = *target;
  GpuOptions gpu = gpuOptions(options);
  bool forGpu = isForGpu(to, options);

  pm.addPass(createLowerGlobals());
  if (forGpu)
    buildGpuTensorPipeline(pm);
  else
    buildCpuTensorPipeline(pm, cpu);
  pm.addPass(createBufferize());
  (void)addOwnPasses(pm, options.afterBufferized); // parseOptions has read it
  if (to < Stage::Cpu)
    return;
  if (forGpu)
    buildGpuSchedules(pm, gpu);
  else
    // Before products have buffers for packed operands: those are aligned,
    // which a caller's need not be.
    pm.addPass(createReuseResultBuffers());
  if (overlaps(to, options))
    pm.addNestedPass<func::FuncOp>(
        createOverlapCollectives({options.getMemoryLimit()}));
  pm.addPass(createReport({"", /*embed=*/true}));
  // All allocations are known once contractions have theirs.
  if (!forGpu) {
    buildCpuContractions(pm, cpu);
    pm.addPass(createReport({"", /*embed=*/true}));
  }
  if (options.getMemoryLimit() > 0)
    pm.addPass(createCheckMemory({options.getMemoryLimit(), /*recomputed=*/true,
                                  /*checkedAgain=*/false}));

  CollectivesToRuntimeOptions runtime;
  runtime.hash = lowering.hash;
  runtime.entryPrefix = lowering.entryPrefix;
  runtime.metadata = lowering.metadata;
  runtime.unsharded = lowering.unsharded;
  if (!forGpu) {
    pm.addPass(createCollectivesToRuntime(runtime));
    buildCpuLowering(pm, cpu);
    pm.addPass(createInternalize());
    return;
  }
  // Kernels first: the metadata tells how large they are.
  buildGpuKernels(pm, gpu);
  pm.addPass(createCollectivesToRuntime(runtime));
  buildHostLowering(pm);
  pm.addPass(createInternalize());
  buildKernelTables(pm, gpu);
}
