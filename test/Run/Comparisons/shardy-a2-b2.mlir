// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by
// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where
// live Shardy (import, constraints, propagation by priorities) puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["a"=2, "b"=2]>

// basic_propagation.mlir: simple
// CHECK: simple: {{placements equal|fewer bytes}}
func.func @simple(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0"), %v1: tensor<8x8xf32> loc("v1"), %v2: tensor<8x16xf32> loc("v2")) -> (tensor<8x16xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8x16xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v4 = linalg.matmul ins(%v3, %v2 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v4")
  return %v4 : tensor<8x16xf32>
}
func.func @simple_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v1"), %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>} loc("v2")) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"a"}, {"b"}]> : tensor<8x8xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8x16xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v5 = linalg.matmul ins(%v4, %v2 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x16xf32> loc("v4")
  return %v6 : tensor<8x16xf32>
}

// basic_propagation.mlir: pointwise_size_zero_dim
// CHECK: pointwise_size_zero_dim: {{placements equal|fewer bytes}}
func.func @pointwise_size_zero_dim(%v0: tensor<8x0xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8x0xf32>) {
  %s0 = tensor.empty() : tensor<8x0xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x0xf32>, tensor<8x0xf32>) outs(%s0 : tensor<8x0xf32>) -> tensor<8x0xf32> loc("v1")
  return %v1 : tensor<8x0xf32>
}
func.func @pointwise_size_zero_dim_theirs(%v0: tensor<8x0xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8x0xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x0xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x0xf32>, tensor<8x0xf32>) outs(%s0 : tensor<8x0xf32>) -> tensor<8x0xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x0xf32> loc("v1")
  return %v2 : tensor<8x0xf32>
}

// basic_propagation.mlir: closed_dim
// CHECK: closed_dim: {{placements equal|fewer bytes}}
func.func @closed_dim(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>} loc("v1")) -> (tensor<8x16xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v2_u = linalg.matmul ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v2 = shardir.constrain %v2_u to #shardir.placement<@m, [{}, {?}]> : tensor<8x16xf32> loc("v2")
  return %v2 : tensor<8x16xf32>
}
func.func @closed_dim_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>} loc("v1")) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"b"}]> : tensor<8x16xf32> loc("v2")
  return %v3 : tensor<8x16xf32>
}

// basic_propagation.mlir: propagate_from_sharding_constraint
// CHECK: propagate_from_sharding_constraint: {{placements equal|fewer bytes}}
func.func @propagate_from_sharding_constraint(%v0: tensor<8x8xf32> loc("v0")) -> (tensor<8x8xf32>) {
  %v1 = shardir.constrain %v0 to #shardir.placement<@m, [{"a"}, {?}]> : tensor<8x8xf32> loc("v1")
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v1, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  return %v2 : tensor<8x8xf32>
}
func.func @propagate_from_sharding_constraint_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %v1 = shardir.constrain %v0 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v1")
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v1, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v2")
  return %v3 : tensor<8x8xf32>
}

// basic_propagation.mlir: propagate_to_sharding_constraint
// CHECK: propagate_to_sharding_constraint: {{placements equal|fewer bytes}}
func.func @propagate_to_sharding_constraint(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8x8xf32>) {
  %v1 = shardir.constrain %v0 to #shardir.placement<@m, [{?}, {?}]> : tensor<8x8xf32> loc("v1")
  return %v1 : tensor<8x8xf32>
}
func.func @propagate_to_sharding_constraint_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %v1 = shardir.constrain %v0 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v1")
  return %v1 : tensor<8x8xf32>
}

