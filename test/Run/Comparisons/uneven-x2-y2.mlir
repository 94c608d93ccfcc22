// Random programs, written by benchmarks/compare_shardy.py --uneven. Each @name is beside
// @name_theirs, which puts every value where live Shardy puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=2, "y"=2]>

// CHECK: seed_1049: {{placements equal|fewer bytes|as many bytes}}
func.func @seed_1049(%v0: tensor<5x9xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v0"), %v1: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v1"), %v5: tensor<9x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v5"), %v7: tensor<5x9xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v7"), %v11: tensor<8x7xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v11")) -> (tensor<6x3x10xf32>, tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, tensor<7xf32>, tensor<5x8xf32>, tensor<5x9x16xf32>, tensor<8x7x3xf32>) {
  %s0 = tensor.empty() : tensor<6x3x10xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<6x3xf32>) outs(%s0 : tensor<6x3x10xf32>) dimensions = [2] loc("v2")
  %v3 = linalg.mul ins(%v2, %v2 : tensor<6x3x10xf32>, tensor<6x3x10xf32>) outs(%s0 : tensor<6x3x10xf32>) -> tensor<6x3x10xf32> loc("v3")
  %s1 = tensor.empty() : tensor<5x9xf32>
  %v4 = linalg.tanh ins(%v0 : tensor<5x9xf32>) outs(%s1 : tensor<5x9xf32>) -> tensor<5x9xf32> loc("v4")
  %s2 = arith.constant 0.000000e+00 : f32
  %s3 = tensor.empty() : tensor<5x7xf32>
  %s4 = linalg.fill ins(%s2 : f32) outs(%s3 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %v6 = linalg.matmul ins(%v4, %v5 : tensor<5x9xf32>, tensor<9x7xf32>) outs(%s4 : tensor<5x7xf32>) -> tensor<5x7xf32> loc("v6")
  %s5 = tensor.empty() : tensor<7x5xf32>
  %s6 = linalg.fill ins(%s2 : f32) outs(%s5 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v5, %v7 : tensor<9x7xf32>, tensor<5x9xf32>) outs(%s6 : tensor<7x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<7x5xf32> loc("v8")
  %v9 = linalg.mul ins(%v8, %v8 : tensor<7x5xf32>, tensor<7x5xf32>) outs(%s5 : tensor<7x5xf32>) -> tensor<7x5xf32> loc("v9")
  %s7 = tensor.empty() : tensor<7xf32>
  %s8 = linalg.fill ins(%s2 : f32) outs(%s7 : tensor<7xf32>) -> tensor<7xf32>
  %v10 = linalg.reduce { arith.addf } ins(%v9 : tensor<7x5xf32>) outs(%s8 : tensor<7xf32>) dimensions = [1] loc("v10")
  %s9 = tensor.empty() : tensor<5x8xf32>
  %s10 = linalg.fill ins(%s2 : f32) outs(%s9 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v8, %v11 : tensor<7x5xf32>, tensor<8x7xf32>) outs(%s10 : tensor<5x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<5x8xf32> loc("v12")
  %s11 = tensor.empty() : tensor<8x7x3xf32>
  %v13 = linalg.broadcast ins(%v11 : tensor<8x7xf32>) outs(%s11 : tensor<8x7x3xf32>) dimensions = [2] loc("v13")
  %s12 = tensor.empty() : tensor<5x9x16xf32>
  %v14 = linalg.broadcast ins(%v7 : tensor<5x9xf32>) outs(%s12 : tensor<5x9x16xf32>) dimensions = [2] loc("v14")
  %v15 = linalg.add ins(%v13, %v13 : tensor<8x7x3xf32>, tensor<8x7x3xf32>) outs(%s11 : tensor<8x7x3xf32>) -> tensor<8x7x3xf32> loc("v15")
  return %v3, %v6, %v10, %v12, %v14, %v15 : tensor<6x3x10xf32>, tensor<5x7xf32>, tensor<7xf32>, tensor<5x8xf32>, tensor<5x9x16xf32>, tensor<8x7x3xf32>
}
func.func @seed_1049_theirs(%v0: tensor<5x9xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v0"), %v1: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v1"), %v8: tensor<9x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v5"), %v11: tensor<5x9xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v7"), %v18: tensor<8x7xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>} loc("v11")) -> (tensor<6x3x10xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}, {}]>}, tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, tensor<7xf32> {shardir.placement = #shardir.placement<@m, [{"y"}]>}, tensor<5x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x", "y"}]>}, tensor<5x9x16xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}, {}]>}, tensor<8x7x3xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}, {}]>}) {
  %s0 = tensor.empty() : tensor<6x3x10xf32>
  %v2 = linalg.broadcast ins(%v1 : tensor<6x3xf32>) outs(%s0 : tensor<6x3x10xf32>) dimensions = [2]
  %v3 = shardir.constrain %v2 to #shardir.placement<@m, [{"y"}, {"x"}, {}]> : tensor<6x3x10xf32> loc("v2")
  %v4 = linalg.mul ins(%v3, %v3 : tensor<6x3x10xf32>, tensor<6x3x10xf32>) outs(%s0 : tensor<6x3x10xf32>) -> tensor<6x3x10xf32>
  %v5 = shardir.constrain %v4 to #shardir.placement<@m, [{"y"}, {"x"}, {}]> : tensor<6x3x10xf32> loc("v3")
  %s1 = tensor.empty() : tensor<5x9xf32>
  %v6 = linalg.tanh ins(%v0 : tensor<5x9xf32>) outs(%s1 : tensor<5x9xf32>) -> tensor<5x9xf32>
  %v7 = shardir.constrain %v6 to #shardir.placement<@m, [{"x", "y"}, {}]> : tensor<5x9xf32> loc("v4")
  %s2 = arith.constant 0.000000e+00 : f32
  %s3 = tensor.empty() : tensor<5x7xf32>
  %s4 = linalg.fill ins(%s2 : f32) outs(%s3 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %v9 = linalg.matmul ins(%v7, %v8 : tensor<5x9xf32>, tensor<9x7xf32>) outs(%s4 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %v10 = shardir.constrain %v9 to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<5x7xf32> loc("v6")
  %s5 = tensor.empty() : tensor<7x5xf32>
  %s6 = linalg.fill ins(%s2 : f32) outs(%s5 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v8, %v11 : tensor<9x7xf32>, tensor<5x9xf32>) outs(%s6 : tensor<7x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<7x5xf32>
  %v13 = shardir.constrain %v12 to #shardir.placement<@m, [{"y"}, {}]> : tensor<7x5xf32> loc("v8")
  %v14 = linalg.mul ins(%v13, %v13 : tensor<7x5xf32>, tensor<7x5xf32>) outs(%s5 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %v15 = shardir.constrain %v14 to #shardir.placement<@m, [{"y"}, {}]> : tensor<7x5xf32> loc("v9")
  %s7 = tensor.empty() : tensor<7xf32>
  %s8 = linalg.fill ins(%s2 : f32) outs(%s7 : tensor<7xf32>) -> tensor<7xf32>
  %v16 = linalg.reduce { arith.addf } ins(%v15 : tensor<7x5xf32>) outs(%s8 : tensor<7xf32>) dimensions = [1]
  %v17 = shardir.constrain %v16 to #shardir.placement<@m, [{"y"}]> : tensor<7xf32> loc("v10")
  %s9 = tensor.empty() : tensor<5x8xf32>
  %s10 = linalg.fill ins(%s2 : f32) outs(%s9 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v13, %v18 : tensor<7x5xf32>, tensor<8x7xf32>) outs(%s10 : tensor<5x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<5x8xf32>
  %v20 = shardir.constrain %v19 to #shardir.placement<@m, [{}, {"x", "y"}]> : tensor<5x8xf32> loc("v12")
  %s11 = tensor.empty() : tensor<8x7x3xf32>
  %v21 = linalg.broadcast ins(%v18 : tensor<8x7xf32>) outs(%s11 : tensor<8x7x3xf32>) dimensions = [2]
  %v22 = shardir.constrain %v21 to #shardir.placement<@m, [{"x", "y"}, {}, {}]> : tensor<8x7x3xf32> loc("v13")
  %s12 = tensor.empty() : tensor<5x9x16xf32>
  %v23 = linalg.broadcast ins(%v11 : tensor<5x9xf32>) outs(%s12 : tensor<5x9x16xf32>) dimensions = [2]
  %v24 = shardir.constrain %v23 to #shardir.placement<@m, [{"y"}, {"x"}, {}]> : tensor<5x9x16xf32> loc("v14")
  %v25 = linalg.add ins(%v22, %v22 : tensor<8x7x3xf32>, tensor<8x7x3xf32>) outs(%s11 : tensor<8x7x3xf32>) -> tensor<8x7x3xf32>
  %v26 = shardir.constrain %v25 to #shardir.placement<@m, [{"x", "y"}, {}, {}]> : tensor<8x7x3xf32> loc("v15")
  return %v5, %v10, %v17, %v20, %v24, %v26 : tensor<6x3x10xf32>, tensor<5x7xf32>, tensor<7xf32>, tensor<5x8xf32>, tensor<5x9x16xf32>, tensor<8x7x3xf32>
}
