//===- NoGpu.cpp - A build without code generation for GPUs ---------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands for the rest of this folder where SHARDIR_ENABLE_GPU is off, as in the
// first `make demo`. Guarantees that every pipeline to a GPU ends in an error
// that says so.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Conversion/LinalgToGPU/Passes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace shardir;

namespace {
struct RefuseGpuPass : PassWrapper<RefuseGpuPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RefuseGpuPass)
  void runOnOperation() override {
    getOperation().emitError(
        "this build has no code generation for GPUs; `make build` makes one "
        "that has (CMake option SHARDIR_ENABLE_GPU)");
    signalPassFailure();
  }
};
} // namespace

std::vector<std::string> shardir::gpuScheduleNames() { return {}; }

SchedulingOptions shardir::schedulingForGpu(StringRef) {
  return SchedulingOptions::forCpu();
}

void shardir::buildGpuLoops(OpPassManager &pm) {
  pm.addPass(std::make_unique<RefuseGpuPass>());
}

void shardir::buildGpuTensorPipeline(OpPassManager &) {}

void shardir::buildGpuSchedules(OpPassManager &, const GpuOptions &) {}

void shardir::buildGpuKernels(OpPassManager &, const GpuOptions &) {}

void shardir::buildKernelTables(OpPassManager &, const GpuOptions &) {}

void shardir::registerGpuPasses() {}
