//===- Passes.td - Passes that make GPU code ---------------*- tablegen -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes between a rank's bufferized program and kernels that the runtime
// launches, in the order in which the pipeline runs them.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_LINALGTOGPU_PASSES
#define SHARDIR_CONVERSION_LINALGTOGPU_PASSES

include "mlir/Pass/PassBase.td"

def ScheduleForGpu : Pass<"shardir-schedule-for-gpu", "::mlir::func::FuncOp"> {
  let summary = "Turn linalg ops and loop nests into kernels, by the cheapest schedule";
  let description = [{
    Every linalg op on memrefs, every loop nest marked `shardir.kernel` and every
    `scf.forall` and `scf.parallel` without results becomes one or more
    `gpu.launch`. Of the schedules that match an op, the one with the least
    predicted time is taken (docs/GPU.md); `plain` matches all. With `explain` a
    remark at the op names the schedule, its reason, and the next best.

    ```mlir
    linalg.fill ins(%c : f32) outs(%a : memref<1000xf32>)
    ```
    becomes
    ```mlir
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, …) threads(%tx, %ty, %tz) in (%sx = %c256, …) {
      %i = %bx * 256 + %tx
      scf.if %i < 1000 { memref.store %c, %a[%i] : memref<1000xf32> }
      gpu.terminator
    }
    ```
    Test: `test/Conversion/LinalgToGPU/schedule-plain.mlir`.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"",
           "The GPU: sm_80, sm_90a, sm_100a or host">,
    Option<"schedule", "schedule", "std::string", "",
           "Take this schedule where it matches, whatever it costs">,
    Option<"explain", "explain", "bool", "false",
           "Say at each op which schedule it got and why">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // SHARDIR_CONVERSION_LINALGTOGPU_PASSES
