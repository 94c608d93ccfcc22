shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%v0: tensor<32x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}, %v1: tensor<4x32xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v5: tensor<32x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<4x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %v3 = arith.constant dense<2.000000e+00> : tensor<4x32xf32> loc("v3")
  %s0 = tensor.empty() : tensor<4x32xf32> loc("s0")
  %v4 = linalg.mul ins(%v1, %v3 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%s0 : tensor<4x32xf32>) -> tensor<4x32xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s2 = tensor.empty() : tensor<4x2xf32> loc("s2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("s3")
  %v6 = linalg.matmul ins(%v4, %v5 : tensor<4x32xf32>, tensor<32x2xf32>) outs(%s3 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v6")
  %v9 = linalg.mul ins(%v6, %v6 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%s2 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v9")
  return %v9 : tensor<4x2xf32>
}
func.func @p_r_0(%v0: tensor<32x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}, %v1: tensor<4x32xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v5: tensor<32x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<4x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %v3 = arith.constant dense<2.000000e+00> : tensor<4x32xf32> loc("v3")
  %s0 = tensor.empty() : tensor<4x32xf32> loc("s0")
  %v4 = linalg.mul ins(%v1, %v3 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%s0 : tensor<4x32xf32>) -> tensor<4x32xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s2 = tensor.empty() : tensor<4x2xf32> loc("s2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("s3")
  %v6 = linalg.matmul ins(%v4, %v5 : tensor<4x32xf32>, tensor<32x2xf32>) outs(%s3 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v6")
  %v9 = linalg.mul ins(%v6, %v6 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%s2 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v9")
  return %v9 : tensor<4x2xf32>
}
func.func @p_r_1(%v0: tensor<32x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}, %v1: tensor<4x32xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v5: tensor<32x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<4x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<4x32xf32> loc("s0")
  %v3 = arith.constant dense<2.000000e+00> : tensor<4x32xf32> loc("v3")
  %s2 = tensor.empty() : tensor<4x2xf32> loc("s2")
  %v4 = linalg.mul ins(%v1, %v3 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%s0 : tensor<4x32xf32>) -> tensor<4x32xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("s3")
  %v6 = linalg.matmul ins(%v4, %v5 : tensor<4x32xf32>, tensor<32x2xf32>) outs(%s3 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v6")
  %v9 = linalg.mul ins(%v6, %v6 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%s2 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v9")
  return %v9 : tensor<4x2xf32>
}
func.func @p_r_2(%v0: tensor<32x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}, %v1: tensor<4x32xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, %v2: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v5: tensor<32x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<4x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %v3 = arith.constant dense<2.000000e+00> : tensor<4x32xf32> loc("v3")
  %s2 = tensor.empty() : tensor<4x2xf32> loc("s2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("s3")
  %s0 = tensor.empty() : tensor<4x32xf32> loc("s0")
  %v4 = linalg.mul ins(%v1, %v3 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%s0 : tensor<4x32xf32>) -> tensor<4x32xf32> loc("v4")
  %v6 = linalg.matmul ins(%v4, %v5 : tensor<4x32xf32>, tensor<32x2xf32>) outs(%s3 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v6")
  %v9 = linalg.mul ins(%v6, %v6 : tensor<4x2xf32>, tensor<4x2xf32>) outs(%s2 : tensor<4x2xf32>) -> tensor<4x2xf32> loc("v9")
  return %v9 : tensor<4x2xf32>
}
