// Random programs, written by benchmarks/compare_shardy.py --uneven. Each @name is beside
// @name_theirs, which puts every value where live Shardy puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=3, "y"=2]>

// CHECK: seed_10952: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_10952(%v0: tensor<6x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<5x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v1"), %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>} loc("v2"), %v5: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v5"), %v9: tensor<40x6xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v9")) -> (tensor<5x8xf32>, tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>}, tensor<8x16xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<5x8xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<5x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<5x8xf32>) -> tensor<5x8xf32> loc("v3")
  %v4 = tensor.collapse_shape %v3 [[0, 1]] : tensor<5x8xf32> into tensor<40xf32> loc("v4")
  %s3 = tensor.empty() : tensor<8x16xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v5 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s4 : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<8x16xf32> loc("v6")
  %v7 = arith.constant dense<2.000000e+00> : tensor<5x8xf32> loc("v7")
  %v8 = linalg.mul ins(%v1, %v7 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%s1 : tensor<5x8xf32>) -> tensor<5x8xf32> loc("v8")
  %s5 = tensor.empty() : tensor<6xf32>
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<6xf32>) -> tensor<6xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v4, %v9 : tensor<40xf32>, tensor<40x6xf32>) outs(%s6 : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<6xf32> loc("v10")
  %v11 = linalg.mul ins(%v6, %v6 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v11")
  return %v8, %v10, %v11 : tensor<5x8xf32>, tensor<6xf32>, tensor<8x16xf32>
}
func.func @seed_10952_theirs(%v0: tensor<6x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v0"), %v1: tensor<5x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v1"), %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>} loc("v2"), %v7: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v5"), %v13: tensor<40x6xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v9")) -> (tensor<5x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>}, tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<5x8xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<5x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}, {}]> : tensor<5x8xf32> loc("v3")
  %v5 = tensor.collapse_shape %v4 [[0, 1]] : tensor<5x8xf32> into tensor<40xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{"x", "y"}]> : tensor<40xf32> loc("v4")
  %s3 = tensor.empty() : tensor<8x16xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v7 : tensor<8x8xf32>, tensor<8x16xf32>) outs(%s4 : tensor<8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<8x16xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{}, {}]> : tensor<8x16xf32> loc("v6")
  %v10 = arith.constant dense<2.000000e+00> : tensor<5x8xf32>
  %v11 = linalg.mul ins(%v1, %v10 : tensor<5x8xf32>, tensor<5x8xf32>) outs(%s1 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %v12 = shardir.constrain %v11 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<5x8xf32> loc("v8")
  %s5 = tensor.empty() : tensor<6xf32>
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<6xf32>) -> tensor<6xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v6, %v13 : tensor<40xf32>, tensor<40x6xf32>) outs(%s6 : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<6xf32>
  %v15 = shardir.constrain %v14 to #shardir.placement<@m, [{"x", "y"}]> : tensor<6xf32> loc("v10")
  %v16 = linalg.mul ins(%v9, %v9 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%s3 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %v17 = shardir.constrain %v16 to #shardir.placement<@m, [{}, {}]> : tensor<8x16xf32> loc("v11")
  return %v12, %v15, %v17 : tensor<5x8xf32>, tensor<6xf32>, tensor<8x16xf32>
}

// CHECK: seed_30506: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_30506(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v0"), %v3: tensor<4x64xf32> loc("v3"), %v6: tensor<2x64xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v6")) -> (tensor<4xf32>, tensor<64xf32>, tensor<16x4xf32>) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v1 = linalg.mul ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v1")
  %v2 = tensor.collapse_shape %v1 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32> loc("v2")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<4xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4xf32>) -> tensor<4xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v2, %v3 : tensor<64xf32>, tensor<4x64xf32>) outs(%s3 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4xf32> loc("v4")
  %v5 = tensor.collapse_shape %v1 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32> loc("v5")
  %s4 = tensor.empty() : tensor<2xf32>
  %s5 = linalg.fill ins(%s1 : f32) outs(%s4 : tensor<2xf32>) -> tensor<2xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v5, %v6 : tensor<64xf32>, tensor<2x64xf32>) outs(%s5 : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2xf32> loc("v7")
  %s6 = tensor.empty() : tensor<64xf32>
  %s7 = linalg.fill ins(%s1 : f32) outs(%s6 : tensor<64xf32>) -> tensor<64xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v6, %v7 : tensor<2x64xf32>, tensor<2xf32>) outs(%s7 : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<64xf32> loc("v8")
  %v9 = linalg.mul ins(%v5, %v5 : tensor<64xf32>, tensor<64xf32>) outs(%s6 : tensor<64xf32>) -> tensor<64xf32> loc("v9")
  %v10 = tensor.expand_shape %v9 [[0, 1]] output_shape [16, 4] : tensor<64xf32> into tensor<16x4xf32> loc("v10")
  return %v4, %v8, %v10 : tensor<4xf32>, tensor<64xf32>, tensor<16x4xf32>
}
func.func @seed_30506_theirs(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v0"), %v5: tensor<4x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>} loc("v3"), %v10: tensor<2x64xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v6")) -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, tensor<64xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32>
  %v1 = linalg.mul ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %v2 = shardir.constrain %v1 to #shardir.placement<@m, [{"y"}, {"x"}]> : tensor<8x8xf32> loc("v1")
  %v3 = tensor.collapse_shape %v2 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"y"}]> : tensor<64xf32> loc("v2")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<4xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4xf32>) -> tensor<4xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v4, %v5 : tensor<64xf32>, tensor<4x64xf32>) outs(%s3 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{}]> : tensor<4xf32> loc("v4")
  %v8 = tensor.collapse_shape %v2 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
  %v9 = shardir.constrain %v8 to #shardir.placement<@m, [{"y"}]> : tensor<64xf32> loc("v5")
  %s4 = tensor.empty() : tensor<2xf32>
  %s5 = linalg.fill ins(%s1 : f32) outs(%s4 : tensor<2xf32>) -> tensor<2xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v9, %v10 : tensor<64xf32>, tensor<2x64xf32>) outs(%s5 : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  %v12 = shardir.constrain %v11 to #shardir.placement<@m, [{"y"}]> : tensor<2xf32> loc("v7")
  %s6 = tensor.empty() : tensor<64xf32>
  %s7 = linalg.fill ins(%s1 : f32) outs(%s6 : tensor<64xf32>) -> tensor<64xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v10, %v12 : tensor<2x64xf32>, tensor<2xf32>) outs(%s7 : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<64xf32>
  %v14 = shardir.constrain %v13 to #shardir.placement<@m, [{"x"}]> : tensor<64xf32> loc("v8")
  %v15 = linalg.mul ins(%v9, %v9 : tensor<64xf32>, tensor<64xf32>) outs(%s6 : tensor<64xf32>) -> tensor<64xf32>
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{"y"}]> : tensor<64xf32> loc("v9")
  %v17 = tensor.expand_shape %v16 [[0, 1]] output_shape [16, 4] : tensor<64xf32> into tensor<16x4xf32>
  %v18 = shardir.constrain %v17 to #shardir.placement<@m, [{"y"}, {}]> : tensor<16x4xf32> loc("v10")
  return %v7, %v14, %v18 : tensor<4xf32>, tensor<64xf32>, tensor<16x4xf32>
}
