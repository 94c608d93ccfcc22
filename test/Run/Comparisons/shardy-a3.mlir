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
