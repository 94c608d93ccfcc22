// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by
// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where
// live Shardy (import, constraints, propagation by priorities) puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["a"=3, "b"=3]>

// basic_propagation.mlir: merge_dim_non_minor_most_factor_non_divisible_multiple_axes
// CHECK: merge_dim_non_minor_most_factor_non_divisible_multiple_axes: {{placements equal|fewer bytes}}
func.func @merge_dim_non_minor_most_factor_non_divisible_multiple_axes(%v0: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0")) -> (tensor<24xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<6x4xf32> into tensor<24xf32> loc("v1")
  return %v1 : tensor<24xf32>
}
func.func @merge_dim_non_minor_most_factor_non_divisible_multiple_axes_theirs(%v0: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0")) -> (tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<6x4xf32> into tensor<24xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a"}]> : tensor<24xf32> loc("v1")
  return %v2 : tensor<24xf32>
}
