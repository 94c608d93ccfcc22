// A maximum and its place, both of which are used: two reductions.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-split-arg-reductions))' | FileCheck %s

// CHECK-LABEL: func.func @both
// CHECK:         %[[MAX:.+]] = linalg.generic
// CHECK:           arith.maxnumf
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[MAX]] : tensor<4x8xf32>, tensor<4xf32>)
// CHECK:           arith.minsi
// CHECK:         return %[[MAX]]
func.func @both(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = tensor.empty() : tensor<4xi32>
  %h = linalg.fill ins(%zero : i32) outs(%g : tensor<4xi32>) -> tensor<4xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f, %h : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %m: f32, %p: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %larger = arith.cmpf ogt, %a, %m : f32
    %v = arith.select %larger, %a, %m : f32
    %q = arith.select %larger, %k, %p : i32
    linalg.yield %v, %q : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}

// Values alone, or something else than an extremum: as it was.
// CHECK-LABEL: func.func @other
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @other(%x: tensor<4x8xf32>, %f: tensor<4xf32>, %h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%f, %h : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %m: f32, %p: f32):
    %v = arith.maximumf %a, %m : f32
    %q = arith.addf %a, %p : f32
    linalg.yield %v, %q : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
