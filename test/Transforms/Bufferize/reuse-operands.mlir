// RUN: shard-opt %s -split-input-file --shardir-bufferize | FileCheck %s

#map = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// A sum overwrites the product that it reads, not the argument; results of one
// empty tensor have buffers of their own.
// CHECK-LABEL: func.func @sum
// CHECK-SAME:    %[[X:[^ ]+]]: memref<4x4xf32>
// CHECK:         %[[P:.+]] = memref.alloc
// CHECK:         linalg.matmul {{.*}} outs(%[[P]]
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[P]] {{.*}} outs(%[[P]]
// CHECK-NOT:     memref.copy
// CHECK:         linalg.matmul ins(%[[P]], %[[X]]
func.func @sum(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x, %p : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %r = linalg.matmul ins(%s, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// An operand that the op reads at other places too, or that a later op reads, stays.
// CHECK-LABEL: func.func @kept
// CHECK:         linalg.fill {{.*}} outs(%[[P:[a-z_0-9]+]]
// CHECK:         linalg.matmul {{.*}} outs(%[[P]]
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[P]] {{.*}} outs(%[[S:[a-z_0-9]+]]
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[S]] {{.*}} outs(%[[R:[a-z_0-9]+]]
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @kept(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.generic {indexing_maps = [#map, #transposed, #map], iterator_types = ["parallel", "parallel"]}
      ins(%p, %p : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.mulf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x4xf32>
  return %p, %s, %r : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
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
