shardir.mesh @m_r <["x"=4, "y"=2]>
func.func @p_r(%v0: tensor<4x4xf32>, %v1: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}, %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) {
  %v4 = shardir.constrain %v2 to #shardir.placement<@m_r, [{"y"}, {"x"}]> : tensor<8x16xf32> loc("v4")
  %s2 = tensor.empty() : tensor<8x16xf32> loc("s2")
  %v6 = linalg.exp ins(%v4 : tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v6")
  %v7 = linalg.exp ins(%v6 : tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v7")
  return %v7 : tensor<8x16xf32>
}
func.func @p_r_0(%v0: tensor<4x4xf32>, %v1: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}, %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) {
  %s2 = tensor.empty() : tensor<8x16xf32> loc("s2")
  %v4 = shardir.constrain %v2 to #shardir.placement<@m_r, [{"y"}, {"x"}]> : tensor<8x16xf32> loc("v4")
  %v6 = linalg.exp ins(%v4 : tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v6")
  %v7 = linalg.exp ins(%v6 : tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v7")
  return %v7 : tensor<8x16xf32>
}
func.func @p_r_1(%v0: tensor<4x4xf32>, %v1: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}, %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) {
  %v4 = shardir.constrain %v2 to #shardir.placement<@m_r, [{"y"}, {"x"}]> : tensor<8x16xf32> loc("v4")
  %s2 = tensor.empty() : tensor<8x16xf32> loc("s2")
  %v6 = linalg.exp ins(%v4 : tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v6")
  %v7 = linalg.exp ins(%v6 : tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v7")
  return %v7 : tensor<8x16xf32>
}
func.func @p_r_2(%v0: tensor<4x4xf32>, %v1: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}, %v2: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) {
  %v4 = shardir.constrain %v2 to #shardir.placement<@m_r, [{"y"}, {"x"}]> : tensor<8x16xf32> loc("v4")
  %s2 = tensor.empty() : tensor<8x16xf32> loc("s2")
  %v6 = linalg.exp ins(%v4 : tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v6")
  %v7 = linalg.exp ins(%v6 : tensor<8x16xf32>) outs(%s2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("v7")
  return %v7 : tensor<8x16xf32>
}
