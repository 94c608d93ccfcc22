shardir.mesh @m_r <["x"=4, "y"=2]>
func.func @p_r(%v0: tensor<32x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v1: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v2: tensor<16x16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}, {}]>}, %v5: tensor<16x16xf32>) -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x4xf32> loc("s0")
  %v3 = linalg.mul ins(%v1, %v1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v3")
  return %v3 : tensor<8x4xf32>
}
func.func @p_r_0(%v0: tensor<32x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v1: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v2: tensor<16x16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}, {}]>}, %v5: tensor<16x16xf32>) -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x4xf32> loc("s0")
  %v3 = linalg.mul ins(%v1, %v1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v3")
  return %v3 : tensor<8x4xf32>
}
func.func @p_r_1(%v0: tensor<32x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v1: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v2: tensor<16x16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}, {}]>}, %v5: tensor<16x16xf32>) -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x4xf32> loc("s0")
  %v3 = linalg.mul ins(%v1, %v1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v3")
  return %v3 : tensor<8x4xf32>
}
func.func @p_r_2(%v0: tensor<32x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v1: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}, %v2: tensor<16x16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}, {}]>}, %v5: tensor<16x16xf32>) -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<8x4xf32> loc("s0")
  %v3 = linalg.mul ins(%v1, %v1 : tensor<8x4xf32>, tensor<8x4xf32>) outs(%s0 : tensor<8x4xf32>) -> tensor<8x4xf32> loc("v3")
  return %v3 : tensor<8x4xf32>
}