// basic_propagation.mlir: multi_axes
// CHECK: multi_axes: {{placements equal|fewer bytes}}
func.func @multi_axes(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", ?}, {}]>} loc("v1"), %v2: tensor<8x16xf32> loc("v2")) -> (tensor<8x16xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8x16xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v4 = linalg.matmul ins(%v3, %v2 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v4")
  return %v4 : tensor<8x16xf32>
}
func.func @multi_axes_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>} loc("v1"), %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v2")) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"b", "a"}, {}]> : tensor<8x8xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8x16xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v5 = linalg.matmul ins(%v4, %v2 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"b", "a"}, {}]> : tensor<8x16xf32> loc("v4")
  return %v6 : tensor<8x16xf32>
}

// basic_propagation.mlir: multi_axes_some_axes_incompatible
// CHECK: multi_axes_some_axes_incompatible: {{placements equal|fewer bytes}}
func.func @multi_axes_some_axes_incompatible(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> loc("v1")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2_u = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = shardir.constrain %v2_u to #shardir.placement<@m, [{?}, {"b", ?}]> : tensor<8x8xf32> loc("v2")
  return %v2 : tensor<8x8xf32>
}
func.func @multi_axes_some_axes_incompatible_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {"b"}]> : tensor<8x8xf32> loc("v2")
  return %v3 : tensor<8x8xf32>
}

// basic_propagation.mlir: multi_axes_all_axes_incompatible
// CHECK: multi_axes_all_axes_incompatible: {{placements equal|fewer bytes}}
func.func @multi_axes_all_axes_incompatible(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {?}], replicated = ["a"]>} loc("v1")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2_u = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = shardir.constrain %v2_u to #shardir.placement<@m, [{?}, {"b", ?}]> : tensor<8x8xf32> loc("v2")
  return %v2 : tensor<8x8xf32>
}
func.func @multi_axes_all_axes_incompatible_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {"b"}]> : tensor<8x8xf32> loc("v2")
  return %v3 : tensor<8x8xf32>
}

// basic_propagation.mlir: reshape_merge_dim_only_major_most_factor_sharded
// CHECK: reshape_merge_dim_only_major_most_factor_sharded: {{placements equal|fewer bytes}}
func.func @reshape_merge_dim_only_major_most_factor_sharded(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32> loc("v1")
  return %v1 : tensor<8xf32>
}
func.func @reshape_merge_dim_only_major_most_factor_sharded_theirs(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a"}]> : tensor<8xf32> loc("v1")
  return %v2 : tensor<8xf32>
}

// basic_propagation.mlir: reshape_merge_dim_major_factor_fully_sharded
// CHECK: reshape_merge_dim_major_factor_fully_sharded: {{placements equal|fewer bytes}}
func.func @reshape_merge_dim_major_factor_fully_sharded(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0")) -> (tensor<8xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32> loc("v1")
  return %v1 : tensor<8xf32>
}
func.func @reshape_merge_dim_major_factor_fully_sharded_theirs(%v0: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a", "b"}]> : tensor<8xf32> loc("v1")
  return %v2 : tensor<8xf32>
}

// basic_propagation.mlir: reshape_merge_dim_major_factor_partially_sharded
// CHECK: reshape_merge_dim_major_factor_partially_sharded: {{placements equal|fewer bytes}}
func.func @reshape_merge_dim_major_factor_partially_sharded(%v0: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0")) -> (tensor<16xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32> loc("v1")
  return %v1 : tensor<16xf32>
}
func.func @reshape_merge_dim_major_factor_partially_sharded_theirs(%v0: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0")) -> (tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a"}]> : tensor<16xf32> loc("v1")
  return %v2 : tensor<16xf32>
}

// basic_propagation.mlir: reshape_split_dim_single_axis_fully_shards_major_factor
// CHECK: reshape_split_dim_single_axis_fully_shards_major_factor: {{placements equal|fewer bytes}}
func.func @reshape_split_dim_single_axis_fully_shards_major_factor(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}]>} loc("v0")) -> (tensor<2x4xf32>) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32> loc("v1")
  return %v1 : tensor<2x4xf32>
}
func.func @reshape_split_dim_single_axis_fully_shards_major_factor_theirs(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}]>} loc("v0")) -> (tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"b"}, {"a"}]> : tensor<2x4xf32> loc("v1")
  return %v2 : tensor<2x4xf32>
}

