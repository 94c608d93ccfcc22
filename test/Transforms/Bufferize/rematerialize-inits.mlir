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

// -----

// Two layers in the buffers of one empty tensor: each gets its own, and an
// elementwise op goes on in that of an input that it is the last to read: the
// sum in that of the product, for the other input is read again.
// CHECK-LABEL: func.func @layers
// CHECK-SAME:    %[[X:[^ ]+]]: memref<4x4xf32> {{[^%]*}}, %[[R:[^ ]+]]: memref<4x4xf32>
// CHECK:         %[[A:.+]] = memref.alloc()
// CHECK:         linalg.matmul ins(%[[X]], %[[X]] {{.*}} outs(%[[A]]
// CHECK:         linalg.exp ins(%[[A]] {{.*}} outs(%[[A]]
// CHECK:         %[[B:.+]] = memref.alloc()
// CHECK:         linalg.matmul ins(%[[A]], %[[X]] {{.*}} outs(%[[B]]
// CHECK:         linalg.add ins(%[[B]], %[[A]] {{.*}} outs(%[[B]]
// CHECK:         linalg.matmul ins(%[[A]], %[[B]] {{.*}} outs(%[[R]]
// CHECK-NOT:     memref.copy
func.func @layers(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.exp ins(%0 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.matmul ins(%1, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = linalg.add ins(%2, %1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = linalg.matmul ins(%1, %3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// -----

// Casts change the type of the buffer, and a transposed input is read when
// other elements have been written: neither goes on in place.
// CHECK-LABEL: func.func @not_in_place
// CHECK:         %[[A:.+]] = memref.alloc() {{.*}} : memref<4x4xf32>
// CHECK:         linalg.exp {{.*}} outs(%[[A]]
// CHECK:         %[[B:.+]] = memref.alloc() {{.*}} : memref<4x4xf32>
// CHECK:         linalg.transpose ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK:         linalg.generic {{.*}} ins(%[[B]] {{.*}} outs(%{{.*}} : memref<4x4xf64>)
func.func @not_in_place(%x: tensor<4x4xf32>) -> tensor<4x4xf64> {
  %empty = tensor.empty() : tensor<4x4xf32>
  %wide = tensor.empty() : tensor<4x4xf64>
  %0 = linalg.exp ins(%x : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.transpose ins(%0 : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) permutation = [1, 0]
  %2 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<4x4xf32>) outs(%wide : tensor<4x4xf64>) {
  ^bb0(%in: f32, %out: f64):
    %extended = arith.extf %in : f32 to f64
    linalg.yield %extended : f64
  } -> tensor<4x4xf64>
  return %2 : tensor<4x4xf64>
}
