shardir.mesh @m_r <["x"=4, "y"=2]>
func.func @p_r(%x1: tensor<4x8xf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"y", ?}]>}) -> (tensor<8x4xf16> {shardir.placement = #shardir.placement<@m_r, [{"x", "y", ?}, {}]>}) {
  %e5 = tensor.empty() : tensor<4x8xf16>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1 : tensor<4x8xf16>) outs(%e5 : tensor<4x8xf16>) {
  ^bb0(%a2: f16, %o4: f16):
    %s3 = math.absf %a2 : f16
    linalg.yield %s3 : f16
  } -> tensor<4x8xf16> loc("v6")
  %e9 = tensor.empty() : tensor<8x4xf16>
  %v8 = linalg.transpose ins(%v6 : tensor<4x8xf16>) outs(%e9 : tensor<8x4xf16>) permutation = [1, 0] loc("v8")
  %v10 = shardir.constrain %v6 to #shardir.placement<@m_r, [{2, "y"}, {}]> : tensor<4x8xf16> loc("v10")
  %e26 = tensor.empty() : tensor<8x4xf16>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<4x8xf16>) outs(%e26 : tensor<8x4xf16>) {
  ^bb0(%a22: f16, %o25: f16):
    %c24 = arith.constant 2.0 : f16
    %s23 = arith.mulf %a22, %c24 : f16
    linalg.yield %s23 : f16
  } -> tensor<8x4xf16> loc("v27")
  return %v27 : tensor<8x4xf16>
}
func.func @p_r_0(%x1: tensor<4x8xf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"y", ?}]>}) -> (tensor<8x4xf16> {shardir.placement = #shardir.placement<@m_r, [{"x", "y", ?}, {}]>}) {
  %e5 = tensor.empty() : tensor<4x8xf16>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1 : tensor<4x8xf16>) outs(%e5 : tensor<4x8xf16>) {
  ^bb0(%a2: f16, %o4: f16):
    %s3 = math.absf %a2 : f16
    linalg.yield %s3 : f16
  } -> tensor<4x8xf16> loc("v6")
  %v10 = shardir.constrain %v6 to #shardir.placement<@m_r, [{2, "y"}, {}]> : tensor<4x8xf16> loc("v10")
  %e26 = tensor.empty() : tensor<8x4xf16>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<4x8xf16>) outs(%e26 : tensor<8x4xf16>) {
  ^bb0(%a22: f16, %o25: f16):
    %c24 = arith.constant 2.0 : f16
    %s23 = arith.mulf %a22, %c24 : f16
    linalg.yield %s23 : f16
  } -> tensor<8x4xf16> loc("v27")
  %e9 = tensor.empty() : tensor<8x4xf16>
  %v8 = linalg.transpose ins(%v6 : tensor<4x8xf16>) outs(%e9 : tensor<8x4xf16>) permutation = [1, 0] loc("v8")
  return %v27 : tensor<8x4xf16>
}
func.func @p_r_1(%x1: tensor<4x8xf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"y", ?}]>}) -> (tensor<8x4xf16> {shardir.placement = #shardir.placement<@m_r, [{"x", "y", ?}, {}]>}) {
  %e5 = tensor.empty() : tensor<4x8xf16>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1 : tensor<4x8xf16>) outs(%e5 : tensor<4x8xf16>) {
  ^bb0(%a2: f16, %o4: f16):
    %s3 = math.absf %a2 : f16
    linalg.yield %s3 : f16
  } -> tensor<4x8xf16> loc("v6")
  %e9 = tensor.empty() : tensor<8x4xf16>
  %v8 = linalg.transpose ins(%v6 : tensor<4x8xf16>) outs(%e9 : tensor<8x4xf16>) permutation = [1, 0] loc("v8")
  %v10 = shardir.constrain %v6 to #shardir.placement<@m_r, [{2, "y"}, {}]> : tensor<4x8xf16> loc("v10")
  %e26 = tensor.empty() : tensor<8x4xf16>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<4x8xf16>) outs(%e26 : tensor<8x4xf16>) {
  ^bb0(%a22: f16, %o25: f16):
    %c24 = arith.constant 2.0 : f16
    %s23 = arith.mulf %a22, %c24 : f16
    linalg.yield %s23 : f16
  } -> tensor<8x4xf16> loc("v27")
  return %v27 : tensor<8x4xf16>
}
func.func @p_r_2(%x1: tensor<4x8xf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"y", ?}]>}) -> (tensor<8x4xf16> {shardir.placement = #shardir.placement<@m_r, [{"x", "y", ?}, {}]>}) {
  %e5 = tensor.empty() : tensor<4x8xf16>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1 : tensor<4x8xf16>) outs(%e5 : tensor<4x8xf16>) {
  ^bb0(%a2: f16, %o4: f16):
    %s3 = math.absf %a2 : f16
    linalg.yield %s3 : f16
  } -> tensor<4x8xf16> loc("v6")
  %e9 = tensor.empty() : tensor<8x4xf16>
  %v8 = linalg.transpose ins(%v6 : tensor<4x8xf16>) outs(%e9 : tensor<8x4xf16>) permutation = [1, 0] loc("v8")
  %v10 = shardir.constrain %v6 to #shardir.placement<@m_r, [{2, "y"}, {}]> : tensor<4x8xf16> loc("v10")
  %e26 = tensor.empty() : tensor<8x4xf16>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<4x8xf16>) outs(%e26 : tensor<8x4xf16>) {
  ^bb0(%a22: f16, %o25: f16):
    %c24 = arith.constant 2.0 : f16
    %s23 = arith.mulf %a22, %c24 : f16
    linalg.yield %s23 : f16
  } -> tensor<8x4xf16> loc("v27")
  return %v27 : tensor<8x4xf16>
}
