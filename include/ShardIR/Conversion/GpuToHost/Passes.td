//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from gpu.module to what the emulating driver runs
// (Runtime/EmulatedGpu.h).
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_CONVERSION_GPUTOHOST_PASSES_TD
#define SHARDIR_CONVERSION_GPUTOHOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def GpuToHost : Pass<"shardir-gpu-to-host", "::mlir::ModuleOp"> {
  let summary = "Turns kernels into host functions that run one thread.";
  let description = [{
    Each kernel of each `gpu.module` becomes a function of the thread that it
    runs as and of the addresses of its parameters, which are those of
    cuLaunchKernel: a memref is its allocated and aligned pointers, offset, sizes
    and strides. Shared memory, barriers and what lanes exchange go through
    the thread. Ops that have no emulation are errors.

    Example (test/Conversion/GpuToHost/kernels.mlir):

    ```mlir
    gpu.func @scale(%x: memref<8xf32>) kernel {
      %i = gpu.thread_id x
      …
    // becomes
    func.func private @emulated.k.scale(%thread: !llvm.ptr, %arguments: !llvm.ptr)
        attributes {emulated_kernel = [0, "scale", 0]} {
      %0 = llvm.load %thread : !llvm.ptr -> i64
      …
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def EmulatedKernelTables : Pass<"shardir-emulated-kernel-tables", "::mlir::ModuleOp"> {
  let summary = "Defines the tables by which the emulating driver finds kernels.";
  let description = [{
    Functions that `shardir-gpu-to-host` made, by now in LLVM dialect, are listed
    in one constant for each module that they came from,
    `shardir_program_gpu_<i>`: the image that the runtime loads.

    Example (test/Conversion/GpuToHost/tables.mlir):

    ```mlir
    llvm.func @emulated.k.scale(%thread: !llvm.ptr, %arguments: !llvm.ptr)
        attributes {emulated_kernel = [0, "scale", 0]} {…}
    // becomes
    llvm.mlir.global external constant @shardir_program_gpu_0() : !llvm.array<2 x struct<(ptr, ptr, i64)>> {…}
    llvm.func internal @emulated.k.scale(%thread: !llvm.ptr, %arguments: !llvm.ptr) {…}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // SHARDIR_CONVERSION_GPUTOHOST_PASSES_TD
