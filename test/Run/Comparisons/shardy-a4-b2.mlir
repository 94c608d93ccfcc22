// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by
// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where
// live Shardy (import, constraints, propagation by priorities) puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["a"=4, "b"=2]>

// basic_propagation.mlir: propagate_full_to_sub_axis
// CHECK: propagate_full_to_sub_axis: {{placements equal|fewer bytes}}
func.func @propagate_full_to_sub_axis(%v0: tensor<32x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {}]>} loc("v0")) -> (tensor<32x8xf32>) {
  %s0 = tensor.empty() : tensor<32x8xf32>
  %v1_u = linalg.add ins(%v0, %v0 : tensor<32x8xf32>, tensor<32x8xf32>) outs(%s0 : tensor<32x8xf32>) -> tensor<32x8xf32>
  %v1 = shardir.constrain %v1_u to #shardir.placement<@m, [{"a":(1)2, ?}, {}]> : tensor<32x8xf32> loc("v1")
  return %v1 : tensor<32x8xf32>
}
func.func @propagate_full_to_sub_axis_theirs(%v0: tensor<32x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<32x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<32x8xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<32x8xf32>, tensor<32x8xf32>) outs(%s0 : tensor<32x8xf32>) -> tensor<32x8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a"}, {}]> : tensor<32x8xf32> loc("v1")
  return %v2 : tensor<32x8xf32>
}

// basic_propagation.mlir: reshape_split_dim_single_axis_shards_both_factors
// CHECK: reshape_split_dim_single_axis_shards_both_factors: {{placements equal|fewer bytes}}
func.func @reshape_split_dim_single_axis_shards_both_factors(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0")) -> (tensor<2x4xf32>) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32> loc("v1")
  return %v1 : tensor<2x4xf32>
}
func.func @reshape_split_dim_single_axis_shards_both_factors_theirs(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0")) -> (tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a":(1)2}, {"a":(2)2}]>}) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a":(1)2}, {"a":(2)2}]> : tensor<2x4xf32> loc("v1")
  return %v2 : tensor<2x4xf32>
}

// basic_propagation.mlir: single_factor_overflows
// CHECK: single_factor_overflows: {{placements equal|fewer bytes}}
func.func @single_factor_overflows(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<2x4xf32>) {
  %s0 = tensor.empty() : tensor<2x4xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%s0 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("v1")
  return %v1 : tensor<2x4xf32>
}
func.func @single_factor_overflows_theirs(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<2x4xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%s0 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a"}, {}]> : tensor<2x4xf32> loc("v1")
  return %v2 : tensor<2x4xf32>
}
