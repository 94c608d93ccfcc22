// Programs of nvFuser's tests (NVIDIA/Fuser), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=2]>

// tests/cpp/test_sharding.cpp, PropagateParallelTypeOnce
// CHECK: parallel_type_once: {{placements equal|fewer bytes|as many bytes}}
func.func @parallel_type_once(%v0: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1")) -> (tensor<4x6xf32>) {
  %s0 = tensor.empty() : tensor<4x6xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%s0 : tensor<4x6xf32>) -> tensor<4x6xf32> loc("v2")
  return %v2 : tensor<4x6xf32>
}
func.func @parallel_type_once_theirs(%v0: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1")) -> (tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %s0 = tensor.empty() : tensor<4x6xf32>
  %v2 = linalg.add ins(%v0, %v1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%s0 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x6xf32> loc("v2")
  return %v3 : tensor<4x6xf32>
}

// tests/cpp/test_sharding.cpp, ReductionDIDxIsIgnored
// CHECK: reduction_is_ignored: {{placements equal|fewer bytes}}
func.func @reduction_is_ignored(%v0: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0"), %v1: tensor<6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v2")) -> (tensor<4x6xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x6xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x8xf32>, tensor<6x8xf32>) outs(%s2 : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x6xf32> loc("v3")
  %v4 = linalg.add ins(%v2, %v3 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%s1 : tensor<4x6xf32>) -> tensor<4x6xf32> loc("v4")
  return %v4 : tensor<4x6xf32>
}
func.func @reduction_is_ignored_theirs(%v0: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0"), %v1: tensor<6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v2")) -> (tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x6xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x8xf32>, tensor<6x8xf32>) outs(%s2 : tensor<4x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x6xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}]> : tensor<4x6xf32> loc("v3")
  %v5 = linalg.add ins(%v2, %v4 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%s1 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {"x"}]> : tensor<4x6xf32> loc("v4")
  return %v6 : tensor<4x6xf32>
}

// tests/cpp/test_sharding.cpp, ShardedNonDivisibleReshape: an error there
// CHECK: non_divisible_reshape: {{placements equal|fewer bytes|as many bytes}}
func.func @non_divisible_reshape(%v0: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>} loc("v0")) -> (tensor<3x2xf32>) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32> loc("v1")
  return %v1 : tensor<3x2xf32>
}
func.func @non_divisible_reshape_theirs(%v0: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>} loc("v0")) -> (tensor<3x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %v1 = tensor.expand_shape %v0 [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {}]> : tensor<3x2xf32> loc("v1")
  return %v2 : tensor<3x2xf32>
}

// tests/cpp/test_sharding.cpp, ShardedInnerReshape: an error there
// CHECK: inner_reshape: {{placements equal|fewer bytes}}
func.func @inner_reshape(%v0: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0")) -> (tensor<30xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<3x10xf32> into tensor<30xf32> loc("v1")
  return %v1 : tensor<30xf32>
}
func.func @inner_reshape_theirs(%v0: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0")) -> (tensor<30xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<3x10xf32> into tensor<30xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}]> : tensor<30xf32> loc("v1")
  return %v2 : tensor<30xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, DivideBySum
// CHECK: divide_by_sum: {{placements equal|fewer bytes}}
func.func @divide_by_sum(%v0: tensor<2x6x5x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {}]>} loc("v0")) -> (tensor<2x6x5x5xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x6x5xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %v1 = linalg.reduce { arith.addf } ins(%v0 : tensor<2x6x5x5xf32>) outs(%s2 : tensor<2x6x5xf32>) dimensions = [3] loc("v1")
  %s3 = tensor.empty() : tensor<2x6x5x5xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<2x6x5xf32>) outs(%s3 : tensor<2x6x5x5xf32>) dimensions = [3] loc("v2")
  %v3 = linalg.div ins(%v0, %v2 : tensor<2x6x5x5xf32>, tensor<2x6x5x5xf32>) outs(%s3 : tensor<2x6x5x5xf32>) -> tensor<2x6x5x5xf32> loc("v3")
  return %v3 : tensor<2x6x5x5xf32>
}
func.func @divide_by_sum_theirs(%v0: tensor<2x6x5x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {}]>} loc("v0")) -> (tensor<2x6x5x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x6x5xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x6x5xf32>) -> tensor<2x6x5xf32>
  %v1 = linalg.reduce { arith.addf } ins(%v0 : tensor<2x6x5x5xf32>) outs(%s2 : tensor<2x6x5xf32>) dimensions = [3]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<2x6x5xf32> loc("v1")
  %s3 = tensor.empty() : tensor<2x6x5x5xf32>
  %v3 = linalg.broadcast ins(%v2 : tensor<2x6x5xf32>) outs(%s3 : tensor<2x6x5x5xf32>) dimensions = [3]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}, {}, {}]> : tensor<2x6x5x5xf32> loc("v2")
  %v5 = linalg.div ins(%v0, %v4 : tensor<2x6x5x5xf32>, tensor<2x6x5x5xf32>) outs(%s3 : tensor<2x6x5x5xf32>) -> tensor<2x6x5x5xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {"x"}, {}, {}]> : tensor<2x6x5x5xf32> loc("v3")
  return %v6 : tensor<2x6x5x5xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, LayerNorm
