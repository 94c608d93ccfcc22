// Random programs, written by benchmarks/compare_shardy.py. Each @name is beside
// @name_theirs, which puts every value where live Shardy puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=4]>

// CHECK: seed_944444: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_944444(%v0: tensor<2x32xf32> loc("v0"), %v1: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v1"), %v2: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v2"), %v7: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v7")) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<4x16xf32>) {
  %s0 = tensor.empty() : tensor<16x4xf32>
  %v3 = linalg.add ins(%v2, %v2 : tensor<16x4xf32>, tensor<16x4xf32>) outs(%s0 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<4x4xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v3, %v2 : tensor<16x4xf32>, tensor<16x4xf32>) outs(%s3 : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x4xf32> loc("v4")
  %s4 = tensor.empty() : tensor<4x16xf32>
  %s5 = linalg.fill ins(%s1 : f32) outs(%s4 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v4, %v3 : tensor<4x4xf32>, tensor<16x4xf32>) outs(%s5 : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x16xf32> loc("v5")
  %v6 = shardir.constrain %v4 to #shardir.placement<@m, [{}, {"x"}]> : tensor<4x4xf32> loc("v6")
  %v8 = linalg.mul ins(%v5, %v7 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s4 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("v8")
  %v9 = linalg.mul ins(%v5, %v8 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s4 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("v9")
  return %v6, %v9 : tensor<4x4xf32>, tensor<4x16xf32>
}
func.func @seed_944444_theirs(%v0: tensor<2x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v0"), %v1: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>} loc("v1"), %v2: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>} loc("v2"), %v10: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>} loc("v7")) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<4x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<16x4xf32>
  %v3 = linalg.add ins(%v2, %v2 : tensor<16x4xf32>, tensor<16x4xf32>) outs(%s0 : tensor<16x4xf32>) -> tensor<16x4xf32>
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{"x"}, {}]> : tensor<16x4xf32> loc("v3")
  %s1 = arith.constant 0.000000e+00 : f32
  %s2 = tensor.empty() : tensor<4x4xf32>
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v4, %v2 : tensor<16x4xf32>, tensor<16x4xf32>) outs(%s3 : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x4xf32>
  %v6 = shardir.constrain %v5 to #shardir.placement<@m, [{}, {"x"}]> : tensor<4x4xf32> loc("v4")
  %s4 = tensor.empty() : tensor<4x16xf32>
  %s5 = linalg.fill ins(%s1 : f32) outs(%s4 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v6, %v4 : tensor<4x4xf32>, tensor<16x4xf32>) outs(%s5 : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x16xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{}, {"x"}]> : tensor<4x16xf32> loc("v5")
  %v9 = shardir.constrain %v6 to #shardir.placement<@m, [{}, {"x"}]> : tensor<4x4xf32> loc("v6")
  %v11 = linalg.mul ins(%v8, %v10 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s4 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %v12 = shardir.constrain %v11 to #shardir.placement<@m, [{}, {"x"}]> : tensor<4x16xf32> loc("v8")
  %v13 = linalg.mul ins(%v8, %v12 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s4 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %v14 = shardir.constrain %v13 to #shardir.placement<@m, [{}, {"x"}]> : tensor<4x16xf32> loc("v9")
  return %v9, %v14 : tensor<4x4xf32>, tensor<4x16xf32>
}
