shardir.mesh @m_r <["x"=2, "y"=3]>
func.func @p_r(%x1: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {?}]>}) -> (tensor<4x4xf32>, tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}, tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}]>}) {
  %e13 = tensor.empty() : tensor<4x4xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %x1, %x1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e13 : tensor<4x4xf32>) {
  ^bb0(%a2: f32, %a5: f32, %a8: f32, %o12: f32):
    %c4 = arith.constant 1.0 : f32
    %s3 = arith.addf %a2, %c4 : f32
    %c7 = arith.constant 2.0 : f32
    %s6 = arith.mulf %a5, %c7 : f32
    %s9 = arith.negf %a8 : f32
    %s10 = arith.addf %s3, %s6 : f32
    %s11 = arith.maximumf %s10, %s9 : f32
    linalg.yield %s11 : f32
  } -> tensor<4x4xf32> loc("v14")
  return %v14, %v14, %v14 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
func.func @p_r_0(%x1: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {?}]>}) -> (tensor<4x4xf32>, tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}, tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}]>}) {
  %e13 = tensor.empty() : tensor<4x4xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %x1, %x1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e13 : tensor<4x4xf32>) {
  ^bb0(%a2: f32, %a5: f32, %a8: f32, %o12: f32):
    %c4 = arith.constant 1.0 : f32
    %s3 = arith.addf %a2, %c4 : f32
    %c7 = arith.constant 2.0 : f32
    %s6 = arith.mulf %a5, %c7 : f32
    %s9 = arith.negf %a8 : f32
    %s10 = arith.addf %s3, %s6 : f32
    %s11 = arith.maximumf %s10, %s9 : f32
    linalg.yield %s11 : f32
  } -> tensor<4x4xf32> loc("v14")
  return %v14, %v14, %v14 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
func.func @p_r_1(%x1: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {?}]>}) -> (tensor<4x4xf32>, tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}, tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}]>}) {
  %e13 = tensor.empty() : tensor<4x4xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %x1, %x1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e13 : tensor<4x4xf32>) {
  ^bb0(%a2: f32, %a5: f32, %a8: f32, %o12: f32):
    %c4 = arith.constant 1.0 : f32
    %s3 = arith.addf %a2, %c4 : f32
    %c7 = arith.constant 2.0 : f32
    %s6 = arith.mulf %a5, %c7 : f32
    %s9 = arith.negf %a8 : f32
    %s10 = arith.addf %s3, %s6 : f32
    %s11 = arith.maximumf %s10, %s9 : f32
    linalg.yield %s11 : f32
  } -> tensor<4x4xf32> loc("v14")
  return %v14, %v14, %v14 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
func.func @p_r_2(%x1: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {?}]>}) -> (tensor<4x4xf32>, tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}, tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{?}, {}]>}) {
  %e13 = tensor.empty() : tensor<4x4xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %x1, %x1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e13 : tensor<4x4xf32>) {
  ^bb0(%a2: f32, %a5: f32, %a8: f32, %o12: f32):
    %c4 = arith.constant 1.0 : f32
    %s3 = arith.addf %a2, %c4 : f32
    %c7 = arith.constant 2.0 : f32
    %s6 = arith.mulf %a5, %c7 : f32
    %s9 = arith.negf %a8 : f32
    %s10 = arith.addf %s3, %s6 : f32
    %s11 = arith.maximumf %s10, %s9 : f32
    linalg.yield %s11 : f32
  } -> tensor<4x4xf32> loc("v14")
  return %v14, %v14, %v14 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
