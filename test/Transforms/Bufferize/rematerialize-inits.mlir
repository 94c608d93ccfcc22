// RUN: shard-opt %s -split-input-file --shardir-bufferize | FileCheck %s

// Two users of one fill: each fills its own buffer, none is copied.
// CHECK-LABEL: func.func @shared_fill
// CHECK-SAME:    %[[R0:[^ ]+]]: memref<4x4xf32> {shardir.global_type = tensor<4x4xf32>, shardir.result}
// CHECK-SAME:    %[[R1:[^ ]+]]: memref<4x4xf32> {shardir.global_type = tensor<4x4xf32>, shardir.result}
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         linalg.fill {{.*}} outs(%[[R0]]
// CHECK:         linalg.matmul {{.*}} outs(%[[R0]]
// CHECK:         linalg.fill {{.*}} outs(%[[R1]]
// CHECK:         linalg.matmul {{.*}} outs(%[[R1]]
func.func @shared_fill(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%y, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A splat that is overwritten is filled, however small; a table that is read
// stays one.
// CHECK:         memref.global "private" constant @[[TABLE:.+]] : memref<4xf32> = dense<2.0
// CHECK-NOT:     memref.global
// CHECK-LABEL: func.func @splat
// CHECK-SAME:    %[[X:[^ ]+]]: memref<4xf32> {{.*}}, %[[R:[^ ]+]]: memref<f32>
// CHECK:         %[[T:.+]] = memref.get_global @[[TABLE]]
// CHECK:         linalg.fill {{.*}} outs(%[[R]] : memref<f32>)
// CHECK:         linalg.dot ins(%[[X]], %[[T]] {{.*}} outs(%[[R]]
func.func @splat(%x: tensor<4xf32>) -> tensor<f32> {
  %two = arith.constant dense<2.0> : tensor<4xf32>
  %empty = tensor.empty() : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%x, %two : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// A large splat does not lie in the file.
// CHECK-NOT:     memref.global
// CHECK-LABEL: func.func @large
// CHECK-SAME:    %[[R:[^ ]+]]: memref<2000xf32>
// CHECK:         linalg.fill {{.*}} outs(%[[R]] : memref<2000xf32>)
func.func @large() -> tensor<2000xf32> {
  %r = arith.constant dense<1.0> : tensor<2000xf32>
  return %r : tensor<2000xf32>
}

// -----

// In a loop the fill is in the loop, where a copy would have been.
// CHECK-LABEL: func.func @loop
// CHECK:         scf.for
// CHECK:           linalg.fill
// CHECK-NOT:       memref.copy
// CHECK:           linalg.dot
func.func @loop(%x: tensor<4xf32>, %s: tensor<f32>, %n: index) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty() : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %s) -> tensor<f32> {
    %d = linalg.dot ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%init : tensor<f32>) -> tensor<f32>
    scf.yield %d : tensor<f32>
  }
  return %r : tensor<f32>
}