// CHECK: layer_norm_rows: {{placements equal|fewer bytes}}
func.func @layer_norm_rows(%v0: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<8xf32> loc("v1"), %v2: tensor<8xf32> loc("v2")) -> (tensor<4x8xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4xf32>) -> tensor<4xf32>
  %v3 = linalg.reduce { arith.addf } ins(%v0 : tensor<4x8xf32>) outs(%s2 : tensor<4xf32>) dimensions = [1] loc("v3")
  %v4 = arith.constant dense<1.250000e-01> : tensor<4xf32> loc("v4")
  %v5 = linalg.mul ins(%v3, %v4 : tensor<4xf32>, tensor<4xf32>) outs(%s1 : tensor<4xf32>) -> tensor<4xf32> loc("v5")
  %s3 = tensor.empty() : tensor<4x8xf32>
  %v6 = linalg.broadcast ins(%v5 : tensor<4xf32>) outs(%s3 : tensor<4x8xf32>) dimensions = [1] loc("v6")
  %v7 = linalg.sub ins(%v0, %v6 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v7")
  %v8 = linalg.mul ins(%v7, %v7 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v8")
  %v9 = linalg.reduce { arith.addf } ins(%v8 : tensor<4x8xf32>) outs(%s2 : tensor<4xf32>) dimensions = [1] loc("v9")
  %v10 = arith.constant dense<1.250000e-01> : tensor<4xf32> loc("v10")
  %v11 = linalg.mul ins(%v9, %v10 : tensor<4xf32>, tensor<4xf32>) outs(%s1 : tensor<4xf32>) -> tensor<4xf32> loc("v11")
  %v12 = arith.constant dense<1.000000e-05> : tensor<4xf32> loc("v12")
  %v13 = linalg.add ins(%v11, %v12 : tensor<4xf32>, tensor<4xf32>) outs(%s1 : tensor<4xf32>) -> tensor<4xf32> loc("v13")
  %v14 = linalg.rsqrt ins(%v13 : tensor<4xf32>) outs(%s1 : tensor<4xf32>) -> tensor<4xf32> loc("v14")
  %v15 = linalg.broadcast ins(%v14 : tensor<4xf32>) outs(%s3 : tensor<4x8xf32>) dimensions = [1] loc("v15")
  %v16 = linalg.mul ins(%v7, %v15 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v16")
  %v17 = linalg.broadcast ins(%v1 : tensor<8xf32>) outs(%s3 : tensor<4x8xf32>) dimensions = [0] loc("v17")
  %v18 = linalg.mul ins(%v16, %v17 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v18")
  %v19 = linalg.broadcast ins(%v2 : tensor<8xf32>) outs(%s3 : tensor<4x8xf32>) dimensions = [0] loc("v19")
  %v20 = linalg.add ins(%v18, %v19 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v20")
  return %v20 : tensor<4x8xf32>
}
func.func @layer_norm_rows_theirs(%v0: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>} loc("v1"), %v2: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>} loc("v2")) -> (tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4xf32>) -> tensor<4xf32>
  %v3 = linalg.reduce { arith.addf } ins(%v0 : tensor<4x8xf32>) outs(%s2 : tensor<4xf32>) dimensions = [1]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}]> : tensor<4xf32> loc("v3")
  %v5 = arith.constant dense<1.250000e-01> : tensor<4xf32>
  %v6 = linalg.mul ins(%v4, %v5 : tensor<4xf32>, tensor<4xf32>) outs(%s1 : tensor<4xf32>) -> tensor<4xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"x"}]> : tensor<4xf32> loc("v5")
  %s3 = tensor.empty() : tensor<4x8xf32>
  %v8 = linalg.broadcast ins(%v7 : tensor<4xf32>) outs(%s3 : tensor<4x8xf32>) dimensions = [1]
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v6")
  %v10 = linalg.sub ins(%v0, %v9 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v11 = shardir.constrain %v10 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v7")
  %v12 = linalg.mul ins(%v11, %v11 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v13 = shardir.constrain %v12 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v8")
  %v14 = linalg.reduce { arith.addf } ins(%v13 : tensor<4x8xf32>) outs(%s2 : tensor<4xf32>) dimensions = [1]
  %v15 = shardir.constrain %v14 to #shardir.placement<@m, [{"x"}]> : tensor<4xf32> loc("v9")
  %v16 = arith.constant dense<1.250000e-01> : tensor<4xf32>
  %v17 = linalg.mul ins(%v15, %v16 : tensor<4xf32>, tensor<4xf32>) outs(%s1 : tensor<4xf32>) -> tensor<4xf32>
  %v18 = shardir.constrain %v17 to #shardir.placement<@m, [{"x"}]> : tensor<4xf32> loc("v11")
  %v19 = arith.constant dense<1.000000e-05> : tensor<4xf32>
  %v20 = linalg.add ins(%v18, %v19 : tensor<4xf32>, tensor<4xf32>) outs(%s1 : tensor<4xf32>) -> tensor<4xf32>
  %v21 = shardir.constrain %v20 to #shardir.placement<@m, [{"x"}]> : tensor<4xf32> loc("v13")
  %v22 = linalg.rsqrt ins(%v21 : tensor<4xf32>) outs(%s1 : tensor<4xf32>) -> tensor<4xf32>
  %v23 = shardir.constrain %v22 to #shardir.placement<@m, [{"x"}]> : tensor<4xf32> loc("v14")
  %v24 = linalg.broadcast ins(%v23 : tensor<4xf32>) outs(%s3 : tensor<4x8xf32>) dimensions = [1]
  %v25 = shardir.constrain %v24 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v15")
  %v26 = linalg.mul ins(%v11, %v25 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v27 = shardir.constrain %v26 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v16")
  %v28 = linalg.broadcast ins(%v1 : tensor<8xf32>) outs(%s3 : tensor<4x8xf32>) dimensions = [0]
  %v29 = shardir.constrain %v28 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v17")
  %v30 = linalg.mul ins(%v27, %v29 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v31 = shardir.constrain %v30 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v18")
  %v32 = linalg.broadcast ins(%v2 : tensor<8xf32>) outs(%s3 : tensor<4x8xf32>) dimensions = [0]
  %v33 = shardir.constrain %v32 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v19")
  %v34 = linalg.add ins(%v31, %v33 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s3 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v35 = shardir.constrain %v34 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32> loc("v20")
  return %v35 : tensor<4x8xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, Issue2758
// CHECK: reduce_scatter_then_add: {{placements equal|fewer bytes}}
func.func @reduce_scatter_then_add(%v0: tensor<2x2x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0")) -> (tensor<2x4xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %v1_u = linalg.reduce { arith.addf } ins(%v0 : tensor<2x2x4xf32>) outs(%s2 : tensor<2x4xf32>) dimensions = [0]
  %v1 = shardir.constrain %v1_u to #shardir.placement<@m, [{"x"}, {}]> : tensor<2x4xf32> loc("v1")
  %v2 = arith.constant dense<2.000000e+00> : tensor<2x4xf32> loc("v2")
  %v3 = linalg.add ins(%v1, %v2 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%s1 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("v3")
  return %v3 : tensor<2x4xf32>
}
func.func @reduce_scatter_then_add_theirs(%v0: tensor<2x2x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0")) -> (tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %v1 = linalg.reduce { arith.addf } ins(%v0 : tensor<2x2x4xf32>) outs(%s2 : tensor<2x4xf32>) dimensions = [0]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}]> : tensor<2x4xf32> loc("v1")
  %v3 = arith.constant dense<2.000000e+00> : tensor<2x4xf32>
  %v4 = linalg.add ins(%v2, %v3 : tensor<2x4xf32>, tensor<2x4xf32>) outs(%s1 : tensor<2x4xf32>) -> tensor<2x4xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"x"}, {}]> : tensor<2x4xf32> loc("v3")
  return %v5 : tensor<2x4xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, Transpose
// CHECK: transpose_rows: {{placements equal|fewer bytes}}
func.func @transpose_rows(%v0: tensor<2x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0")) -> (tensor<2x8x6xf32>) {
  %s0 = tensor.empty() : tensor<2x8x6xf32>
  %v1 = linalg.transpose ins(%v0 : tensor<2x6x8xf32>) outs(%s0 : tensor<2x8x6xf32>) permutation = [0, 2, 1] loc("v1")
  return %v1 : tensor<2x8x6xf32>
}
func.func @transpose_rows_theirs(%v0: tensor<2x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0")) -> (tensor<2x8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = tensor.empty() : tensor<2x8x6xf32>
  %v1 = linalg.transpose ins(%v0 : tensor<2x6x8xf32>) outs(%s0 : tensor<2x8x6xf32>) permutation = [0, 2, 1]
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<2x8x6xf32> loc("v1")
  return %v2 : tensor<2x8x6xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, BiasAddRelu
// CHECK: bias_add_relu: {{placements equal|fewer bytes}}
func.func @bias_add_relu(%v0: tensor<2x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0"), %v1: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>} loc("v1")) -> (tensor<2x16x8xf32>) {
  %s0 = tensor.empty() : tensor<2x16x8xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<8xf32>) outs(%s0 : tensor<2x16x8xf32>) dimensions = [0, 1] loc("v2")
  %v3 = linalg.add ins(%v0, %v2 : tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%s0 : tensor<2x16x8xf32>) -> tensor<2x16x8xf32> loc("v3")
  %v4 = arith.constant dense<0.000000e+00> : tensor<2x16x8xf32> loc("v4")
  %v5 = linalg.max ins(%v3, %v4 : tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%s0 : tensor<2x16x8xf32>) -> tensor<2x16x8xf32> loc("v5")
  return %v5 : tensor<2x16x8xf32>
}
func.func @bias_add_relu_theirs(%v0: tensor<2x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0"), %v1: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>} loc("v1")) -> (tensor<2x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<2x16x8xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<8xf32>) outs(%s0 : tensor<2x16x8xf32>) dimensions = [0, 1]
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {}, {"x"}]> : tensor<2x16x8xf32> loc("v2")
  %v4 = linalg.add ins(%v0, %v3 : tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%s0 : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{}, {}, {"x"}]> : tensor<2x16x8xf32> loc("v3")
  %v6 = arith.constant dense<0.000000e+00> : tensor<2x16x8xf32>
  %v7 = linalg.max ins(%v5, %v6 : tensor<2x16x8xf32>, tensor<2x16x8xf32>) outs(%s0 : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {}, {"x"}]> : tensor<2x16x8xf32> loc("v5")
  return %v8 : tensor<2x16x8xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, ViewWithSplit
// CHECK: view_with_split: {{placements equal|fewer bytes}}
func.func @view_with_split(%v0: tensor<4x15xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0")) -> (tensor<4x3x5xf32>) {
  %v1 = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [4, 3, 5] : tensor<4x15xf32> into tensor<4x3x5xf32> loc("v1")
  return %v1 : tensor<4x3x5xf32>
}
func.func @view_with_split_theirs(%v0: tensor<4x15xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0")) -> (tensor<4x3x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %v1 = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [4, 3, 5] : tensor<4x15xf32> into tensor<4x3x5xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<4x3x5xf32> loc("v1")
  return %v2 : tensor<4x3x5xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, ViewWithMerge
// CHECK: view_with_merge: {{placements equal|fewer bytes}}
func.func @view_with_merge(%v0: tensor<4x3x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0")) -> (tensor<4x15xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0], [1, 2]] : tensor<4x3x5xf32> into tensor<4x15xf32> loc("v1")
  return %v1 : tensor<4x15xf32>
}
func.func @view_with_merge_theirs(%v0: tensor<4x3x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0")) -> (tensor<4x15xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0], [1, 2]] : tensor<4x3x5xf32> into tensor<4x15xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x15xf32> loc("v1")
  return %v2 : tensor<4x15xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, LoopShardedSplitReshapeIds
// CHECK: split_heads: {{placements equal|fewer bytes}}
func.func @split_heads(%v0: tensor<2x3x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0")) -> (tensor<2x3x16x4xf32>) {
  %v1 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [2, 3, 16, 4] : tensor<2x3x64xf32> into tensor<2x3x16x4xf32> loc("v1")
  return %v1 : tensor<2x3x16x4xf32>
}
func.func @split_heads_theirs(%v0: tensor<2x3x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0")) -> (tensor<2x3x16x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>}) {
  %v1 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [2, 3, 16, 4] : tensor<2x3x64xf32> into tensor<2x3x16x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {}, {"x"}, {}]> : tensor<2x3x16x4xf32> loc("v1")
  return %v2 : tensor<2x3x16x4xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, LoopShardedMergeReshapeIds
// CHECK: merge_heads: {{placements equal|fewer bytes}}
func.func @merge_heads(%v0: tensor<2x3x16x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>} loc("v0")) -> (tensor<2x3x64xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0], [1], [2, 3]] : tensor<2x3x16x4xf32> into tensor<2x3x64xf32> loc("v1")
  return %v1 : tensor<2x3x64xf32>
}
func.func @merge_heads_theirs(%v0: tensor<2x3x16x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>} loc("v0")) -> (tensor<2x3x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0], [1], [2, 3]] : tensor<2x3x16x4xf32> into tensor<2x3x64xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {}, {"x"}]> : tensor<2x3x64xf32> loc("v1")
  return %v2 : tensor<2x3x64xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, MultipleTransformReshape
// CHECK: multiple_transform_reshape: {{placements equal|fewer bytes}}
func.func @multiple_transform_reshape(%v0: tensor<4x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0")) -> (tensor<96x4xf32>) {
  %v1_f = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [4, 3, 8, 4] : tensor<4x3x32xf32> into tensor<4x3x8x4xf32>
  %v1 = tensor.collapse_shape %v1_f [[0, 1, 2], [3]] : tensor<4x3x8x4xf32> into tensor<96x4xf32> loc("v1")
  return %v1 : tensor<96x4xf32>
}
func.func @multiple_transform_reshape_theirs(%v0: tensor<4x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v0")) -> (tensor<96x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %v1_f = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [4, 3, 8, 4] : tensor<4x3x32xf32> into tensor<4x3x8x4xf32>
  %v1 = tensor.collapse_shape %v1_f [[0, 1, 2], [3]] : tensor<4x3x8x4xf32> into tensor<96x4xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}]> : tensor<96x4xf32> loc("v1")
  return %v2 : tensor<96x4xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, MultipleIncompatibleReshapes
