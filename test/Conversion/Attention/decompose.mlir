// RUN: shard-opt %s -shardir-decompose-attention -split-input-file | FileCheck %s

// Neutral inits are not rescaled.
// CHECK-LABEL: func.func @neutral
// CHECK-SAME:    %[[Q:.+]]: tensor<6x3xbf16>, %[[K:.+]]: tensor<8x3xbf16>, %[[V:.+]]: tensor<8x4xbf16>, %[[E:.+]]: tensor<8xf32>
// CHECK-DAG:   %[[ACC0:.+]] = linalg.fill {{.*}} -> tensor<6x4xf32>
// CHECK:       %[[S:.+]] = linalg.generic {{.*}} ins(%[[Q]], %[[K]] : {{.*}} outs({{.*}} : tensor<6x8xf32>)
// CHECK:       %[[X:.+]] = linalg.generic {{.*}} ins(%[[S]], %[[E]] : tensor<6x8xf32>, tensor<8xf32>)
// CHECK:         linalg.index 0
// CHECK:         linalg.index 1
// CHECK:         arith.select
// CHECK:       %[[MAX:.+]] = linalg.generic {{.*}} ins(%[[X]] : {{.*}} outs({{.*}} : tensor<6xf32>)
// CHECK:         arith.maximumf
// CHECK:       %[[P:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[MAX]] :
// CHECK:         math.exp
// CHECK:       linalg.generic {{.*}} ins(%[[P]] : {{.*}} outs({{.*}} : tensor<6xf32>)
// CHECK:         arith.addf
// CHECK:       %[[T:.+]] = linalg.generic {{.*}} ins(%[[P]], %[[E]] :
// CHECK:         arith.truncf
// CHECK:       linalg.generic {{.*}} ins(%[[T]], %[[V]] : {{.*}} outs(%[[ACC0]] :
// CHECK-NOT:   math.exp
func.func @neutral(%q: tensor<6x3xbf16>, %k: tensor<8x3xbf16>, %v: tensor<8x4xbf16>, %e: tensor<8xf32>)
    -> (tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %ea = tensor.empty() : tensor<6x4xf32>
  %er = tensor.empty() : tensor<6xf32>
  %a = linalg.fill ins(%zero : f32) outs(%ea : tensor<6x4xf32>) -> tensor<6x4xf32>
  %m = linalg.fill ins(%low : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>,
                                             affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (n)>,
                                             affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>,
                                             affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xbf16>, tensor<8x3xbf16>, tensor<8x4xbf16>, tensor<8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        %i = kernel.loop_index 0
        %j = kernel.loop_index 1
        %c = arith.cmpi sge, %i, %j : index
        %b = arith.addf %x, %y : f32
        %r = arith.select %c, %b, %low : f32
        kernel.yield %r : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        %t = arith.truncf %p : f32 to bf16
        kernel.yield %t : bf16
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return %0#0, %0#1, %0#2 : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
}

// -----

// The values in the inits are continued: acc and sum times exp(max0 - shift). All
// temporaries are freed.
// CHECK-LABEL: func.func @memrefs
// CHECK-SAME:    %[[Q:.+]]: memref<?x3xf32>, %[[K:.+]]: memref<?x3xf32>, %[[V:.+]]: memref<?x4xf32>, %[[A:.+]]: memref<?x4xf32>, %[[M:.+]]: memref<?xf32>, %[[S:.+]]: memref<?xf32>
// CHECK:       %[[X:.+]] = memref.alloc({{.*}}) : memref<?x?xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[Q]], %[[K]] : {{.*}} outs(%[[X]] :
// CHECK:       %[[OLD:.+]] = memref.alloc({{.*}}) : memref<?xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[M]] : {{.*}} outs(%[[OLD]] :
// CHECK:       linalg.generic {{.*}} ins(%[[X]] : {{.*}} outs(%[[M]] :
// CHECK:         arith.maximumf
// CHECK:       %[[F:.+]] = memref.alloc({{.*}}) : memref<?xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[OLD]], %[[M]] : {{.*}} outs(%[[F]] :
// CHECK:         math.exp
// CHECK:       linalg.generic {{.*}} ins(%[[F]] : {{.*}} outs(%[[S]] :
// CHECK:       linalg.generic {{.*}} ins(%[[F]] : {{.*}} outs(%[[A]] :
// CHECK:       linalg.generic {{.*}} ins(%[[M]] : {{.*}} outs(%[[X]] :
// CHECK:         math.exp
// CHECK:       linalg.generic {{.*}} ins(%[[X]] : {{.*}} outs(%[[S]] :
// CHECK:       linalg.generic {{.*}} ins(%[[X]], %[[V]] : {{.*}} outs(%[[A]] :
// CHECK-DAG:   memref.dealloc %[[X]]
// CHECK-DAG:   memref.dealloc %[[OLD]]
// CHECK-DAG:   memref.dealloc %[[F]]
func.func @memrefs(%q: memref<?x3xf32>, %k: memref<?x3xf32>, %v: memref<?x4xf32>, %a: memref<?x4xf32>, %m: memref<?xf32>, %s: memref<?xf32>) {
  kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>,
                                      affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>,
                                      affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v : memref<?x3xf32>, memref<?x3xf32>, memref<?x4xf32>)
      outs(%a, %m, %s : memref<?x4xf32>, memref<?xf32>, memref<?xf32>)
      score {
      ^bb0(%x: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32):
        kernel.yield %p : f32
      }
  return
}

