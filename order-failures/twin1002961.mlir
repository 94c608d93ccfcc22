shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%v0: tensor<32x16xf32>, %v1: tensor<2x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}, %v2: tensor<8x8xf32>, %v8: tensor<2x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}) -> (tensor<8x8xf32>, tensor<4x2x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"x"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s1 = tensor.empty() : tensor<2x8xf32> loc("s1")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x8xf32>) -> tensor<2x8xf32> loc("s2")
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1, %v2 : tensor<2x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<2x8xf32> loc("v3")
  %s3 = tensor.empty() : tensor<8x2xf32> loc("s3")
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8x2xf32>) -> tensor<8x2xf32> loc("s4")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v1 : tensor<8x8xf32>, tensor<2x8xf32>) outs(%s4 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x2xf32> loc("v4")
  %v5 = tensor.expand_shape %v4 [[0, 1], [2]] output_shape [4, 2, 2] : tensor<8x2xf32> into tensor<4x2x2xf32> loc("v5")
  %s5 = tensor.empty() : tensor<8x8xf32> loc("s5")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s6")
  %v9 = linalg.matmul ins(%v4, %v8 : tensor<8x2xf32>, tensor<2x8xf32>) outs(%s6 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v11 = shardir.constrain %v5 to #shardir.placement<@m_r, [{"y"}, {}, {"x"}]> : tensor<4x2x2xf32> loc("v11")
  return %v9, %v11 : tensor<8x8xf32>, tensor<4x2x2xf32>
}
func.func @p_r_0(%v0: tensor<32x16xf32>, %v1: tensor<2x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}, %v2: tensor<8x8xf32>, %v8: tensor<2x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}) -> (tensor<8x8xf32>, tensor<4x2x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"x"}]>}) {
  %s3 = tensor.empty() : tensor<8x2xf32> loc("s3")
  %s5 = tensor.empty() : tensor<8x8xf32> loc("s5")
  %s1 = tensor.empty() : tensor<2x8xf32> loc("s1")
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8x2xf32>) -> tensor<8x2xf32> loc("s4")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x8xf32>) -> tensor<2x8xf32> loc("s2")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v1 : tensor<8x8xf32>, tensor<2x8xf32>) outs(%s4 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x2xf32> loc("v4")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s6")
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1, %v2 : tensor<2x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<2x8xf32> loc("v3")
  %v9 = linalg.matmul ins(%v4, %v8 : tensor<8x2xf32>, tensor<2x8xf32>) outs(%s6 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v5 = tensor.expand_shape %v4 [[0, 1], [2]] output_shape [4, 2, 2] : tensor<8x2xf32> into tensor<4x2x2xf32> loc("v5")
  %v11 = shardir.constrain %v5 to #shardir.placement<@m_r, [{"y"}, {}, {"x"}]> : tensor<4x2x2xf32> loc("v11")
  return %v9, %v11 : tensor<8x8xf32>, tensor<4x2x2xf32>
}
func.func @p_r_1(%v0: tensor<32x16xf32>, %v1: tensor<2x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}, %v2: tensor<8x8xf32>, %v8: tensor<2x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}) -> (tensor<8x8xf32>, tensor<4x2x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"x"}]>}) {
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s5 = tensor.empty() : tensor<8x8xf32> loc("s5")
  %s1 = tensor.empty() : tensor<2x8xf32> loc("s1")
  %s3 = tensor.empty() : tensor<8x2xf32> loc("s3")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s6")
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8x2xf32>) -> tensor<8x2xf32> loc("s4")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x8xf32>) -> tensor<2x8xf32> loc("s2")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v1 : tensor<8x8xf32>, tensor<2x8xf32>) outs(%s4 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x2xf32> loc("v4")
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1, %v2 : tensor<2x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<2x8xf32> loc("v3")
  %v9 = linalg.matmul ins(%v4, %v8 : tensor<8x2xf32>, tensor<2x8xf32>) outs(%s6 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v5 = tensor.expand_shape %v4 [[0, 1], [2]] output_shape [4, 2, 2] : tensor<8x2xf32> into tensor<4x2x2xf32> loc("v5")
  %v11 = shardir.constrain %v5 to #shardir.placement<@m_r, [{"y"}, {}, {"x"}]> : tensor<4x2x2xf32> loc("v11")
  return %v9, %v11 : tensor<8x8xf32>, tensor<4x2x2xf32>
}
func.func @p_r_2(%v0: tensor<32x16xf32>, %v1: tensor<2x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}, %v2: tensor<8x8xf32>, %v8: tensor<2x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}) -> (tensor<8x8xf32>, tensor<4x2x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"x"}]>}) {
  %s3 = tensor.empty() : tensor<8x2xf32> loc("s3")
  %s1 = tensor.empty() : tensor<2x8xf32> loc("s1")
  %s0 = arith.constant 0.000000e+00 : f32 loc("s0")
  %s5 = tensor.empty() : tensor<8x8xf32> loc("s5")
  %s2 = linalg.fill ins(%s0 : f32) outs(%s1 : tensor<2x8xf32>) -> tensor<2x8xf32> loc("s2")
  %s6 = linalg.fill ins(%s0 : f32) outs(%s5 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s6")
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v1, %v2 : tensor<2x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<2x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<2x8xf32> loc("v3")
  %s4 = linalg.fill ins(%s0 : f32) outs(%s3 : tensor<8x2xf32>) -> tensor<8x2xf32> loc("s4")
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v1 : tensor<8x8xf32>, tensor<2x8xf32>) outs(%s4 : tensor<8x2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x2xf32> loc("v4")
  %v9 = linalg.matmul ins(%v4, %v8 : tensor<8x2xf32>, tensor<2x8xf32>) outs(%s6 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v5 = tensor.expand_shape %v4 [[0, 1], [2]] output_shape [4, 2, 2] : tensor<8x2xf32> into tensor<4x2x2xf32> loc("v5")
  %v11 = shardir.constrain %v5 to #shardir.placement<@m_r, [{"y"}, {}, {"x"}]> : tensor<4x2x2xf32> loc("v11")
  return %v9, %v11 : tensor<8x8xf32>, tensor<4x2x2xf32>
}
