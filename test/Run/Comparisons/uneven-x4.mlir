// Random programs, written by benchmarks/compare_shardy.py --uneven. Each @name is beside
// @name_theirs, which puts every value where live Shardy puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=4]>

// CHECK: seed_1304: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_1304(%v0: tensor<9x6xf32> loc("v0"), %v1: tensor<6x9xf32> loc("v1"), %v10: tensor<5x3xf32> loc("v10")) -> (tensor<9x6xf32>, tensor<6x9xf32>, tensor<9x9xf32>, tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, tensor<2x9x5xf32>) {
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}]> : tensor<6x9xf32> loc("v2")
  %s0 = tensor.empty() : tensor<6x9xf32>
  %v3 = linalg.transpose ins(%v2 : tensor<6x9xf32>) outs(%s0 : tensor<6x9xf32>) permutation = [0, 1] loc("v3")
  %v4 = arith.constant dense<2.000000e+00> : tensor<9x6xf32> loc("v4")
  %s1 = tensor.empty() : tensor<9x6xf32>
  %v5 = linalg.mul ins(%v0, %v4 : tensor<9x6xf32>, tensor<9x6xf32>) outs(%s1 : tensor<9x6xf32>) -> tensor<9x6xf32> loc("v5")
  %v6 = linalg.mul ins(%v3, %v3 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%s0 : tensor<6x9xf32>) -> tensor<6x9xf32> loc("v6")
  %s2 = arith.constant 0.000000e+00 : f32
  %s3 = tensor.empty() : tensor<9x9xf32>
  %s4 = linalg.fill ins(%s2 : f32) outs(%s3 : tensor<9x9xf32>) -> tensor<9x9xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v3, %v2 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%s4 : tensor<9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<9x9xf32> loc("v7")
  %s5 = tensor.empty() : tensor<6xf32>
  %s6 = linalg.fill ins(%s2 : f32) outs(%s5 : tensor<6xf32>) -> tensor<6xf32>
  %v8 = linalg.reduce { arith.addf } ins(%v3 : tensor<6x9xf32>) outs(%s6 : tensor<6xf32>) dimensions = [1] loc("v8")
  %v9 = tensor.expand_shape %v3 [[0, 1], [2]] output_shape [3, 2, 9] : tensor<6x9xf32> into tensor<3x2x9xf32> loc("v9")
  %s7 = tensor.empty() : tensor<2x9x5xf32>
  %s8 = linalg.fill ins(%s2 : f32) outs(%s7 : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3, d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v9, %v10 : tensor<3x2x9xf32>, tensor<5x3xf32>) outs(%s8 : tensor<2x9x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x9x5xf32> loc("v11")
  return %v5, %v6, %v7, %v8, %v11 : tensor<9x6xf32>, tensor<6x9xf32>, tensor<9x9xf32>, tensor<6xf32>, tensor<2x9x5xf32>
}
func.func @seed_1304_theirs(%v0: tensor<9x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v0"), %v1: tensor<6x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v1"), %v16: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v10")) -> (tensor<9x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}, tensor<6x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<9x9xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}, tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, tensor<2x9x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"x"}, {}]> : tensor<6x9xf32> loc("v2")
  %s0 = tensor.empty() : tensor<6x9xf32>
  %v3 = linalg.transpose ins(%v2 : tensor<6x9xf32>) outs(%s0 : tensor<6x9xf32>) permutation = [0, 1]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}, {}]> : tensor<6x9xf32> loc("v3")
  %v5 = arith.constant dense<2.000000e+00> : tensor<9x6xf32>
  %s1 = tensor.empty() : tensor<9x6xf32>
  %v6 = linalg.mul ins(%v0, %v5 : tensor<9x6xf32>, tensor<9x6xf32>) outs(%s1 : tensor<9x6xf32>) -> tensor<9x6xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{}, {}]> : tensor<9x6xf32> loc("v5")
  %v8 = linalg.mul ins(%v4, %v4 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%s0 : tensor<6x9xf32>) -> tensor<6x9xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"x"}, {}]> : tensor<6x9xf32> loc("v6")
  %s2 = arith.constant 0.000000e+00 : f32
  %s3 = tensor.empty() : tensor<9x9xf32>
  %s4 = linalg.fill ins(%s2 : f32) outs(%s3 : tensor<9x9xf32>) -> tensor<9x9xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v4, %v2 : tensor<6x9xf32>, tensor<6x9xf32>) outs(%s4 : tensor<9x9xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<9x9xf32>
  %v11 = shardir.constrain %v10 to #shardir.placement<@m, [{}, {}]> : tensor<9x9xf32> loc("v7")
  %s5 = tensor.empty() : tensor<6xf32>
  %s6 = linalg.fill ins(%s2 : f32) outs(%s5 : tensor<6xf32>) -> tensor<6xf32>
  %v12 = linalg.reduce { arith.addf } ins(%v4 : tensor<6x9xf32>) outs(%s6 : tensor<6xf32>) dimensions = [1]
  %v13 = shardir.constrain %v12 to #shardir.placement<@m, [{"x"}]> : tensor<6xf32> loc("v8")
  %v14 = tensor.expand_shape %v4 [[0, 1], [2]] output_shape [3, 2, 9] : tensor<6x9xf32> into tensor<3x2x9xf32>
  %v15 = shardir.constrain %v14 to #shardir.placement<@m, [{}, {}, {}]> : tensor<3x2x9xf32> loc("v9")
  %s7 = tensor.empty() : tensor<2x9x5xf32>
  %s8 = linalg.fill ins(%s2 : f32) outs(%s7 : tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3, d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v15, %v16 : tensor<3x2x9xf32>, tensor<5x3xf32>) outs(%s8 : tensor<2x9x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2x9x5xf32>
  %v18 = shardir.constrain %v17 to #shardir.placement<@m, [{}, {}, {}]> : tensor<2x9x5xf32> loc("v11")
  return %v7, %v9, %v11, %v13, %v18 : tensor<9x6xf32>, tensor<6x9xf32>, tensor<9x9xf32>, tensor<6xf32>, tensor<2x9x5xf32>
}

// CHECK: seed_30657: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_30657(%v0: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0")) -> (tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<6xf32>) {
  %s0 = tensor.empty() : tensor<6x6xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32> loc("v1")
  %v2 = arith.constant dense<2.000000e+00> : tensor<6x6xf32> loc("v2")
  %v3 = linalg.mul ins(%v0, %v2 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32> loc("v3")
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"x"}]> : tensor<6x6xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = linalg.fill ins(%s1 : f32) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v3, %v4 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%s2 : tensor<6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<6x6xf32> loc("v5")
  %v6 = arith.constant dense<2.000000e+00> : tensor<6x6xf32> loc("v6")
  %v7 = linalg.mul ins(%v0, %v6 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32> loc("v7")
  %s3 = tensor.empty() : tensor<6xf32>
  %s4 = linalg.fill ins(%s1 : f32) outs(%s3 : tensor<6xf32>) -> tensor<6xf32>
  %v8 = linalg.reduce { arith.addf } ins(%v5 : tensor<6x6xf32>) outs(%s4 : tensor<6xf32>) dimensions = [1] loc("v8")
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v8, %v7 : tensor<6xf32>, tensor<6x6xf32>) outs(%s4 : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<6xf32> loc("v9")
  return %v1, %v9 : tensor<6x6xf32>, tensor<6xf32>
}
func.func @seed_30657_theirs(%v0: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v0")) -> (tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %s0 = tensor.empty() : tensor<6x6xf32>
  %v1 = linalg.tanh ins(%v0 : tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{}, {"x"}]> : tensor<6x6xf32> loc("v1")
  %v3 = arith.constant dense<2.000000e+00> : tensor<6x6xf32>
  %v4 = linalg.mul ins(%v0, %v3 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{}, {"x"}]> : tensor<6x6xf32> loc("v3")
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {"x"}]> : tensor<6x6xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = linalg.fill ins(%s1 : f32) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v5, %v6 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%s2 : tensor<6x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<6x6xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{"x"}, {}]> : tensor<6x6xf32> loc("v5")
  %v9 = arith.constant dense<2.000000e+00> : tensor<6x6xf32>
  %v10 = linalg.mul ins(%v0, %v9 : tensor<6x6xf32>, tensor<6x6xf32>) outs(%s0 : tensor<6x6xf32>) -> tensor<6x6xf32>
  %v11 = shardir.constrain %v10 to #shardir.placement<@m, [{}, {"x"}]> : tensor<6x6xf32> loc("v7")
  %s3 = tensor.empty() : tensor<6xf32>
  %s4 = linalg.fill ins(%s1 : f32) outs(%s3 : tensor<6xf32>) -> tensor<6xf32>
  %v12 = linalg.reduce { arith.addf } ins(%v8 : tensor<6x6xf32>) outs(%s4 : tensor<6xf32>) dimensions = [1]
  %v13 = shardir.constrain %v12 to #shardir.placement<@m, [{"x"}]> : tensor<6xf32> loc("v8")
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v13, %v11 : tensor<6xf32>, tensor<6x6xf32>) outs(%s4 : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<6xf32>
  %v15 = shardir.constrain %v14 to #shardir.placement<@m, [{}]> : tensor<6xf32> loc("v9")
  return %v2, %v15 : tensor<6x6xf32>, tensor<6xf32>
}