// CHECK: incompatible_reshapes: {{placements equal|fewer bytes}}
func.func @incompatible_reshapes(%v0: tensor<1x8x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0")) -> (tensor<1x8x2x12xf32>, tensor<1x8x4x6xf32>) {
  %v1 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [1, 8, 2, 12] : tensor<1x8x24xf32> into tensor<1x8x2x12xf32> loc("v1")
  %v2 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [1, 8, 4, 6] : tensor<1x8x24xf32> into tensor<1x8x4x6xf32> loc("v2")
  %s0 = tensor.empty() : tensor<1x8x2x12xf32>
  %v3 = linalg.add ins(%v1, %v1 : tensor<1x8x2x12xf32>, tensor<1x8x2x12xf32>) outs(%s0 : tensor<1x8x2x12xf32>) -> tensor<1x8x2x12xf32> loc("v3")
  %s1 = tensor.empty() : tensor<1x8x4x6xf32>
  %v4 = linalg.add ins(%v2, %v2 : tensor<1x8x4x6xf32>, tensor<1x8x4x6xf32>) outs(%s1 : tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> loc("v4")
  return %v3, %v4 : tensor<1x8x2x12xf32>, tensor<1x8x4x6xf32>
}
func.func @incompatible_reshapes_theirs(%v0: tensor<1x8x24xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0")) -> (tensor<1x8x2x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>}, tensor<1x8x4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>}) {
  %v1 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [1, 8, 2, 12] : tensor<1x8x24xf32> into tensor<1x8x2x12xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {}, {"x"}, {}]> : tensor<1x8x2x12xf32> loc("v1")
  %v3 = tensor.expand_shape %v0 [[0], [1], [2, 3]] output_shape [1, 8, 4, 6] : tensor<1x8x24xf32> into tensor<1x8x4x6xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {}, {"x"}, {}]> : tensor<1x8x4x6xf32> loc("v2")
  %s0 = tensor.empty() : tensor<1x8x2x12xf32>
  %v5 = linalg.add ins(%v2, %v2 : tensor<1x8x2x12xf32>, tensor<1x8x2x12xf32>) outs(%s0 : tensor<1x8x2x12xf32>) -> tensor<1x8x2x12xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {}, {"x"}, {}]> : tensor<1x8x2x12xf32> loc("v3")
  %s1 = tensor.empty() : tensor<1x8x4x6xf32>
  %v7 = linalg.add ins(%v4, %v4 : tensor<1x8x4x6xf32>, tensor<1x8x4x6xf32>) outs(%s1 : tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {}, {"x"}, {}]> : tensor<1x8x4x6xf32> loc("v4")
  return %v6, %v8 : tensor<1x8x2x12xf32>, tensor<1x8x4x6xf32>
}