// basic_propagation.mlir: reshape_split_dim_only_major_most_factor_sharded
// CHECK: reshape_split_dim_only_major_most_factor_sharded: {{placements equal|fewer bytes}}
func.func @reshape_split_dim_only_major_most_factor_sharded(%v0: tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}]>} loc("v0")) -> (tensor<4x4xf32>) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32> loc("v1")
  return %v1 : tensor<4x4xf32>
}
func.func @reshape_split_dim_only_major_most_factor_sharded_theirs(%v0: tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}]>} loc("v0")) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>}) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"b", "a"}, {}]> : tensor<4x4xf32> loc("v1")
  return %v2 : tensor<4x4xf32>
}

// basic_propagation.mlir: slice_then_concat
// CHECK: slice_then_concat: {{placements equal|fewer bytes}}
func.func @slice_then_concat(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0")) -> (tensor<8x8xf32>) {
  %v1 = tensor.extract_slice %v0[1, 0][7, 8][1, 1] : tensor<8x8xf32> to tensor<7x8xf32> loc("v1")
  %v2 = tensor.extract_slice %v0[0, 0][1, 8][1, 1] : tensor<8x8xf32> to tensor<1x8xf32> loc("v2")
  %v3 = tensor.concat dim(0) %v1, %v2 : (tensor<7x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32> loc("v3")
  return %v3 : tensor<8x8xf32>
}
func.func @slice_then_concat_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>}) {
  %v1 = tensor.extract_slice %v0[1, 0][7, 8][1, 1] : tensor<8x8xf32> to tensor<7x8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a", "b"}, {}]> : tensor<7x8xf32> loc("v1")
  %v3 = tensor.extract_slice %v0[0, 0][1, 8][1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"a", "b"}, {}]> : tensor<1x8xf32> loc("v2")
  %v5 = tensor.concat dim(0) %v2, %v4 : (tensor<7x8xf32>, tensor<1x8xf32>) -> tensor<8x8xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"a", "b"}, {}]> : tensor<8x8xf32> loc("v3")
  return %v6 : tensor<8x8xf32>
}

// basic_propagation.mlir: direct_arg_return_both_updated
// CHECK: direct_arg_return_both_updated: {{placements equal|fewer bytes}}
func.func @direct_arg_return_both_updated(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {?}]>} loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"b", ?}]>}) {
  return %v0 : tensor<8x8xf32>
}
func.func @direct_arg_return_both_updated_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  return %v0 : tensor<8x8xf32>
}

// basic_propagation.mlir: func_out_sharding
// CHECK: func_out_sharding: {{placements equal|fewer bytes}}
func.func @func_out_sharding(%v0: tensor<8x8xf32> loc("v0"), %v1: tensor<8x16xf32> loc("v1")) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v2")
  return %v2 : tensor<8x16xf32>
}
func.func @func_out_sharding_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>} loc("v1")) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {"b"}]> : tensor<8x16xf32> loc("v2")
  return %v3 : tensor<8x16xf32>
}

// basic_propagation.mlir: func_result_intermediate_op_both_updated
// CHECK: func_result_intermediate_op_both_updated: {{placements equal|fewer bytes}}
func.func @func_result_intermediate_op_both_updated(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {?}]>} loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"b", ?}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v1")
  return %v1 : tensor<8x8xf32>
}
func.func @func_result_intermediate_op_both_updated_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a"}, {"b"}]> : tensor<8x8xf32> loc("v1")
  return %v2 : tensor<8x8xf32>
}