// -----

// Two products for scores and their gradients, one body in place, three products.
// CHECK-LABEL: func.func @gradients
// CHECK-SAME:    %[[Q:.+]]: memref<4x6x3xf32>, %[[K:.+]]: memref<4x8x3xf32>, %[[V:.+]]: memref<4x8x5xf32>, %[[G:.+]]: memref<4x6x5xf32>, %[[MAX:.+]]: memref<4x6xf32>, %[[SUM:.+]]: memref<4x6xf32>, %[[D:.+]]: memref<4x6xf32>, %[[DQ:.+]]: memref<4x6x3xf32>, %[[DK:.+]]: memref<4x8x3xf32>, %[[DV:.+]]: memref<4x8x5xf32>
// CHECK:       %[[S:.+]] = memref.alloc() : memref<4x6x8xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[Q]], %[[K]] : {{.*}} outs(%[[S]] :
// CHECK:       %[[P:.+]] = memref.alloc() : memref<4x6x8xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[G]], %[[V]] : {{.*}} outs(%[[P]] :
// CHECK:       linalg.generic {{.*}} ins(%[[MAX]], %[[SUM]], %[[D]] : {{.*}} outs(%[[S]], %[[P]] :
// CHECK:         math.exp
// CHECK:       linalg.generic {{.*}} ins(%[[P]], %[[K]] : {{.*}} outs(%[[DQ]] :
// CHECK:       linalg.generic {{.*}} ins(%[[P]], %[[Q]] : {{.*}} outs(%[[DK]] :
// CHECK:       linalg.generic {{.*}} ins(%[[S]], %[[G]] : {{.*}} outs(%[[DV]] :
// CHECK-DAG:   memref.dealloc %[[S]]
// CHECK-DAG:   memref.dealloc %[[P]]
func.func @gradients(%q: memref<4x6x3xf32>, %k: memref<4x8x3xf32>, %v: memref<4x8x5xf32>, %g: memref<4x6x5xf32>, %max: memref<4x6xf32>, %sum: memref<4x6xf32>, %delta: memref<4x6xf32>, %dq: memref<4x6x3xf32>, %dk: memref<4x8x3xf32>, %dv: memref<4x8x5xf32>) {
  %scale = arith.constant 0.125 : f32
  %low = arith.constant -1.0e+38 : f32
  kernel.attention_backward {indexing_maps = [affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>, affine_map<(h, m, n, k, v) -> (h, m, v)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m, k)>, affine_map<(h, m, n, k, v) -> (h, n, k)>, affine_map<(h, m, n, k, v) -> (h, n, v)>]}
      ins(%q, %k, %v, %g, %max, %sum, %delta : memref<4x6x3xf32>, memref<4x8x3xf32>, memref<4x8x5xf32>, memref<4x6x5xf32>, memref<4x6xf32>, memref<4x6xf32>, memref<4x6xf32>)
      outs(%dq, %dk, %dv : memref<4x6x3xf32>, memref<4x8x3xf32>, memref<4x8x5xf32>) {
      ^bb0(%s: f32, %dp: f32, %mx: f32, %l: f32, %d: f32):
        %x0 = arith.mulf %s, %scale : f32
        %y = arith.subf %x0, %mx : f32
        %e = math.exp %y : f32
        %p = arith.divf %e, %l : f32
        %f = arith.subf %dp, %d : f32
        %w = arith.mulf %p, %f : f32
        %ds = arith.mulf %w, %scale : f32
        kernel.yield %p, %ds : f32, f32
      }
  return
}

// -----

// The gradient of values alone: no product for the probabilities' gradient, and one behind the body.
// CHECK-LABEL: func.func @unwanted
// CHECK-SAME:    %[[Q:.+]]: tensor<6x3xf32>, %[[K:.+]]: tensor<8x3xf32>, %[[V:.+]]: tensor<8x4xf32>, %[[G:.+]]: tensor<6x4xf32>, %[[DQ:.+]]: tensor<6x3xf32>, %[[DK:.+]]: tensor<8x3xf32>, %[[DV:.+]]: tensor<8x4xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[Q]], %[[K]] :
// CHECK:       %[[P:.+]]:2 = linalg.generic
// CHECK:         math.exp
// CHECK:       %[[R:.+]] = linalg.generic {{.*}} ins(%[[P]]#0, %[[G]] : {{.*}} outs(%[[DV]] :
// CHECK:       return %[[DQ]], %[[DK]], %[[R]]
func.func @unwanted(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) -> (tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
  %0:3 = kernel.attention_backward {unwanted = array<i64: 0, 1>, indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32):
        %p = math.exp %s : f32
        kernel.yield %p, %p : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return %0#0, %0#1, %0#2 : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
}