// tests/cpp/test_multidevice_sharding.cpp, OuterReductionShardedInnerDimension
// CHECK: outer_reduction: {{placements equal|fewer bytes}}
func.func @outer_reduction(%v0: tensor<1x16x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>} loc("v0"), %v1: tensor<1x16x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>} loc("v1"), %v2: tensor<1x16x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>} loc("v2")) -> (tensor<144xf32>) {
  %v3 = tensor.concat dim(3) %v0, %v1, %v2 : (tensor<1x16x6x8xf32>, tensor<1x16x6x8xf32>, tensor<1x16x6x8xf32>) -> tensor<1x16x6x24xf32> loc("v3")
  %v4 = tensor.collapse_shape %v3 [[0], [1], [2, 3]] : tensor<1x16x6x24xf32> into tensor<1x16x144xf32> loc("v4")
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<144xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<144xf32>) -> tensor<144xf32>
  %v5 = linalg.reduce { arith.addf } ins(%v4 : tensor<1x16x144xf32>) outs(%s2 : tensor<144xf32>) dimensions = [0, 1] loc("v5")
  return %v5 : tensor<144xf32>
}
func.func @outer_reduction_theirs(%v0: tensor<1x16x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>} loc("v0"), %v1: tensor<1x16x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>} loc("v1"), %v2: tensor<1x16x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}, {}]>} loc("v2")) -> (tensor<144xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %v3 = tensor.concat dim(3) %v0, %v1, %v2 : (tensor<1x16x6x8xf32>, tensor<1x16x6x8xf32>, tensor<1x16x6x8xf32>) -> tensor<1x16x6x24xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {}, {"x"}, {}]> : tensor<1x16x6x24xf32> loc("v3")
  %v5 = tensor.collapse_shape %v4 [[0], [1], [2, 3]] : tensor<1x16x6x24xf32> into tensor<1x16x144xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {}, {"x"}]> : tensor<1x16x144xf32> loc("v4")
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<144xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<144xf32>) -> tensor<144xf32>
  %v7 = linalg.reduce { arith.addf } ins(%v6 : tensor<1x16x144xf32>) outs(%s2 : tensor<144xf32>) dimensions = [0, 1]
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{"x"}]> : tensor<144xf32> loc("v5")
  return %v8 : tensor<144xf32>
}

