// RUN: shard-opt %s -shardir-to-collective=cost=bytes | FileCheck %s

// To gather both weights would receive 12 MB a device, and the sums 402 MB; but
// every device would then repeat products of 137 Gflop. The small block has the
// same form, and gathers.

shardir.mesh @m <["a"=4]>

// CHECK-LABEL: func.func @large
// CHECK-NOT:     collective.all_gather
// CHECK:         = linalg.matmul
// CHECK-SAME:      shardir.placements = [#shardir.placement<@m, [{}, {"a"}]>]
// CHECK:         = linalg.matmul
// CHECK-SAME:      partial = sum ["a"]
// CHECK:         collective.all_reduce
func.func @large(%x: tensor<65536x1024xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                 %w1: tensor<1024x2048xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                 %w2: tensor<2048x1024xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<65536x1024xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<65536x2048xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<65536x1024xf32>, tensor<1024x2048xf32>)
                     outs(%z1 : tensor<65536x2048xf32>) -> tensor<65536x2048xf32>
  %r = arith.maximumf %h, %z1 : tensor<65536x2048xf32>
  %e2 = tensor.empty() : tensor<65536x1024xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  %y = linalg.matmul ins(%r, %w2 : tensor<65536x2048xf32>, tensor<2048x1024xf32>)
                     outs(%z2 : tensor<65536x1024xf32>) -> tensor<65536x1024xf32>
  return %y : tensor<65536x1024xf32>
}

// CHECK-LABEL: func.func @small
// CHECK:         collective.all_gather
// CHECK:         collective.all_gather
// CHECK-NOT:     collective.all_reduce
func.func @small(%x: tensor<256x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                 %w1: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                 %w2: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>})
    -> (tensor<256x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<256x32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<256x32xf32>) -> tensor<256x32xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<256x16xf32>, tensor<16x32xf32>)
                     outs(%z1 : tensor<256x32xf32>) -> tensor<256x32xf32>
  %r = arith.maximumf %h, %z1 : tensor<256x32xf32>
  %e2 = tensor.empty() : tensor<256x16xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<256x16xf32>) -> tensor<256x16xf32>
  %y = linalg.matmul ins(%r, %w2 : tensor<256x32xf32>, tensor<32x16xf32>)
                     outs(%z2 : tensor<256x16xf32>) -> tensor<256x16xf32>
  return %y : tensor<256x16xf32>
}
