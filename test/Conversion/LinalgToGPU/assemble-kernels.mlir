// PTX from LLVM's backend. Without ptxas that is the image.
// RUN: shard-opt %s -shardir-assemble-kernels='arch=sm_80 ptxas=none dump-ptx=%t.ptx' | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx

// CHECK: module attributes {{.*}}shardir.gpu = "{{.*}}\22modules\22:[{\22bytes\22:{{[0-9]+}},\22format\22:\22ptx\22,\22symbol\22:\22shardir_program_gpu_0\22}]
// CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<{{.*}}chip = "sm_80"
// CHECK-SAME: assembly =
// CHECK-NOT:  bin =

// PTX: .target sm_80
// PTX: .visible .entry scale(
// PTX: .reqntid 256
// PTX: ld.global.b32
// PTX: mul.{{(rn.)?}}f32
// PTX: st.global.b32
module attributes {gpu.container_module, shardir.gpu = "{\22kernels\22:[],\22modules\22:[]}"} {
  gpu.module @kernels {
    llvm.func @scale(%p: !llvm.ptr, %x: f32) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
      %i = nvvm.read.ptx.sreg.tid.x : i32
      %at = llvm.getelementptr %p[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %v = llvm.load %at : !llvm.ptr -> f32
      %y = llvm.fmul %v, %x : f32
      llvm.store %y, %at : f32, !llvm.ptr
      llvm.return
    }
  }
}