// tests/cpp/test_multidevice_matmul.cpp, AnnotateWeightOnly
// CHECK: annotate_weight_only: {{placements equal|fewer bytes}}
func.func @annotate_weight_only(%v0: tensor<2x3xf32> loc("v0"), %v1: tensor<2x3x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v1")) -> (tensor<2x2x5xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x2x5xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<2x3xf32>, tensor<2x3x5xf32>) outs(%s2 : tensor<2x2x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x2x5xf32> loc("v2")
  %v3 = linalg.transpose ins(%v2 : tensor<2x2x5xf32>) outs(%s1 : tensor<2x2x5xf32>) permutation = [1, 0, 2] loc("v3")
  return %v3 : tensor<2x2x5xf32>
}
func.func @annotate_weight_only_theirs(%v0: tensor<2x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v0"), %v1: tensor<2x3x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>} loc("v1")) -> (tensor<2x2x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x2x5xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<2x3xf32>, tensor<2x3x5xf32>) outs(%s2 : tensor<2x2x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x2x5xf32>
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<2x2x5xf32> loc("v2")
  %v4 = linalg.transpose ins(%v3 : tensor<2x2x5xf32>) outs(%s1 : tensor<2x2x5xf32>) permutation = [1, 0, 2]
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<2x2x5xf32> loc("v3")
  return %v5 : tensor<2x2x5xf32>
}

