// Programs of Shardy's tests (shardy/dialect/sdy/transforms/propagation/test of openxla/shardy), written by
// benchmarks/shardy_cases.py. Each @name is beside @name_theirs, which puts every value where
// live Shardy (import, constraints, propagation by priorities) puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["a"=2, "b"=2, "c"=2]>

// basic_propagation.mlir: multi_axes_conflict
// CHECK: multi_axes_conflict: {{placements equal|fewer bytes}}
func.func @multi_axes_conflict(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "c"}, {}]>} loc("v1"), %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v2")) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v3")
  %v4 = linalg.add ins(%v0, %v2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v4")
  return %v3, %v4 : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @multi_axes_conflict_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", "c"}, {}]>} loc("v1"), %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v2")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>}, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"b"}, {}]> : tensor<8x8xf32> loc("v3")
  %v5 = linalg.add ins(%v0, %v2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {}]> : tensor<8x8xf32> loc("v4")
  return %v4, %v6 : tensor<8x8xf32>, tensor<8x8xf32>
}

// aggressive_propagation.mlir: fake_conflict_between_contracting_and_non_contracting_dims
// CHECK: fake_conflict_between_contracting_and_non_contracting_dims: {{placements equal|fewer bytes}}
func.func @fake_conflict_between_contracting_and_non_contracting_dims(%v0: tensor<256x512xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b", "c"}]>} loc("v0"), %v1: tensor<128x512xf32> {shardir.placement = #shardir.placement<@m, [{"c", "b"}, {"a"}]>} loc("v1")) -> (tensor<256x128xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<256x128xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<256x128xf32>) -> tensor<256x128xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<256x512xf32>, tensor<128x512xf32>) outs(%s2 : tensor<256x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<256x128xf32> loc("v2")
  return %v2 : tensor<256x128xf32>
}
func.func @fake_conflict_between_contracting_and_non_contracting_dims_theirs(%v0: tensor<256x512xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b", "c"}]>} loc("v0"), %v1: tensor<128x512xf32> {shardir.placement = #shardir.placement<@m, [{"c", "b"}, {"a"}]>} loc("v1")) -> (tensor<256x128xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"c", "b"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<256x128xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<256x128xf32>) -> tensor<256x128xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<256x512xf32>, tensor<128x512xf32>) outs(%s2 : tensor<256x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<256x128xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {"c", "b"}]> : tensor<256x128xf32> loc("v2")
  return %v3 : tensor<256x128xf32>
}

// aggressive_propagation.mlir: fake_conflict_closed_dims
// CHECK: fake_conflict_closed_dims: {{placements equal|fewer bytes}}
func.func @fake_conflict_closed_dims(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {"b"}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b", "c", ?}]>} loc("v1")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  return %v2 : tensor<8x8xf32>
}
func.func @fake_conflict_closed_dims_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b", "c"}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b", "c"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {"b", "c"}]> : tensor<8x8xf32> loc("v2")
  return %v3 : tensor<8x8xf32>
}

// aggressive_propagation.mlir: real_conflict_within_a_factor
// CHECK: real_conflict_within_a_factor: {{placements equal|fewer bytes}}
func.func @real_conflict_within_a_factor(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", ?}, {}]>} loc("v1")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  return %v2 : tensor<8x8xf32>
}
func.func @real_conflict_within_a_factor_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {}]> : tensor<8x8xf32> loc("v2")
  return %v3 : tensor<8x8xf32>
}

// aggressive_propagation.mlir: real_conflict_within_a_factor2
// CHECK: real_conflict_within_a_factor2: {{placements equal|fewer bytes}}
func.func @real_conflict_within_a_factor2(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "b", "c"}]>} loc("v1")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  return %v2 : tensor<8x8xf32>
}
func.func @real_conflict_within_a_factor2_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "b", "c"}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v2")
  return %v3 : tensor<8x8xf32>
}

