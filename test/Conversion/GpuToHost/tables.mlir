// The driver finds kernels in a table for each module.
// RUN: shard-opt %s --shardir-emulated-kernel-tables | FileCheck %s

// CHECK: llvm.func internal @emulated.k.a
llvm.func @emulated.k.a(%thread: !llvm.ptr, %arguments: !llvm.ptr)
    attributes {emulated_kernel = [0, "a", 0]} {
  llvm.return
}
// CHECK: llvm.func internal @emulated.k.b
llvm.func @emulated.k.b(%thread: !llvm.ptr, %arguments: !llvm.ptr)
    attributes {emulated_kernel = [0, "b", 2048]} {
  llvm.return
}
// CHECK: llvm.func @other()
llvm.func @other() {
  llvm.return
}
// CHECK: llvm.mlir.global external constant @shardir_program_gpu_0() {{.*}} : !llvm.array<3 x struct<(ptr, ptr, i64)>> {
// CHECK: llvm.mlir.zero
// CHECK: llvm.mlir.addressof @shardir_program_gpu_0_name_0
// CHECK: llvm.mlir.addressof @emulated.k.a
// CHECK: llvm.mlir.addressof @shardir_program_gpu_0_name_1
// CHECK: llvm.mlir.addressof @emulated.k.b
// CHECK: llvm.mlir.constant(2048 : i64)
// CHECK: llvm.insertvalue %{{.*}}[1, 2]
// CHECK: llvm.mlir.global internal constant @shardir_program_gpu_0_name_0("a\00")