// tests/python/multidevice/test_matmul.py, test_row_parallel_linear_with_bias
// CHECK: row_parallel_linear_with_bias: {{placements equal|fewer bytes}}
func.func @row_parallel_linear_with_bias(%v0: tensor<2x3x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0"), %v1: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{}]>} loc("v2")) -> (tensor<2x3x5xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x3x5xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<2x3x10xf32>, tensor<5x10xf32>) outs(%s2 : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x3x5xf32> loc("v3")
  %v4 = linalg.broadcast ins(%v2 : tensor<5xf32>) outs(%s1 : tensor<2x3x5xf32>) dimensions = [0, 1] loc("v4")
  %v5 = linalg.add ins(%v3, %v4 : tensor<2x3x5xf32>, tensor<2x3x5xf32>) outs(%s1 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32> loc("v5")
  return %v5 : tensor<2x3x5xf32>
}
func.func @row_parallel_linear_with_bias_theirs(%v0: tensor<2x3x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0"), %v1: tensor<5x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{}]>} loc("v2")) -> (tensor<2x3x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x3x5xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<2x3x10xf32>, tensor<5x10xf32>) outs(%s2 : tensor<2x3x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x3x5xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {}, {}]> : tensor<2x3x5xf32> loc("v3")
  %v5 = linalg.broadcast ins(%v2 : tensor<5xf32>) outs(%s1 : tensor<2x3x5xf32>) dimensions = [0, 1]
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {}, {}]> : tensor<2x3x5xf32> loc("v4")
  %v7 = linalg.add ins(%v4, %v6 : tensor<2x3x5xf32>, tensor<2x3x5xf32>) outs(%s1 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {}, {}]> : tensor<2x3x5xf32> loc("v5")
  return %v8 : tensor<2x3x5xf32>
}

