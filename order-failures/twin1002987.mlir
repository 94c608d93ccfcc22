shardir.mesh @m_r <["x"=4, "y"=2]>
func.func @p_r(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v2: tensor<8x32xf32>, %v8: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, tensor<8x32x8xf32>, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x8xf32> loc("s0")
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v1")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s2 = tensor.empty() : tensor<8x32xf32> loc("s2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x32xf32>) -> tensor<8x32xf32> loc("s3")
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%s3 : tensor<8x32xf32>) -> tensor<8x32xf32> loc("v3")
  %s4 = linalg.fill ins(%s1 : f32) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s4")
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v3 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v5")
  %s5 = tensor.empty() : tensor<8x32x8xf32> loc("s5")
  %v6 = linalg.broadcast ins(%v1 : tensor<8x8xf32>) outs(%s5 : tensor<8x32x8xf32>) dimensions = [1] loc("v6")
  %v9 = linalg.matmul ins(%v1, %v8 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s4 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  return %v5, %v6, %v9 : tensor<8x8xf32>, tensor<8x32x8xf32>, tensor<8x8xf32>
}
func.func @p_r_0(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v2: tensor<8x32xf32>, %v8: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, tensor<8x32x8xf32>, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s2 = tensor.empty() : tensor<8x32xf32> loc("s2")
  %s5 = tensor.empty() : tensor<8x32x8xf32> loc("s5")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x32xf32>) -> tensor<8x32xf32> loc("s3")
  %s0 = tensor.empty() : tensor<8x8xf32> loc("s0")
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v1")
  %s4 = linalg.fill ins(%s1 : f32) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s4")
  %v9 = linalg.matmul ins(%v1, %v8 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s4 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%s3 : tensor<8x32xf32>) -> tensor<8x32xf32> loc("v3")
  %v6 = linalg.broadcast ins(%v1 : tensor<8x8xf32>) outs(%s5 : tensor<8x32x8xf32>) dimensions = [1] loc("v6")
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v3 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v5")
  return %v5, %v6, %v9 : tensor<8x8xf32>, tensor<8x32x8xf32>, tensor<8x8xf32>
}
func.func @p_r_1(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v2: tensor<8x32xf32>, %v8: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, tensor<8x32x8xf32>, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s5 = tensor.empty() : tensor<8x32x8xf32> loc("s5")
  %s0 = tensor.empty() : tensor<8x8xf32> loc("s0")
  %s4 = linalg.fill ins(%s1 : f32) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s4")
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v1")
  %v6 = linalg.broadcast ins(%v1 : tensor<8x8xf32>) outs(%s5 : tensor<8x32x8xf32>) dimensions = [1] loc("v6")
  %v9 = linalg.matmul ins(%v1, %v8 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s4 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  %s2 = tensor.empty() : tensor<8x32xf32> loc("s2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x32xf32>) -> tensor<8x32xf32> loc("s3")
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%s3 : tensor<8x32xf32>) -> tensor<8x32xf32> loc("v3")
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v3 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v5")
  return %v5, %v6, %v9 : tensor<8x8xf32>, tensor<8x32x8xf32>, tensor<8x8xf32>
}
func.func @p_r_2(%v0: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v2: tensor<8x32xf32>, %v8: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}) -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, tensor<8x32x8xf32>, tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s2 = tensor.empty() : tensor<8x32xf32> loc("s2")
  %s5 = tensor.empty() : tensor<8x32x8xf32> loc("s5")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x32xf32>) -> tensor<8x32xf32> loc("s3")
  %s0 = tensor.empty() : tensor<8x8xf32> loc("s0")
  %v1 = linalg.add ins(%v0, %v0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v1")
  %v6 = linalg.broadcast ins(%v1 : tensor<8x8xf32>) outs(%s5 : tensor<8x32x8xf32>) dimensions = [1] loc("v6")
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%s3 : tensor<8x32xf32>) -> tensor<8x32xf32> loc("v3")
  %s4 = linalg.fill ins(%s1 : f32) outs(%s0 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s4")
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v3 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%s4 : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<8x8xf32> loc("v5")
  %v9 = linalg.matmul ins(%v1, %v8 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s4 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v9")
  return %v5, %v6, %v9 : tensor<8x8xf32>, tensor<8x32x8xf32>, tensor<8x8xf32>
}