// aggressive_propagation.mlir: real_and_fake_conflicts
// CHECK: real_and_fake_conflicts: {{placements equal|fewer bytes}}
func.func @real_and_fake_conflicts(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a", ?}, {?}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b", ?}, {"a", ?}]>} loc("v1")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  return %v2 : tensor<8x8xf32>
}
func.func @real_and_fake_conflicts_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v2")
  return %v3 : tensor<8x8xf32>
}

// aggressive_propagation.mlir: real_conflict_across_factors_same_tensors_size
// CHECK: real_conflict_across_factors_same_tensors_size: {{placements equal|fewer bytes}}
func.func @real_conflict_across_factors_same_tensors_size(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {?}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"a"}]>} loc("v1")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v2")
  return %v2 : tensor<8x8xf32>
}
func.func @real_conflict_across_factors_same_tensors_size_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>} loc("v1")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v2")
  return %v3 : tensor<8x8xf32>
}

// aggressive_propagation.mlir: real_conflict_across_factors_diff_tensors_size
// CHECK: real_conflict_across_factors_diff_tensors_size: {{placements equal|fewer bytes}}
func.func @real_conflict_across_factors_diff_tensors_size(%v0: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {?}]>} loc("v0"), %v1: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"a", "c"}]>} loc("v1")) -> (tensor<8x16xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x4xf32>, tensor<4x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v2")
  return %v2 : tensor<8x16xf32>
}
func.func @real_conflict_across_factors_diff_tensors_size_theirs(%v0: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}]>} loc("v0"), %v1: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "c"}]>} loc("v1")) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a", "c"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<8x4xf32>, tensor<4x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"a", "c"}]> : tensor<8x16xf32> loc("v2")
  return %v3 : tensor<8x16xf32>
}

// aggressive_propagation.mlir: partial_conflict_across_factors
// CHECK: partial_conflict_across_factors: {{placements equal|fewer bytes}}
func.func @partial_conflict_across_factors(%v0: tensor<2x8x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>} loc("v0"), %v1: tensor<2x4x16xf32> loc("v1")) -> (tensor<2x8x16xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %v2_u = linalg.batch_matmul ins(%v0, %v1 : tensor<2x8x4xf32>, tensor<2x4x16xf32>) outs(%s2 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %v2 = shardir.constrain %v2_u to #shardir.placement<@m, [{"a", "b"}, {}, {}]> : tensor<2x8x16xf32> loc("v2")
  return %v2 : tensor<2x8x16xf32>
}
func.func @partial_conflict_across_factors_theirs(%v0: tensor<2x8x4xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}, {}]>} loc("v0"), %v1: tensor<2x4x16xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}, {}]>} loc("v1")) -> (tensor<2x8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a", "b"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %v2 = linalg.batch_matmul ins(%v0, %v1 : tensor<2x8x4xf32>, tensor<2x4x16xf32>) outs(%s2 : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"a", "b"}, {}, {}]> : tensor<2x8x16xf32> loc("v2")
  return %v3 : tensor<2x8x16xf32>
}

// user_priority_propagation.mlir: arg_lower_priority_than_return_value
// CHECK: arg_lower_priority_than_return_value: {{placements equal|fewer bytes}}
func.func @arg_lower_priority_than_return_value(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p1, {"b"}p1]>} loc("v0"), %v1: tensor<8x8xf32> loc("v1"), %v2: tensor<8x8xf32> loc("v2"), %v3: tensor<8x8xf32> loc("v3")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v4 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v4")
  %v5 = linalg.add ins(%v4, %v2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v5")
  %v6_u = linalg.div ins(%v5, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v6 = shardir.constrain %v6_u to #shardir.placement<@m, [{"c"}p0, {?}]> : tensor<8x8xf32> loc("v6")
  return %v6 : tensor<8x8xf32>
}
func.func @arg_lower_priority_than_return_value_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"c"}, {"b"}]>} loc("v1"), %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"c"}, {"b"}]>} loc("v2"), %v3: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"c"}, {"b"}]>} loc("v3")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"c"}, {"b"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v4 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"c"}, {"b"}]> : tensor<8x8xf32> loc("v4")
  %v6 = linalg.add ins(%v5, %v2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"c"}, {"b"}]> : tensor<8x8xf32> loc("v5")
  %v8 = linalg.div ins(%v7, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"c"}, {"b"}]> : tensor<8x8xf32> loc("v6")
  return %v9 : tensor<8x8xf32>
}

