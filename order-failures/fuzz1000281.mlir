shardir.mesh @m_r <["x"=4]>
func.func @p_r(%x1: tensor<4x4xi16>, %x2: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {?}]>}) -> (tensor<15xf32>) {
  %v4 = tensor.insert_slice %x2 into %x2[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32> loc("v4")
  %c12 = arith.constant -2.0 : f32
  %e13 = tensor.empty() : tensor<4xf32>
  %z14 = linalg.fill ins(%c12 : f32) outs(%e13 : tensor<4xf32>) -> tensor<4xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%v4, %x2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z14 : tensor<4xf32>) {
  ^bb0(%a5: f32, %a8: f32, %o11: f32):
    %c7 = arith.constant 0.0 : f32
    %s6 = arith.maxnumf %a5, %c7 : f32
    %s9 = arith.negf %a8 : f32
    %s10 = arith.addf %s6, %s9 : f32
    %s15 = arith.minimumf %o11, %s10 : f32
    linalg.yield %s15 : f32
  } -> tensor<4xf32> loc("v16")
  %v17 = tensor.insert_slice %v4 into %v4[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32> loc("v17")
  %c23 = arith.constant 0.0 : f32
  %e24 = tensor.empty() : tensor<4x4xf32>
  %z25 = linalg.fill ins(%c23 : f32) outs(%e24 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v26 = linalg.matmul ins(%v17, %v4 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z25 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("v26")
  %e37 = tensor.empty() : tensor<4x4xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17, %v17, %v26 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e37 : tensor<4x4xf32>) {
  ^bb0(%a27: f32, %a30: f32, %a32: f32, %o36: f32):
    %c29 = arith.constant 2.0 : f32
    %s28 = arith.mulf %a27, %c29 : f32
    %s34 = arith.addf %s28, %a30 : f32
    %s35 = arith.addf %s34, %a32 : f32
    linalg.yield %s35 : f32
  } -> tensor<4x4xf32> loc("v38")
  %v59 = arith.constant dense<[[2.0, 2.0, 2.0], [-3.0, 1.0, -1.0], [1.0, -2.0, 1.0], [0.0, 0.0, -1.0], [-3.0, 0.0, 2.0]]> : tensor<5x3xf32> loc("v59")
  %v60 = tensor.insert_slice %v59 into %v59[0, 0] [5, 3] [1, 1] : tensor<5x3xf32> into tensor<5x3xf32> loc("v60")
  %v78 = tensor.collapse_shape %v60 [[0, 1]] : tensor<5x3xf32> into tensor<15xf32> loc("v78")
  return %v78 : tensor<15xf32>
}
func.func @p_r_0(%x1: tensor<4x4xi16>, %x2: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {?}]>}) -> (tensor<15xf32>) {
  %v4 = tensor.insert_slice %x2 into %x2[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32> loc("v4")
  %c12 = arith.constant -2.0 : f32
  %e13 = tensor.empty() : tensor<4xf32>
  %z14 = linalg.fill ins(%c12 : f32) outs(%e13 : tensor<4xf32>) -> tensor<4xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%v4, %x2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z14 : tensor<4xf32>) {
  ^bb0(%a5: f32, %a8: f32, %o11: f32):
    %c7 = arith.constant 0.0 : f32
    %s6 = arith.maxnumf %a5, %c7 : f32
    %s9 = arith.negf %a8 : f32
    %s10 = arith.addf %s6, %s9 : f32
    %s15 = arith.minimumf %o11, %s10 : f32
    linalg.yield %s15 : f32
  } -> tensor<4xf32> loc("v16")
  %v17 = tensor.insert_slice %v4 into %v4[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32> loc("v17")
  %c23 = arith.constant 0.0 : f32
  %e24 = tensor.empty() : tensor<4x4xf32>
  %z25 = linalg.fill ins(%c23 : f32) outs(%e24 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v26 = linalg.matmul ins(%v17, %v4 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z25 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("v26")
  %v59 = arith.constant dense<[[2.0, 2.0, 2.0], [-3.0, 1.0, -1.0], [1.0, -2.0, 1.0], [0.0, 0.0, -1.0], [-3.0, 0.0, 2.0]]> : tensor<5x3xf32> loc("v59")
  %e37 = tensor.empty() : tensor<4x4xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17, %v17, %v26 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e37 : tensor<4x4xf32>) {
  ^bb0(%a27: f32, %a30: f32, %a32: f32, %o36: f32):
    %c29 = arith.constant 2.0 : f32
    %s28 = arith.mulf %a27, %c29 : f32
    %s34 = arith.addf %s28, %a30 : f32
    %s35 = arith.addf %s34, %a32 : f32
    linalg.yield %s35 : f32
  } -> tensor<4x4xf32> loc("v38")
  %v60 = tensor.insert_slice %v59 into %v59[0, 0] [5, 3] [1, 1] : tensor<5x3xf32> into tensor<5x3xf32> loc("v60")
  %v78 = tensor.collapse_shape %v60 [[0, 1]] : tensor<5x3xf32> into tensor<15xf32> loc("v78")
  return %v78 : tensor<15xf32>
}
func.func @p_r_1(%x1: tensor<4x4xi16>, %x2: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {?}]>}) -> (tensor<15xf32>) {
  %v4 = tensor.insert_slice %x2 into %x2[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32> loc("v4")
  %c12 = arith.constant -2.0 : f32
  %e13 = tensor.empty() : tensor<4xf32>
  %z14 = linalg.fill ins(%c12 : f32) outs(%e13 : tensor<4xf32>) -> tensor<4xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%v4, %x2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z14 : tensor<4xf32>) {
  ^bb0(%a5: f32, %a8: f32, %o11: f32):
    %c7 = arith.constant 0.0 : f32
    %s6 = arith.maxnumf %a5, %c7 : f32
    %s9 = arith.negf %a8 : f32
    %s10 = arith.addf %s6, %s9 : f32
    %s15 = arith.minimumf %o11, %s10 : f32
    linalg.yield %s15 : f32
  } -> tensor<4xf32> loc("v16")
  %v17 = tensor.insert_slice %v4 into %v4[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32> loc("v17")
  %v59 = arith.constant dense<[[2.0, 2.0, 2.0], [-3.0, 1.0, -1.0], [1.0, -2.0, 1.0], [0.0, 0.0, -1.0], [-3.0, 0.0, 2.0]]> : tensor<5x3xf32> loc("v59")
  %c23 = arith.constant 0.0 : f32
  %e24 = tensor.empty() : tensor<4x4xf32>
  %z25 = linalg.fill ins(%c23 : f32) outs(%e24 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v26 = linalg.matmul ins(%v17, %v4 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z25 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("v26")
  %v60 = tensor.insert_slice %v59 into %v59[0, 0] [5, 3] [1, 1] : tensor<5x3xf32> into tensor<5x3xf32> loc("v60")
  %v78 = tensor.collapse_shape %v60 [[0, 1]] : tensor<5x3xf32> into tensor<15xf32> loc("v78")
  %e37 = tensor.empty() : tensor<4x4xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17, %v17, %v26 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e37 : tensor<4x4xf32>) {
  ^bb0(%a27: f32, %a30: f32, %a32: f32, %o36: f32):
    %c29 = arith.constant 2.0 : f32
    %s28 = arith.mulf %a27, %c29 : f32
    %s34 = arith.addf %s28, %a30 : f32
    %s35 = arith.addf %s34, %a32 : f32
    linalg.yield %s35 : f32
  } -> tensor<4x4xf32> loc("v38")
  return %v78 : tensor<15xf32>
}
func.func @p_r_2(%x1: tensor<4x4xi16>, %x2: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {?}]>}) -> (tensor<15xf32>) {
  %v4 = tensor.insert_slice %x2 into %x2[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32> loc("v4")
  %v59 = arith.constant dense<[[2.0, 2.0, 2.0], [-3.0, 1.0, -1.0], [1.0, -2.0, 1.0], [0.0, 0.0, -1.0], [-3.0, 0.0, 2.0]]> : tensor<5x3xf32> loc("v59")
  %v17 = tensor.insert_slice %v4 into %v4[0, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x4xf32> loc("v17")
  %c23 = arith.constant 0.0 : f32
  %e24 = tensor.empty() : tensor<4x4xf32>
  %z25 = linalg.fill ins(%c23 : f32) outs(%e24 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v26 = linalg.matmul ins(%v17, %v4 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z25 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("v26")
  %e37 = tensor.empty() : tensor<4x4xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17, %v17, %v26 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e37 : tensor<4x4xf32>) {
  ^bb0(%a27: f32, %a30: f32, %a32: f32, %o36: f32):
    %c29 = arith.constant 2.0 : f32
    %s28 = arith.mulf %a27, %c29 : f32
    %s34 = arith.addf %s28, %a30 : f32
    %s35 = arith.addf %s34, %a32 : f32
    linalg.yield %s35 : f32
  } -> tensor<4x4xf32> loc("v38")
  %v60 = tensor.insert_slice %v59 into %v59[0, 0] [5, 3] [1, 1] : tensor<5x3xf32> into tensor<5x3xf32> loc("v60")
  %c12 = arith.constant -2.0 : f32
  %e13 = tensor.empty() : tensor<4xf32>
  %z14 = linalg.fill ins(%c12 : f32) outs(%e13 : tensor<4xf32>) -> tensor<4xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
      ins(%v4, %x2 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z14 : tensor<4xf32>) {
  ^bb0(%a5: f32, %a8: f32, %o11: f32):
    %c7 = arith.constant 0.0 : f32
    %s6 = arith.maxnumf %a5, %c7 : f32
    %s9 = arith.negf %a8 : f32
    %s10 = arith.addf %s6, %s9 : f32
    %s15 = arith.minimumf %o11, %s10 : f32
    linalg.yield %s15 : f32
  } -> tensor<4xf32> loc("v16")
  %v78 = tensor.collapse_shape %v60 [[0, 1]] : tensor<5x3xf32> into tensor<15xf32> loc("v78")
  return %v78 : tensor<15xf32>
}
