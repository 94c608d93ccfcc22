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

def SortsToNetworks : Pass<"shardir-sorts-to-networks", "::mlir::func::FuncOp"> {
  let summary = "Makes sorting networks of sorts";
  let description = [{
    A `shardir.sort` along a dim of static size becomes a bitonic network of
    elements in place, which is one kernel for rows of up to 16384 elements, and a
    kernel per step for longer ones. Equal elements stay in their order.

    ```mlir
    %r = shardir.sort %x : tensor<8x64xf32> dim = 1 { … }
    ```
    becomes
    ```mlir
    scf.for %row … { scf.for %p = %c0 to %c6 … { scf.for %q = %c0 to %p + 1 … {
      scf.for %i = %c0 to %c32 … { compare and swap two elements } {independent_iterations}
    ```
    Test: `test/Conversion/LinalgToGPU/sorts-to-networks.mlir`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def WindowsToScans : Pass<"shardir-windows-to-scans", "::mlir::func::FuncOp"> {
  let summary = "Make loops that carry a value of windows over all that is before";
  let description = [{
    A reduction over windows as long as the dim along which they slide, of a
    tensor padded with the neutral element on one side, gives each element
    combined with all before it (or behind it): the form of cumulative sums. It
    becomes loops over elements that carry the value so far, which are scans.
    Dims of less than 64 elements stay.

    ```mlir
    %p = tensor.pad %x low[0, 299] high[0, 0] { 0.0 } : tensor<8x300xf32> to tensor<8x599xf32>
    %y = linalg.generic {indexing_maps = [(i, j, r) -> (i, j + r), …]} ins(%p, %window) … { addf }
    ```
    becomes
    ```mlir
    scf.for %i … { scf.for %j … iter_args(%t, %sum) {
      %v = tensor.extract %x[%i, %j]
      %next = arith.addf %sum, %v
      tensor.insert %next into %t[%i, %j]
    ```
    Test: `test/Conversion/LinalgToGPU/windows-to-scans.mlir`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def LoopsToElements
    : Pass<"shardir-loops-to-elements", "::mlir::func::FuncOp"> {
  let summary = "Take loops that update windows of a tensor apart into elements";
  let description = [{
    A loop that puts a window into a tensor which it carries, at a place that it
    computes from few elements, does so element by element: what the loop
    computes on tensors without dims, on slices of one element and elementwise on
    the window becomes scalar. Counters that are carried in tensors follow from
    the induction variable. Front ends expand scatters into such loops; once they are
    bufferized they touch elements of memory alone, and are kernels. Loops whose
    work cannot be computed element by element stay.

    ```mlir
    scf.for %i = %c0 to %n step %c1 iter_args(%t = %init) -> (tensor<8x16xf32>) {
      %row = tensor.extract %at[%i] : tensor<?xindex>
      %old = tensor.extract_slice %t[%row, 0] [1, 16] [1, 1] : …
      %new = linalg.generic … ins(%old, %term : …) …
      %u = tensor.insert_slice %new into %t[%row, 0] [1, 16] [1, 1] : …
      scf.yield %u : tensor<8x16xf32>
    }
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %n step %c1 iter_args(%t = %init) -> (tensor<8x16xf32>) {
      %row = tensor.extract %at[%i] : tensor<?xindex>
      scf.for %j = %c0 to %c16 step %c1 iter_args(%s = %t) -> (tensor<8x16xf32>) {
        %old = tensor.extract %s[%row, %j] : tensor<8x16xf32>
        …
        tensor.insert %new into %s[%row, %j] : tensor<8x16xf32>
    ```
    Test: `test/Conversion/LinalgToGPU/loops-to-elements.mlir`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def HoistFromLoops
    : Pass<"shardir-hoist-from-loops", "::mlir::func::FuncOp"> {
  let summary = "Move what is the same in every iteration before its loop";
  let description = [{
    Ops that may run at any time and whose operands a loop does not change stand
    before it, but for empty and filled tensors.

    ```mlir
    scf.for … {
      %w = tensor.concat dim(1) %a, %b : …
      %y = linalg.matmul ins(%h, %w : …) …
    ```
    becomes
    ```mlir
    %w = tensor.concat dim(1) %a, %b : …
    scf.for … {
      %y = linalg.matmul ins(%h, %w : …) …
    ```
    Test: `test/Conversion/LinalgToGPU/hoist-from-loops.mlir`.
  }];
}

def PlaceOnGpu : Pass<"shardir-place-on-gpu", "::mlir::func::FuncOp"> {
  let summary = "Decide what of a bufferized program runs on the device";
  let description = [{
    All memrefs of the program become device memory. Loops and branches that only
    work on scalars and elements of memory become kernels: they are marked
    `shardir.kernel`, and their scalar results go through device memory. So do
    stores, with the computation of what is stored. Copies between buffers that
    are not contiguous become linalg ops. What stays on the host is control flow
    around kernels, index arithmetic, reads of what that depends on, and small
    buffers of integers that only it works with.

    ```mlir
    scf.for %i = %c0 to %n step %c1 {
      %j = memref.load %at[%i] : memref<?xindex>
      memref.store %x, %out[%j] : memref<?xf32>
    }
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %n step %c1 {…} {shardir.kernel}
    ```
    Test: `test/Conversion/LinalgToGPU/place-on-gpu.mlir`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

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
           "The GPU: sm_80, sm_86, sm_89, sm_90a, sm_100a, compute_80 or host">,
    Option<"schedule", "schedule", "std::string", "",
           "Take this schedule where it matches, whatever it costs">,
    Option<"explain", "explain", "bool", "false",
           "Say at each op which schedule it got and why">,
    Option<"tf32", "tf32", "bool", "false",
           "Matrix units may read f32 operands of products as tf32">,
    Option<"plan", "plan", "std::string", "",
           "Take plans with these numbers where a schedule has one: "
           "tile_m=64,stages=4">,
    ListOption<"library", "library", "std::string",
               "Leave products to cublaslt, attention to cudnn">,
    Option<"kernelTimes", "kernel-times", "std::string", "",
           "A file with measured times of kernels, which correct estimates">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::shardir::kernel::KernelDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def OutlineGpuKernels
    : Pass<"shardir-outline-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Move launches' bodies into one gpu.module; equal ones exist once";
  let description = [{
    Every `gpu.launch` becomes a `gpu.launch_func` of a kernel in the one
    `gpu.module @kernels`. Constants and index arithmetic go along. A memref
    is passed as its pointer and what its type does not say: offset, sizes and
    strides. Kernels that are equal but for their locations are one.

    ```mlir
    gpu.launch … { memref.store %x, %a[%i] : memref<8x?xf32> }
    ```
    becomes
    ```mlir
    gpu.launch_func @kernels::@main_fill_plain … args(%pointer : !llvm.ptr, %size : index, %x : f32)
    ```
    Test: `test/Conversion/LinalgToGPU/outline-gpu-kernels.mlir`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

def KernelsToNVVM : Pass<"shardir-kernels-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower kernels to LLVM dialect and NVVM";
  let description = [{
    Upstream's conversions in an order that works, and ours around them: math
    functions become those of libdevice, f16 and bf16 are computed in f32 where
    the op is not one of the matrix units, with approximate exponentials and
    quotients, whose error they round away, dynamic shared memory is one
    external symbol at a multiple of 1024 bytes, and reductions over a subgroup
    become shuffles.

    ```mlir
    gpu.func @k(%p: !llvm.ptr, %x: f32) kernel { %y = math.exp %x : f32 … }
    ```
    becomes
    ```mlir
    llvm.func @k(%p: !llvm.ptr, %x: f32) attributes {gpu.kernel, nvvm.kernel} {
      %y = llvm.call @__nv_expf(%x) : (f32) -> f32 …
    }
    ```
    Test: `test/Conversion/LinalgToGPU/kernels-to-nvvm.mlir`.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"",
           "The GPU: sm_80, sm_86, sm_89, sm_90a, sm_100a or compute_80">
  ];
}

def AssembleKernels
    : Pass<"shardir-assemble-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn kernels in LLVM dialect into a gpu.binary";
  let description = [{
    A `gpu.module` is translated, linked with libdevice where it calls that,
    optimised, and made PTX by LLVM's NVPTX backend. Where ptxas is found (the
    option, `SHARDIR_PTXAS`, a CUDA toolkit, the path, or the folder that
    `utils/install-deps.sh --gpu` fills), it is made a cubin too; what ptxas
    refuses is an error that names the kernel and its source location. The
    `gpu.binary` holds the cubin if there is one, else the PTX. With `explain` a
    remark per kernel says its registers, spills, stack and shared memory.

    ```mlir
    gpu.module @kernels { llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {…} }
    ```
    becomes
    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a">, bin = "…">]
    ```
    Test: `test/Conversion/LinalgToGPU/assemble-kernels.mlir`.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"",
           "The GPU: sm_80, sm_86, sm_89, sm_90a, sm_100a or compute_80">,
    Option<"ptxas", "ptxas", "std::string", "",
           "The assembler; `none` leaves PTX">,
    Option<"explain", "explain", "bool", "false",
           "Say what each kernel needs of the GPU">,
    Option<"dumpPtx", "dump-ptx", "std::string", "",
           "Also write the PTX to this file">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def LaunchesToRuntime
    : Pass<"shardir-launches-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Turn what host code does with the device into calls of the runtime";
  let description = [{
    Launches become calls of `shardir_gpu_launch`, allocations of
    `shardir_gpu_alloc` and `shardir_gpu_free`, copies of `shardir_gpu_copy`, loads
    of `shardir_gpu_read`, and globals constants that `shardir_gpu_constant`
    gives the device's address of. The kernels' table of the metadata is left on
    the module as `shardir.gpu`.

    ```mlir
    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c256, %c1, %c1) args(%p : !llvm.ptr)
    ```
    becomes
    ```mlir
    llvm.store %p, %slot
    llvm.call @shardir_gpu_launch(%id, %n, %c1, %c1, %c256, %c1, %c1, %c0, %arguments)
    ```
    Test: `test/Conversion/LinalgToGPU/launches-to-runtime.mlir`.
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_90a\"",
           "The GPU: sm_80, sm_86, sm_89, sm_90a, sm_100a, compute_80 or host">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // SHARDIR_CONVERSION_LINALGTOGPU_PASSES
