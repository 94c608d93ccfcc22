// RUN: shard-opt %s -split-input-file --shardir-normalize | FileCheck %s

// The gradient of a strided filter sums over an operand with zeros between its
// elements: without them, the other one is read at strides.
// CHECK-DAG:   #[[STRIDED:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 + d2 * 3 + 1)>
// CHECK-DAG:   #[[PLAIN:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-LABEL: func.func @spread
// CHECK-SAME:    %[[X:.+]]: tensor<2x12xf32>, %[[G:.+]]: tensor<2x3x5xf32>
// CHECK-NOT:     insert_slice
// CHECK:         linalg.generic {indexing_maps = [#[[STRIDED]], #[[PLAIN]], {{.*}} ins(%[[X]], %[[G]] :
func.func @spread(%x: tensor<2x12xf32>, %g: tensor<2x3x5xf32>, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x9x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  %s = tensor.insert_slice %g into %z[0, 1, 0] [2, 3, 5] [1, 3, 1] : tensor<2x3x5xf32> into tensor<2x9x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1 + d2)>,
                                        affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>,
                                        affine_map<(d0, d1, d2, d3) -> (d1, d3)>],
                       iterator_types = ["reduction", "parallel", "reduction", "parallel"]}
      ins(%x, %s : tensor<2x12xf32>, tensor<2x9x5xf32>) outs(%init : tensor<4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// A transposed convolution does not sum over the zeros alone.
// CHECK-LABEL: func.func @transposed_convolution
// CHECK:         insert_slice
func.func @transposed_convolution(%g: tensor<2x3xf32>, %w: tensor<4xf32>, %init: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x9xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x9xf32>) -> tensor<2x9xf32>
  %s = tensor.insert_slice %g into %z[0, 1] [2, 3] [1, 3] : tensor<2x3xf32> into tensor<2x9xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 + d2)>,
                                        affine_map<(d0, d1, d2) -> (d2)>,
                                        affine_map<(d0, d1, d2) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %w : tensor<2x9xf32>, tensor<4xf32>) outs(%init : tensor<2x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
