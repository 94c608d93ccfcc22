shardir.mesh @m_r <["x"=2, "y"=2, "z"=2]>
func.func @p_r(%x1: tensor<4x1xi64>) -> (tensor<4x1xi64> {shardir.placement = #shardir.placement<@m_r, [{"y", "z", "x"}, {}p0]>}, tensor<4x1xi64> {shardir.placement = #shardir.placement<@m_r, [{"x", "z", "y"}, {}]>}) {
  %v2 = tensor.extract_slice %x1[0, 0] [4, 1] [1, 1] : tensor<4x1xi64> to tensor<4x1xi64> loc("v2")
  return %x1, %x1 : tensor<4x1xi64>, tensor<4x1xi64>
}
func.func @p_r_0(%x1: tensor<4x1xi64>) -> (tensor<4x1xi64> {shardir.placement = #shardir.placement<@m_r, [{"y", "z", "x"}, {}p0]>}, tensor<4x1xi64> {shardir.placement = #shardir.placement<@m_r, [{"x", "z", "y"}, {}]>}) {
  %v2 = tensor.extract_slice %x1[0, 0] [4, 1] [1, 1] : tensor<4x1xi64> to tensor<4x1xi64> loc("v2")
  return %x1, %x1 : tensor<4x1xi64>, tensor<4x1xi64>
}
func.func @p_r_1(%x1: tensor<4x1xi64>) -> (tensor<4x1xi64> {shardir.placement = #shardir.placement<@m_r, [{"y", "z", "x"}, {}p0]>}, tensor<4x1xi64> {shardir.placement = #shardir.placement<@m_r, [{"x", "z", "y"}, {}]>}) {
  %v2 = tensor.extract_slice %x1[0, 0] [4, 1] [1, 1] : tensor<4x1xi64> to tensor<4x1xi64> loc("v2")
  return %x1, %x1 : tensor<4x1xi64>, tensor<4x1xi64>
}
func.func @p_r_2(%x1: tensor<4x1xi64>) -> (tensor<4x1xi64> {shardir.placement = #shardir.placement<@m_r, [{"y", "z", "x"}, {}p0]>}, tensor<4x1xi64> {shardir.placement = #shardir.placement<@m_r, [{"x", "z", "y"}, {}]>}) {
  %v2 = tensor.extract_slice %x1[0, 0] [4, 1] [1, 1] : tensor<4x1xi64> to tensor<4x1xi64> loc("v2")
  return %x1, %x1 : tensor<4x1xi64>, tensor<4x1xi64>
}
