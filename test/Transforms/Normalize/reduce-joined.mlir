// RUN: shard-opt %s --shardir-expand-open-dims | FileCheck %s

// A sum over joined dims of open extents that keeps one element is one over both dims.
// CHECK-LABEL: func.func @bias
// CHECK-NOT:     tensor<?x8xf32>
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}}iterator_types = ["reduction", "reduction", "parallel"]} ins(%arg0 : tensor<?x?x8xf32>) outs(%{{.+}} : tensor<8xf32>)
// CHECK:         tensor.expand_shape %[[SUM]] {{\[\[}}0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
func.func @bias(%g: tensor<?x?x8xf32>) -> tensor<1x8xf32> {
  %z = arith.constant 0.0 : f32
  %joined = tensor.collapse_shape %g [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %e = tensor.empty() : tensor<1x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>], iterator_types = ["reduction", "parallel"]}
      ins(%joined : tensor<?x8xf32>) outs(%f : tensor<1x8xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %1 = arith.addf %a, %sum : f32
    linalg.yield %1 : f32
  } -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}