// user_priority_propagation.mlir: arg_higher_priority_than_return_value
// CHECK: arg_higher_priority_than_return_value: as many bytes
func.func @arg_higher_priority_than_return_value(%v0: tensor<8x8xf32> loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p0, {"b"}p0]>} loc("v1"), %v2: tensor<8x8xf32> loc("v2"), %v3: tensor<8x8xf32> loc("v3")) -> (tensor<8x8xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v4 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v4")
  %v5 = linalg.add ins(%v4, %v2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v5")
  %v6_u = linalg.div ins(%v5, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v6 = shardir.constrain %v6_u to #shardir.placement<@m, [{"c", ?}p1, {?}]> : tensor<8x8xf32> loc("v6")
  return %v6 : tensor<8x8xf32>
}
func.func @arg_higher_priority_than_return_value_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v1"), %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>} loc("v2"), %v3: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>} loc("v3")) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"c"}, {"b"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v4 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"a"}, {"b"}]> : tensor<8x8xf32> loc("v4")
  %v6 = linalg.add ins(%v5, %v2 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"a"}, {"b"}]> : tensor<8x8xf32> loc("v5")
  %v8 = linalg.div ins(%v7, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"c"}, {"b"}]> : tensor<8x8xf32> loc("v6")
  return %v9 : tensor<8x8xf32>
}

// user_priority_propagation.mlir: different_priorities_from_args
// CHECK: different_priorities_from_args: {{placements equal|fewer bytes}}
func.func @different_priorities_from_args(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}p0, {?}]>} loc("v0"), %v1: tensor<8x8xf32> loc("v1"), %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"a"}p1]>} loc("v2")) -> (tensor<8x16xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8x16xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v4 = linalg.matmul ins(%v3, %v2 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v4")
  return %v4 : tensor<8x16xf32>
}
func.func @different_priorities_from_args_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v1"), %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>} loc("v2")) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8x16xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v5 = linalg.matmul ins(%v4, %v2 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x16xf32> loc("v4")
  return %v6 : tensor<8x16xf32>
}

// user_priority_propagation.mlir: different_priorities_from_ops
// CHECK: different_priorities_from_ops: {{placements equal|fewer bytes}}
func.func @different_priorities_from_ops(%v0: tensor<8x8xf32> loc("v0"), %v1: tensor<8x8xf32> loc("v1"), %v2: tensor<8x16xf32> loc("v2")) -> (tensor<8x16xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3_u = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v3 = shardir.constrain %v3_u to #shardir.placement<@m, [{?}, {"a"}p1]> : tensor<8x8xf32> loc("v3")
  %v4 = linalg.add ins(%v3, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8x16xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v5_u = linalg.matmul ins(%v4, %v2 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v5 = shardir.constrain %v5_u to #shardir.placement<@m, [{"a"}p0, {?}]> : tensor<8x16xf32> loc("v5")
  return %v5 : tensor<8x16xf32>
}
func.func @different_priorities_from_ops_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>} loc("v0"), %v1: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>} loc("v1"), %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v2")) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v3 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"a"}]> : tensor<8x8xf32> loc("v3")
  %v5 = linalg.add ins(%v4, %v1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x8xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<8x16xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v7 = linalg.matmul ins(%v6, %v2 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{"a"}, {}]> : tensor<8x16xf32> loc("v5")
  return %v8 : tensor<8x16xf32>
}
