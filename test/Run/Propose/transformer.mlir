// RUN: %python %S/../Inputs/verify-all.py %s --options=propose
// RUN: shard-opt %s -shardir-propose 2> /dev/null | FileCheck %s
// MESHES: tp=2 tp=4

// Attention and a layer of a transformer, given placements and run.
shardir.mesh @m <["tp"=?4]>

// Heads: the columns of what makes queries, keys and values, the rows of what
// joins them.
// CHECK-LABEL: func.func @attention(
// CHECK-COUNT-3: tensor<256x4x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}
// CHECK-SAME:    tensor<4x64x256xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}, {}]>}
func.func @attention(%v0: tensor<1x32x256xf32>, %v1: tensor<256x4x64xf32>, %v2: tensor<256x4x64xf32>, %v3: tensor<256x4x64xf32>, %v4: tensor<4x64x256xf32>) -> (tensor<1x32x256xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<1x32x4x64xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<1x32x4x64xf32>) -> tensor<1x32x4x64xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<1x32x256xf32>, tensor<256x4x64xf32>) outs(%s2 : tensor<1x32x4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x4x64xf32>
  %s3 = tensor.empty() : tensor<1x4x32x64xf32>
  %v6 = linalg.transpose ins(%v5 : tensor<1x32x4x64xf32>) outs(%s3 : tensor<1x4x32x64xf32>) permutation = [0, 2, 1, 3]
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v2 : tensor<1x32x256xf32>, tensor<256x4x64xf32>) outs(%s2 : tensor<1x32x4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x4x64xf32>
  %v8 = linalg.transpose ins(%v7 : tensor<1x32x4x64xf32>) outs(%s3 : tensor<1x4x32x64xf32>) permutation = [0, 2, 1, 3]
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v3 : tensor<1x32x256xf32>, tensor<256x4x64xf32>) outs(%s2 : tensor<1x32x4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x4x64xf32>
  %v10 = linalg.transpose ins(%v9 : tensor<1x32x4x64xf32>) outs(%s3 : tensor<1x4x32x64xf32>) permutation = [0, 2, 1, 3]
  %s4 = tensor.empty() : tensor<1x4x32x32xf32>
  %s5 = linalg.fill ins(%s0 : f32) outs(%s4 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v6, %v8 : tensor<1x4x32x64xf32>, tensor<1x4x32x64xf32>) outs(%s5 : tensor<1x4x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x4x32x32xf32>
  %v12 = arith.constant dense<1.250000e-01> : tensor<1x4x32x32xf32>
  %v13 = linalg.mul ins(%v11, %v12 : tensor<1x4x32x32xf32>, tensor<1x4x32x32xf32>) outs(%s4 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %s6 = arith.constant 0xFF800000 : f32
  %s7 = tensor.empty() : tensor<1x4x32xf32>
  %s8 = linalg.fill ins(%s6 : f32) outs(%s7 : tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
  %v14 = linalg.reduce { arith.maximumf } ins(%v13 : tensor<1x4x32x32xf32>) outs(%s8 : tensor<1x4x32xf32>) dimensions = [3]
  %v15 = linalg.broadcast ins(%v14 : tensor<1x4x32xf32>) outs(%s4 : tensor<1x4x32x32xf32>) dimensions = [3]
  %v16 = linalg.sub ins(%v13, %v15 : tensor<1x4x32x32xf32>, tensor<1x4x32x32xf32>) outs(%s4 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %v17 = linalg.exp ins(%v16 : tensor<1x4x32x32xf32>) outs(%s4 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %s9 = linalg.fill ins(%s0 : f32) outs(%s7 : tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
  %v18 = linalg.reduce { arith.addf } ins(%v17 : tensor<1x4x32x32xf32>) outs(%s9 : tensor<1x4x32xf32>) dimensions = [3]
  %v19 = linalg.broadcast ins(%v18 : tensor<1x4x32xf32>) outs(%s4 : tensor<1x4x32x32xf32>) dimensions = [3]
  %v20 = linalg.div ins(%v17, %v19 : tensor<1x4x32x32xf32>, tensor<1x4x32x32xf32>) outs(%s4 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %s10 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<1x4x32x64xf32>) -> tensor<1x4x32x64xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v20, %v10 : tensor<1x4x32x32xf32>, tensor<1x4x32x64xf32>) outs(%s10 : tensor<1x4x32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x4x32x64xf32>
  %v22 = linalg.transpose ins(%v21 : tensor<1x4x32x64xf32>) outs(%s1 : tensor<1x32x4x64xf32>) permutation = [0, 2, 1, 3]
  %s11 = tensor.empty() : tensor<1x32x256xf32>
  %s12 = linalg.fill ins(%s0 : f32) outs(%s11 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%v22, %v4 : tensor<1x32x4x64xf32>, tensor<4x64x256xf32>) outs(%s12 : tensor<1x32x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x256xf32>
  return %v23 : tensor<1x32x256xf32>
}

// Tokens and the weights of heads: less time and a third of the bytes of columns and
// rows of the two weights behind them, which all devices read here.
// CHECK-LABEL: func.func @layer(
// CHECK-SAME:    tensor<1x32x256xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}
// CHECK-SAME:    tensor<256x4x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>}
func.func @layer(%v0: tensor<1x32x256xf32>, %v1: tensor<256xf32>, %v2: tensor<256xf32>, %v3: tensor<256x4x64xf32>, %v4: tensor<256x4x64xf32>, %v5: tensor<256x4x64xf32>, %v6: tensor<4x64x256xf32>, %v7: tensor<256xf32>, %v8: tensor<256xf32>, %v9: tensor<256x1024xf32>, %v10: tensor<1024x256xf32>) -> (tensor<1x32x256xf32>) {
  %s0 = arith.constant 0.000000e+00 : f32
  %s1 = tensor.empty() : tensor<1x32xf32>
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v11 = linalg.reduce { arith.addf } ins(%v0 : tensor<1x32x256xf32>) outs(%s2 : tensor<1x32xf32>) dimensions = [2]
  %v12 = arith.constant dense<3.906250e-03> : tensor<1x32xf32>
  %v13 = linalg.mul ins(%v11, %v12 : tensor<1x32xf32>, tensor<1x32xf32>) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %s3 = tensor.empty() : tensor<1x32x256xf32>
  %v14 = linalg.broadcast ins(%v13 : tensor<1x32xf32>) outs(%s3 : tensor<1x32x256xf32>) dimensions = [2]
  %v15 = linalg.sub ins(%v0, %v14 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v16 = linalg.mul ins(%v15, %v15 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v17 = linalg.reduce { arith.addf } ins(%v16 : tensor<1x32x256xf32>) outs(%s2 : tensor<1x32xf32>) dimensions = [2]
  %v18 = arith.constant dense<3.906250e-03> : tensor<1x32xf32>
  %v19 = linalg.mul ins(%v17, %v18 : tensor<1x32xf32>, tensor<1x32xf32>) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v20 = arith.constant dense<1.000000e-05> : tensor<1x32xf32>
  %v21 = linalg.add ins(%v19, %v20 : tensor<1x32xf32>, tensor<1x32xf32>) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v22 = linalg.rsqrt ins(%v21 : tensor<1x32xf32>) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v23 = linalg.broadcast ins(%v22 : tensor<1x32xf32>) outs(%s3 : tensor<1x32x256xf32>) dimensions = [2]
  %v24 = linalg.mul ins(%v15, %v23 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v25 = linalg.broadcast ins(%v1 : tensor<256xf32>) outs(%s3 : tensor<1x32x256xf32>) dimensions = [0, 1]
  %v26 = linalg.mul ins(%v24, %v25 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v27 = linalg.broadcast ins(%v2 : tensor<256xf32>) outs(%s3 : tensor<1x32x256xf32>) dimensions = [0, 1]
  %v28 = linalg.add ins(%v26, %v27 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %s4 = tensor.empty() : tensor<1x32x4x64xf32>
  %s5 = linalg.fill ins(%s0 : f32) outs(%s4 : tensor<1x32x4x64xf32>) -> tensor<1x32x4x64xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v28, %v3 : tensor<1x32x256xf32>, tensor<256x4x64xf32>) outs(%s5 : tensor<1x32x4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x4x64xf32>
  %s6 = tensor.empty() : tensor<1x4x32x64xf32>
  %v30 = linalg.transpose ins(%v29 : tensor<1x32x4x64xf32>) outs(%s6 : tensor<1x4x32x64xf32>) permutation = [0, 2, 1, 3]
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v28, %v4 : tensor<1x32x256xf32>, tensor<256x4x64xf32>) outs(%s5 : tensor<1x32x4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x4x64xf32>
  %v32 = linalg.transpose ins(%v31 : tensor<1x32x4x64xf32>) outs(%s6 : tensor<1x4x32x64xf32>) permutation = [0, 2, 1, 3]
  %v33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v28, %v5 : tensor<1x32x256xf32>, tensor<256x4x64xf32>) outs(%s5 : tensor<1x32x4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x4x64xf32>
  %v34 = linalg.transpose ins(%v33 : tensor<1x32x4x64xf32>) outs(%s6 : tensor<1x4x32x64xf32>) permutation = [0, 2, 1, 3]
  %s7 = tensor.empty() : tensor<1x4x32x32xf32>
  %s8 = linalg.fill ins(%s0 : f32) outs(%s7 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %v35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v30, %v32 : tensor<1x4x32x64xf32>, tensor<1x4x32x64xf32>) outs(%s8 : tensor<1x4x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x4x32x32xf32>
  %v36 = arith.constant dense<1.250000e-01> : tensor<1x4x32x32xf32>
  %v37 = linalg.mul ins(%v35, %v36 : tensor<1x4x32x32xf32>, tensor<1x4x32x32xf32>) outs(%s7 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %s9 = arith.constant 0xFF800000 : f32
  %s10 = tensor.empty() : tensor<1x4x32xf32>
  %s11 = linalg.fill ins(%s9 : f32) outs(%s10 : tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
  %v38 = linalg.reduce { arith.maximumf } ins(%v37 : tensor<1x4x32x32xf32>) outs(%s11 : tensor<1x4x32xf32>) dimensions = [3]
  %v39 = linalg.broadcast ins(%v38 : tensor<1x4x32xf32>) outs(%s7 : tensor<1x4x32x32xf32>) dimensions = [3]
  %v40 = linalg.sub ins(%v37, %v39 : tensor<1x4x32x32xf32>, tensor<1x4x32x32xf32>) outs(%s7 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %v41 = linalg.exp ins(%v40 : tensor<1x4x32x32xf32>) outs(%s7 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %s12 = linalg.fill ins(%s0 : f32) outs(%s10 : tensor<1x4x32xf32>) -> tensor<1x4x32xf32>
  %v42 = linalg.reduce { arith.addf } ins(%v41 : tensor<1x4x32x32xf32>) outs(%s12 : tensor<1x4x32xf32>) dimensions = [3]
  %v43 = linalg.broadcast ins(%v42 : tensor<1x4x32xf32>) outs(%s7 : tensor<1x4x32x32xf32>) dimensions = [3]
  %v44 = linalg.div ins(%v41, %v43 : tensor<1x4x32x32xf32>, tensor<1x4x32x32xf32>) outs(%s7 : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
  %s13 = linalg.fill ins(%s0 : f32) outs(%s6 : tensor<1x4x32x64xf32>) -> tensor<1x4x32x64xf32>
  %v45 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v44, %v34 : tensor<1x4x32x32xf32>, tensor<1x4x32x64xf32>) outs(%s13 : tensor<1x4x32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x4x32x64xf32>
  %v46 = linalg.transpose ins(%v45 : tensor<1x4x32x64xf32>) outs(%s4 : tensor<1x32x4x64xf32>) permutation = [0, 2, 1, 3]
  %s14 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v47 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%v46, %v6 : tensor<1x32x4x64xf32>, tensor<4x64x256xf32>) outs(%s14 : tensor<1x32x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x256xf32>
  %v48 = linalg.add ins(%v0, %v47 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v49 = linalg.reduce { arith.addf } ins(%v48 : tensor<1x32x256xf32>) outs(%s2 : tensor<1x32xf32>) dimensions = [2]
  %v50 = arith.constant dense<3.906250e-03> : tensor<1x32xf32>
  %v51 = linalg.mul ins(%v49, %v50 : tensor<1x32xf32>, tensor<1x32xf32>) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v52 = linalg.broadcast ins(%v51 : tensor<1x32xf32>) outs(%s3 : tensor<1x32x256xf32>) dimensions = [2]
  %v53 = linalg.sub ins(%v48, %v52 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v54 = linalg.mul ins(%v53, %v53 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v55 = linalg.reduce { arith.addf } ins(%v54 : tensor<1x32x256xf32>) outs(%s2 : tensor<1x32xf32>) dimensions = [2]
  %v56 = arith.constant dense<3.906250e-03> : tensor<1x32xf32>
  %v57 = linalg.mul ins(%v55, %v56 : tensor<1x32xf32>, tensor<1x32xf32>) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v58 = arith.constant dense<1.000000e-05> : tensor<1x32xf32>
  %v59 = linalg.add ins(%v57, %v58 : tensor<1x32xf32>, tensor<1x32xf32>) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v60 = linalg.rsqrt ins(%v59 : tensor<1x32xf32>) outs(%s1 : tensor<1x32xf32>) -> tensor<1x32xf32>
  %v61 = linalg.broadcast ins(%v60 : tensor<1x32xf32>) outs(%s3 : tensor<1x32x256xf32>) dimensions = [2]
  %v62 = linalg.mul ins(%v53, %v61 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v63 = linalg.broadcast ins(%v7 : tensor<256xf32>) outs(%s3 : tensor<1x32x256xf32>) dimensions = [0, 1]
  %v64 = linalg.mul ins(%v62, %v63 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %v65 = linalg.broadcast ins(%v8 : tensor<256xf32>) outs(%s3 : tensor<1x32x256xf32>) dimensions = [0, 1]
  %v66 = linalg.add ins(%v64, %v65 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  %s15 = tensor.empty() : tensor<1x32x1024xf32>
  %s16 = linalg.fill ins(%s0 : f32) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v66, %v9 : tensor<1x32x256xf32>, tensor<256x1024xf32>) outs(%s16 : tensor<1x32x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x1024xf32>
  %v68 = linalg.mul ins(%v67, %v67 : tensor<1x32x1024xf32>, tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v69 = linalg.mul ins(%v68, %v67 : tensor<1x32x1024xf32>, tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v70 = arith.constant dense<4.471500e-02> : tensor<1x32x1024xf32>
  %v71 = linalg.mul ins(%v69, %v70 : tensor<1x32x1024xf32>, tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v72 = linalg.add ins(%v67, %v71 : tensor<1x32x1024xf32>, tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v73 = arith.constant dense<7.978846e-01> : tensor<1x32x1024xf32>
  %v74 = linalg.mul ins(%v72, %v73 : tensor<1x32x1024xf32>, tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v75 = arith.constant dense<5.000000e-01> : tensor<1x32x1024xf32>
  %v76 = linalg.mul ins(%v67, %v75 : tensor<1x32x1024xf32>, tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v77 = linalg.tanh ins(%v74 : tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v78 = arith.constant dense<1.000000e+00> : tensor<1x32x1024xf32>
  %v79 = linalg.add ins(%v77, %v78 : tensor<1x32x1024xf32>, tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v80 = linalg.mul ins(%v76, %v79 : tensor<1x32x1024xf32>, tensor<1x32x1024xf32>) outs(%s15 : tensor<1x32x1024xf32>) -> tensor<1x32x1024xf32>
  %v81 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v80, %v10 : tensor<1x32x1024xf32>, tensor<1024x256xf32>) outs(%s14 : tensor<1x32x256xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %n = arith.addf %m, %c : f32
    linalg.yield %n : f32
  } -> tensor<1x32x256xf32>
  %v82 = linalg.add ins(%v48, %v81 : tensor<1x32x256xf32>, tensor<1x32x256xf32>) outs(%s3 : tensor<1x32x256xf32>) -> tensor<1x32x256xf32>
  return %v82 : tensor<1x32x256xf32>
}
