// REQUIRES: ptxas
// With ptxas the image is a cubin, and what each kernel needs is known.
// RUN: shard-opt %s -shardir-assemble-kernels='arch=sm_90a explain' -verify-diagnostics | FileCheck %s
// A profiler finds which lines of the program a cubin's instructions come from.
// RUN: shard-opt %shardir_src/examples/mlp.mlir --shardir-to-gpu="arch=sm_90a" | grep -o "nv_debug_line_sass" | FileCheck %s --check-prefix=LINES
// LINES: nv_debug_line_sass

// CHECK: \22format\22:\22cubin\22
// CHECK: gpu.binary @kernels
// CHECK-SAME: assembly =
// CHECK-SAME: bin =
module attributes {gpu.container_module, shardir.gpu = "{\22kernels\22:[],\22modules\22:[]}"} {
  gpu.module @kernels {
    llvm.func @__nv_expf(f32) -> f32
    // expected-remark@+1 {{kernel 'exponential' needs}}
    llvm.func @exponential(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.load %p : !llvm.ptr -> f32
      %y = llvm.call @__nv_expf(%v) : (f32) -> f32
      llvm.store %y, %p : f32, !llvm.ptr
      llvm.return
    }
  }
}
