// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by
// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where
// live Shardy (import, constraints, propagation by priorities) puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["a"=6]>

// basic_propagation.mlir: sub_axes_cannot_coexist
// CHECK: sub_axes_cannot_coexist: {{placements equal|fewer bytes}}
func.func @sub_axes_cannot_coexist(%v0: tensor<2x2xf32> {shardir.placement = #shardir.placement<@m, [{"a":(1)2}, {}]>} loc("v0")) -> (tensor<2x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a":(3)2}]>}) {
  %s0 = tensor.empty() : tensor<2x2xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<2x2xf32>) outs(%s0 : tensor<2x2xf32>) -> tensor<2x2xf32> loc("v1")
  return %v1 : tensor<2x2xf32>
}
func.func @sub_axes_cannot_coexist_theirs(%v0: tensor<2x2xf32> {shardir.placement = #shardir.placement<@m, [{"a":(1)2}, {}]>} loc("v0")) -> (tensor<2x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a":(3)2}]>}) {
  %s0 = tensor.empty() : tensor<2x2xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<2x2xf32>) outs(%s0 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"a":(3)2}]> : tensor<2x2xf32> loc("v1")
  return %v2 : tensor<2x2xf32>
}

// basic_propagation.mlir: minor_most_factor_non_divisible
// CHECK: minor_most_factor_non_divisible: {{placements equal|fewer bytes}}
func.func @minor_most_factor_non_divisible(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0")) -> (tensor<2x4xf32>) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32> loc("v1")
  return %v1 : tensor<2x4xf32>
}
func.func @minor_most_factor_non_divisible_theirs(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0")) -> (tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a":(1)2}, {"a":(2)3}]>}) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a":(1)2}, {"a":(2)3}]> : tensor<2x4xf32> loc("v1")
  return %v2 : tensor<2x4xf32>
}
