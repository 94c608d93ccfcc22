// Random programs, written by benchmarks/compare_shardy.py --uneven. Each @name is beside
// @name_theirs, which puts every value where live Shardy puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=2, "y"=3]>

// CHECK: seed_1437: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_1437(%v0: tensor<8x7xf32> loc("v0"), %v1: tensor<7x9xf32> loc("v1"), %v2: tensor<10x9x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>} loc("v2"), %v11: tensor<9x8xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v11")) -> (tensor<10x16x8xf32>, tensor<10x3x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}, tensor<10x9xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<10x9x16xf32>
  %v3 = linalg.max ins(%v2, %v2 : tensor<10x9x16xf32>, tensor<10x9x16xf32>) outs(%s0 : tensor<10x9x16xf32>) -> tensor<10x9x16xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<10x9xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<10x9xf32>) -> tensor<10x9xf32>
  %v4 = linalg.reduce { arith.addf } ins(%v3 : tensor<10x9x16xf32>) outs(%s3 : tensor<10x9xf32>) dimensions = [2] loc("v4")
  %v5 = linalg.mul ins(%v3, %v3 : tensor<10x9x16xf32>, tensor<10x9x16xf32>) outs(%s0 : tensor<10x9x16xf32>) -> tensor<10x9x16xf32> loc("v5")
  %v6 = linalg.tanh ins(%v5 : tensor<10x9x16xf32>) outs(%s0 : tensor<10x9x16xf32>) -> tensor<10x9x16xf32> loc("v6")
  %v7 = linalg.exp ins(%v4 : tensor<10x9xf32>) outs(%s2 : tensor<10x9xf32>) -> tensor<10x9xf32> loc("v7")
  %v8 = arith.constant dense<2.000000e+00> : tensor<10x9xf32> loc("v8")
  %v9 = linalg.mul ins(%v7, %v8 : tensor<10x9xf32>, tensor<10x9xf32>) outs(%s2 : tensor<10x9xf32>) -> tensor<10x9xf32> loc("v9")
  %s4 = tensor.empty() : tensor<10x16x9xf32>
  %v10 = linalg.transpose ins(%v6 : tensor<10x9x16xf32>) outs(%s4 : tensor<10x16x9xf32>) permutation = [0, 2, 1] loc("v10")
  %s5 = tensor.empty() : tensor<10x16x8xf32>
  %s6 = linalg.fill ins(%s1 : f32) outs(%s5 : tensor<10x16x8xf32>) -> tensor<10x16x8xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v10, %v11 : tensor<10x16x9xf32>, tensor<9x8xf32>) outs(%s6 : tensor<10x16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<10x16x8xf32> loc("v12")
  %v13 = tensor.expand_shape %v9 [[0], [1, 2]] output_shape [10, 3, 3] : tensor<10x9xf32> into tensor<10x3x3xf32> loc("v13")
  %v14 = linalg.exp ins(%v9 : tensor<10x9xf32>) outs(%s2 : tensor<10x9xf32>) -> tensor<10x9xf32> loc("v14")
  return %v12, %v13, %v14 : tensor<10x16x8xf32>, tensor<10x3x3xf32>, tensor<10x9xf32>
}
func.func @seed_1437_theirs(%v0: tensor<8x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v0"), %v1: tensor<7x9xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v1"), %v2: tensor<10x9x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {"y"}]>} loc("v2"), %v18: tensor<9x8xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v11")) -> (tensor<10x16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}, {}]>}, tensor<10x3x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}, tensor<10x9xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<10x9x16xf32>
  %v3 = linalg.max ins(%v2, %v2 : tensor<10x9x16xf32>, tensor<10x9x16xf32>) outs(%s0 : tensor<10x9x16xf32>) -> tensor<10x9x16xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}, {"y"}]> : tensor<10x9x16xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<10x9xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<10x9xf32>) -> tensor<10x9xf32>
  %v5 = linalg.reduce { arith.addf } ins(%v4 : tensor<10x9x16xf32>) outs(%s3 : tensor<10x9xf32>) dimensions = [2]
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<10x9xf32> loc("v4")
  %v7 = linalg.mul ins(%v4, %v4 : tensor<10x9x16xf32>, tensor<10x9x16xf32>) outs(%s0 : tensor<10x9x16xf32>) -> tensor<10x9x16xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {"x"}, {"y"}]> : tensor<10x9x16xf32> loc("v5")
  %v9 = linalg.tanh ins(%v8 : tensor<10x9x16xf32>) outs(%s0 : tensor<10x9x16xf32>) -> tensor<10x9x16xf32>
  %v10 = shardir.constrain %v9 to #shardir.placement<@m, [{}, {"x"}, {"y"}]> : tensor<10x9x16xf32> loc("v6")
  %v11 = linalg.exp ins(%v6 : tensor<10x9xf32>) outs(%s2 : tensor<10x9xf32>) -> tensor<10x9xf32>
  %v12 = shardir.constrain %v11 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<10x9xf32> loc("v7")
  %v13 = arith.constant dense<2.000000e+00> : tensor<10x9xf32>
  %v14 = linalg.mul ins(%v12, %v13 : tensor<10x9xf32>, tensor<10x9xf32>) outs(%s2 : tensor<10x9xf32>) -> tensor<10x9xf32>
  %v15 = shardir.constrain %v14 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<10x9xf32> loc("v9")
  %s4 = tensor.empty() : tensor<10x16x9xf32>
  %v16 = linalg.transpose ins(%v10 : tensor<10x9x16xf32>) outs(%s4 : tensor<10x16x9xf32>) permutation = [0, 2, 1]
  %v17 = shardir.constrain %v16 to #shardir.placement<@m, [{}, {"y"}, {"x"}]> : tensor<10x16x9xf32> loc("v10")
  %s5 = tensor.empty() : tensor<10x16x8xf32>
  %s6 = linalg.fill ins(%s1 : f32) outs(%s5 : tensor<10x16x8xf32>) -> tensor<10x16x8xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v17, %v18 : tensor<10x16x9xf32>, tensor<9x8xf32>) outs(%s6 : tensor<10x16x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<10x16x8xf32>
  %v20 = shardir.constrain %v19 to #shardir.placement<@m, [{}, {"y"}, {}]> : tensor<10x16x8xf32> loc("v12")
  %v21 = tensor.expand_shape %v15 [[0], [1, 2]] output_shape [10, 3, 3] : tensor<10x9xf32> into tensor<10x3x3xf32>
  %v22 = shardir.constrain %v21 to #shardir.placement<@m, [{"y"}, {}, {"x"}]> : tensor<10x3x3xf32> loc("v13")
  %v23 = linalg.exp ins(%v15 : tensor<10x9xf32>) outs(%s2 : tensor<10x9xf32>) -> tensor<10x9xf32>
  %v24 = shardir.constrain %v23 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<10x9xf32> loc("v14")
  return %v20, %v22, %v24 : tensor<10x16x8xf32>, tensor<10x3x3xf32>, tensor<10x9xf32>
}

