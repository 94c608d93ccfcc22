//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way from local tensors to LLVM dialect: the tensor pipeline of the
// target, bufferization, the runtime's calls, and the target's lowering.
// Requires the local or scheduled stage; guarantees the stage that was asked
// for.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/CollectivesToRuntime/Passes.h"
#include "ShardIR/Conversion/GpuToHost/Passes.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Conversion/LinalgToGPU/Passes.h"
#include "ShardIR/Pipelines/Pipelines.h"
#include "ShardIR/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shape/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void shardir::buildLowering(OpPassManager &pm, Stage to,
                            const PipelineOptions &options,
                            const LoweringOptions &lowering) {
  if (to < Stage::Bufferized)
    return;
  CpuOptions cpu;
  cpu.targetName = options.target;
  cpu.attention = options.attention;
  cpu.rings = options.rings;
  cpu.explain = options.explain;
  if (auto target = CpuTarget::get(options.target))
    cpu.target = *target;
  GpuOptions gpu;
  if (!options.arch.empty())
    gpu.arch = options.arch;
  gpu.explain = options.explain;
  gpu.schedule = options.schedule;
  gpu.ptxas = options.ptxas;
  gpu.attention = options.attention;
  gpu.rings = options.rings;
  gpu.overlap = options.overlap;
  gpu.tf32 = options.tf32;
  // Buffers for the CPU are those of tiled loops; an architecture that is named
  // asks for those of whole kernels.
  bool forGpu =
      to == Stage::Gpu || (to == Stage::Bufferized && !options.arch.empty());

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
  pm.addPass(createLowerGlobals());
  if (forGpu)
    buildGpuTensorPipeline(pm, gpu);
  else
    buildCpuTensorPipeline(pm, cpu);
  pm.addPass(createBufferize());
  if (to < Stage::Cpu)
    return;
  // What allocations add up to is known once contractions have theirs.
  if (!forGpu) {
    buildCpuContractions(pm, cpu);
    pm.addPass(createReport({"", /*embed=*/true}));
    if (options.memoryLimit > 0)
      pm.addPass(createCheckMemory({options.memoryLimit}));
  }

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
  if (gpu.arch == "host")
    pm.addPass(createEmulatedKernelTables());
}
