shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%v0: tensor<8x2x32xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"y"}]>}, %v1: tensor<8x4xf32>) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, tensor<8xf32>, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<8x4xf32> loc("s0")
  %v2 = linalg.mul ins(%v1, %v1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v2")
  %s2 = arith.constant 0.000000e+00 : f32 loc("s2")
  %s3 = tensor.empty() : tensor<8x8xf32> loc("s3")
  %s4 = linalg.fill ins(%s2 : f32) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s4")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1, %v2 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v4")
  %v5 = linalg.negf ins(%v4 : tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v5")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v5, %v4 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v6")
  %v7 = linalg.mul ins(%v5, %v6 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v7")
  %v8 = linalg.tanh ins(%v7 : tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v8")
  %v9 = linalg.mul ins(%v6, %v8 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v10 = linalg.add ins(%v9, %v6 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v10")
  %v11 = arith.constant dense<2.000000e+00> : tensor<8x8xf32> loc("v11")
  %v12 = linalg.mul ins(%v6, %v11 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v12")
  %s5 = tensor.empty() : tensor<8xf32> loc("s5")
  %s6 = linalg.fill ins(%s2 : f32) outs(%s5 : tensor<8xf32>) -> tensor<8xf32> loc("s6")
  %v13 = linalg.reduce { arith.addf } ins(%v6 : tensor<8x8xf32>) outs(%s6 : tensor<8xf32>) dimensions = [0] loc("v13")
  %v14 = linalg.add ins(%v12, %v9 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v14")
  return %v10, %v13, %v14 : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>
}
func.func @p_r_0(%v0: tensor<8x2x32xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"y"}]>}, %v1: tensor<8x4xf32>) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, tensor<8xf32>, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<8x4xf32> loc("s0")
  %s2 = arith.constant 0.000000e+00 : f32 loc("s2")
  %v2 = linalg.mul ins(%v1, %v1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v2")
  %s3 = tensor.empty() : tensor<8x8xf32> loc("s3")
  %v11 = arith.constant dense<2.000000e+00> : tensor<8x8xf32> loc("v11")
  %s4 = linalg.fill ins(%s2 : f32) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s4")
  %s5 = tensor.empty() : tensor<8xf32> loc("s5")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1, %v2 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v4")
  %v5 = linalg.negf ins(%v4 : tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v5")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v5, %v4 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v6")
  %s6 = linalg.fill ins(%s2 : f32) outs(%s5 : tensor<8xf32>) -> tensor<8xf32> loc("s6")
  %v7 = linalg.mul ins(%v5, %v6 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v7")
  %v12 = linalg.mul ins(%v6, %v11 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v12")
  %v8 = linalg.tanh ins(%v7 : tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v8")
  %v13 = linalg.reduce { arith.addf } ins(%v6 : tensor<8x8xf32>) outs(%s6 : tensor<8xf32>) dimensions = [0] loc("v13")
  %v9 = linalg.mul ins(%v6, %v8 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v14 = linalg.add ins(%v12, %v9 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v14")
  %v10 = linalg.add ins(%v9, %v6 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v10")
  return %v10, %v13, %v14 : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>
}
func.func @p_r_1(%v0: tensor<8x2x32xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"y"}]>}, %v1: tensor<8x4xf32>) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, tensor<8xf32>, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) {
  %s5 = tensor.empty() : tensor<8xf32> loc("s5")
  %v11 = arith.constant dense<2.000000e+00> : tensor<8x8xf32> loc("v11")
  %s2 = arith.constant 0.000000e+00 : f32 loc("s2")
  %s3 = tensor.empty() : tensor<8x8xf32> loc("s3")
  %s4 = linalg.fill ins(%s2 : f32) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s4")
  %s0 = tensor.empty() : tensor<8x4xf32> loc("s0")
  %s6 = linalg.fill ins(%s2 : f32) outs(%s5 : tensor<8xf32>) -> tensor<8xf32> loc("s6")
  %v2 = linalg.mul ins(%v1, %v1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v2")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1, %v2 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v4")
  %v5 = linalg.negf ins(%v4 : tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v5")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v5, %v4 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v6")
  %v13 = linalg.reduce { arith.addf } ins(%v6 : tensor<8x8xf32>) outs(%s6 : tensor<8xf32>) dimensions = [0] loc("v13")
  %v7 = linalg.mul ins(%v5, %v6 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v7")
  %v12 = linalg.mul ins(%v6, %v11 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v12")
  %v8 = linalg.tanh ins(%v7 : tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v8")
  %v9 = linalg.mul ins(%v6, %v8 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v14 = linalg.add ins(%v12, %v9 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v14")
  %v10 = linalg.add ins(%v9, %v6 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v10")
  return %v10, %v13, %v14 : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>
}
func.func @p_r_2(%v0: tensor<8x2x32xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"y"}]>}, %v1: tensor<8x4xf32>) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, tensor<8xf32>, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<8x4xf32> loc("s0")
  %v2 = linalg.mul ins(%v1, %v1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v2")
  %s2 = arith.constant 0.000000e+00 : f32 loc("s2")
  %v11 = arith.constant dense<2.000000e+00> : tensor<8x8xf32> loc("v11")
  %s3 = tensor.empty() : tensor<8x8xf32> loc("s3")
  %s5 = tensor.empty() : tensor<8xf32> loc("s5")
  %s6 = linalg.fill ins(%s2 : f32) outs(%s5 : tensor<8xf32>) -> tensor<8xf32> loc("s6")
  %s4 = linalg.fill ins(%s2 : f32) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s4")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1, %v2 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v4")
  %v5 = linalg.negf ins(%v4 : tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v5")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v5, %v4 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v6")
  %v13 = linalg.reduce { arith.addf } ins(%v6 : tensor<8x8xf32>) outs(%s6 : tensor<8xf32>) dimensions = [0] loc("v13")
  %v7 = linalg.mul ins(%v5, %v6 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v7")
  %v12 = linalg.mul ins(%v6, %v11 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v12")
  %v8 = linalg.tanh ins(%v7 : tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v8")
  %v9 = linalg.mul ins(%v6, %v8 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v14 = linalg.add ins(%v12, %v9 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v14")
  %v10 = linalg.add ins(%v9, %v6 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s3 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v10")
  return %v10, %v13, %v14 : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>
}
