shardir.mesh @m_r <["x"=2, "y"=2, "z"=2]>
func.func @p_r(%x1: tensor<4x4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {2, "x"}, {}]>}, %x2: tensor<4x4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}p0, {?}], partial = prod ["z"]>}, %x3: tensor<6x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<6x6x11xf32>) {
  %v12 = tensor.extract_slice %x3[0, 2] [6, 8] [1, 1] : tensor<6x10xf32> to tensor<6x8xf32> loc("v12")
  %v13 = tensor.insert_slice %v12 into %v12[0, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x8xf32> loc("v13")
  %v14 = tensor.insert_slice %v12 into %v12[0, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x8xf32> loc("v14")
  %e16 = tensor.empty() : tensor<6x8xf32>
  %v15 = linalg.transpose ins(%v14 : tensor<6x8xf32>) outs(%e16 : tensor<6x8xf32>) permutation = [0, 1] loc("v15")
  %v17 = shardir.constrain %v15 to #shardir.placement<@m_r, [{"y", ?}, {"z"}], partial = sum ["x"]> : tensor<6x8xf32> loc("v17")
  %c25 = arith.constant 1.0 : f32
  %e26 = tensor.empty() : tensor<6x6x8xf32>
  %z27 = linalg.fill ins(%c25 : f32) outs(%e26 : tensor<6x6x8xf32>) -> tensor<6x6x8xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%x3, %v15 : tensor<6x10xf32>, tensor<6x8xf32>) outs(%z27 : tensor<6x6x8xf32>) {
  ^bb0(%a18: f32, %a21: f32, %o24: f32):
    %c20 = arith.constant 2.0 : f32
    %s19 = arith.mulf %a18, %c20 : f32
    %s22 = arith.negf %a21 : f32
    %s23 = arith.mulf %s19, %s22 : f32
    %s28 = arith.minnumf %s23, %o24 : f32
    linalg.yield %s28 : f32
  } -> tensor<6x6x8xf32> loc("v29")
  %v30 = shardir.constrain %v29 to #shardir.placement<@m_r, [{}, {"y"}, {"x"}]> : tensor<6x6x8xf32> loc("v30")
  %c46 = arith.constant 0.0 : f32
  %e47 = tensor.empty() : tensor<6xf32>
  %z48 = linalg.fill ins(%c46 : f32) outs(%e47 : tensor<6xf32>) -> tensor<6xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%v29, %v13, %v15 : tensor<6x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) outs(%z48 : tensor<6xf32>) {
  ^bb0(%a32: f32, %a34: f32, %a36: f32, %o45: f32):
    %s35 = math.absf %a34 : f32
    %c38 = arith.constant 2.0 : f32
    %s37 = arith.mulf %a36, %c38 : f32
    %s39 = arith.mulf %a32, %s35 : f32
    %s40 = arith.minimumf %s39, %s37 : f32
    %s41 = linalg.index 1 : index
    %s42 = arith.index_cast %s41 : index to i32
    %s44 = arith.sitofp %s42 : i32 to f32
    %s43 = arith.addf %s40, %s44 : f32
    %s49 = arith.maxnumf %o45, %s43 : f32
    linalg.yield %s49 : f32
  } -> tensor<6xf32> loc("v50")
  %v60 = shardir.constrain %v30 to #shardir.placement<@m_r, [{"z"}, {}, {}]> : tensor<6x6x8xf32> loc("v60")
  %c73 = arith.constant 0.0 : f32
  %v74 = tensor.pad %v60 low[0, 0, 0] high[0, 0, 3] {
  ^bb0(%v74i0: index, %v74i1: index, %v74i2: index):
    tensor.yield %c73 : f32
  } : tensor<6x6x8xf32> to tensor<6x6x11xf32> loc("v74")
  return %v74 : tensor<6x6x11xf32>
}
func.func @p_r_0(%x1: tensor<4x4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {2, "x"}, {}]>}, %x2: tensor<4x4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}p0, {?}], partial = prod ["z"]>}, %x3: tensor<6x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<6x6x11xf32>) {
  %v12 = tensor.extract_slice %x3[0, 2] [6, 8] [1, 1] : tensor<6x10xf32> to tensor<6x8xf32> loc("v12")
  %v14 = tensor.insert_slice %v12 into %v12[0, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x8xf32> loc("v14")
  %e16 = tensor.empty() : tensor<6x8xf32>
  %v15 = linalg.transpose ins(%v14 : tensor<6x8xf32>) outs(%e16 : tensor<6x8xf32>) permutation = [0, 1] loc("v15")
  %v17 = shardir.constrain %v15 to #shardir.placement<@m_r, [{"y", ?}, {"z"}], partial = sum ["x"]> : tensor<6x8xf32> loc("v17")
  %v13 = tensor.insert_slice %v12 into %v12[0, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x8xf32> loc("v13")
  %c25 = arith.constant 1.0 : f32
  %e26 = tensor.empty() : tensor<6x6x8xf32>
  %z27 = linalg.fill ins(%c25 : f32) outs(%e26 : tensor<6x6x8xf32>) -> tensor<6x6x8xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%x3, %v15 : tensor<6x10xf32>, tensor<6x8xf32>) outs(%z27 : tensor<6x6x8xf32>) {
  ^bb0(%a18: f32, %a21: f32, %o24: f32):
    %c20 = arith.constant 2.0 : f32
    %s19 = arith.mulf %a18, %c20 : f32
    %s22 = arith.negf %a21 : f32
    %s23 = arith.mulf %s19, %s22 : f32
    %s28 = arith.minnumf %s23, %o24 : f32
    linalg.yield %s28 : f32
  } -> tensor<6x6x8xf32> loc("v29")
  %v30 = shardir.constrain %v29 to #shardir.placement<@m_r, [{}, {"y"}, {"x"}]> : tensor<6x6x8xf32> loc("v30")
  %v60 = shardir.constrain %v30 to #shardir.placement<@m_r, [{"z"}, {}, {}]> : tensor<6x6x8xf32> loc("v60")
  %c46 = arith.constant 0.0 : f32
  %e47 = tensor.empty() : tensor<6xf32>
  %z48 = linalg.fill ins(%c46 : f32) outs(%e47 : tensor<6xf32>) -> tensor<6xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%v29, %v13, %v15 : tensor<6x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) outs(%z48 : tensor<6xf32>) {
  ^bb0(%a32: f32, %a34: f32, %a36: f32, %o45: f32):
    %s35 = math.absf %a34 : f32
    %c38 = arith.constant 2.0 : f32
    %s37 = arith.mulf %a36, %c38 : f32
    %s39 = arith.mulf %a32, %s35 : f32
    %s40 = arith.minimumf %s39, %s37 : f32
    %s41 = linalg.index 1 : index
    %s42 = arith.index_cast %s41 : index to i32
    %s44 = arith.sitofp %s42 : i32 to f32
    %s43 = arith.addf %s40, %s44 : f32
    %s49 = arith.maxnumf %o45, %s43 : f32
    linalg.yield %s49 : f32
  } -> tensor<6xf32> loc("v50")
  %c73 = arith.constant 0.0 : f32
  %v74 = tensor.pad %v60 low[0, 0, 0] high[0, 0, 3] {
  ^bb0(%v74i0: index, %v74i1: index, %v74i2: index):
    tensor.yield %c73 : f32
  } : tensor<6x6x8xf32> to tensor<6x6x11xf32> loc("v74")
  return %v74 : tensor<6x6x11xf32>
}
func.func @p_r_1(%x1: tensor<4x4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {2, "x"}, {}]>}, %x2: tensor<4x4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}p0, {?}], partial = prod ["z"]>}, %x3: tensor<6x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<6x6x11xf32>) {
  %v12 = tensor.extract_slice %x3[0, 2] [6, 8] [1, 1] : tensor<6x10xf32> to tensor<6x8xf32> loc("v12")
  %v13 = tensor.insert_slice %v12 into %v12[0, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x8xf32> loc("v13")
  %v14 = tensor.insert_slice %v12 into %v12[0, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x8xf32> loc("v14")
  %e16 = tensor.empty() : tensor<6x8xf32>
  %v15 = linalg.transpose ins(%v14 : tensor<6x8xf32>) outs(%e16 : tensor<6x8xf32>) permutation = [0, 1] loc("v15")
  %v17 = shardir.constrain %v15 to #shardir.placement<@m_r, [{"y", ?}, {"z"}], partial = sum ["x"]> : tensor<6x8xf32> loc("v17")
  %c25 = arith.constant 1.0 : f32
  %e26 = tensor.empty() : tensor<6x6x8xf32>
  %z27 = linalg.fill ins(%c25 : f32) outs(%e26 : tensor<6x6x8xf32>) -> tensor<6x6x8xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%x3, %v15 : tensor<6x10xf32>, tensor<6x8xf32>) outs(%z27 : tensor<6x6x8xf32>) {
  ^bb0(%a18: f32, %a21: f32, %o24: f32):
    %c20 = arith.constant 2.0 : f32
    %s19 = arith.mulf %a18, %c20 : f32
    %s22 = arith.negf %a21 : f32
    %s23 = arith.mulf %s19, %s22 : f32
    %s28 = arith.minnumf %s23, %o24 : f32
    linalg.yield %s28 : f32
  } -> tensor<6x6x8xf32> loc("v29")
  %v30 = shardir.constrain %v29 to #shardir.placement<@m_r, [{}, {"y"}, {"x"}]> : tensor<6x6x8xf32> loc("v30")
  %v60 = shardir.constrain %v30 to #shardir.placement<@m_r, [{"z"}, {}, {}]> : tensor<6x6x8xf32> loc("v60")
  %c73 = arith.constant 0.0 : f32
  %v74 = tensor.pad %v60 low[0, 0, 0] high[0, 0, 3] {
  ^bb0(%v74i0: index, %v74i1: index, %v74i2: index):
    tensor.yield %c73 : f32
  } : tensor<6x6x8xf32> to tensor<6x6x11xf32> loc("v74")
  %c46 = arith.constant 0.0 : f32
  %e47 = tensor.empty() : tensor<6xf32>
  %z48 = linalg.fill ins(%c46 : f32) outs(%e47 : tensor<6xf32>) -> tensor<6xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%v29, %v13, %v15 : tensor<6x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) outs(%z48 : tensor<6xf32>) {
  ^bb0(%a32: f32, %a34: f32, %a36: f32, %o45: f32):
    %s35 = math.absf %a34 : f32
    %c38 = arith.constant 2.0 : f32
    %s37 = arith.mulf %a36, %c38 : f32
    %s39 = arith.mulf %a32, %s35 : f32
    %s40 = arith.minimumf %s39, %s37 : f32
    %s41 = linalg.index 1 : index
    %s42 = arith.index_cast %s41 : index to i32
    %s44 = arith.sitofp %s42 : i32 to f32
    %s43 = arith.addf %s40, %s44 : f32
    %s49 = arith.maxnumf %o45, %s43 : f32
    linalg.yield %s49 : f32
  } -> tensor<6xf32> loc("v50")
  return %v74 : tensor<6x6x11xf32>
}
func.func @p_r_2(%x1: tensor<4x4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {2, "x"}, {}]>}, %x2: tensor<4x4x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}p0, {?}], partial = prod ["z"]>}, %x3: tensor<6x10xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) -> (tensor<6x6x11xf32>) {
  %v12 = tensor.extract_slice %x3[0, 2] [6, 8] [1, 1] : tensor<6x10xf32> to tensor<6x8xf32> loc("v12")
  %v14 = tensor.insert_slice %v12 into %v12[0, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x8xf32> loc("v14")
  %v13 = tensor.insert_slice %v12 into %v12[0, 0] [6, 8] [1, 1] : tensor<6x8xf32> into tensor<6x8xf32> loc("v13")
  %e16 = tensor.empty() : tensor<6x8xf32>
  %v15 = linalg.transpose ins(%v14 : tensor<6x8xf32>) outs(%e16 : tensor<6x8xf32>) permutation = [0, 1] loc("v15")
  %v17 = shardir.constrain %v15 to #shardir.placement<@m_r, [{"y", ?}, {"z"}], partial = sum ["x"]> : tensor<6x8xf32> loc("v17")
  %c25 = arith.constant 1.0 : f32
  %e26 = tensor.empty() : tensor<6x6x8xf32>
  %z27 = linalg.fill ins(%c25 : f32) outs(%e26 : tensor<6x6x8xf32>) -> tensor<6x6x8xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>], iterator_types = ["parallel", "reduction", "parallel", "parallel"]}
      ins(%x3, %v15 : tensor<6x10xf32>, tensor<6x8xf32>) outs(%z27 : tensor<6x6x8xf32>) {
  ^bb0(%a18: f32, %a21: f32, %o24: f32):
    %c20 = arith.constant 2.0 : f32
    %s19 = arith.mulf %a18, %c20 : f32
    %s22 = arith.negf %a21 : f32
    %s23 = arith.mulf %s19, %s22 : f32
    %s28 = arith.minnumf %s23, %o24 : f32
    linalg.yield %s28 : f32
  } -> tensor<6x6x8xf32> loc("v29")
  %c46 = arith.constant 0.0 : f32
  %e47 = tensor.empty() : tensor<6xf32>
  %z48 = linalg.fill ins(%c46 : f32) outs(%e47 : tensor<6xf32>) -> tensor<6xf32>
  %v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%v29, %v13, %v15 : tensor<6x6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>) outs(%z48 : tensor<6xf32>) {
  ^bb0(%a32: f32, %a34: f32, %a36: f32, %o45: f32):
    %s35 = math.absf %a34 : f32
    %c38 = arith.constant 2.0 : f32
    %s37 = arith.mulf %a36, %c38 : f32
    %s39 = arith.mulf %a32, %s35 : f32
    %s40 = arith.minimumf %s39, %s37 : f32
    %s41 = linalg.index 1 : index
    %s42 = arith.index_cast %s41 : index to i32
    %s44 = arith.sitofp %s42 : i32 to f32
    %s43 = arith.addf %s40, %s44 : f32
    %s49 = arith.maxnumf %o45, %s43 : f32
    linalg.yield %s49 : f32
  } -> tensor<6xf32> loc("v50")
  %v30 = shardir.constrain %v29 to #shardir.placement<@m_r, [{}, {"y"}, {"x"}]> : tensor<6x6x8xf32> loc("v30")
  %v60 = shardir.constrain %v30 to #shardir.placement<@m_r, [{"z"}, {}, {}]> : tensor<6x6x8xf32> loc("v60")
  %c73 = arith.constant 0.0 : f32
  %v74 = tensor.pad %v60 low[0, 0, 0] high[0, 0, 3] {
  ^bb0(%v74i0: index, %v74i1: index, %v74i2: index):
    tensor.yield %c73 : f32
  } : tensor<6x6x8xf32> to tensor<6x6x11xf32> loc("v74")
  return %v74 : tensor<6x6x11xf32>
}
