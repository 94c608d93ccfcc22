shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%x1: tensor<5x4xf64> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<20xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}) {
  %e8 = tensor.empty() : tensor<5x4xf64>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %x1 : tensor<5x4xf64>, tensor<5x4xf64>) outs(%e8 : tensor<5x4xf64>) {
  ^bb0(%a2: f64, %a4: f64, %o7: f64):
    %s5 = math.absf %a4 : f64
    %s6 = arith.mulf %a2, %s5 : f64
    linalg.yield %s6 : f64
  } -> tensor<5x4xf64> loc("v9")
  %v10 = shardir.constrain %v9 to #shardir.placement<@m_r, [{}, {"x"}]> : tensor<5x4xf64> loc("v10")
  %e14 = tensor.empty() : tensor<4x5xf64>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<5x4xf64>) outs(%e14 : tensor<4x5xf64>) {
  ^bb0(%a11: f64, %o13: f64):
    %s12 = arith.negf %a11 : f64
    linalg.yield %s12 : f64
  } -> tensor<4x5xf64> loc("v15")
  %v36 = tensor.collapse_shape %v15 [[0, 1]] : tensor<4x5xf64> into tensor<20xf64> loc("v36")
  return %v36 : tensor<20xf64>
}
func.func @p_r_0(%x1: tensor<5x4xf64> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<20xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}) {
  %e8 = tensor.empty() : tensor<5x4xf64>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %x1 : tensor<5x4xf64>, tensor<5x4xf64>) outs(%e8 : tensor<5x4xf64>) {
  ^bb0(%a2: f64, %a4: f64, %o7: f64):
    %s5 = math.absf %a4 : f64
    %s6 = arith.mulf %a2, %s5 : f64
    linalg.yield %s6 : f64
  } -> tensor<5x4xf64> loc("v9")
  %v10 = shardir.constrain %v9 to #shardir.placement<@m_r, [{}, {"x"}]> : tensor<5x4xf64> loc("v10")
  %e14 = tensor.empty() : tensor<4x5xf64>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<5x4xf64>) outs(%e14 : tensor<4x5xf64>) {
  ^bb0(%a11: f64, %o13: f64):
    %s12 = arith.negf %a11 : f64
    linalg.yield %s12 : f64
  } -> tensor<4x5xf64> loc("v15")
  %v36 = tensor.collapse_shape %v15 [[0, 1]] : tensor<4x5xf64> into tensor<20xf64> loc("v36")
  return %v36 : tensor<20xf64>
}
func.func @p_r_1(%x1: tensor<5x4xf64> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<20xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}) {
  %e8 = tensor.empty() : tensor<5x4xf64>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %x1 : tensor<5x4xf64>, tensor<5x4xf64>) outs(%e8 : tensor<5x4xf64>) {
  ^bb0(%a2: f64, %a4: f64, %o7: f64):
    %s5 = math.absf %a4 : f64
    %s6 = arith.mulf %a2, %s5 : f64
    linalg.yield %s6 : f64
  } -> tensor<5x4xf64> loc("v9")
  %v10 = shardir.constrain %v9 to #shardir.placement<@m_r, [{}, {"x"}]> : tensor<5x4xf64> loc("v10")
  %e14 = tensor.empty() : tensor<4x5xf64>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<5x4xf64>) outs(%e14 : tensor<4x5xf64>) {
  ^bb0(%a11: f64, %o13: f64):
    %s12 = arith.negf %a11 : f64
    linalg.yield %s12 : f64
  } -> tensor<4x5xf64> loc("v15")
  %v36 = tensor.collapse_shape %v15 [[0, 1]] : tensor<4x5xf64> into tensor<20xf64> loc("v36")
  return %v36 : tensor<20xf64>
}
func.func @p_r_2(%x1: tensor<5x4xf64> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<20xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}) {
  %e8 = tensor.empty() : tensor<5x4xf64>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %x1 : tensor<5x4xf64>, tensor<5x4xf64>) outs(%e8 : tensor<5x4xf64>) {
  ^bb0(%a2: f64, %a4: f64, %o7: f64):
    %s5 = math.absf %a4 : f64
    %s6 = arith.mulf %a2, %s5 : f64
    linalg.yield %s6 : f64
  } -> tensor<5x4xf64> loc("v9")
  %v10 = shardir.constrain %v9 to #shardir.placement<@m_r, [{}, {"x"}]> : tensor<5x4xf64> loc("v10")
  %e14 = tensor.empty() : tensor<4x5xf64>
  %v15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v10 : tensor<5x4xf64>) outs(%e14 : tensor<4x5xf64>) {
  ^bb0(%a11: f64, %o13: f64):
    %s12 = arith.negf %a11 : f64
    linalg.yield %s12 : f64
  } -> tensor<4x5xf64> loc("v15")
  %v36 = tensor.collapse_shape %v15 [[0, 1]] : tensor<4x5xf64> into tensor<20xf64> loc("v36")
  return %v36 : tensor<20xf64>
}
