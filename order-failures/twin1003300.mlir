shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%v0: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v1: tensor<8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v8: tensor<8x2xf32>) -> (tensor<8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s6 = tensor.empty() : tensor<8x2xf32> loc("s6")
  %v5 = linalg.transpose ins(%v1 : tensor<8x2xf32>) outs(%s6 : tensor<8x2xf32>) permutation = [0, 1] loc("v5")
  %v11 = linalg.max ins(%v1, %v5 : tensor<8x2xf32>, tensor<8x2xf32>) outs(%s6 : tensor<8x2xf32>) -> tensor<8x2xf32> loc("v11")
  return %v11 : tensor<8x2xf32>
}
func.func @p_r_0(%v0: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v1: tensor<8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v8: tensor<8x2xf32>) -> (tensor<8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s6 = tensor.empty() : tensor<8x2xf32> loc("s6")
  %v5 = linalg.transpose ins(%v1 : tensor<8x2xf32>) outs(%s6 : tensor<8x2xf32>) permutation = [0, 1] loc("v5")
  %v11 = linalg.max ins(%v1, %v5 : tensor<8x2xf32>, tensor<8x2xf32>) outs(%s6 : tensor<8x2xf32>) -> tensor<8x2xf32> loc("v11")
  return %v11 : tensor<8x2xf32>
}
func.func @p_r_1(%v0: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v1: tensor<8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v8: tensor<8x2xf32>) -> (tensor<8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s6 = tensor.empty() : tensor<8x2xf32> loc("s6")
  %v5 = linalg.transpose ins(%v1 : tensor<8x2xf32>) outs(%s6 : tensor<8x2xf32>) permutation = [0, 1] loc("v5")
  %v11 = linalg.max ins(%v1, %v5 : tensor<8x2xf32>, tensor<8x2xf32>) outs(%s6 : tensor<8x2xf32>) -> tensor<8x2xf32> loc("v11")
  return %v11 : tensor<8x2xf32>
}
func.func @p_r_2(%v0: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v1: tensor<8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v8: tensor<8x2xf32>) -> (tensor<8x2xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}) {
  %s6 = tensor.empty() : tensor<8x2xf32> loc("s6")
  %v5 = linalg.transpose ins(%v1 : tensor<8x2xf32>) outs(%s6 : tensor<8x2xf32>) permutation = [0, 1] loc("v5")
  %v11 = linalg.max ins(%v1, %v5 : tensor<8x2xf32>, tensor<8x2xf32>) outs(%s6 : tensor<8x2xf32>) -> tensor<8x2xf32> loc("v11")
  return %v11 : tensor<8x2xf32>
}