// aggressive_propagation.mlir: fake_conflict_between_two_non_contracting_dims
// CHECK: fake_conflict_between_two_non_contracting_dims: {{placements equal|fewer bytes}}
func.func @fake_conflict_between_two_non_contracting_dims(%v0: tensor<256x512xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {?}]>} loc("v0"), %v1: tensor<128x512xf32> loc("v1")) -> (tensor<256x128xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"a", ?}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<256x128xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<256x128xf32>) -> tensor<256x128xf32>
  %v2_u = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<256x512xf32>, tensor<128x512xf32>) outs(%s2 : tensor<256x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<256x128xf32>
  %v2 = shardir.constrain %v2_u to #shardir.placement<@m, [{?}, {"a", ?}]> : tensor<256x128xf32> loc("v2")
  return %v2 : tensor<256x128xf32>
}
func.func @fake_conflict_between_two_non_contracting_dims_theirs(%v0: tensor<256x512xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<128x512xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v1")) -> (tensor<256x128xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<256x128xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<256x128xf32>) -> tensor<256x128xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<256x512xf32>, tensor<128x512xf32>) outs(%s2 : tensor<256x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<256x128xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"a"}]> : tensor<256x128xf32> loc("v2")
  return %v3 : tensor<256x128xf32>
}

// aggressive_propagation.mlir: sideways_propagation_if_result_is_closed_empty
// CHECK: sideways_propagation_if_result_is_closed_empty: as many bytes
func.func @sideways_propagation_if_result_is_closed_empty(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0"), %v1: tensor<8xf32> loc("v1")) -> (tensor<8xf32>) {
  %s0 = tensor.empty() : tensor<8xf32>
  %v2_u = linalg.add ins(%v0, %v1 : tensor<8xf32>, tensor<8xf32>) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
  %v2 = shardir.constrain %v2_u to #shardir.placement<@m, [{}]> : tensor<8xf32> loc("v2")
  return %v2 : tensor<8xf32>
}
func.func @sideways_propagation_if_result_is_closed_empty_theirs(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0"), %v1: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>} loc("v1")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %s0 = tensor.empty() : tensor<8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8xf32>, tensor<8xf32>) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}]> : tensor<8xf32> loc("v2")
  return %v3 : tensor<8xf32>
}

// aggressive_propagation.mlir: allow_sideways_propagation_if_result_is_open_empty
// CHECK: allow_sideways_propagation_if_result_is_open_empty: {{placements equal|fewer bytes}}
func.func @allow_sideways_propagation_if_result_is_open_empty(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}]>} loc("v0"), %v1: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{?}]>} loc("v1")) -> (tensor<8xf32>) {
  %s0 = tensor.empty() : tensor<8xf32>
  %v2_u = linalg.add ins(%v0, %v1 : tensor<8xf32>, tensor<8xf32>) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
  %v2 = shardir.constrain %v2_u to #shardir.placement<@m, [{?}]> : tensor<8xf32> loc("v2")
  return %v2 : tensor<8xf32>
}
func.func @allow_sideways_propagation_if_result_is_open_empty_theirs(%v0: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}]>} loc("v0"), %v1: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}]>} loc("v1")) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}]>}) {
  %s0 = tensor.empty() : tensor<8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8xf32>, tensor<8xf32>) outs(%s0 : tensor<8xf32>) -> tensor<8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a", "b"}]> : tensor<8xf32> loc("v2")
  return %v3 : tensor<8xf32>
}

