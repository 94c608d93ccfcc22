// REQUIRES: ptxas
// The error names the kernel that ptxas refuses.
// RUN: shard-opt %s -shardir-assemble-kernels='arch=sm_80' -verify-diagnostics

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-error-re@+1 {{{{.*}}ptxas refuses kernel 'wrong' for sm_80: ptxas {{.*}}line {{[0-9]+}}; error}}
    llvm.func @wrong() attributes {gpu.kernel, nvvm.kernel} {
      llvm.inline_asm has_side_effects "no.such.instruction;", "" : () -> ()
      llvm.return
    }
  }
}
