// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by
// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where
// live Shardy (import, constraints, propagation by priorities) puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["a"=3]>

// basic_propagation.mlir: single_factor_non_divisible
// CHECK: single_factor_non_divisible: {{placements equal|fewer bytes}}
func.func @single_factor_non_divisible(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>} loc("v0")) -> (tensor<2x4xf32>) {
  %s0 = tensor.empty() : tensor<2x4xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%s0 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("v1")
  return %v1 : tensor<2x4xf32>
}
func.func @single_factor_non_divisible_theirs(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>} loc("v0")) -> (tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %s0 = tensor.empty() : tensor<2x4xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%s0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"a"}]> : tensor<2x4xf32> loc("v1")
  return %v2 : tensor<2x4xf32>
}

// basic_propagation.mlir: non_minor_most_factor_non_divisible
// CHECK: non_minor_most_factor_non_divisible: {{placements equal|fewer bytes}}
func.func @non_minor_most_factor_non_divisible(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0")) -> (tensor<2x4xf32>) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32> loc("v1")
  return %v1 : tensor<2x4xf32>
}
func.func @non_minor_most_factor_non_divisible_theirs(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0")) -> (tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {}]> : tensor<2x4xf32> loc("v1")
  return %v2 : tensor<2x4xf32>
}

// basic_propagation.mlir: merge_dim_non_minor_most_factor_non_divisible
// CHECK: merge_dim_non_minor_most_factor_non_divisible: {{placements equal|fewer bytes}}
func.func @merge_dim_non_minor_most_factor_non_divisible(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32> loc("v1")
  return %v1 : tensor<8xf32>
}
func.func @merge_dim_non_minor_most_factor_non_divisible_theirs(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}]> : tensor<8xf32> loc("v1")
  return %v2 : tensor<8xf32>
}
