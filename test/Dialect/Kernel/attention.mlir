// RUN: shard-opt %s -verify-roundtrip -mlir-print-local-scope | FileCheck %s

#q = affine_map<(h, m, n, k, v) -> (m, h, k)>
#k = affine_map<(h, m, n, k, v) -> (n, h, k)>
#v = affine_map<(h, m, n, k, v) -> (n, h, v)>
#e = affine_map<(h, m, n, k, v) -> (0, m, n)>
#a = affine_map<(h, m, n, k, v) -> (m, h, v)>
#r = affine_map<(h, m, n, k, v) -> (h, m)>

// CHECK-LABEL: func.func @tensors
// CHECK: kernel.attention {indexing_maps = [
// CHECK-SAME: ins({{.*}} : tensor<64x8x32xbf16>, tensor<96x8x32xbf16>, tensor<96x8x16xbf16>, tensor<1x64x96xi1>)
// CHECK-SAME: outs({{.*}} : tensor<64x8x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>)
// CHECK-SAME: score {
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: i1):
// CHECK: kernel.loop_index 2
// CHECK: kernel.yield %{{.*}} : f32
// CHECK: } prob {
// CHECK: kernel.yield %{{.*}} : bf16
// CHECK: } -> tensor<64x8x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>
func.func @tensors(%q: tensor<64x8x32xbf16>, %k: tensor<96x8x32xbf16>, %v: tensor<96x8x16xbf16>,
                   %mask: tensor<1x64x96xi1>, %a: tensor<64x8x16xf32>, %m: tensor<8x64xf32>,
                   %s: tensor<8x64xf32>) -> tensor<64x8x16xf32> {
  %scale = arith.constant 0.25 : f32
  %low = arith.constant -1.0e9 : f32
  %0:3 = kernel.attention {indexing_maps = [#q, #k, #v, #e, #a, #r, #r]}
      ins(%q, %k, %v, %mask : tensor<64x8x32xbf16>, tensor<96x8x32xbf16>, tensor<96x8x16xbf16>, tensor<1x64x96xi1>)
      outs(%a, %m, %s : tensor<64x8x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>)
      score {
      ^bb0(%x: f32, %keep: i1):
        %1 = arith.mulf %x, %scale : f32
        %i = kernel.loop_index 1
        %j = kernel.loop_index 2
        %causal = arith.cmpi sge, %i, %j : index
        %both = arith.andi %causal, %keep : i1
        %2 = arith.select %both, %1, %low : f32
        kernel.yield %2 : f32
      } prob {
      ^bb0(%p: f32, %keep: i1):
        %1 = arith.truncf %p : f32 to bf16
        kernel.yield %1 : bf16
      } -> tensor<64x8x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>
  return %0#0 : tensor<64x8x16xf32>
}

// Grouped heads: loop 1 counts the query heads of a key head. Extents are open.
// CHECK-LABEL: func.func @memrefs
// CHECK: kernel.attention
// CHECK-SAME: outs({{.*}} : memref<?x?x?x64xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>)
// CHECK-NOT: ->
// CHECK: return
func.func @memrefs(%q: memref<?x?x?x64xf32>, %k: memref<?x?x64xf32>, %v: memref<?x?x64xf32>,
                   %a: memref<?x?x?x64xf32>, %m: memref<?x?x?xf32>, %s: memref<?x?x?xf32>) {
  kernel.attention {indexing_maps = [affine_map<(h, g, m, n, k, v) -> (h, g, m, k)>,
                                      affine_map<(h, g, m, n, k, v) -> (h, n, k)>,
                                      affine_map<(h, g, m, n, k, v) -> (h, n, v)>,
                                      affine_map<(h, g, m, n, k, v) -> (h, g, m, v)>,
                                      affine_map<(h, g, m, n, k, v) -> (h, g, m)>,
                                      affine_map<(h, g, m, n, k, v) -> (h, g, m)>]}
      ins(%q, %k, %v : memref<?x?x?x64xf32>, memref<?x?x64xf32>, memref<?x?x64xf32>)
      outs(%a, %m, %s : memref<?x?x?x64xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>)
      score {
      ^bb0(%x: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      }
  return
}
