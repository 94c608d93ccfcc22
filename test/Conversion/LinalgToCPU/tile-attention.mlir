// RUN: shard-opt %s -shardir-tile-attention-for-cpu -split-input-file | FileCheck %s

#q = affine_map<(h, m, n, k, v) -> (h, m, k)>
#k = affine_map<(h, m, n, k, v) -> (h, n, k)>
#v = affine_map<(h, m, n, k, v) -> (h, n, v)>
#o = affine_map<(h, m, n, k, v) -> (h, m, v)>
#r = affine_map<(h, m, n, k, v) -> (h, m)>

// Rows of queries in parallel, tiles of keys one after the other; behind the
// last row of a tile of rows no column has a score.
// CHECK-LABEL: func.func @causal
// CHECK:         scf.forall (%[[H:.+]], %[[M:.+]]) = (0, 0) to (16, 1024) step (1, 128)
// CHECK:           %[[ACC:.+]] = linalg.fill
// CHECK:           %[[MAX:.+]] = linalg.fill
// CHECK:           %[[SUM:.+]] = linalg.fill
// CHECK:           %[[BEHIND:.+]] = arith.addi %[[M]], %{{.*}} : index
// CHECK:           %[[END:.+]] = arith.minsi %[[BEHIND]], %{{.*}} : index
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[END]] step %{{.*}} iter_args(%{{.*}} = %[[ACC]], %{{.*}} = %[[MAX]], %{{.*}} = %[[SUM]])
// CHECK:             kernel.attention {{.*}} ins({{.*}} : tensor<1x128x64xf32>, tensor<1x256x64xf32>, tensor<1x256x64xf32>)
// CHECK:               kernel.loop_index 1
// CHECK:               arith.addi %{{.*}}, %[[M]] : index
func.func @causal(%q: tensor<16x1024x64xf32>, %k: tensor<16x1024x64xf32>, %v: tensor<16x1024x64xf32>) -> (tensor<16x1024x64xf32>, tensor<16x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<16x1024x64xf32>
  %er = tensor.empty() : tensor<16x1024xf32>
  %a = linalg.fill ins(%zero : f32) outs(%ea : tensor<16x1024x64xf32>) -> tensor<16x1024x64xf32>
  %m = linalg.fill ins(%low : f32) outs(%er : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %s = linalg.fill ins(%zero : f32) outs(%er : tensor<16x1024xf32>) -> tensor<16x1024xf32>
  %0:3 = kernel.attention {indexing_maps = [#q, #k, #v, #o, #r, #r]}
      ins(%q, %k, %v : tensor<16x1024x64xf32>, tensor<16x1024x64xf32>, tensor<16x1024x64xf32>)
      outs(%a, %m, %s : tensor<16x1024x64xf32>, tensor<16x1024xf32>, tensor<16x1024xf32>)
      score {
      ^bb0(%x: f32):
        %i = kernel.loop_index 1
        %j = kernel.loop_index 2
        %c = arith.cmpi sge, %i, %j : index
        %u = arith.select %c, %x, %low : f32
        kernel.yield %u : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      } -> tensor<16x1024x64xf32>, tensor<16x1024xf32>, tensor<16x1024xf32>
  return %0#0, %0#2 : tensor<16x1024x64xf32>, tensor<16x1024xf32>
}

// -----

#q = affine_map<(m, n, k, v) -> (m, k)>
#k = affine_map<(m, n, k, v) -> (n, k)>
#v = affine_map<(m, n, k, v) -> (n, v)>
#o = affine_map<(m, n, k, v) -> (m, v)>
#r = affine_map<(m, n, k, v) -> (m)>

// A bias may lower scores as far as the mask: all tiles are computed. One that
// carries earlier sums begins with them.
// CHECK-LABEL: func.func @biased
// CHECK:         scf.forall
// CHECK-NOT:       arith.minsi
// CHECK:           scf.for
// CHECK-LABEL: func.func @continued
// CHECK-SAME:    %[[A:arg3]]: {{.*}} %[[M:arg4]]: {{.*}} %[[S:arg5]]:
// CHECK:         scf.forall (%[[I:.*]]) = (0) to (2048) step (128) shared_outs(%[[TA:.*]] = %[[A]], %[[TM:.*]] = %[[M]], %[[TS:.*]] = %[[S]])
// CHECK-NOT:       linalg.fill
// CHECK:           %[[A0:.*]] = tensor.extract_slice %[[TA]][%[[I]], 0] [128, 64]
// CHECK:           %[[M0:.*]] = tensor.extract_slice %[[TM]][%[[I]]] [128]
// CHECK:           %[[S0:.*]] = tensor.extract_slice %[[TS]][%[[I]]] [128]
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %[[A0]], %{{.*}} = %[[M0]], %{{.*}} = %[[S0]])
// CHECK:             kernel.attention
func.func @biased(%q: tensor<2048x64xf32>, %k: tensor<2048x64xf32>, %v: tensor<2048x64xf32>, %b: tensor<2048xf32>) -> tensor<2048x64xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %finite = arith.constant -1.0e38 : f32
  %ea = tensor.empty() : tensor<2048x64xf32>
  %er = tensor.empty() : tensor<2048xf32>
  %a = linalg.fill ins(%zero : f32) outs(%ea : tensor<2048x64xf32>) -> tensor<2048x64xf32>
  %m = linalg.fill ins(%low : f32) outs(%er : tensor<2048xf32>) -> tensor<2048xf32>
  %s = linalg.fill ins(%zero : f32) outs(%er : tensor<2048xf32>) -> tensor<2048xf32>
  %0:3 = kernel.attention {indexing_maps = [#q, #k, #v, affine_map<(m, n, k, v) -> (n)>, #o, #r, #r]}
      ins(%q, %k, %v, %b : tensor<2048x64xf32>, tensor<2048x64xf32>, tensor<2048x64xf32>, tensor<2048xf32>)
      outs(%a, %m, %s : tensor<2048x64xf32>, tensor<2048xf32>, tensor<2048xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        %i = kernel.loop_index 0
        %j = kernel.loop_index 1
        %c = arith.cmpi sge, %i, %j : index
        %t = arith.addf %x, %y : f32
        %u = arith.select %c, %t, %finite : f32
        kernel.yield %u : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<2048x64xf32>, tensor<2048xf32>, tensor<2048xf32>
  return %0#0 : tensor<2048x64xf32>
}
func.func @continued(%q: tensor<2048x64xf32>, %k: tensor<2048x64xf32>, %v: tensor<2048x64xf32>, %a: tensor<2048x64xf32>, %m: tensor<2048xf32>, %s: tensor<2048xf32>) -> tensor<2048x64xf32> {
  %0:3 = kernel.attention {indexing_maps = [#q, #k, #v, #o, #r, #r]}
      ins(%q, %k, %v : tensor<2048x64xf32>, tensor<2048x64xf32>, tensor<2048x64xf32>)
      outs(%a, %m, %s : tensor<2048x64xf32>, tensor<2048xf32>, tensor<2048xf32>)
      score {
      ^bb0(%x: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      } -> tensor<2048x64xf32>, tensor<2048xf32>, tensor<2048xf32>
  return %0#0 : tensor<2048x64xf32>
}

// Positions count from where a device's rows and a block's columns begin: so does the end; a block behind
// all rows has no steps.
// CHECK-LABEL: func.func @begins
// CHECK-SAME:    %[[ROWS:arg6]]: index, %[[COLUMNS:arg7]]: index
// CHECK:         scf.forall (%[[I:.*]]) = (0) to (2048) step (128)
// CHECK:           %[[B0:.+]] = arith.addi %[[I]], %{{.*}} : index
// CHECK:           %[[B1:.+]] = arith.addi %[[B0]], %[[ROWS]] : index
// CHECK:           %[[B2:.+]] = arith.subi %[[B1]], %[[COLUMNS]] : index
// CHECK:           %[[END:.+]] = arith.minsi %[[B2]], %{{.*}} : index
// CHECK:           scf.for %{{.*}} = %{{.*}} to %[[END]]
#q2 = affine_map<(m, n, k, v) -> (m, k)>
#k2 = affine_map<(m, n, k, v) -> (n, k)>
#v2 = affine_map<(m, n, k, v) -> (n, v)>
#o2 = affine_map<(m, n, k, v) -> (m, v)>
#r2 = affine_map<(m, n, k, v) -> (m)>
func.func @begins(%q: tensor<2048x64xf32>, %k: tensor<1024x64xf32>, %v: tensor<1024x64xf32>, %a: tensor<2048x64xf32>, %m: tensor<2048xf32>, %s: tensor<2048xf32>,
    %rows: index, %columns: index) -> (tensor<2048x64xf32>, tensor<2048xf32>, tensor<2048xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %0:3 = kernel.attention {indexing_maps = [#q2, #k2, #v2, #o2, #r2, #r2]}
      ins(%q, %k, %v : tensor<2048x64xf32>, tensor<1024x64xf32>, tensor<1024x64xf32>)
      outs(%a, %m, %s : tensor<2048x64xf32>, tensor<2048xf32>, tensor<2048xf32>)
      score {
      ^bb0(%x: f32):
        %i = kernel.loop_index 0
        %i1 = arith.addi %i, %rows : index
        %i2 = arith.index_cast %i1 : index to i32
        %j = kernel.loop_index 1
        %j1 = arith.addi %columns, %j : index
        %j2 = arith.index_cast %j1 : index to i32
        %c = arith.cmpi sge, %i2, %j2 : i32
        %u = arith.select %c, %x, %low : f32
        kernel.yield %u : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      } -> tensor<2048x64xf32>, tensor<2048xf32>, tensor<2048xf32>
  return %0#0, %0#1, %0#2 : tensor<2048x64xf32>, tensor<2048xf32>, tensor<2048xf32>
}
