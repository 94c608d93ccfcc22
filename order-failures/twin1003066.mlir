shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%v0: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}, %v1: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, tensor<4x16xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s1 = tensor.empty() : tensor<4x8xf32> loc("s1")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("s2")
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<4x16xf32>, tensor<16x8xf32>) outs(%s2 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v2")
  %s3 = tensor.empty() : tensor<8xf32> loc("s3")
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8xf32>) -> tensor<8xf32> loc("s4")
  %v3 = linalg.reduce { arith.addf } ins(%v2 : tensor<4x8xf32>) outs(%s4 : tensor<8xf32>) dimensions = [0] loc("v3")
  %s5 = tensor.empty() : tensor<4x16xf32> loc("s5")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("s6")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v1 : tensor<4x8xf32>, tensor<16x8xf32>) outs(%s6 : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<4x16xf32> loc("v4")
  %v5 = arith.constant dense<2.000000e+00> : tensor<4x8xf32> loc("v5")
  %v6 = linalg.mul ins(%v2, %v5 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s1 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v6")
  %v7 = arith.constant dense<2.000000e+00> : tensor<4x16xf32> loc("v7")
  %v8 = linalg.mul ins(%v4, %v7 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s5 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("v8")
  return %v3, %v6, %v8 : tensor<8xf32>, tensor<4x8xf32>, tensor<4x16xf32>
}
func.func @p_r_0(%v0: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}, %v1: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, tensor<4x16xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s3 = tensor.empty() : tensor<8xf32> loc("s3")
  %v5 = arith.constant dense<2.000000e+00> : tensor<4x8xf32> loc("v5")
  %v7 = arith.constant dense<2.000000e+00> : tensor<4x16xf32> loc("v7")
  %s1 = tensor.empty() : tensor<4x8xf32> loc("s1")
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8xf32>) -> tensor<8xf32> loc("s4")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("s2")
  %s5 = tensor.empty() : tensor<4x16xf32> loc("s5")
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<4x16xf32>, tensor<16x8xf32>) outs(%s2 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v2")
  %v6 = linalg.mul ins(%v2, %v5 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s1 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v6")
  %v3 = linalg.reduce { arith.addf } ins(%v2 : tensor<4x8xf32>) outs(%s4 : tensor<8xf32>) dimensions = [0] loc("v3")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("s6")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v1 : tensor<4x8xf32>, tensor<16x8xf32>) outs(%s6 : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<4x16xf32> loc("v4")
  %v8 = linalg.mul ins(%v4, %v7 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s5 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("v8")
  return %v3, %v6, %v8 : tensor<8xf32>, tensor<4x8xf32>, tensor<4x16xf32>
}
func.func @p_r_1(%v0: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}, %v1: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, tensor<4x16xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %v7 = arith.constant dense<2.000000e+00> : tensor<4x16xf32> loc("v7")
  %s3 = tensor.empty() : tensor<8xf32> loc("s3")
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %v5 = arith.constant dense<2.000000e+00> : tensor<4x8xf32> loc("v5")
  %s1 = tensor.empty() : tensor<4x8xf32> loc("s1")
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8xf32>) -> tensor<8xf32> loc("s4")
  %s5 = tensor.empty() : tensor<4x16xf32> loc("s5")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("s6")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("s2")
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<4x16xf32>, tensor<16x8xf32>) outs(%s2 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v2")
  %v6 = linalg.mul ins(%v2, %v5 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s1 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v6")
  %v3 = linalg.reduce { arith.addf } ins(%v2 : tensor<4x8xf32>) outs(%s4 : tensor<8xf32>) dimensions = [0] loc("v3")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v1 : tensor<4x8xf32>, tensor<16x8xf32>) outs(%s6 : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<4x16xf32> loc("v4")
  %v8 = linalg.mul ins(%v4, %v7 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s5 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("v8")
  return %v3, %v6, %v8 : tensor<8xf32>, tensor<4x8xf32>, tensor<4x16xf32>
}
func.func @p_r_2(%v0: tensor<4x16xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}, %v1: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, tensor<4x16xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s1 = tensor.empty() : tensor<4x8xf32> loc("s1")
  %s5 = tensor.empty() : tensor<4x16xf32> loc("s5")
  %v7 = arith.constant dense<2.000000e+00> : tensor<4x16xf32> loc("v7")
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %v5 = arith.constant dense<2.000000e+00> : tensor<4x8xf32> loc("v5")
  %s3 = tensor.empty() : tensor<8xf32> loc("s3")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("s2")
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8xf32>) -> tensor<8xf32> loc("s4")
  %v2 = linalg.matmul ins(%v0, %v1 : tensor<4x16xf32>, tensor<16x8xf32>) outs(%s2 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v2")
  %v3 = linalg.reduce { arith.addf } ins(%v2 : tensor<4x8xf32>) outs(%s4 : tensor<8xf32>) dimensions = [0] loc("v3")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("s6")
  %v6 = linalg.mul ins(%v2, %v5 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%s1 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("v6")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v1 : tensor<4x8xf32>, tensor<16x8xf32>) outs(%s6 : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<4x16xf32> loc("v4")
  %v8 = linalg.mul ins(%v4, %v7 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%s5 : tensor<4x16xf32>) -> tensor<4x16xf32> loc("v8")
  return %v3, %v6, %v8 : tensor<8xf32>, tensor<4x8xf32>, tensor<4x16xf32>
}
