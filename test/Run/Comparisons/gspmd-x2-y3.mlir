// Programs of the GSPMD and GShard papers and of XLA's tests of its propagation (openxla/xla), written by benchmarks/paper_cases.py. Each @name is beside
// @name_theirs, which puts every value where that system puts it.
//
// RUN: %python %S/compare.py %s --shard-opt=shard-opt --shard-run=shard-run | FileCheck %s

shardir.mesh @m <["x"=2, "y"=3]>

// GSPMD, section 5.1: a transformer layer, finalized, where sizes do not divide
// CHECK: transformer_layer_2d_uneven: {{placements equal|fewer bytes|as many bytes}}
func.func @transformer_layer_2d_uneven(%v0: tensor<4x8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>} loc("v0"), %v1: tensor<16x4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>} loc("v1"), %v2: tensor<16x4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>} loc("v2"), %v3: tensor<16x4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>} loc("v3"), %v4: tensor<4x4x16xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {"x"}]>} loc("v4"), %v5: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v5"), %v6: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v6")) -> (tensor<4x8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x8x4x4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8x4x4xf32>) -> tensor<4x8x4x4xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%s2 : tensor<4x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x4x4xf32> loc("v7")
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v2 : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%s2 : tensor<4x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x4x4xf32> loc("v8")
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v3 : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%s2 : tensor<4x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x4x4xf32> loc("v9")
  %s3 = tensor.empty() : tensor<4x4x8x8xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v7, %v8 : tensor<4x8x4x4xf32>, tensor<4x8x4x4xf32>) outs(%s4 : tensor<4x4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x4x8x8xf32> loc("v10")
  %v11 = linalg.exp ins(%v10 : tensor<4x4x8x8xf32>) outs(%s3 : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32> loc("v11")
  %s5 = tensor.empty() : tensor<4x4x8xf32>
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  %v12 = linalg.reduce { arith.addf } ins(%v11 : tensor<4x4x8x8xf32>) outs(%s6 : tensor<4x4x8xf32>) dimensions = [3] loc("v12")
  %v13 = linalg.broadcast ins(%v12 : tensor<4x4x8xf32>) outs(%s3 : tensor<4x4x8x8xf32>) dimensions = [3] loc("v13")
  %v14 = linalg.div ins(%v11, %v13 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) outs(%s3 : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32> loc("v14")
  %s7 = tensor.empty() : tensor<4x4x8x4xf32>
  %s8 = linalg.fill ins(%s0 : f32) outs(%s7 : tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v14, %v9 : tensor<4x4x8x8xf32>, tensor<4x8x4x4xf32>) outs(%s8 : tensor<4x4x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x4x8x4xf32> loc("v15")
  %s9 = tensor.empty() : tensor<4x8x16xf32>
  %s10 = linalg.fill ins(%s0 : f32) outs(%s9 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%v15, %v4 : tensor<4x4x8x4xf32>, tensor<4x4x16xf32>) outs(%s10 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32> loc("v16")
  %v17 = linalg.add ins(%v0, %v16 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%s9 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32> loc("v17")
  %s11 = tensor.empty() : tensor<4x8x32xf32>
  %s12 = linalg.fill ins(%s0 : f32) outs(%s11 : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v17, %v5 : tensor<4x8x16xf32>, tensor<16x32xf32>) outs(%s12 : tensor<4x8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x32xf32> loc("v18")
  %v19 = arith.constant dense<0.000000e+00> : tensor<4x8x32xf32> loc("v19")
  %v20 = linalg.max ins(%v18, %v19 : tensor<4x8x32xf32>, tensor<4x8x32xf32>) outs(%s11 : tensor<4x8x32xf32>) -> tensor<4x8x32xf32> loc("v20")
  %v21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v20, %v6 : tensor<4x8x32xf32>, tensor<32x16xf32>) outs(%s10 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32> loc("v21")
  %v22 = linalg.add ins(%v17, %v21 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%s9 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32> loc("v22")
  return %v22 : tensor<4x8x16xf32>
}
func.func @transformer_layer_2d_uneven_theirs(%v0: tensor<4x8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>} loc("v0"), %v1: tensor<16x4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>} loc("v1"), %v2: tensor<16x4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>} loc("v2"), %v3: tensor<16x4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}, {}]>} loc("v3"), %v4: tensor<4x4x16xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}, {"x"}]>} loc("v4"), %v5: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>} loc("v5"), %v6: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>} loc("v6")) -> (tensor<4x8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<4x8x4x4xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8x4x4xf32>) -> tensor<4x8x4x4xf32>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%s2 : tensor<4x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x4x4xf32>
  %v8 = shardir.constrain %v7 to #shardir.placement<@m, [{"x"}, {}, {"y"}, {}]> : tensor<4x8x4x4xf32> loc("v7")
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v2 : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%s2 : tensor<4x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x4x4xf32>
  %v10 = shardir.constrain %v9 to #shardir.placement<@m, [{"x"}, {}, {"y"}, {}]> : tensor<4x8x4x4xf32> loc("v8")
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v3 : tensor<4x8x16xf32>, tensor<16x4x4xf32>) outs(%s2 : tensor<4x8x4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x4x4xf32>
  %v12 = shardir.constrain %v11 to #shardir.placement<@m, [{"x"}, {}, {"y"}, {}]> : tensor<4x8x4x4xf32> loc("v9")
  %s3 = tensor.empty() : tensor<4x4x8x8xf32>
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
  %v13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v8, %v10 : tensor<4x8x4x4xf32>, tensor<4x8x4x4xf32>) outs(%s4 : tensor<4x4x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x4x8x8xf32>
  %v14 = shardir.constrain %v13 to #shardir.placement<@m, [{"x"}, {"y"}, {}, {}]> : tensor<4x4x8x8xf32> loc("v10")
  %v15 = linalg.exp ins(%v14 : tensor<4x4x8x8xf32>) outs(%s3 : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
  %v16 = shardir.constrain %v15 to #shardir.placement<@m, [{"x"}, {"y"}, {}, {}]> : tensor<4x4x8x8xf32> loc("v11")
  %s5 = tensor.empty() : tensor<4x4x8xf32>
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  %v17 = linalg.reduce { arith.addf } ins(%v16 : tensor<4x4x8x8xf32>) outs(%s6 : tensor<4x4x8xf32>) dimensions = [3]
  %v18 = shardir.constrain %v17 to #shardir.placement<@m, [{"x"}, {"y"}, {}]> : tensor<4x4x8xf32> loc("v12")
  %v19 = linalg.broadcast ins(%v18 : tensor<4x4x8xf32>) outs(%s3 : tensor<4x4x8x8xf32>) dimensions = [3]
  %v20 = shardir.constrain %v19 to #shardir.placement<@m, [{"x"}, {"y"}, {}, {}]> : tensor<4x4x8x8xf32> loc("v13")
  %v21 = linalg.div ins(%v16, %v20 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) outs(%s3 : tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
  %v22 = shardir.constrain %v21 to #shardir.placement<@m, [{"x"}, {"y"}, {}, {}]> : tensor<4x4x8x8xf32> loc("v14")
  %s7 = tensor.empty() : tensor<4x4x8x4xf32>
  %s8 = linalg.fill ins(%s0 : f32) outs(%s7 : tensor<4x4x8x4xf32>) -> tensor<4x4x8x4xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v22, %v12 : tensor<4x4x8x8xf32>, tensor<4x8x4x4xf32>) outs(%s8 : tensor<4x4x8x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x4x8x4xf32>
  %v24 = shardir.constrain %v23 to #shardir.placement<@m, [{"x"}, {"y"}, {}, {}]> : tensor<4x4x8x4xf32> loc("v15")
  %s9 = tensor.empty() : tensor<4x8x16xf32>
  %s10 = linalg.fill ins(%s0 : f32) outs(%s9 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v25 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%v24, %v4 : tensor<4x4x8x4xf32>, tensor<4x4x16xf32>) outs(%s10 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32>
  %v26 = shardir.constrain %v25 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x16xf32> loc("v16")
  %v27 = linalg.add ins(%v0, %v26 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%s9 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v28 = shardir.constrain %v27 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x16xf32> loc("v17")
  %s11 = tensor.empty() : tensor<4x8x32xf32>
  %s12 = linalg.fill ins(%s0 : f32) outs(%s11 : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v28, %v5 : tensor<4x8x16xf32>, tensor<16x32xf32>) outs(%s12 : tensor<4x8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x32xf32>
  %v30 = shardir.constrain %v29 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x32xf32> loc("v18")
  %v31 = arith.constant dense<0.000000e+00> : tensor<4x8x32xf32>
  %v32 = linalg.max ins(%v30, %v31 : tensor<4x8x32xf32>, tensor<4x8x32xf32>) outs(%s11 : tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  %v33 = shardir.constrain %v32 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x32xf32> loc("v20")
  %v34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v33, %v6 : tensor<4x8x32xf32>, tensor<32x16xf32>) outs(%s10 : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<4x8x16xf32>
  %v35 = shardir.constrain %v34 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x16xf32> loc("v21")
  %v36 = linalg.add ins(%v28, %v35 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%s9 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %v37 = shardir.constrain %v36 to #shardir.placement<@m, [{"x"}, {}, {"y"}]> : tensor<4x8x16xf32> loc("v22")
  return %v37 : tensor<4x8x16xf32>
}
