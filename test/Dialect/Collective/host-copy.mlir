// Copies to the host and back, on tensors, on shards and on buffers.
//
// RUN: shard-opt %s -verify-roundtrip | FileCheck %s
// RUN: shard-opt %s -canonicalize | FileCheck %s --check-prefix=DEAD

// CHECK-LABEL: func.func @tensors
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x?xf32>
// CHECK:         %[[H:.+]] = collective.host_copy %[[X]] to host : tensor<8x?xf32> -> tensor<8x?xf32>
// CHECK:         collective.host_copy %[[H]] to device : tensor<8x?xf32> -> tensor<8x?xf32>
func.func @tensors(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %h = collective.host_copy %x to host : tensor<8x?xf32> -> tensor<8x?xf32>
  %0 = collective.host_copy %h to device : tensor<8x?xf32> -> tensor<8x?xf32>
  return %0 : tensor<8x?xf32>
}

// CHECK-LABEL: func.func @buffers
// CHECK:         collective.host_copy %{{.+}} into %[[H:.+]] to host {collective.start} : memref<8xf32>, memref<8xf32, #shardir.host>
// CHECK:         collective.wait %[[H]] : memref<8xf32, #shardir.host>
// CHECK:         collective.host_copy %[[H]] into %{{.+}} to device : memref<8xf32, #shardir.host>, memref<8xf32>
func.func @buffers(%x: memref<8xf32>, %y: memref<8xf32>) {
  %h = memref.alloc() : memref<8xf32, #shardir.host>
  collective.host_copy %x into %h to host {collective.start} : memref<8xf32>, memref<8xf32, #shardir.host>
  collective.wait %h : memref<8xf32, #shardir.host>
  collective.host_copy %h into %y to device : memref<8xf32, #shardir.host>, memref<8xf32>
  memref.dealloc %h : memref<8xf32, #shardir.host>
  return
}

// DEAD-LABEL: func.func @unused
// DEAD-NOT:     collective.host_copy
// DEAD:         return
func.func @unused(%x: tensor<8xf32>) {
  %h = collective.host_copy %x to host : tensor<8xf32> -> tensor<8xf32>
  %0 = collective.host_copy %h to device : tensor<8xf32> -> tensor<8xf32>
  return
}

// The extents are the operand's.
// DEAD-LABEL: func.func @extent
// DEAD-SAME:    %[[X:[^:]+]]: tensor<8x?xf32>
// DEAD:         tensor.dim %[[X]], %{{.+}} : tensor<8x?xf32>
// DEAD-LABEL: func.func @shapes
func.func @extent(%x: tensor<8x?xf32>) -> (tensor<8x?xf32>, index) {
  %c1 = arith.constant 1 : index
  %h = collective.host_copy %x to host : tensor<8x?xf32> -> tensor<8x?xf32>
  %0 = collective.host_copy %h to device : tensor<8x?xf32> -> tensor<8x?xf32>
  %d = tensor.dim %x, %c1 : tensor<8x?xf32>
  return %0, %d : tensor<8x?xf32>, index
}
func.func @shapes() {
  return
}
