shardir.mesh @m_r <["x"=4, "y"=2]>
func.func @p_r(%x1: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}, %x2: tensor<2x5xf32> {shardir.placement = #shardir.placement<@m_r, [{"y", "x"}, {?}]>}) -> (tensor<2x5xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}) {
  %v3l = arith.constant 0 : index
  %v3u = arith.constant 3 : index
  %v3s = arith.constant 1 : index
  %v3 = scf.for %v3i = %v3l to %v3u step %v3s iter_args(%v3c = %x2) -> (tensor<2x5xf32>) {
    %v3n = arith.subf %v3c, %x2 : tensor<2x5xf32>
    scf.yield %v3n : tensor<2x5xf32>
  } loc("v3")
  return %v3 : tensor<2x5xf32>
}
func.func @p_r_0(%x1: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}, %x2: tensor<2x5xf32> {shardir.placement = #shardir.placement<@m_r, [{"y", "x"}, {?}]>}) -> (tensor<2x5xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}) {
  %v3l = arith.constant 0 : index
  %v3u = arith.constant 3 : index
  %v3s = arith.constant 1 : index
  %v3 = scf.for %v3i = %v3l to %v3u step %v3s iter_args(%v3c = %x2) -> (tensor<2x5xf32>) {
    %v3n = arith.subf %v3c, %x2 : tensor<2x5xf32>
    scf.yield %v3n : tensor<2x5xf32>
  } loc("v3")
  return %v3 : tensor<2x5xf32>
}
func.func @p_r_1(%x1: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}, %x2: tensor<2x5xf32> {shardir.placement = #shardir.placement<@m_r, [{"y", "x"}, {?}]>}) -> (tensor<2x5xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}) {
  %v3l = arith.constant 0 : index
  %v3u = arith.constant 3 : index
  %v3s = arith.constant 1 : index
  %v3 = scf.for %v3i = %v3l to %v3u step %v3s iter_args(%v3c = %x2) -> (tensor<2x5xf32>) {
    %v3n = arith.subf %v3c, %x2 : tensor<2x5xf32>
    scf.yield %v3n : tensor<2x5xf32>
  } loc("v3")
  return %v3 : tensor<2x5xf32>
}
func.func @p_r_2(%x1: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}, %x2: tensor<2x5xf32> {shardir.placement = #shardir.placement<@m_r, [{"y", "x"}, {?}]>}) -> (tensor<2x5xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}, {}]>}) {
  %v3l = arith.constant 0 : index
  %v3u = arith.constant 3 : index
  %v3s = arith.constant 1 : index
  %v3 = scf.for %v3i = %v3l to %v3u step %v3s iter_args(%v3c = %x2) -> (tensor<2x5xf32>) {
    %v3n = arith.subf %v3c, %x2 : tensor<2x5xf32>
    scf.yield %v3n : tensor<2x5xf32>
  } loc("v3")
  return %v3 : tensor<2x5xf32>
}
