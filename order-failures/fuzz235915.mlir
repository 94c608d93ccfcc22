shardir.mesh @m_r <["x"=4]>
func.func @p_r(%x1: tensor<1x2x1xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"x":(2)2}, {}]>}, %x2: tensor<7xf16>, %x3: tensor<7xbf16> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}p0]>}) -> (tensor<2xbf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}) {
  %v34 = tensor.collapse_shape %x1 [[0, 1, 2]] : tensor<1x2x1xbf16> into tensor<2xbf16> loc("v34")
  return %v34 : tensor<2xbf16>
}
func.func @p_r_0(%x1: tensor<1x2x1xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"x":(2)2}, {}]>}, %x2: tensor<7xf16>, %x3: tensor<7xbf16> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}p0]>}) -> (tensor<2xbf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}) {
  %v34 = tensor.collapse_shape %x1 [[0, 1, 2]] : tensor<1x2x1xbf16> into tensor<2xbf16> loc("v34")
  return %v34 : tensor<2xbf16>
}
func.func @p_r_1(%x1: tensor<1x2x1xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"x":(2)2}, {}]>}, %x2: tensor<7xf16>, %x3: tensor<7xbf16> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}p0]>}) -> (tensor<2xbf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}) {
  %v34 = tensor.collapse_shape %x1 [[0, 1, 2]] : tensor<1x2x1xbf16> into tensor<2xbf16> loc("v34")
  return %v34 : tensor<2xbf16>
}
func.func @p_r_2(%x1: tensor<1x2x1xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"x":(2)2}, {}]>}, %x2: tensor<7xf16>, %x3: tensor<7xbf16> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}p0]>}) -> (tensor<2xbf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}) {
  %v34 = tensor.collapse_shape %x1 [[0, 1, 2]] : tensor<1x2x1xbf16> into tensor<2xbf16> loc("v34")
  return %v34 : tensor<2xbf16>
}
