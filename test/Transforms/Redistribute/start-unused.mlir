// An unused op that is the source of other chains is carried by an op without uses of
// its own (simplifying crashed there).
//
// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: collective.all_gather
// CHECK-NOT:     collective.all_gather

shardir.mesh @m <["x"=2, "y"=2]>
func.func @main(%v0: tensor<16x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, %v1: tensor<32x8xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}, %v2: tensor<2x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, %v8: tensor<2x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) -> (tensor<16x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, tensor<2x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, tensor<2x2x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {}]>}, tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, tensor<32x32xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}, tensor<2x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<16x2xf32>
  %v3 = linalg.transpose ins(%v0 : tensor<16x2xf32>) outs(%s0 : tensor<16x2xf32>) permutation = [0, 1]
  %v4 = shardir.constrain %v3 to #shardir.placement<@m, [{}, {"y"}]> : tensor<16x2xf32>
  %v5 = arith.constant dense<2.000000e+00> : tensor<2x32xf32>
  %s1 = tensor.empty() : tensor<2x32xf32>
  %v6 = linalg.mul ins(%v2, %v5 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%s1 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"y"}, {}]> : tensor<2x32xf32>
  %v9 = linalg.mul ins(%v2, %v8 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%s1 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v10 = shardir.constrain %v9 to #shardir.placement<@m, [{"y"}, {}]> : tensor<2x32xf32>
  %v11 = linalg.max ins(%v7, %v8 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%s1 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v12 = shardir.constrain %v11 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<2x32xf32>
  %v13 = linalg.max ins(%v7, %v8 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%s1 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v14 = shardir.constrain %v13 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<2x32xf32>
  %s2 = tensor.empty() : tensor<2x2x32xf32>
  %v15 = linalg.broadcast ins(%v2 : tensor<2x32xf32>) outs(%s2 : tensor<2x2x32xf32>) dimensions = [1]
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{"y"}, {}, {}]> : tensor<2x2x32xf32>
  %s3 = arith.constant 0.000000e+00 : f32
  %s4 = tensor.empty() : tensor<32x32xf32>
  %s5 = linalg.fill ins(%s3 : f32) outs(%s4 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v14, %v8 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%s5 : tensor<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<32x32xf32>
  %v18 = shardir.constrain %v17 to #shardir.placement<@m, [{"y"}, {}]> : tensor<32x32xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v12, %v8 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%s5 : tensor<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<32x32xf32>
  %v20 = shardir.constrain %v19 to #shardir.placement<@m, [{"y"}, {}]> : tensor<32x32xf32>
  %v21 = arith.constant dense<2.000000e+00> : tensor<2x32xf32>
  %v22 = linalg.mul ins(%v8, %v21 : tensor<2x32xf32>, tensor<2x32xf32>) outs(%s1 : tensor<2x32xf32>) -> tensor<2x32xf32>
  %v23 = shardir.constrain %v22 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<2x32xf32>
  return %v4, %v10, %v16, %v18, %v20, %v23 : tensor<16x2xf32>, tensor<2x32xf32>, tensor<2x2x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<2x32xf32>
}
