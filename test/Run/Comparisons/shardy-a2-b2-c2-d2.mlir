// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by
// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where
// live Shardy (import, constraints, propagation by priorities) puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["a"=2, "b"=2, "c"=2, "d"=2]>

// aggressive_propagation.mlir: multiple_conflicts_across_factors
// CHECK: multiple_conflicts_across_factors: {{placements equal|fewer bytes}}
func.func @multiple_conflicts_across_factors(%v0: tensor<2x8x4xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"a", "b"}, {?}]>} loc("v0"), %v1: tensor<2x4x16xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"d", "c"}, {"b", "a"}]>} loc("v1")) -> (tensor<2x8x16xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %v2_u = linalg.batch_matmul ins(%v0, %v1 : tensor<2x8x4xf32>, tensor<2x4x16xf32>) outs(%s2 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %v2 = shardir.constrain %v2_u to #shardir.placement<@m, [{"d"}, {?}, {?}]> : tensor<2x8x16xf32> loc("v2")
  return %v2 : tensor<2x8x16xf32>
}
func.func @multiple_conflicts_across_factors_theirs(%v0: tensor<2x8x4xf32> {shardir.placement = #shardir.placement<@m, [{"d"}, {"a", "b"}, {}]>} loc("v0"), %v1: tensor<2x4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"d", "c"}, {"b", "a"}]>} loc("v1")) -> (tensor<2x8x16xf32> {shardir.placement = #shardir.placement<@m, [{"d"}, {}, {"b", "a"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %v2 = linalg.batch_matmul ins(%v0, %v1 : tensor<2x8x4xf32>, tensor<2x4x16xf32>) outs(%s2 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"d"}, {}, {"b", "a"}]> : tensor<2x8x16xf32> loc("v2")
  return %v3 : tensor<2x8x16xf32>
}
