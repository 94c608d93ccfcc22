// Random programs, written by benchmarks/compare_shardy.py --uneven. Each @name is beside
// @name_theirs, which puts every value where live Shardy puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=3]>

// CHECK: seed_1694: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_1694(%v0: tensor<7x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0"), %v2: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v2"), %v4: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v4"), %v9: tensor<7x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v9"), %v13: tensor<10x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v13")) -> (tensor<28xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, tensor<7x4xf32>, tensor<16x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<4x16xf32>, tensor<16x10xf32>) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<7x4xf32> into tensor<28xf32> loc("v1")
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<7x4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<7x4xf32>) -> tensor<7x4xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v2 : tensor<7x4xf32>, tensor<4x4xf32>) outs(%s2 : tensor<7x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<7x4xf32> loc("v3")
  %s3 = tensor.empty() : tensor<7x16xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<7x16xf32>) -> tensor<7x16xf32>
  %v5 = linalg.matmul ins(%v3, %v4 : tensor<7x4xf32>, tensor<4x16xf32>) outs(%s4 : tensor<7x16xf32>) -> tensor<7x16xf32> loc("v5")
  %v6 = linalg.max ins(%v3, %v0 : tensor<7x4xf32>, tensor<7x4xf32>) outs(%s1 : tensor<7x4xf32>) -> tensor<7x4xf32> loc("v6")
  %v7 = arith.constant dense<2.000000e+00> : tensor<7x16xf32> loc("v7")
  %v8 = linalg.mul ins(%v5, %v7 : tensor<7x16xf32>, tensor<7x16xf32>) outs(%s3 : tensor<7x16xf32>) -> tensor<7x16xf32> loc("v8")
  %s5 = tensor.empty() : tensor<16x7xf32>
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<16x7xf32>) -> tensor<16x7xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v8, %v9 : tensor<7x16xf32>, tensor<7x7xf32>) outs(%s6 : tensor<16x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<16x7xf32> loc("v10")
  %v11 = arith.constant dense<2.000000e+00> : tensor<4x16xf32> loc("v11")
  %s7 = tensor.empty() : tensor<4x16xf32>
  %v12 = linalg.mul ins(%v4, %v11 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s7 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("v12")
  %s8 = tensor.empty() : tensor<16x10xf32>
  %s9 = linalg.fill ins(%s0 : f32) outs(%s8 : tensor<16x10xf32>) -> tensor<16x10xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v8, %v13 : tensor<7x16xf32>, tensor<10x7xf32>) outs(%s9 : tensor<16x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<16x10xf32> loc("v14")
  return %v1, %v6, %v10, %v12, %v14 : tensor<28xf32>, tensor<7x4xf32>, tensor<16x7xf32>, tensor<4x16xf32>, tensor<16x10xf32>
}
func.func @seed_1694_theirs(%v0: tensor<7x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0"), %v3: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v2"), %v6: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v4"), %v14: tensor<7x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v9"), %v20: tensor<10x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v13")) -> (tensor<28xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, tensor<7x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<16x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<16x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %v1 = tensor.collapse_shape %v0 [[0, 1]] : tensor<7x4xf32> into tensor<28xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}]> : tensor<28xf32> loc("v1")
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<7x4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<7x4xf32>) -> tensor<7x4xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v3 : tensor<7x4xf32>, tensor<4x4xf32>) outs(%s2 : tensor<7x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<7x4xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{}, {"x"}]> : tensor<7x4xf32> loc("v3")
  %s3 = tensor.empty() : tensor<7x16xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<7x16xf32>) -> tensor<7x16xf32>
  %v7 = linalg.matmul ins(%v5, %v6 : tensor<7x4xf32>, tensor<4x16xf32>) outs(%s4 : tensor<7x16xf32>) -> tensor<7x16xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {}]> : tensor<7x16xf32> loc("v5")
  %v9 = linalg.max ins(%v5, %v0 : tensor<7x4xf32>, tensor<7x4xf32>) outs(%s1 : tensor<7x4xf32>) -> tensor<7x4xf32>
  %v10 = shardir.constrain %v9 to #shardir.placement<@m, [{}, {"x"}]> : tensor<7x4xf32> loc("v6")
  %v11 = arith.constant dense<2.000000e+00> : tensor<7x16xf32>
  %v12 = linalg.mul ins(%v8, %v11 : tensor<7x16xf32>, tensor<7x16xf32>) outs(%s3 : tensor<7x16xf32>) -> tensor<7x16xf32>
  %v13 = shardir.constrain %v12 to #shardir.placement<@m, [{}, {}]> : tensor<7x16xf32> loc("v8")
  %s5 = tensor.empty() : tensor<16x7xf32>
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<16x7xf32>) -> tensor<16x7xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v13, %v14 : tensor<7x16xf32>, tensor<7x7xf32>) outs(%s6 : tensor<16x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<16x7xf32>
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{}, {"x"}]> : tensor<16x7xf32> loc("v10")
  %v17 = arith.constant dense<2.000000e+00> : tensor<4x16xf32>
  %s7 = tensor.empty() : tensor<4x16xf32>
  %v18 = linalg.mul ins(%v6, %v17 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s7 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %v19 = shardir.constrain %v18 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x16xf32> loc("v12")
  %s8 = tensor.empty() : tensor<16x10xf32>
  %s9 = linalg.fill ins(%s0 : f32) outs(%s8 : tensor<16x10xf32>) -> tensor<16x10xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v13, %v20 : tensor<7x16xf32>, tensor<10x7xf32>) outs(%s9 : tensor<16x10xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<16x10xf32>
  %v22 = shardir.constrain %v21 to #shardir.placement<@m, [{}, {"x"}]> : tensor<16x10xf32> loc("v14")
  return %v2, %v10, %v16, %v19, %v22 : tensor<28xf32>, tensor<7x4xf32>, tensor<16x7xf32>, tensor<4x16xf32>, tensor<16x10xf32>
}