// tests/python/multidevice/test_matmul.py, test_linear_reduce_scatter
// CHECK: linear_reduce_scatter: {{placements equal|fewer bytes}}
func.func @linear_reduce_scatter(%v0: tensor<3x10x14xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0"), %v1: tensor<7x14xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{}]>} loc("v2")) -> (tensor<3x10x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<3x10x7xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<3x10x7xf32>) -> tensor<3x10x7xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<3x10x14xf32>, tensor<7x14xf32>) outs(%s2 : tensor<3x10x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<3x10x7xf32> loc("v3")
  %v4 = linalg.broadcast ins(%v2 : tensor<7xf32>) outs(%s1 : tensor<3x10x7xf32>) dimensions = [0, 1] loc("v4")
  %v5 = linalg.add ins(%v3, %v4 : tensor<3x10x7xf32>, tensor<3x10x7xf32>) outs(%s1 : tensor<3x10x7xf32>) -> tensor<3x10x7xf32> loc("v5")
  return %v5 : tensor<3x10x7xf32>
}
func.func @linear_reduce_scatter_theirs(%v0: tensor<3x10x14xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>} loc("v0"), %v1: tensor<7x14xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{}]>} loc("v2")) -> (tensor<3x10x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<3x10x7xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<3x10x7xf32>) -> tensor<3x10x7xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<3x10x14xf32>, tensor<7x14xf32>) outs(%s2 : tensor<3x10x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<3x10x7xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<3x10x7xf32> loc("v3")
  %v5 = linalg.broadcast ins(%v2 : tensor<7xf32>) outs(%s1 : tensor<3x10x7xf32>) dimensions = [0, 1]
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<3x10x7xf32> loc("v4")
  %v7 = linalg.add ins(%v4, %v6 : tensor<3x10x7xf32>, tensor<3x10x7xf32>) outs(%s1 : tensor<3x10x7xf32>) -> tensor<3x10x7xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<3x10x7xf32> loc("v5")
  return %v8 : tensor<3x10x7xf32>
}

// tests/python/multidevice/test_matmul.py, test_sequence_parallel_linear
// CHECK: sequence_parallel_linear: {{placements equal|fewer bytes|as many bytes}}
func.func @sequence_parallel_linear(%v0: tensor<2x32x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>} loc("v0"), %v1: tensor<12x12xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v1"), %v2: tensor<12xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>} loc("v2")) -> (tensor<2x32x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x32x12xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x32x12xf32>) -> tensor<2x32x12xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<2x32x12xf32>, tensor<12x12xf32>) outs(%s2 : tensor<2x32x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x32x12xf32> loc("v3")
  %v4 = linalg.broadcast ins(%v2 : tensor<12xf32>) outs(%s1 : tensor<2x32x12xf32>) dimensions = [0, 1] loc("v4")
  %v5 = linalg.add ins(%v3, %v4 : tensor<2x32x12xf32>, tensor<2x32x12xf32>) outs(%s1 : tensor<2x32x12xf32>) -> tensor<2x32x12xf32> loc("v5")
  return %v5 : tensor<2x32x12xf32>
}
func.func @sequence_parallel_linear_theirs(%v0: tensor<2x32x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>} loc("v0"), %v1: tensor<12x12xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v1"), %v2: tensor<12xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>} loc("v2")) -> (tensor<2x32x12xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<2x32x12xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x32x12xf32>) -> tensor<2x32x12xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<2x32x12xf32>, tensor<12x12xf32>) outs(%s2 : tensor<2x32x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x32x12xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<2x32x12xf32> loc("v3")
  %v5 = linalg.broadcast ins(%v2 : tensor<12xf32>) outs(%s1 : tensor<2x32x12xf32>) dimensions = [0, 1]
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<2x32x12xf32> loc("v4")
  %v7 = linalg.add ins(%v4, %v6 : tensor<2x32x12xf32>, tensor<2x32x12xf32>) outs(%s1 : tensor<2x32x12xf32>) -> tensor<2x32x12xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {"x"}, {}]> : tensor<2x32x12xf32> loc("v5")
  return %v8 : tensor<2x32x12xf32>
}

