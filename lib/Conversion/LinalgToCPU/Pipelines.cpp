//===- Pipelines.cpp - From linalg on tensors to LLVM dialect -------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the passes and why it is that order. The tensor pipeline
// requires linalg on tensors and guarantees ops that bufferize; the lowering
// requires memrefs and guarantees LLVM dialect.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/Attention/Passes.h"
#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Transforms/Schedule/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ComplexToLLVM/ComplexToLLVM.h"
#include "mlir/Conversion/ComplexToStandard/ComplexToStandard.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using shardir::SchedulingOptions;

SchedulingOptions SchedulingOptions::forCpu() {
  SchedulingOptions options;
  options.leastScoreBytes = smallScoreBytes;
  // A rank waits in its collectives: rings save memory alone.
  options.collectives.overlap = false;
  return options;
}

void shardir::buildScheduling(OpPassManager &pm,
                              const SchedulingOptions &options) {
  pm.addNestedPass<func::FuncOp>(createDecomposeForCpu());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.recognizeAttention) {
    pm.addNestedPass<func::FuncOp>(
        createRecognizeAttention({options.explain, options.leastScoreBytes}));
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
  pm.addPass(createScheduleCollectives(options.collectives));
  pm.addPass(createCombineCollectives(options.combining));
}

void shardir::buildFusion(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createFuseForCpu());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Behind fusion, which keeps a chain of complex numbers one loop.
  pm.addNestedPass<func::FuncOp>(createComplexToParts());
}

void shardir::buildCpuTensorPipeline(OpPassManager &pm,
                                     const CpuOptions &options) {
  pm.addNestedPass<func::FuncOp>(createSortsToKeys());
  pm.addNestedPass<func::FuncOp>(
      createIndexedOpsToLoops({options.parallel, /*radix=*/true}));
  if (options.attention)
    pm.addNestedPass<func::FuncOp>(createTileAttentionForCpu());
  pm.addNestedPass<func::FuncOp>(createDecomposeAttention());
  pm.addNestedPass<func::FuncOp>(
      createPackConvolutionsForCpu({options.targetName}));
  buildFusion(pm);
  pm.addNestedPass<func::FuncOp>(createSortRowsByGroup());
  // The sorts that this has added.
  pm.addNestedPass<func::FuncOp>(
      createIndexedOpsToLoops({options.parallel, /*radix=*/true}));
  pm.addNestedPass<func::FuncOp>(createRowGroupsToLoops());
  pm.addNestedPass<func::FuncOp>(createTileForCpu());
}

void shardir::addSmallFloatEmulation(OpPassManager &pm) {
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16", "f16", "f8E4M3FN", "f8E5M2"};
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  pm.addPass(createExpandFloat8());
  math::MathExtendToSupportedTypesOptions extend;
  extend.extraTypeStrs = {"f64"};
  extend.targetTypeStr = "f32";
  pm.addPass(math::createMathExtendToSupportedTypes(extend));
}

void shardir::buildBufferizeForTesting(OpPassManager &pm) {
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.hoistStaticAllocs = true;
  outParams.hoistDynamicAllocs = true;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  bufferization::buildBufferDeallocationPipeline(pm);
}

void shardir::buildCpuContractions(OpPassManager &pm,
                                   const CpuOptions &options) {
  pm.addPass(createOutlineCpuKernels());
  pm.addNestedPass<func::FuncOp>(
      createContractionsToCpuLoops({options.targetName, options.explain,
                                    options.plan, options.kernelTimes}));
}

void shardir::buildCpuLowering(OpPassManager &pm, const CpuOptions &options) {
  OpPassManager &nests = pm.nest<func::FuncOp>();
  nests.addPass(createVectorizeForCpu({options.targetName}));
  nests.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createOutlineParallelLoops({/*serial=*/!options.parallel}));
  buildHostLowering(pm, options.target);
}

void shardir::buildHostLowering(OpPassManager &pm, const CpuTarget &target) {
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(memref::createFoldMemRefAliasOpsPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  function.addPass(createLoopInvariantCodeMotionPass());

  function.addPass(createConvertComplexToStandardPass());

  addSmallFloatEmulation(function);
  bool isAvx512 = target.vectorBits == 512 && !target.isAArch64();
  pm.addPass(createExpandMathForCpu({/*avx512=*/isAvx512}));
  // Conversions that the target has no instruction for are spelled out, so that
  // no compiler-rt is needed.
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = !target.hasBf16Conversion;
  OpPassManager &lower = pm.nest<func::FuncOp>();
  lower.addPass(arith::createArithExpandOpsPass(expand));

  lower.addPass(memref::createExpandStridedMetadataPass());
  lower.addPass(createLowerAffinePass());
  lower.addPass(createCanonicalizerPass());
  lower.addPass(createCSEPass());
  lower.addPass(createSCFToControlFlowPass());
  lower.addPass(createConvertMathToLLVMPass());

  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memrefs;
  memrefs.useAlignedAlloc = true;
  memrefs.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memrefs));
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

namespace {
struct CpuPipelineOptions : PassPipelineOptions<CpuPipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the CPU to compile for"),
                             llvm::cl::init("host")};
  Option<bool> parallel{*this, "parallel",
                        llvm::cl::desc("Use the rank's worker threads"),
                        llvm::cl::init(true)};

  shardir::CpuOptions get() const {
    shardir::CpuOptions options;
    options.targetName = target;
    options.parallel = parallel;
    if (auto known = shardir::CpuTarget::get(target))
      options.target = *known;
    return options;
  }
};
} // namespace

void shardir::registerLinalgToCPUPipelines() {
  PassPipelineRegistration<CpuPipelineOptions>(
      "shardir-cpu-tensor", "Fuse and tile a rank's program, on tensors",
      [](OpPassManager &pm, const CpuPipelineOptions &options) {
        buildScheduling(pm, SchedulingOptions::forCpu());
        buildCpuTensorPipeline(pm, options.get());
      });
  PassPipelineRegistration<>("shardir-cpu-bufferize-for-testing",
                             "One-shot bufferization for local CPU tests",
                             buildBufferizeForTesting);
  PassPipelineRegistration<CpuPipelineOptions>(
      "shardir-linalg-to-cpu", "Lower bufferized linalg to LLVM dialect",
      [](OpPassManager &pm, const CpuPipelineOptions &options) {
        buildCpuContractions(pm, options.get());
        buildCpuLowering(pm, options.get());
      });
}
