// Scatters and sorts.
//
// RUN: shard-opt %s -verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @scatter
// CHECK:         shardir.scatter ins(%{{.+}}, %{{.+}} : tensor<?x5x3xf32>, tensor<?x5x1xi32>)
// CHECK-SAME:      outs(%{{.+}} : tensor<4x?x3xf32>) index_dims = [0] batch_dims = [1] unique {
// CHECK:         ^bb0(%[[NEW:.+]]: f32, %[[OLD:.+]]: f32):
// CHECK:           shardir.yield %{{.+}} : f32
func.func @scatter(%u: tensor<?x5x3xf32>, %i: tensor<?x5x1xi32>, %x: tensor<4x?x3xf32>) -> tensor<4x?x3xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<?x5x3xf32>, tensor<?x5x1xi32>) outs(%x : tensor<4x?x3xf32>)
      index_dims = [0] batch_dims = [1] unique {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.maximumf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<4x?x3xf32>
}

// CHECK-LABEL: func.func @sort
// CHECK:         %{{.+}}:2 = shardir.sort %{{.+}}, %{{.+}} : tensor<4x?xf32>, tensor<4x?xi64> dim = 1 {
// CHECK:           shardir.yield %{{.+}} : i1
// CHECK:         } {note = "kept"}
func.func @sort(%k: tensor<4x?xf32>, %v: tensor<4x?xi64>) -> (tensor<4x?xf32>, tensor<4x?xi64>) {
  %0:2 = shardir.sort %k, %v : tensor<4x?xf32>, tensor<4x?xi64> dim = 1 {
  ^bb0(%k0: f32, %k1: f32, %v0: i64, %v1: i64):
    %1 = arith.cmpf olt, %k0, %k1 : f32
    shardir.yield %1 : i1
  } {note = "kept"}
  return %0#0, %0#1 : tensor<4x?xf32>, tensor<4x?xi64>
}
