// Functions of libdevice need libdevice, and the message says where it comes from.
// RUN: env SHARDIR_LIBDEVICE=none shard-opt %s -shardir-assemble-kernels='arch=sm_80 ptxas=none' -verify-diagnostics
// RUN: not shard-opt %s -shardir-assemble-kernels='arch=sm_70' 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not shard-opt %s --shardir-to-gpu='arch=volta' 2>&1 | FileCheck %s --check-prefix=OPTION

// ARCH: error: option arch must be sm_80, sm_86, sm_89, sm_90a, sm_100a or compute_80, found 'sm_70'
// OPTION: option arch must be sm_80, sm_86, sm_89, sm_90a, sm_100a, compute_80 or host, found 'volta'
module attributes {gpu.container_module} {
  // expected-error@+1 {{kernels call '__nv_expf' of libdevice, which is not found: install a CUDA toolkit or run utils/install-deps.sh --gpu, or name the file in SHARDIR_LIBDEVICE}}
  gpu.module @kernels {
    llvm.func @__nv_expf(f32) -> f32
    llvm.func @exponential(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %v = llvm.load %p : !llvm.ptr -> f32
      %y = llvm.call @__nv_expf(%v) : (f32) -> f32
      llvm.store %y, %p : f32, !llvm.ptr
      llvm.return
    }
  }
}