// op_priority_propagation.mlir: element_wise_over_dot_general
// CHECK: element_wise_over_dot_general: {{placements equal|fewer bytes}}
func.func @element_wise_over_dot_general(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {?}]>} loc("v0"), %v1: tensor<8x8xf32> loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"a", ?}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x8xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  %v3 = linalg.add ins(%v2, %v2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v3")
  %v4 = linalg.add ins(%v3, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v4")
  return %v4 : tensor<8x8xf32>
}
func.func @element_wise_over_dot_general_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x8xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v2")
  %v4 = linalg.add ins(%v3, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v3")
  %v6 = linalg.add ins(%v5, %v5 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v4")
  return %v7 : tensor<8x8xf32>
}

// op_priority_propagation.mlir: defer_backwards_propagation_for_op_with_multi_use_operand
// CHECK: defer_backwards_propagation_for_op_with_multi_use_operand: {{placements equal|fewer bytes}}
func.func @defer_backwards_propagation_for_op_with_multi_use_operand(%v0: tensor<8x8xf32> loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v1")
  %v2 = linalg.mul ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  %v3 = linalg.tanh ins(%v1 : tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v3")
  return %v2, %v3 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @defer_backwards_propagation_for_op_with_multi_use_operand_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v1")
  %v3 = linalg.mul ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v2")
  %v5 = linalg.tanh ins(%v2 : tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v3")
  return %v4, %v6 : tensor<8x8xf32>, tensor<8x8xf32>
}

// op_priority_propagation.mlir: chained_dot_generals
// CHECK: chained_dot_generals: {{placements equal|fewer bytes}}
func.func @chained_dot_generals(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {?}]>} loc("v0"), %v1: tensor<8x8xf32> loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"a", ?}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x8xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  %v3 = linalg.matmul ins(%v2, %v2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v3")
  %v4 = linalg.add ins(%v3, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v4")
  %v5 = linalg.add ins(%v4, %v4 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v5")
  return %v5 : tensor<8x8xf32>
}
func.func @chained_dot_generals_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x8xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v2")
  %v4 = linalg.matmul ins(%v3, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v3")
  %v6 = linalg.add ins(%v5, %v5 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v4")
  %v8 = linalg.add ins(%v7, %v7 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v5")
  return %v9 : tensor<8x8xf32>
}

// op_priority_propagation.mlir: pass_through_factor_higher_priority_than_reduction_factor
// CHECK: pass_through_factor_higher_priority_than_reduction_factor: {{placements equal|fewer bytes}}
func.func @pass_through_factor_higher_priority_than_reduction_factor(%v0: tensor<32x1024xf32> loc("v0"), %v1: tensor<1024x16xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {"b", ?}]>} loc("v1")) -> (tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {"b", ?}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<32x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<32x1024xf32>, tensor<1024x16xf32>) outs(%s2 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("v2")
  return %v2 : tensor<32x16xf32>
}
func.func @pass_through_factor_higher_priority_than_reduction_factor_theirs(%v0: tensor<32x1024xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<1024x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v1")) -> (tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<32x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<32x1024xf32>, tensor<1024x16xf32>) outs(%s2 : tensor<32x16xf32>) -> tensor<32x16xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {"b"}]> : tensor<32x16xf32> loc("v2")
  return %v3 : tensor<32x16xf32>
}

// op_priority_propagation.mlir: broadcast_forward_higher_priority_than_backwards
// CHECK: broadcast_forward_higher_priority_than_backwards: {{placements equal|fewer bytes}}
func.func @broadcast_forward_higher_priority_than_backwards(%v0: tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0")) -> (tensor<32x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<32x16xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<32xf32>) outs(%s0 : tensor<32x16xf32>) dimensions = [1] loc("v1")
  %s1 = tensor.empty() : tensor<32x16x8xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<32x16xf32>) outs(%s1 : tensor<32x16x8xf32>) dimensions = [2] loc("v2")
  return %v2 : tensor<32x16x8xf32>
}
func.func @broadcast_forward_higher_priority_than_backwards_theirs(%v0: tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>} loc("v0")) -> (tensor<32x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<32x16xf32>
  %v1 = linalg.broadcast ins(%v0 : tensor<32xf32>) outs(%s0 : tensor<32x16xf32>) dimensions = [1]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"a"}]> : tensor<32x16xf32> loc("v1")
  %s1 = tensor.empty() : tensor<32x16x8xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<32x16xf32>) outs(%s1 : tensor<32x16x8xf32>) dimensions = [2]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"a"}, {}]> : tensor<32x16x8xf32> loc("v2")
  return %v4 : tensor<32x16x8xf32>
}
