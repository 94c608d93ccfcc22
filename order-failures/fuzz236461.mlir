shardir.mesh @m_r <["x"=2, "y"=3]>
func.func private @p_r_v6(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %y = arith.addf %x, %x : tensor<4x10xf32>
  return %y : tensor<4x10xf32>
}
func.func @p_r(%x1: tensor<4x10xf64> {shardir.placement = #shardir.placement<@m_r, [{}p0, {}]>}, %x2: tensor<4x10xf16> {shardir.placement = #shardir.placement<@m_r, [{}, {}]>}, %x3: tensor<4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}p0, {}], partial = sum ["y"]>}, %x4: tensor<4x10xf32>) -> (tensor<4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{4, "x", ?}, {?}]>}, tensor<4x10xf32>) {
  %v5 = arith.constant dense<[[3.0, 3.0, 0.0, 0.0, 0.0, -3.0, 3.0, 1.0, 2.0, -1.0], [0.0, -2.0, 1.0, -3.0, -2.0, -1.0, -3.0, 1.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0, 0.0, 0.0, -1.0, -1.0, 2.0, 1.0], [-2.0, 0.0, 2.0, 3.0, 1.0, 0.0, -2.0, -1.0, -2.0, -1.0]]> : tensor<4x10xf32> loc("v5")
  %e8 = tensor.empty() : tensor<4x10xf32>
  %v7 = linalg.transpose ins(%v5 : tensor<4x10xf32>) outs(%e8 : tensor<4x10xf32>) permutation = [0, 1] loc("v7")
  %v9 = shardir.constrain %v7 to #shardir.placement<@m_r, [{"y"}, {}]> : tensor<4x10xf32> loc("v9")
  return %v7, %v7 : tensor<4x10xf32>, tensor<4x10xf32>
}
func.func private @p_r_0_v6(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %y = arith.addf %x, %x : tensor<4x10xf32>
  return %y : tensor<4x10xf32>
}
func.func @p_r_0(%x1: tensor<4x10xf64> {shardir.placement = #shardir.placement<@m_r, [{}p0, {}]>}, %x2: tensor<4x10xf16> {shardir.placement = #shardir.placement<@m_r, [{}, {}]>}, %x3: tensor<4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}p0, {}], partial = sum ["y"]>}, %x4: tensor<4x10xf32>) -> (tensor<4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{4, "x", ?}, {?}]>}, tensor<4x10xf32>) {
  %v5 = arith.constant dense<[[3.0, 3.0, 0.0, 0.0, 0.0, -3.0, 3.0, 1.0, 2.0, -1.0], [0.0, -2.0, 1.0, -3.0, -2.0, -1.0, -3.0, 1.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0, 0.0, 0.0, -1.0, -1.0, 2.0, 1.0], [-2.0, 0.0, 2.0, 3.0, 1.0, 0.0, -2.0, -1.0, -2.0, -1.0]]> : tensor<4x10xf32> loc("v5")
  %e8 = tensor.empty() : tensor<4x10xf32>
  %v7 = linalg.transpose ins(%v5 : tensor<4x10xf32>) outs(%e8 : tensor<4x10xf32>) permutation = [0, 1] loc("v7")
  %v9 = shardir.constrain %v7 to #shardir.placement<@m_r, [{"y"}, {}]> : tensor<4x10xf32> loc("v9")
  return %v7, %v7 : tensor<4x10xf32>, tensor<4x10xf32>
}
func.func private @p_r_1_v6(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %y = arith.addf %x, %x : tensor<4x10xf32>
  return %y : tensor<4x10xf32>
}
func.func @p_r_1(%x1: tensor<4x10xf64> {shardir.placement = #shardir.placement<@m_r, [{}p0, {}]>}, %x2: tensor<4x10xf16> {shardir.placement = #shardir.placement<@m_r, [{}, {}]>}, %x3: tensor<4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}p0, {}], partial = sum ["y"]>}, %x4: tensor<4x10xf32>) -> (tensor<4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{4, "x", ?}, {?}]>}, tensor<4x10xf32>) {
  %v5 = arith.constant dense<[[3.0, 3.0, 0.0, 0.0, 0.0, -3.0, 3.0, 1.0, 2.0, -1.0], [0.0, -2.0, 1.0, -3.0, -2.0, -1.0, -3.0, 1.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0, 0.0, 0.0, -1.0, -1.0, 2.0, 1.0], [-2.0, 0.0, 2.0, 3.0, 1.0, 0.0, -2.0, -1.0, -2.0, -1.0]]> : tensor<4x10xf32> loc("v5")
  %e8 = tensor.empty() : tensor<4x10xf32>
  %v7 = linalg.transpose ins(%v5 : tensor<4x10xf32>) outs(%e8 : tensor<4x10xf32>) permutation = [0, 1] loc("v7")
  %v9 = shardir.constrain %v7 to #shardir.placement<@m_r, [{"y"}, {}]> : tensor<4x10xf32> loc("v9")
  return %v7, %v7 : tensor<4x10xf32>, tensor<4x10xf32>
}
func.func private @p_r_2_v6(%x: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %y = arith.addf %x, %x : tensor<4x10xf32>
  return %y : tensor<4x10xf32>
}
func.func @p_r_2(%x1: tensor<4x10xf64> {shardir.placement = #shardir.placement<@m_r, [{}p0, {}]>}, %x2: tensor<4x10xf16> {shardir.placement = #shardir.placement<@m_r, [{}, {}]>}, %x3: tensor<4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}p0, {}], partial = sum ["y"]>}, %x4: tensor<4x10xf32>) -> (tensor<4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{4, "x", ?}, {?}]>}, tensor<4x10xf32>) {
  %v5 = arith.constant dense<[[3.0, 3.0, 0.0, 0.0, 0.0, -3.0, 3.0, 1.0, 2.0, -1.0], [0.0, -2.0, 1.0, -3.0, -2.0, -1.0, -3.0, 1.0, 1.0, 0.0], [0.0, 2.0, 0.0, 1.0, 0.0, 0.0, -1.0, -1.0, 2.0, 1.0], [-2.0, 0.0, 2.0, 3.0, 1.0, 0.0, -2.0, -1.0, -2.0, -1.0]]> : tensor<4x10xf32> loc("v5")
  %e8 = tensor.empty() : tensor<4x10xf32>
  %v7 = linalg.transpose ins(%v5 : tensor<4x10xf32>) outs(%e8 : tensor<4x10xf32>) permutation = [0, 1] loc("v7")
  %v9 = shardir.constrain %v7 to #shardir.placement<@m_r, [{"y"}, {}]> : tensor<4x10xf32> loc("v9")
  return %v7, %v7 : tensor<4x10xf32>, tensor<4x10xf32>
}