// CHECK: seed_10277: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_10277(%v0: tensor<10x12xf32> loc("v0"), %v3: tensor<4x12xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v3"), %v6: tensor<16x48xf32> loc("v6"), %v11: tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>} loc("v11")) -> (tensor<4x4xf32>, tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>}, tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>}, tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<10x12xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<10x12xf32>) outs(%s0 : tensor<10x12xf32>) -> tensor<10x12xf32> loc("v1")
  %v2 = linalg.transpose ins(%v1 : tensor<10x12xf32>) outs(%s0 : tensor<10x12xf32>) permutation = [0, 1] loc("v2")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<10x4xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<10x4xf32>) -> tensor<10x4xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v3 : tensor<10x12xf32>, tensor<4x12xf32>) outs(%s3 : tensor<10x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<10x4xf32> loc("v4")
  %v5 = tensor.collapse_shape %v3 [[0, 1]] : tensor<4x12xf32> into tensor<48xf32> loc("v5")
  %s4 = tensor.empty() : tensor<16xf32>
  %s5 = linalg.fill ins(%s1 : f32) outs(%s4 : tensor<16xf32>) -> tensor<16xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v5, %v6 : tensor<48xf32>, tensor<16x48xf32>) outs(%s5 : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<16xf32> loc("v7")
  %v8 = tensor.expand_shape %v7 [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32> loc("v8")
  %v9 = arith.constant dense<2.000000e+00> : tensor<16xf32> loc("v9")
  %v10 = linalg.mul ins(%v7, %v9 : tensor<16xf32>, tensor<16xf32>) outs(%s4 : tensor<16xf32>) -> tensor<16xf32> loc("v10")
  %v12 = linalg.max ins(%v7, %v11 : tensor<16xf32>, tensor<16xf32>) outs(%s4 : tensor<16xf32>) -> tensor<16xf32> loc("v12")
  %v13 = arith.constant dense<2.000000e+00> : tensor<10x4xf32> loc("v13")
  %v14 = linalg.mul ins(%v4, %v13 : tensor<10x4xf32>, tensor<10x4xf32>) outs(%s2 : tensor<10x4xf32>) -> tensor<10x4xf32> loc("v14")
  return %v8, %v10, %v12, %v14 : tensor<4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x4xf32>
}
func.func @seed_10277_theirs(%v0: tensor<10x12xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>} loc("v0"), %v5: tensor<4x12xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v3"), %v10: tensor<16x48xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v6"), %v18: tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>} loc("v11")) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}, tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>}, tensor<16xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>}, tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<10x12xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<10x12xf32>) outs(%s0 : tensor<10x12xf32>) -> tensor<10x12xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"y"}, {}]> : tensor<10x12xf32> loc("v1")
  %v3 = linalg.transpose ins(%v2 : tensor<10x12xf32>) outs(%s0 : tensor<10x12xf32>) permutation = [0, 1]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"y"}, {}]> : tensor<10x12xf32> loc("v2")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<10x4xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<10x4xf32>) -> tensor<10x4xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v4, %v5 : tensor<10x12xf32>, tensor<4x12xf32>) outs(%s3 : tensor<10x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<10x4xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<10x4xf32> loc("v4")
  %v8 = tensor.collapse_shape %v5 [[0, 1]] : tensor<4x12xf32> into tensor<48xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"x"}]> : tensor<48xf32> loc("v5")
  %s4 = tensor.empty() : tensor<16xf32>
  %s5 = linalg.fill ins(%s1 : f32) outs(%s4 : tensor<16xf32>) -> tensor<16xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v9, %v10 : tensor<48xf32>, tensor<16x48xf32>) outs(%s5 : tensor<16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<16xf32>
  %v12 = shardir.constrain %v11 to #shardir.placement<@m, [{"y"}]> : tensor<16xf32> loc("v7")
  %v13 = tensor.expand_shape %v12 [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  %v14 = shardir.constrain %v13 to #shardir.placement<@m, [{}, {}]> : tensor<4x4xf32> loc("v8")
  %v15 = arith.constant dense<2.000000e+00> : tensor<16xf32>
  %v16 = linalg.mul ins(%v12, %v15 : tensor<16xf32>, tensor<16xf32>) outs(%s4 : tensor<16xf32>) -> tensor<16xf32>
  %v17 = shardir.constrain %v16 to #shardir.placement<@m, [{"y"}]> : tensor<16xf32> loc("v10")
  %v19 = linalg.max ins(%v12, %v18 : tensor<16xf32>, tensor<16xf32>) outs(%s4 : tensor<16xf32>) -> tensor<16xf32>
  %v20 = shardir.constrain %v19 to #shardir.placement<@m, [{"x", "y"}]> : tensor<16xf32> loc("v12")
  %v21 = arith.constant dense<2.000000e+00> : tensor<10x4xf32>
  %v22 = linalg.mul ins(%v7, %v21 : tensor<10x4xf32>, tensor<10x4xf32>) outs(%s2 : tensor<10x4xf32>) -> tensor<10x4xf32>
  %v23 = shardir.constrain %v22 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<10x4xf32> loc("v14")
  return %v14, %v17, %v20, %v23 : tensor<4x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<10x4xf32>
}

// CHECK: seed_50471: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_50471(%v0: tensor<12x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v0"), %v1: tensor<9x2x6xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}, {}]>} loc("v1"), %v5: tensor<2x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v5"), %v8: tensor<9x2x6xf32> loc("v8")) -> (tensor<9x2x6xf32>, tensor<12x2xf32>, tensor<2x3xf32>, tensor<9x2x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"y"}]>}, tensor<9x2x6xf32>) {
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<9x2x6xf32> loc("v2")
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {}, {"x", "y"}]> : tensor<9x2x6xf32> loc("v3")
  %s0 = tensor.empty() : tensor<9x2x6xf32>
  %v4 = linalg.tanh ins(%v2 : tensor<9x2x6xf32>) outs(%s0 : tensor<9x2x6xf32>) -> tensor<9x2x6xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<12x2xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<12x2xf32>) -> tensor<12x2xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v5 : tensor<12x3xf32>, tensor<2x3xf32>) outs(%s3 : tensor<12x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<12x2xf32> loc("v6")
  %s4 = tensor.empty() : tensor<2x3xf32>
  %v7 = linalg.max ins(%v5, %v5 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%s4 : tensor<2x3xf32>) -> tensor<2x3xf32> loc("v7")
  %v9 = linalg.add ins(%v4, %v8 : tensor<9x2x6xf32>, tensor<9x2x6xf32>) outs(%s0 : tensor<9x2x6xf32>) -> tensor<9x2x6xf32> loc("v9")
  %v10 = arith.constant dense<2.000000e+00> : tensor<9x2x6xf32> loc("v10")
  %v11 = linalg.mul ins(%v4, %v10 : tensor<9x2x6xf32>, tensor<9x2x6xf32>) outs(%s0 : tensor<9x2x6xf32>) -> tensor<9x2x6xf32> loc("v11")
  return %v3, %v6, %v7, %v9, %v11 : tensor<9x2x6xf32>, tensor<12x2xf32>, tensor<2x3xf32>, tensor<9x2x6xf32>, tensor<9x2x6xf32>
}
func.func @seed_50471_theirs(%v0: tensor<12x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v0"), %v1: tensor<9x2x6xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}, {}]>} loc("v1"), %v6: tensor<2x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v5"), %v11: tensor<9x2x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>} loc("v8")) -> (tensor<9x2x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x", "y"}]>}, tensor<12x2xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, tensor<2x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<9x2x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"y"}]>}, tensor<9x2x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>}) {
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<9x2x6xf32> loc("v2")
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{}, {}, {"x", "y"}]> : tensor<9x2x6xf32> loc("v3")
  %s0 = tensor.empty() : tensor<9x2x6xf32>
  %v4 = linalg.tanh ins(%v2 : tensor<9x2x6xf32>) outs(%s0 : tensor<9x2x6xf32>) -> tensor<9x2x6xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<9x2x6xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<12x2xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<12x2xf32>) -> tensor<12x2xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v6 : tensor<12x3xf32>, tensor<2x3xf32>) outs(%s3 : tensor<12x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<12x2xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{"y"}, {}]> : tensor<12x2xf32> loc("v6")
  %s4 = tensor.empty() : tensor<2x3xf32>
  %v9 = linalg.max ins(%v6, %v6 : tensor<2x3xf32>, tensor<2x3xf32>) outs(%s4 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %v10 = shardir.constrain %v9 to #shardir.placement<@m, [{}, {"x"}]> : tensor<2x3xf32> loc("v7")
  %v12 = linalg.add ins(%v5, %v11 : tensor<9x2x6xf32>, tensor<9x2x6xf32>) outs(%s0 : tensor<9x2x6xf32>) -> tensor<9x2x6xf32>
  %v13 = shardir.constrain %v12 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<9x2x6xf32> loc("v9")
  %v14 = arith.constant dense<2.000000e+00> : tensor<9x2x6xf32>
  %v15 = linalg.mul ins(%v5, %v14 : tensor<9x2x6xf32>, tensor<9x2x6xf32>) outs(%s0 : tensor<9x2x6xf32>) -> tensor<9x2x6xf32>
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<9x2x6xf32> loc("v11")
  return %v3, %v8, %v10, %v13, %v16 : tensor<9x2x6xf32>, tensor<12x2xf32>, tensor<2x3xf32>, tensor<9x2x6xf32>, tensor<9x2x6xf32>
}
