//===- Passes.h - Passes and pipelines that make GPU code -------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a rank's bufferized program, whose memrefs are device memory, to LLVM
// dialect on the host and kernels beside it. Every op that compiles for the CPU
// compiles here; what is fast is the schedules' business.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_LINALGTOGPU_PASSES_H
#define SHARDIR_CONVERSION_LINALGTOGPU_PASSES_H

#include "ShardIR/Conversion/LinalgToCPU/Passes.h"
#include "ShardIR/Conversion/LinalgToGPU/GpuTarget.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace shardir {

#define GEN_PASS_DECL
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"

/// The libraries that the option `library` takes; each is a schedule, too.
constexpr llvm::StringLiteral kCublasLt = "cublaslt", kCudnn = "cudnn";
inline std::vector<std::string> gpuLibraryNames() {
  return {kCublasLt.str(), kCudnn.str()};
}

/// Options of all passes to the GPU.
struct GpuOptions {
  /// As GpuTarget::get knows it.
  std::string arch = "sm_90a";
  /// Say at each op and kernel what became of it.
  bool explain = false;
  /// Take this schedule wherever it matches.
  std::string schedule;
  /// Take plans with these numbers where a schedule has one.
  std::string plan;
  /// A file with times of kernels that were measured; empty for none.
  std::string kernelTimes;
  /// Leave products to cublaslt, attention to cudnn.
  llvm::SmallVector<std::string> library;
  /// As shardir-assemble-kernels has it: `none` keeps PTX.
  std::string ptxas;
  /// Matrix units may read f32 operands of products as tf32.
  bool tf32 = false;
};

/// The names of all schedules, as the option `schedule` takes them.
std::vector<std::string> gpuScheduleNames();

/// The rates that schedules reach with most products on the GPU that `arch`
/// names.
SchedulingOptions schedulingForGpu(llvm::StringRef arch);

/// Loops, sorts and scatters on tensors in the forms that become few kernels.
/// Goes before buildScheduling, which rewrites what they are recognized by.
void buildGpuLoops(mlir::OpPassManager &pm);

/// Elementwise ops fused, and experts' rows sorted, on tensors: the last passes
/// before bufferization.
void buildGpuTensorPipeline(mlir::OpPassManager &pm);

/// Bufferized host code to launches, each with its schedule, beside which
/// collectives go on.
void buildGpuSchedules(mlir::OpPassManager &pm, const GpuOptions &options);

/// Host code with launches to host code that calls the runtime, kernels
/// assembled beside it (or emulated, for `host`). Collectives are untouched.
void buildGpuKernels(mlir::OpPassManager &pm, const GpuOptions &options);

/// After the host's lowering: the table of emulated kernels, for `host`.
void buildKernelTables(mlir::OpPassManager &pm, const GpuOptions &options);

/// The passes to GPUs; none in a build without SHARDIR_ENABLE_GPU, whose
/// pipelines to GPUs fail.
void registerGpuPasses();

#define GEN_PASS_REGISTRATION
#include "ShardIR/Conversion/LinalgToGPU/Passes.h.inc"

} // namespace shardir

#endif // SHARDIR_CONVERSION_LINALGTOGPU_PASSES_H
