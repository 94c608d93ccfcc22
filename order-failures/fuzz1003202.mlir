shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%x1: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}, %x2: tensor<6x8xi1>) -> (tensor<10x6x8xi1> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y", ?}, {}]>}, tensor<10x6x8xi1> {shardir.placement = #shardir.placement<@m_r, [{?}p0, {}, {"y"}]>}) {
  %e4 = tensor.empty() : tensor<8x6xi1>
  %v3 = linalg.transpose ins(%x2 : tensor<6x8xi1>) outs(%e4 : tensor<8x6xi1>) permutation = [1, 0] loc("v3")
  %v19 = shardir.constrain %x2 to #shardir.placement<@m_r, [{?}, {"x"}]> : tensor<6x8xi1> loc("v19")
  %v22 = shardir.constrain %x2 to #shardir.placement<@m_r, [{?}, {"y"}]> : tensor<6x8xi1> loc("v22")
  %e35 = tensor.empty() : tensor<10x6x8xi1>
  %v34 = linalg.broadcast ins(%v22 : tensor<6x8xi1>) outs(%e35 : tensor<10x6x8xi1>) dimensions = [0] loc("v34")
  %v36 = tensor.insert_slice %v34 into %v34[0, 0, 0] [10, 6, 8] [1, 1, 1] : tensor<10x6x8xi1> into tensor<10x6x8xi1> loc("v36")
  return %v36, %v36 : tensor<10x6x8xi1>, tensor<10x6x8xi1>
}
func.func @p_r_0(%x1: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}, %x2: tensor<6x8xi1>) -> (tensor<10x6x8xi1> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y", ?}, {}]>}, tensor<10x6x8xi1> {shardir.placement = #shardir.placement<@m_r, [{?}p0, {}, {"y"}]>}) {
  %v19 = shardir.constrain %x2 to #shardir.placement<@m_r, [{?}, {"x"}]> : tensor<6x8xi1> loc("v19")
  %v22 = shardir.constrain %x2 to #shardir.placement<@m_r, [{?}, {"y"}]> : tensor<6x8xi1> loc("v22")
  %e35 = tensor.empty() : tensor<10x6x8xi1>
  %v34 = linalg.broadcast ins(%v22 : tensor<6x8xi1>) outs(%e35 : tensor<10x6x8xi1>) dimensions = [0] loc("v34")
  %v36 = tensor.insert_slice %v34 into %v34[0, 0, 0] [10, 6, 8] [1, 1, 1] : tensor<10x6x8xi1> into tensor<10x6x8xi1> loc("v36")
  %e4 = tensor.empty() : tensor<8x6xi1>
  %v3 = linalg.transpose ins(%x2 : tensor<6x8xi1>) outs(%e4 : tensor<8x6xi1>) permutation = [1, 0] loc("v3")
  return %v36, %v36 : tensor<10x6x8xi1>, tensor<10x6x8xi1>
}
func.func @p_r_1(%x1: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}, %x2: tensor<6x8xi1>) -> (tensor<10x6x8xi1> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y", ?}, {}]>}, tensor<10x6x8xi1> {shardir.placement = #shardir.placement<@m_r, [{?}p0, {}, {"y"}]>}) {
  %v19 = shardir.constrain %x2 to #shardir.placement<@m_r, [{?}, {"x"}]> : tensor<6x8xi1> loc("v19")
  %e4 = tensor.empty() : tensor<8x6xi1>
  %v3 = linalg.transpose ins(%x2 : tensor<6x8xi1>) outs(%e4 : tensor<8x6xi1>) permutation = [1, 0] loc("v3")
  %v22 = shardir.constrain %x2 to #shardir.placement<@m_r, [{?}, {"y"}]> : tensor<6x8xi1> loc("v22")
  %e35 = tensor.empty() : tensor<10x6x8xi1>
  %v34 = linalg.broadcast ins(%v22 : tensor<6x8xi1>) outs(%e35 : tensor<10x6x8xi1>) dimensions = [0] loc("v34")
  %v36 = tensor.insert_slice %v34 into %v34[0, 0, 0] [10, 6, 8] [1, 1, 1] : tensor<10x6x8xi1> into tensor<10x6x8xi1> loc("v36")
  return %v36, %v36 : tensor<10x6x8xi1>, tensor<10x6x8xi1>
}
func.func @p_r_2(%x1: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}, %x2: tensor<6x8xi1>) -> (tensor<10x6x8xi1> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y", ?}, {}]>}, tensor<10x6x8xi1> {shardir.placement = #shardir.placement<@m_r, [{?}p0, {}, {"y"}]>}) {
  %v22 = shardir.constrain %x2 to #shardir.placement<@m_r, [{?}, {"y"}]> : tensor<6x8xi1> loc("v22")
  %e4 = tensor.empty() : tensor<8x6xi1>
  %v3 = linalg.transpose ins(%x2 : tensor<6x8xi1>) outs(%e4 : tensor<8x6xi1>) permutation = [1, 0] loc("v3")
  %v19 = shardir.constrain %x2 to #shardir.placement<@m_r, [{?}, {"x"}]> : tensor<6x8xi1> loc("v19")
  %e35 = tensor.empty() : tensor<10x6x8xi1>
  %v34 = linalg.broadcast ins(%v22 : tensor<6x8xi1>) outs(%e35 : tensor<10x6x8xi1>) dimensions = [0] loc("v34")
  %v36 = tensor.insert_slice %v34 into %v34[0, 0, 0] [10, 6, 8] [1, 1, 1] : tensor<10x6x8xi1> into tensor<10x6x8xi1> loc("v36")
  return %v36, %v36 : tensor<10x6x8xi1>, tensor<10x6x8xi1>
}
