shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%v0: tensor<8x4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}, {"x"}]>}, %v1: tensor<4x2xf32>) -> (tensor<8x8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s1 = tensor.empty() : tensor<8x8x2xf32> loc("s1")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x8x2xf32>) -> tensor<8x8x2xf32> loc("s2")
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<8x4x8xf32>, tensor<4x2xf32>) outs(%s2 : tensor<8x8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8x2xf32> loc("v2")
  %s3 = tensor.empty() : tensor<4x2xf32> loc("s3")
  %v3 = linalg.mul ins(%v1, %v1 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%s3 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v3")
  %v4 = shardir.constrain %v1 to #shardir.placement<@m_r, [{"x"}, {}]> : tensor<4x2xf32> loc("v4")
  return %v2 : tensor<8x8x2xf32>
}
func.func @p_r_0(%v0: tensor<8x4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}, {"x"}]>}, %v1: tensor<4x2xf32>) -> (tensor<8x8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}, {}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s1 = tensor.empty() : tensor<8x8x2xf32> loc("s1")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x8x2xf32>) -> tensor<8x8x2xf32> loc("s2")
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<8x4x8xf32>, tensor<4x2xf32>) outs(%s2 : tensor<8x8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8x2xf32> loc("v2")
  %v4 = shardir.constrain %v1 to #shardir.placement<@m_r, [{"x"}, {}]> : tensor<4x2xf32> loc("v4")
  %s3 = tensor.empty() : tensor<4x2xf32> loc("s3")
  %v3 = linalg.mul ins(%v1, %v1 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%s3 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v3")
  return %v2 : tensor<8x8x2xf32>
}
func.func @p_r_1(%v0: tensor<8x4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}, {"x"}]>}, %v1: tensor<4x2xf32>) -> (tensor<8x8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}, {}]>}) {
  %s1 = tensor.empty() : tensor<8x8x2xf32> loc("s1")
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x8x2xf32>) -> tensor<8x8x2xf32> loc("s2")
  %v4 = shardir.constrain %v1 to #shardir.placement<@m_r, [{"x"}, {}]> : tensor<4x2xf32> loc("v4")
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<8x4x8xf32>, tensor<4x2xf32>) outs(%s2 : tensor<8x8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8x2xf32> loc("v2")
  %s3 = tensor.empty() : tensor<4x2xf32> loc("s3")
  %v3 = linalg.mul ins(%v1, %v1 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%s3 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v3")
  return %v2 : tensor<8x8x2xf32>
}
func.func @p_r_2(%v0: tensor<8x4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}, {"x"}]>}, %v1: tensor<4x2xf32>) -> (tensor<8x8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}, {}]>}) {
  %v4 = shardir.constrain %v1 to #shardir.placement<@m_r, [{"x"}, {}]> : tensor<4x2xf32> loc("v4")
  %s1 = tensor.empty() : tensor<8x8x2xf32> loc("s1")
  %s3 = tensor.empty() : tensor<4x2xf32> loc("s3")
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %v3 = linalg.mul ins(%v1, %v1 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%s3 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v3")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<8x8x2xf32>) -> tensor<8x8x2xf32> loc("s2")
  %v2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v0, %v1 : tensor<8x4x8xf32>, tensor<4x2xf32>) outs(%s2 : tensor<8x8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8x2xf32> loc("v2")
  return %v2 : tensor<8x8x2xf32>
}
