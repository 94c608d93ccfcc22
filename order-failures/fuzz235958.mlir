shardir.mesh @m_r <["x"=2, "y"=2, "z"=2]>
func.func @p_r(%x1: tensor<3x4x10xi64> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"y", ?}]>}, %x2: tensor<i16>, %x3: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "z"}]>}) -> (tensor<1x1x10xi64>) {
  %v5 = tensor.collapse_shape %x1 [[0, 1], [2]] : tensor<3x4x10xi64> into tensor<12x10xi64> loc("v5")
  %v6 = tensor.extract_slice %v5[9, 0] [1, 10] [3, 1] : tensor<12x10xi64> to tensor<1x10xi64> loc("v6")
  %v7 = tensor.extract_slice %x1[2, 1, 0] [1, 1, 10] [1, 1, 1] : tensor<3x4x10xi64> to tensor<1x1x10xi64> loc("v7")
  %c13 = arith.constant 1 : i64
  %e14 = tensor.empty() : tensor<10xi64>
  %z15 = linalg.fill ins(%c13 : i64) outs(%e14 : tensor<10xi64>) -> tensor<10xi64>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%v6 : tensor<1x10xi64>) outs(%z15 : tensor<10xi64>) {
  ^bb0(%a9: i64, %o12: i64):
    %c11 = arith.constant 0 : i64
    %s10 = arith.maxsi %a9, %c11 : i64
    %s16 = arith.minsi %s10, %o12 : i64
    linalg.yield %s16 : i64
  } -> tensor<10xi64> loc("v17")
  %v18 = shardir.constrain %v17 to #shardir.placement<@m_r, [{10, "y", ?}], partial = and ["z"]> : tensor<10xi64> loc("v18")
  %v30 = shardir.constrain %v7 to #shardir.placement<@m_r, [{}, {}, {"z"}], partial = sum ["x"]> : tensor<1x1x10xi64> loc("v30")
  %v46 = tensor.extract_slice %v7[0, 0, 0] [1, 1, 10] [1, 2, 1] : tensor<1x1x10xi64> to tensor<1x1x10xi64> loc("v46")
  return %v46 : tensor<1x1x10xi64>
}
func.func @p_r_0(%x1: tensor<3x4x10xi64> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"y", ?}]>}, %x2: tensor<i16>, %x3: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "z"}]>}) -> (tensor<1x1x10xi64>) {
  %v7 = tensor.extract_slice %x1[2, 1, 0] [1, 1, 10] [1, 1, 1] : tensor<3x4x10xi64> to tensor<1x1x10xi64> loc("v7")
  %v46 = tensor.extract_slice %v7[0, 0, 0] [1, 1, 10] [1, 2, 1] : tensor<1x1x10xi64> to tensor<1x1x10xi64> loc("v46")
  %v30 = shardir.constrain %v7 to #shardir.placement<@m_r, [{}, {}, {"z"}], partial = sum ["x"]> : tensor<1x1x10xi64> loc("v30")
  %v5 = tensor.collapse_shape %x1 [[0, 1], [2]] : tensor<3x4x10xi64> into tensor<12x10xi64> loc("v5")
  %v6 = tensor.extract_slice %v5[9, 0] [1, 10] [3, 1] : tensor<12x10xi64> to tensor<1x10xi64> loc("v6")
  %c13 = arith.constant 1 : i64
  %e14 = tensor.empty() : tensor<10xi64>
  %z15 = linalg.fill ins(%c13 : i64) outs(%e14 : tensor<10xi64>) -> tensor<10xi64>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%v6 : tensor<1x10xi64>) outs(%z15 : tensor<10xi64>) {
  ^bb0(%a9: i64, %o12: i64):
    %c11 = arith.constant 0 : i64
    %s10 = arith.maxsi %a9, %c11 : i64
    %s16 = arith.minsi %s10, %o12 : i64
    linalg.yield %s16 : i64
  } -> tensor<10xi64> loc("v17")
  %v18 = shardir.constrain %v17 to #shardir.placement<@m_r, [{10, "y", ?}], partial = and ["z"]> : tensor<10xi64> loc("v18")
  return %v46 : tensor<1x1x10xi64>
}
func.func @p_r_1(%x1: tensor<3x4x10xi64> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"y", ?}]>}, %x2: tensor<i16>, %x3: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "z"}]>}) -> (tensor<1x1x10xi64>) {
  %v7 = tensor.extract_slice %x1[2, 1, 0] [1, 1, 10] [1, 1, 1] : tensor<3x4x10xi64> to tensor<1x1x10xi64> loc("v7")
  %v46 = tensor.extract_slice %v7[0, 0, 0] [1, 1, 10] [1, 2, 1] : tensor<1x1x10xi64> to tensor<1x1x10xi64> loc("v46")
  %v30 = shardir.constrain %v7 to #shardir.placement<@m_r, [{}, {}, {"z"}], partial = sum ["x"]> : tensor<1x1x10xi64> loc("v30")
  %v5 = tensor.collapse_shape %x1 [[0, 1], [2]] : tensor<3x4x10xi64> into tensor<12x10xi64> loc("v5")
  %v6 = tensor.extract_slice %v5[9, 0] [1, 10] [3, 1] : tensor<12x10xi64> to tensor<1x10xi64> loc("v6")
  %c13 = arith.constant 1 : i64
  %e14 = tensor.empty() : tensor<10xi64>
  %z15 = linalg.fill ins(%c13 : i64) outs(%e14 : tensor<10xi64>) -> tensor<10xi64>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%v6 : tensor<1x10xi64>) outs(%z15 : tensor<10xi64>) {
  ^bb0(%a9: i64, %o12: i64):
    %c11 = arith.constant 0 : i64
    %s10 = arith.maxsi %a9, %c11 : i64
    %s16 = arith.minsi %s10, %o12 : i64
    linalg.yield %s16 : i64
  } -> tensor<10xi64> loc("v17")
  %v18 = shardir.constrain %v17 to #shardir.placement<@m_r, [{10, "y", ?}], partial = and ["z"]> : tensor<10xi64> loc("v18")
  return %v46 : tensor<1x1x10xi64>
}
func.func @p_r_2(%x1: tensor<3x4x10xi64> {shardir.placement = #shardir.placement<@m_r, [{}, {}, {"y", ?}]>}, %x2: tensor<i16>, %x3: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", "z"}]>}) -> (tensor<1x1x10xi64>) {
  %v7 = tensor.extract_slice %x1[2, 1, 0] [1, 1, 10] [1, 1, 1] : tensor<3x4x10xi64> to tensor<1x1x10xi64> loc("v7")
  %v30 = shardir.constrain %v7 to #shardir.placement<@m_r, [{}, {}, {"z"}], partial = sum ["x"]> : tensor<1x1x10xi64> loc("v30")
  %v46 = tensor.extract_slice %v7[0, 0, 0] [1, 1, 10] [1, 2, 1] : tensor<1x1x10xi64> to tensor<1x1x10xi64> loc("v46")
  %v5 = tensor.collapse_shape %x1 [[0, 1], [2]] : tensor<3x4x10xi64> into tensor<12x10xi64> loc("v5")
  %v6 = tensor.extract_slice %v5[9, 0] [1, 10] [3, 1] : tensor<12x10xi64> to tensor<1x10xi64> loc("v6")
  %c13 = arith.constant 1 : i64
  %e14 = tensor.empty() : tensor<10xi64>
  %z15 = linalg.fill ins(%c13 : i64) outs(%e14 : tensor<10xi64>) -> tensor<10xi64>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%v6 : tensor<1x10xi64>) outs(%z15 : tensor<10xi64>) {
  ^bb0(%a9: i64, %o12: i64):
    %c11 = arith.constant 0 : i64
    %s10 = arith.maxsi %a9, %c11 : i64
    %s16 = arith.minsi %s10, %o12 : i64
    linalg.yield %s16 : i64
  } -> tensor<10xi64> loc("v17")
  %v18 = shardir.constrain %v17 to #shardir.placement<@m_r, [{10, "y", ?}], partial = and ["z"]> : tensor<10xi64> loc("v18")
  return %v46 : tensor<1x1x10xi64>
}
