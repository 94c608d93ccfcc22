// RUN: shard-opt %s -shardir-tile-attention-for-cpu | FileCheck %s

// Batches in parallel; tiles of rows, and in them of columns that are not all
// masked, add to the gradients, each in its place.
// CHECK-LABEL: func.func @causal
// CHECK:         scf.forall (%[[H:.+]]) in (16)
// CHECK:           scf.for %[[M:.+]] = %{{.*}} to %{{.*}} step %[[ROWS:[a-z0-9]+]] iter_args
// CHECK:             %[[BEHIND:.+]] = arith.addi %[[M]], %{{.*}} : index
// CHECK:             %[[END:.+]] = arith.minsi %[[BEHIND]], %{{.*}} : index
// CHECK:             scf.for %[[N:.+]] = %{{.*}} to %[[END]] step %{{.*}} iter_args
// CHECK:               kernel.attention_backward {{.*}} ins({{.*}} : tensor<1x128x64xf32>, tensor<1x256x64xf32>, tensor<1x256x64xf32>, tensor<1x128x64xf32>, tensor<1x128xf32>
// CHECK-SAME:            outs({{.*}} : tensor<1x128x64xf32>, tensor<1x256x64xf32>, tensor<1x256x64xf32>)
// CHECK:                 kernel.loop_index 1
// CHECK:                 arith.addi %{{.*}}, %[[M]] : index
// CHECK:                 kernel.loop_index 2
// CHECK:                 arith.addi %{{.*}}, %[[N]] : index
// CHECK-COUNT-3:       tensor.insert_slice
func.func @causal(%q: tensor<16x1024x64xf32>, %k: tensor<16x1024x64xf32>, %v: tensor<16x1024x64xf32>, %g: tensor<16x1024x64xf32>, %max: tensor<16x1024xf32>, %sum: tensor<16x1024xf32>, %delta: tensor<16x1024xf32>, %dq: tensor<16x1024x64xf32>, %dk: tensor<16x1024x64xf32>, %dv: tensor<16x1024x64xf32>) -> (tensor<16x1024x64xf32>, tensor<16x1024x64xf32>, tensor<16x1024x64xf32>) {
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e+38 : f32
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>, affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : tensor<16x1024x64xf32>, tensor<16x1024x64xf32>, tensor<16x1024x64xf32>, tensor<16x1024x64xf32>, tensor<16x1024xf32>, tensor<16x1024xf32>, tensor<16x1024xf32>)
      outs(%dq, %dk, %dv : tensor<16x1024x64xf32>, tensor<16x1024x64xf32>, tensor<16x1024x64xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
        %x0 = arith.mulf %s, %scale : f32
        %i = kernel.loop_index 1
        %j = kernel.loop_index 2
        %c = arith.cmpi sge, %i, %j : index
        %x = arith.select %c, %x0, %low : f32
        %y = arith.subf %x, %mx : f32
        %e = math.exp %y : f32
        %p = arith.divf %e, %l : f32
        %f = arith.subf %dp, %d : f32
        %w = arith.mulf %p, %f : f32
        %ds = arith.mulf %w, %scale : f32
        kernel.yield %p, %ds : f32, f32
      } -> tensor<16x1024x64xf32>, tensor<16x1024x64xf32>, tensor<16x1024x64xf32>
  return %0#0, %0#1, %0#2 : tensor<16x1024x64xf32>, tensor<16x1024x64xf32>, tensor<16x1024x64xf32>
}

// Caches hold these scores.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     scf.
func.func @small(%q: tensor<2x128x64xf32>, %k: tensor<2x128x64xf32>, %v: tensor<2x128x64xf32>, %g: tensor<2x128x64xf32>, %max: tensor<2x128xf32>, %sum: tensor<2x128xf32>, %delta: tensor<2x128xf32>, %dq: tensor<2x128x64xf32>, %dk: tensor<2x128x64xf32>, %dv: tensor<2x128x64xf32>) -> (tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32>) {
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e+38 : f32
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>, affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128xf32>, tensor<2x128xf32>, tensor<2x128xf32>)
      outs(%dq, %dk, %dv : tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
        %x0 = arith.mulf %s, %scale : f32
        %i = kernel.loop_index 1
        %j = kernel.loop_index 2
        %c = arith.cmpi sge, %i, %j : index
        %x = arith.select %c, %x0, %low : f32
        %y = arith.subf %x, %mx : f32
        %e = math.exp %y : f32
        %p = arith.divf %e, %l : f32
        %f = arith.subf %dp, %d : f32
        %w = arith.mulf %p, %f : f32
        %ds = arith.mulf %w, %scale : f32
        kernel.yield %p, %ds : f32, f32
      } -> tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32>
  return %0#0, %0#1, %0#2 : tensor<2x128x64xf32>, tensor<2x128x64xf32>, tensor<2x128x64xf32>
}
