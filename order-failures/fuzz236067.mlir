shardir.mesh @m_r <["x"=2, "y"=2]>
func.func private @p_r_v3(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = arith.addf %x, %x : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @p_r(%x1: tensor<4x4xi1> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}p0]>}, %x2: tensor<4x4xf32>) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}, {}]>}) {
  %v3 = func.call @p_r_v3(%x2) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("v3")
  %c4 = arith.constant 0.0 : f32
  %v5 = tensor.pad %v3 low[0, 2] high[0, 3] {
  ^bb0(%v5i0: index, %v5i1: index):
    tensor.yield %c4 : f32
  } : tensor<4x4xf32> to tensor<4x9xf32> loc("v5")
  %c17 = arith.constant 1.0 : f32
  %e18 = tensor.empty() : tensor<4x9xf32>
  %z19 = linalg.fill ins(%c17 : f32) outs(%e18 : tensor<4x9xf32>) -> tensor<4x9xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v5, %v5, %v3 : tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x4xf32>) outs(%z19 : tensor<4x9xf32>) {
  ^bb0(%a6: f32, %a9: f32, %a12: f32, %o16: f32):
    %c8 = arith.constant 2.0 : f32
    %s7 = arith.mulf %a6, %c8 : f32
    %c11 = arith.constant 2.0 : f32
    %s10 = arith.mulf %a9, %c11 : f32
    %s14 = arith.mulf %s7, %s10 : f32
    %s15 = arith.maximumf %s14, %a12 : f32
    %s20 = arith.maxnumf %s15, %o16 : f32
    linalg.yield %s20 : f32
  } -> tensor<4x9xf32> loc("v21")
  %c28 = arith.constant -2.0 : f32
  %e29 = tensor.empty() : tensor<f32>
  %z30 = linalg.fill ins(%c28 : f32) outs(%e29 : tensor<f32>) -> tensor<f32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x2, %v3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z30 : tensor<f32>) {
  ^bb0(%a22: f32, %a24: f32, %o27: f32):
    %s25 = math.absf %a24 : f32
    %s26 = arith.maximumf %a22, %s25 : f32
    %s31 = arith.minimumf %s26, %o27 : f32
    linalg.yield %s31 : f32
  } -> tensor<f32> loc("v32")
  %v60 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<4x9xf32>) outs(%v5 : tensor<4x9xf32>) {
  ^bb0(%a55: f32, %o58: f32):
    %c57 = arith.constant 2.0 : f32
    %s56 = arith.mulf %a55, %c57 : f32
    %s59 = arith.subf %o58, %s56 : f32
    linalg.yield %s59 : f32
  } -> tensor<4x9xf32> loc("v60")
  %v61 = shardir.constrain %v32 to #shardir.placement<@m_r, []> : tensor<f32> loc("v61")
  %v62 = tensor.extract_slice %v5[1, 1] [3, 5] [1, 1] : tensor<4x9xf32> to tensor<3x5xf32> loc("v62")
  %v75 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v3, %v61, %v61 : tensor<4x4xf32>, tensor<f32>, tensor<f32>) outs(%v3 : tensor<4x4xf32>) {
  ^bb0(%a63: f32, %a66: f32, %a68: f32, %o73: f32):
    %c65 = arith.constant 0.0 : f32
    %s64 = arith.maxnumf %a63, %c65 : f32
    %s67 = arith.negf %a66 : f32
    %c70 = arith.constant 0.0 : f32
    %s69 = arith.maxnumf %a68, %c70 : f32
    %s71 = arith.minimumf %s64, %s67 : f32
    %s72 = arith.maximumf %s71, %s69 : f32
    %s74 = arith.minimumf %o73, %s72 : f32
    linalg.yield %s74 : f32
  } -> tensor<4x4xf32> loc("v75")
  %v77 = shardir.constrain %v60 to #shardir.placement<@m_r, [{"y", ?}, {"x", ?}]> : tensor<4x9xf32> loc("v77")
  return %v75 : tensor<4x4xf32>
}
func.func private @p_r_0_v3(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = arith.addf %x, %x : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @p_r_0(%x1: tensor<4x4xi1> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}p0]>}, %x2: tensor<4x4xf32>) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}, {}]>}) {
  %v3 = func.call @p_r_0_v3(%x2) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("v3")
  %c28 = arith.constant -2.0 : f32
  %e29 = tensor.empty() : tensor<f32>
  %z30 = linalg.fill ins(%c28 : f32) outs(%e29 : tensor<f32>) -> tensor<f32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x2, %v3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z30 : tensor<f32>) {
  ^bb0(%a22: f32, %a24: f32, %o27: f32):
    %s25 = math.absf %a24 : f32
    %s26 = arith.maximumf %a22, %s25 : f32
    %s31 = arith.minimumf %s26, %o27 : f32
    linalg.yield %s31 : f32
  } -> tensor<f32> loc("v32")
  %v61 = shardir.constrain %v32 to #shardir.placement<@m_r, []> : tensor<f32> loc("v61")
  %v75 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v3, %v61, %v61 : tensor<4x4xf32>, tensor<f32>, tensor<f32>) outs(%v3 : tensor<4x4xf32>) {
  ^bb0(%a63: f32, %a66: f32, %a68: f32, %o73: f32):
    %c65 = arith.constant 0.0 : f32
    %s64 = arith.maxnumf %a63, %c65 : f32
    %s67 = arith.negf %a66 : f32
    %c70 = arith.constant 0.0 : f32
    %s69 = arith.maxnumf %a68, %c70 : f32
    %s71 = arith.minimumf %s64, %s67 : f32
    %s72 = arith.maximumf %s71, %s69 : f32
    %s74 = arith.minimumf %o73, %s72 : f32
    linalg.yield %s74 : f32
  } -> tensor<4x4xf32> loc("v75")
  %c4 = arith.constant 0.0 : f32
  %v5 = tensor.pad %v3 low[0, 2] high[0, 3] {
  ^bb0(%v5i0: index, %v5i1: index):
    tensor.yield %c4 : f32
  } : tensor<4x4xf32> to tensor<4x9xf32> loc("v5")
  %c17 = arith.constant 1.0 : f32
  %e18 = tensor.empty() : tensor<4x9xf32>
  %z19 = linalg.fill ins(%c17 : f32) outs(%e18 : tensor<4x9xf32>) -> tensor<4x9xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v5, %v5, %v3 : tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x4xf32>) outs(%z19 : tensor<4x9xf32>) {
  ^bb0(%a6: f32, %a9: f32, %a12: f32, %o16: f32):
    %c8 = arith.constant 2.0 : f32
    %s7 = arith.mulf %a6, %c8 : f32
    %c11 = arith.constant 2.0 : f32
    %s10 = arith.mulf %a9, %c11 : f32
    %s14 = arith.mulf %s7, %s10 : f32
    %s15 = arith.maximumf %s14, %a12 : f32
    %s20 = arith.maxnumf %s15, %o16 : f32
    linalg.yield %s20 : f32
  } -> tensor<4x9xf32> loc("v21")
  %v62 = tensor.extract_slice %v5[1, 1] [3, 5] [1, 1] : tensor<4x9xf32> to tensor<3x5xf32> loc("v62")
  %v60 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<4x9xf32>) outs(%v5 : tensor<4x9xf32>) {
  ^bb0(%a55: f32, %o58: f32):
    %c57 = arith.constant 2.0 : f32
    %s56 = arith.mulf %a55, %c57 : f32
    %s59 = arith.subf %o58, %s56 : f32
    linalg.yield %s59 : f32
  } -> tensor<4x9xf32> loc("v60")
  %v77 = shardir.constrain %v60 to #shardir.placement<@m_r, [{"y", ?}, {"x", ?}]> : tensor<4x9xf32> loc("v77")
  return %v75 : tensor<4x4xf32>
}
func.func private @p_r_1_v3(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = arith.addf %x, %x : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @p_r_1(%x1: tensor<4x4xi1> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}p0]>}, %x2: tensor<4x4xf32>) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}, {}]>}) {
  %v3 = func.call @p_r_1_v3(%x2) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("v3")
  %c4 = arith.constant 0.0 : f32
  %v5 = tensor.pad %v3 low[0, 2] high[0, 3] {
  ^bb0(%v5i0: index, %v5i1: index):
    tensor.yield %c4 : f32
  } : tensor<4x4xf32> to tensor<4x9xf32> loc("v5")
  %c17 = arith.constant 1.0 : f32
  %e18 = tensor.empty() : tensor<4x9xf32>
  %z19 = linalg.fill ins(%c17 : f32) outs(%e18 : tensor<4x9xf32>) -> tensor<4x9xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v5, %v5, %v3 : tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x4xf32>) outs(%z19 : tensor<4x9xf32>) {
  ^bb0(%a6: f32, %a9: f32, %a12: f32, %o16: f32):
    %c8 = arith.constant 2.0 : f32
    %s7 = arith.mulf %a6, %c8 : f32
    %c11 = arith.constant 2.0 : f32
    %s10 = arith.mulf %a9, %c11 : f32
    %s14 = arith.mulf %s7, %s10 : f32
    %s15 = arith.maximumf %s14, %a12 : f32
    %s20 = arith.maxnumf %s15, %o16 : f32
    linalg.yield %s20 : f32
  } -> tensor<4x9xf32> loc("v21")
  %v62 = tensor.extract_slice %v5[1, 1] [3, 5] [1, 1] : tensor<4x9xf32> to tensor<3x5xf32> loc("v62")
  %v60 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<4x9xf32>) outs(%v5 : tensor<4x9xf32>) {
  ^bb0(%a55: f32, %o58: f32):
    %c57 = arith.constant 2.0 : f32
    %s56 = arith.mulf %a55, %c57 : f32
    %s59 = arith.subf %o58, %s56 : f32
    linalg.yield %s59 : f32
  } -> tensor<4x9xf32> loc("v60")
  %v77 = shardir.constrain %v60 to #shardir.placement<@m_r, [{"y", ?}, {"x", ?}]> : tensor<4x9xf32> loc("v77")
  %c28 = arith.constant -2.0 : f32
  %e29 = tensor.empty() : tensor<f32>
  %z30 = linalg.fill ins(%c28 : f32) outs(%e29 : tensor<f32>) -> tensor<f32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x2, %v3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z30 : tensor<f32>) {
  ^bb0(%a22: f32, %a24: f32, %o27: f32):
    %s25 = math.absf %a24 : f32
    %s26 = arith.maximumf %a22, %s25 : f32
    %s31 = arith.minimumf %s26, %o27 : f32
    linalg.yield %s31 : f32
  } -> tensor<f32> loc("v32")
  %v61 = shardir.constrain %v32 to #shardir.placement<@m_r, []> : tensor<f32> loc("v61")
  %v75 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v3, %v61, %v61 : tensor<4x4xf32>, tensor<f32>, tensor<f32>) outs(%v3 : tensor<4x4xf32>) {
  ^bb0(%a63: f32, %a66: f32, %a68: f32, %o73: f32):
    %c65 = arith.constant 0.0 : f32
    %s64 = arith.maxnumf %a63, %c65 : f32
    %s67 = arith.negf %a66 : f32
    %c70 = arith.constant 0.0 : f32
    %s69 = arith.maxnumf %a68, %c70 : f32
    %s71 = arith.minimumf %s64, %s67 : f32
    %s72 = arith.maximumf %s71, %s69 : f32
    %s74 = arith.minimumf %o73, %s72 : f32
    linalg.yield %s74 : f32
  } -> tensor<4x4xf32> loc("v75")
  return %v75 : tensor<4x4xf32>
}
func.func private @p_r_2_v3(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %y = arith.addf %x, %x : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
func.func @p_r_2(%x1: tensor<4x4xi1> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}p0]>}, %x2: tensor<4x4xf32>) -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}, {}]>}) {
  %v3 = func.call @p_r_2_v3(%x2) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("v3")
  %c28 = arith.constant -2.0 : f32
  %e29 = tensor.empty() : tensor<f32>
  %z30 = linalg.fill ins(%c28 : f32) outs(%e29 : tensor<f32>) -> tensor<f32>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x2, %v3 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z30 : tensor<f32>) {
  ^bb0(%a22: f32, %a24: f32, %o27: f32):
    %s25 = math.absf %a24 : f32
    %s26 = arith.maximumf %a22, %s25 : f32
    %s31 = arith.minimumf %s26, %o27 : f32
    linalg.yield %s31 : f32
  } -> tensor<f32> loc("v32")
  %c4 = arith.constant 0.0 : f32
  %v5 = tensor.pad %v3 low[0, 2] high[0, 3] {
  ^bb0(%v5i0: index, %v5i1: index):
    tensor.yield %c4 : f32
  } : tensor<4x4xf32> to tensor<4x9xf32> loc("v5")
  %c17 = arith.constant 1.0 : f32
  %e18 = tensor.empty() : tensor<4x9xf32>
  %z19 = linalg.fill ins(%c17 : f32) outs(%e18 : tensor<4x9xf32>) -> tensor<4x9xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%v5, %v5, %v3 : tensor<4x9xf32>, tensor<4x9xf32>, tensor<4x4xf32>) outs(%z19 : tensor<4x9xf32>) {
  ^bb0(%a6: f32, %a9: f32, %a12: f32, %o16: f32):
    %c8 = arith.constant 2.0 : f32
    %s7 = arith.mulf %a6, %c8 : f32
    %c11 = arith.constant 2.0 : f32
    %s10 = arith.mulf %a9, %c11 : f32
    %s14 = arith.mulf %s7, %s10 : f32
    %s15 = arith.maximumf %s14, %a12 : f32
    %s20 = arith.maxnumf %s15, %o16 : f32
    linalg.yield %s20 : f32
  } -> tensor<4x9xf32> loc("v21")
  %v60 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<4x9xf32>) outs(%v5 : tensor<4x9xf32>) {
  ^bb0(%a55: f32, %o58: f32):
    %c57 = arith.constant 2.0 : f32
    %s56 = arith.mulf %a55, %c57 : f32
    %s59 = arith.subf %o58, %s56 : f32
    linalg.yield %s59 : f32
  } -> tensor<4x9xf32> loc("v60")
  %v62 = tensor.extract_slice %v5[1, 1] [3, 5] [1, 1] : tensor<4x9xf32> to tensor<3x5xf32> loc("v62")
  %v77 = shardir.constrain %v60 to #shardir.placement<@m_r, [{"y", ?}, {"x", ?}]> : tensor<4x9xf32> loc("v77")
  %v61 = shardir.constrain %v32 to #shardir.placement<@m_r, []> : tensor<f32> loc("v61")
  %v75 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v3, %v61, %v61 : tensor<4x4xf32>, tensor<f32>, tensor<f32>) outs(%v3 : tensor<4x4xf32>) {
  ^bb0(%a63: f32, %a66: f32, %a68: f32, %o73: f32):
    %c65 = arith.constant 0.0 : f32
    %s64 = arith.maxnumf %a63, %c65 : f32
    %s67 = arith.negf %a66 : f32
    %c70 = arith.constant 0.0 : f32
    %s69 = arith.maxnumf %a68, %c70 : f32
    %s71 = arith.minimumf %s64, %s67 : f32
    %s72 = arith.maximumf %s71, %s69 : f32
    %s74 = arith.minimumf %o73, %s72 : f32
    linalg.yield %s74 : f32
  } -> tensor<4x4xf32> loc("v75")
  return %v75 : tensor<4x4xf32>
}
