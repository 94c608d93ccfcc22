// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by
// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where
// live Shardy (import, constraints, propagation by priorities) puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["a"=4, "b"=2, "c"=2]>

// basic_propagation.mlir: reshape_split_and_merge_dims
// CHECK: reshape_split_and_merge_dims: {{placements equal|fewer bytes}}
func.func @reshape_split_and_merge_dims(%v0: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"c", "a"}, {"b"}]>} loc("v0")) -> (tensor<2x16xf32>) {
  %v1_f = tensor.expand_shape %v0 [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  %v1 = tensor.collapse_shape %v1_f [[0], [1, 2]] : tensor<2x4x4xf32> into tensor<2x16xf32> loc("v1")
  return %v1 : tensor<2x16xf32>
}
func.func @reshape_split_and_merge_dims_theirs(%v0: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"c", "a"}, {"b"}]>} loc("v0")) -> (tensor<2x16xf32> {shardir.placement = #shardir.placement<@m, [{"c"}, {"a", "b"}]>}) {
  %v1_f = tensor.expand_shape %v0 [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
  %v1 = tensor.collapse_shape %v1_f [[0], [1, 2]] : tensor<2x4x4xf32> into tensor<2x16xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"c"}, {"a", "b"}]> : tensor<2x16xf32> loc("v1")
  return %v2 : tensor<2x16xf32>
}

// basic_propagation.mlir: merge_dim_non_minor_most_factor_propagate_sub_axis
// CHECK: merge_dim_non_minor_most_factor_propagate_sub_axis: {{placements equal|fewer bytes}}
func.func @merge_dim_non_minor_most_factor_propagate_sub_axis(%v0: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>} loc("v0")) -> (tensor<16xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32> loc("v1")
  return %v1 : tensor<16xf32>
}
func.func @merge_dim_non_minor_most_factor_propagate_sub_axis_theirs(%v0: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>} loc("v0")) -> (tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a":(1)2}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"b", "a":(1)2}]> : tensor<16xf32> loc("v1")
  return %v2 : tensor<16xf32>
}

// basic_propagation.mlir: merge_dim_non_minor_most_factor_propagate_sub_axis_and_concat
// CHECK: merge_dim_non_minor_most_factor_propagate_sub_axis_and_concat: {{placements equal|fewer bytes}}
func.func @merge_dim_non_minor_most_factor_propagate_sub_axis_and_concat(%v0: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {"c"}]>} loc("v0")) -> (tensor<16xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32> loc("v1")
  return %v1 : tensor<16xf32>
}
func.func @merge_dim_non_minor_most_factor_propagate_sub_axis_and_concat_theirs(%v0: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {"c"}]>} loc("v0")) -> (tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a":(1)2, "c"}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"b", "a":(1)2, "c"}]> : tensor<16xf32> loc("v1")
  return %v2 : tensor<16xf32>
}
