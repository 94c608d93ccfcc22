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

// What the op reads at other places too, or what a later op reads, stays.
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
