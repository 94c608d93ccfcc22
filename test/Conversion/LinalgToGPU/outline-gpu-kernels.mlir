// Kernels take pointers and what types leave open; equal ones exist once.
// RUN: shard-opt %s -shardir-outline-gpu-kernels | FileCheck %s

// CHECK: module attributes {gpu.container_module}
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[A:.+]]: memref<?x8xf32>, %[[B:.+]]: memref<?x8xf32>, %[[X:.+]]: f32
// CHECK:         memref.extract_aligned_pointer_as_index %[[A]]
// CHECK:         %[[P:.+]] = llvm.inttoptr
// CHECK:         %{{.+}}, %{{.+}}, %[[SIZES:.+]]:2, %{{.+}}:2 = memref.extract_strided_metadata %[[A]]
// CHECK:         gpu.launch_func @kernels::@main_set blocks in {{.*}} args(%[[P]] : !llvm.ptr, %[[SIZES]]#0 : index, %[[X]] : f32)
// CHECK:         gpu.launch_func @kernels::@main_set blocks in
// CHECK-NOT:     gpu.launch_func
// CHECK:       gpu.module @kernels
// CHECK:         gpu.func @main_set(%{{.+}}: !llvm.ptr, %{{.+}}: index, %{{.+}}: f32) kernel
// CHECK-SAME:        shardir.kernel = "main_set"
// CHECK:           memref.store
// CHECK-NOT:     gpu.func
func.func @main(%a: memref<?x8xf32>, %b: memref<?x8xf32>, %x: f32) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    memref.store %x, %a[%tx, %c1] : memref<?x8xf32>
    gpu.terminator
  } {shardir.kernel = "main_set"}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    memref.store %x, %b[%tx, %c1] : memref<?x8xf32>
    gpu.terminator
  } {shardir.kernel = "main_other"}
  return
}