// tests/cpp/multidevice_transformer.cpp, MLP with sequence parallelism
// CHECK: sequence_parallel_mlp: {{placements equal|fewer bytes|as many bytes}}
func.func @sequence_parallel_mlp(%v0: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v2")) -> (tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v3 = linalg.matmul ins(%v0, %v1 : tensor<8x6xf32>, tensor<6x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v3")
  %v4 = linalg.mul ins(%v3, %v3 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v4")
  %v5 = linalg.mul ins(%v4, %v3 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v5")
  %v6 = arith.constant dense<4.471500e-02> : tensor<8x16xf32> loc("v6")
  %v7 = linalg.mul ins(%v5, %v6 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v7")
  %v8 = linalg.add ins(%v3, %v7 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v8")
  %v9 = arith.constant dense<7.978846e-01> : tensor<8x16xf32> loc("v9")
  %v10 = linalg.mul ins(%v8, %v9 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v10")
  %v11 = arith.constant dense<5.000000e-01> : tensor<8x16xf32> loc("v11")
  %v12 = linalg.mul ins(%v3, %v11 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v12")
  %v13 = linalg.tanh ins(%v10 : tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v13")
  %v14 = arith.constant dense<1.000000e+00> : tensor<8x16xf32> loc("v14")
  %v15 = linalg.add ins(%v13, %v14 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v15")
  %v16 = linalg.mul ins(%v12, %v15 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v16")
  %s3 = tensor.empty() : tensor<8x6xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %v17 = linalg.matmul ins(%v16, %v2 : tensor<8x16xf32>, tensor<16x6xf32>) outs(%s4 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("v17")
  return %v17 : tensor<8x6xf32>
}
func.func @sequence_parallel_mlp_theirs(%v0: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v2")) -> (tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<8x16xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v3 = linalg.matmul ins(%v0, %v1 : tensor<8x6xf32>, tensor<6x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v3")
  %v5 = linalg.mul ins(%v4, %v4 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v4")
  %v7 = linalg.mul ins(%v6, %v4 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v5")
  %v9 = arith.constant dense<4.471500e-02> : tensor<8x16xf32>
  %v10 = linalg.mul ins(%v8, %v9 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v11 = shardir.constrain %v10 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v7")
  %v12 = linalg.add ins(%v4, %v11 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v13 = shardir.constrain %v12 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v8")
  %v14 = arith.constant dense<7.978846e-01> : tensor<8x16xf32>
  %v15 = linalg.mul ins(%v13, %v14 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v10")
  %v17 = arith.constant dense<5.000000e-01> : tensor<8x16xf32>
  %v18 = linalg.mul ins(%v4, %v17 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v19 = shardir.constrain %v18 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v12")
  %v20 = linalg.tanh ins(%v16 : tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v21 = shardir.constrain %v20 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v13")
  %v22 = arith.constant dense<1.000000e+00> : tensor<8x16xf32>
  %v23 = linalg.add ins(%v21, %v22 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v24 = shardir.constrain %v23 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v15")
  %v25 = linalg.mul ins(%v19, %v24 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v26 = shardir.constrain %v25 to #shardir.placement<@m, [{}, {"x"}]> : tensor<8x16xf32> loc("v16")
  %s3 = tensor.empty() : tensor<8x6xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %v27 = linalg.matmul ins(%v26, %v2 : tensor<8x16xf32>, tensor<16x6xf32>) outs(%s4 : tensor<8x6xf32>) -> tensor<8x6xf32>
  %v28 = shardir.constrain %v27 to #shardir.placement<@m, [{"x"}, {}]> : tensor<8x6xf32> loc("v17")
  return %v28 : tensor<8x6xf32>
}
