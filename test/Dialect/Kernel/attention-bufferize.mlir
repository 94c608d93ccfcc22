// RUN: shard-opt %s -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s

// Inits that are arguments are copied, what the op makes itself is updated in
// place; captured scalars stay.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[Q:.+]]: memref<6x3xf32>, %[[K:.+]]: memref<8x3xf32>, %[[V:.+]]: memref<8x4xf32>, %[[A:.+]]: memref<6x4xf32>, %[[M:.+]]: memref<6xf32>, %[[S:.+]]: memref<6xf32>, %[[C:.+]]: f32
// CHECK-NOT:   memref.copy %[[M]]
// CHECK:       kernel.attention {{.*}} ins(%[[Q]], %[[K]], %[[V]] : memref<6x3xf32>
// CHECK-SAME:    outs(%[[A]], %[[M]], %[[S]] : memref<6x4xf32>, memref<6xf32>, memref<6xf32>)
// CHECK:         arith.mulf %{{.*}}, %[[C]]
// CHECK:       return %[[A]] : memref<6x4xf32>
func.func @main(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>,
    %a: tensor<6x4xf32> {bufferization.writable = true}, %m: tensor<6xf32> {bufferization.writable = true},
    %s: tensor<6xf32> {bufferization.writable = true}, %c: f32) -> tensor<6x4xf32> {
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>,
                                             affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>,
                                             affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32):
        %r = arith.mulf %x, %c : f32
        kernel.yield %r : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return %0#0 : tensor<6x4xf32>
}
