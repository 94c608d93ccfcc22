// RUN: shard-opt %s -verify-roundtrip -mlir-print-local-scope | FileCheck %s
// RUN: shard-opt %s -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --check-prefix=BUFFERS

#q = affine_map<(h, g, m, n, k, v) -> (h, g, m, k)>
#k = affine_map<(h, g, m, n, k, v) -> (n, h, k)>
#v = affine_map<(h, g, m, n, k, v) -> (n, h, v)>
#o = affine_map<(h, g, m, n, k, v) -> (m, h, g, v)>
#r = affine_map<(h, g, m, n, k, v) -> (h, g, m)>

// Query heads of a key head are a loop m: the gradients of keys sum over it.
// CHECK-LABEL: func.func @tensors
// CHECK: kernel.attention_backward {indexing_maps = [
// CHECK-SAME: ins({{.*}} : tensor<2x3x?x8xbf16>, tensor<?x2x8xbf16>, tensor<?x2x5xbf16>, tensor<?x2x3x5xbf16>, tensor<2x3x?xf32>, tensor<2x3x?xf32>, tensor<2x3x?xf32>)
// CHECK-SAME: outs({{.*}} : tensor<2x3x?x8xf32>, tensor<?x2x8xf32>, tensor<?x2x5xf32>)
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK: kernel.loop_index 2
// CHECK: kernel.yield %{{.*}}, %{{.*}} : bf16, bf16
// CHECK: } -> tensor<2x3x?x8xf32>, tensor<?x2x8xf32>, tensor<?x2x5xf32>
// BUFFERS-LABEL: func.func @tensors
// BUFFERS: kernel.attention_backward
// BUFFERS-SAME: outs(%{{.*}}, %{{.*}}, %{{.*}} : memref<2x3x?x8xf32>, memref<?x2x8xf32>, memref<?x2x5xf32>)
// BUFFERS-NOT: memref.copy
func.func @tensors(%q: tensor<2x3x?x8xbf16>, %k: tensor<?x2x8xbf16>, %v: tensor<?x2x5xbf16>, %do: tensor<?x2x3x5xbf16>,
    %max: tensor<2x3x?xf32>, %sum: tensor<2x3x?xf32>, %delta: tensor<2x3x?xf32>,
    %dq: tensor<2x3x?x8xf32> {bufferization.writable = true}, %dk: tensor<?x2x8xf32> {bufferization.writable = true},
    %dv: tensor<?x2x5xf32> {bufferization.writable = true})
    -> (tensor<2x3x?x8xf32>, tensor<?x2x8xf32>, tensor<?x2x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %0:3 = kernel.attention_backward {indexing_maps = [#q, #k, #v, #o, #r, #r, #r, #q, #k, #v]}
      ins(%q, %k, %v, %do, %max, %sum, %delta : tensor<2x3x?x8xbf16>, tensor<?x2x8xbf16>, tensor<?x2x5xbf16>, tensor<?x2x3x5xbf16>, tensor<2x3x?xf32>, tensor<2x3x?xf32>, tensor<2x3x?xf32>)
      outs(%dq, %dk, %dv : tensor<2x3x?x8xf32>, tensor<?x2x8xf32>, tensor<?x2x5xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %sm: f32, %d: f32):
        %i = kernel.loop_index 2
        %j = kernel.loop_index 3
        %c = arith.cmpi sge, %i, %j : index
        %1 = arith.subf %s, %mx : f32
        %2 = math.exp %1 : f32
        %3 = arith.divf %2, %sm : f32
        %p = arith.select %c, %3, %zero : f32
        %4 = arith.subf %dp, %d : f32
        %ds = arith.mulf %p, %4 : f32
        %pt = arith.truncf %p : f32 to bf16
        %dst = arith.truncf %ds : f32 to bf16
        kernel.yield %pt, %dst : bf16, bf16
      } -> tensor<2x3x?x8xf32>, tensor<?x2x8xf32>, tensor<?x2x5xf32>
  return %0#0, %0#1, %0#2 : tensor<2x3x?x8xf32>, tensor<?x2x8xf32>, tensor<?x2x5xf32>
}