// CHECK: seed_10090: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_10090(%v0: tensor<16x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v2"), %v3: tensor<5x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v3"), %v8: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v8"), %v14: tensor<30x9xf32> loc("v14")) -> (tensor<5x5x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, tensor<3x2x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}, {"x"}]>}, tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<5x6xf32>, tensor<6x6x8xf32>, tensor<9xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<6x5xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %v4 = linalg.matmul ins(%v1, %v3 : tensor<6x5xf32>, tensor<5x5xf32>) outs(%s2 : tensor<6x5xf32>) -> tensor<6x5xf32> loc("v4")
  %s3 = tensor.empty() : tensor<5x5x5xf32>
  %v5 = linalg.broadcast ins(%v3 : tensor<5x5xf32>) outs(%s3 : tensor<5x5x5xf32>) dimensions = [1] loc("v5")
  %s4 = tensor.empty() : tensor<6x6x8xf32>
  %v6 = linalg.broadcast ins(%v2 : tensor<6x6xf32>) outs(%s4 : tensor<6x6x8xf32>) dimensions = [2] loc("v6")
  %v7 = tensor.expand_shape %v6 [[0, 1], [2], [3]] output_shape [3, 2, 6, 8] : tensor<6x6x8xf32> into tensor<3x2x6x8xf32> loc("v7")
  %v9 = linalg.mul ins(%v4, %v8 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%s1 : tensor<6x5xf32>) -> tensor<6x5xf32> loc("v9")
  %v10 = linalg.max ins(%v1, %v8 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%s1 : tensor<6x5xf32>) -> tensor<6x5xf32> loc("v10")
  %s5 = tensor.empty() : tensor<5x6xf32>
  %v11 = linalg.transpose ins(%v4 : tensor<6x5xf32>) outs(%s5 : tensor<5x6xf32>) permutation = [1, 0] loc("v11")
  %v12 = tensor.collapse_shape %v1 [[0, 1]] : tensor<6x5xf32> into tensor<30xf32> loc("v12")
  %v13 = linalg.mul ins(%v6, %v6 : tensor<6x6x8xf32>, tensor<6x6x8xf32>) outs(%s4 : tensor<6x6x8xf32>) -> tensor<6x6x8xf32> loc("v13")
  %s6 = tensor.empty() : tensor<9xf32>
  %s7 = linalg.fill ins(%s0 : f32) outs(%s6 : tensor<9xf32>) -> tensor<9xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v12, %v14 : tensor<30xf32>, tensor<30x9xf32>) outs(%s7 : tensor<9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<9xf32> loc("v15")
  return %v5, %v7, %v9, %v10, %v11, %v13, %v15 : tensor<5x5x5xf32>, tensor<3x2x6x8xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xf32>, tensor<6x6x8xf32>, tensor<9xf32>
}
func.func @seed_10090_theirs(%v0: tensor<16x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v1"), %v2: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v2"), %v3: tensor<5x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v3"), %v12: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v8"), %v23: tensor<30x9xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v14")) -> (tensor<5x5x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, tensor<3x2x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}, {"x"}]>}, tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<6x6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {"x"}]>}, tensor<9xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<6x5xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %v4 = linalg.matmul ins(%v1, %v3 : tensor<6x5xf32>, tensor<5x5xf32>) outs(%s2 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{}, {"x"}]> : tensor<6x5xf32> loc("v4")
  %s3 = tensor.empty() : tensor<5x5x5xf32>
  %v6 = linalg.broadcast ins(%v3 : tensor<5x5xf32>) outs(%s3 : tensor<5x5x5xf32>) dimensions = [1]
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"x"}, {}, {}]> : tensor<5x5x5xf32> loc("v5")
  %s4 = tensor.empty() : tensor<6x6x8xf32>
  %v8 = linalg.broadcast ins(%v2 : tensor<6x6xf32>) outs(%s4 : tensor<6x6x8xf32>) dimensions = [2]
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{}, {}, {"x"}]> : tensor<6x6x8xf32> loc("v6")
  %v10 = tensor.expand_shape %v9 [[0, 1], [2], [3]] output_shape [3, 2, 6, 8] : tensor<6x6x8xf32> into tensor<3x2x6x8xf32>
  %v11 = shardir.constrain %v10 to #shardir.placement<@m, [{}, {}, {}, {"x"}]> : tensor<3x2x6x8xf32> loc("v7")
  %v13 = linalg.mul ins(%v5, %v12 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%s1 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %v14 = shardir.constrain %v13 to #shardir.placement<@m, [{}, {"x"}]> : tensor<6x5xf32> loc("v9")
  %v15 = linalg.max ins(%v1, %v12 : tensor<6x5xf32>, tensor<6x5xf32>) outs(%s1 : tensor<6x5xf32>) -> tensor<6x5xf32>
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{}, {"x"}]> : tensor<6x5xf32> loc("v10")
  %s5 = tensor.empty() : tensor<5x6xf32>
  %v17 = linalg.transpose ins(%v5 : tensor<6x5xf32>) outs(%s5 : tensor<5x6xf32>) permutation = [1, 0]
  %v18 = shardir.constrain %v17 to #shardir.placement<@m, [{"x"}, {}]> : tensor<5x6xf32> loc("v11")
  %v19 = tensor.collapse_shape %v1 [[0, 1]] : tensor<6x5xf32> into tensor<30xf32>
  %v20 = shardir.constrain %v19 to #shardir.placement<@m, [{}]> : tensor<30xf32> loc("v12")
  %v21 = linalg.mul ins(%v9, %v9 : tensor<6x6x8xf32>, tensor<6x6x8xf32>) outs(%s4 : tensor<6x6x8xf32>) -> tensor<6x6x8xf32>
  %v22 = shardir.constrain %v21 to #shardir.placement<@m, [{}, {}, {"x"}]> : tensor<6x6x8xf32> loc("v13")
  %s6 = tensor.empty() : tensor<9xf32>
  %s7 = linalg.fill ins(%s0 : f32) outs(%s6 : tensor<9xf32>) -> tensor<9xf32>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v20, %v23 : tensor<30xf32>, tensor<30x9xf32>) outs(%s7 : tensor<9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<9xf32>
  %v25 = shardir.constrain %v24 to #shardir.placement<@m, [{}]> : tensor<9xf32> loc("v15")
  return %v7, %v11, %v14, %v16, %v18, %v22, %v25 : tensor<5x5x5xf32>, tensor<3x2x6x8xf32>, tensor<6x5xf32>, tensor<6x5xf32>, tensor<5x6xf32>, tensor<6x6x8xf32>, tensor<9xf32>
}
