shardir.mesh @m_r <["x"=2]>
func.func @p_r(%x1: tensor<10x8x10xf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}, {}]>}) -> (tensor<8xf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}) {
  %v3 = arith.mulf %x1, %x1 : tensor<10x8x10xf16> loc("v3")
  %c12 = arith.constant -2.0 : f16
  %e13 = tensor.empty() : tensor<8xf16>
  %z14 = linalg.fill ins(%c12 : f16) outs(%e13 : tensor<8xf16>) -> tensor<8xf16>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2, d1, d0)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%v3, %x1 : tensor<10x8x10xf16>, tensor<10x8x10xf16>) outs(%z14 : tensor<8xf16>) {
  ^bb0(%a6: f16, %a8: f16, %o11: f16):
    %s9 = math.absf %a8 : f16
    %s10 = arith.minimumf %a6, %s9 : f16
    %s15 = arith.maxnumf %o11, %s10 : f16
    linalg.yield %s15 : f16
  } -> tensor<8xf16> loc("v16")
  %v17 = tensor.collapse_shape %v3 [[0, 1], [2]] : tensor<10x8x10xf16> into tensor<80x10xf16> loc("v17")
  %v18 = tensor.expand_shape %v16 [[0]] output_shape [8] : tensor<8xf16> into tensor<8xf16> loc("v18")
  %v19 = shardir.constrain %v17 to #shardir.placement<@m_r, [{?}, {}]> : tensor<80x10xf16> loc("v19")
  %v22 = shardir.constrain %v18 to #shardir.placement<@m_r, [{?}]> : tensor<8xf16> loc("v22")
  %e26 = tensor.empty() : tensor<8xf16>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v22 : tensor<8xf16>) outs(%e26 : tensor<8xf16>) {
  ^bb0(%a23: f16, %o25: f16):
    %s24 = math.absf %a23 : f16
    linalg.yield %s24 : f16
  } -> tensor<8xf16> loc("v27")
  %e29 = tensor.empty() : tensor<80x10xi16>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17 : tensor<80x10xf16>) outs(%e29 : tensor<80x10xi16>) {
  ^bb0(%v30a: f16, %v30o: i16):
    %v30s = arith.fptosi %v30a : f16 to i16
    linalg.yield %v30s : i16
  } -> tensor<80x10xi16> loc("v30")
  %v31 = shardir.constrain %v19 to #shardir.placement<@m_r, [{}, {}]> : tensor<80x10xf16> loc("v31")
  return %v27 : tensor<8xf16>
}
func.func @p_r_0(%x1: tensor<10x8x10xf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}, {}]>}) -> (tensor<8xf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}) {
  %v3 = arith.mulf %x1, %x1 : tensor<10x8x10xf16> loc("v3")
  %v17 = tensor.collapse_shape %v3 [[0, 1], [2]] : tensor<10x8x10xf16> into tensor<80x10xf16> loc("v17")
  %v19 = shardir.constrain %v17 to #shardir.placement<@m_r, [{?}, {}]> : tensor<80x10xf16> loc("v19")
  %e29 = tensor.empty() : tensor<80x10xi16>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17 : tensor<80x10xf16>) outs(%e29 : tensor<80x10xi16>) {
  ^bb0(%v30a: f16, %v30o: i16):
    %v30s = arith.fptosi %v30a : f16 to i16
    linalg.yield %v30s : i16
  } -> tensor<80x10xi16> loc("v30")
  %v31 = shardir.constrain %v19 to #shardir.placement<@m_r, [{}, {}]> : tensor<80x10xf16> loc("v31")
  %c12 = arith.constant -2.0 : f16
  %e13 = tensor.empty() : tensor<8xf16>
  %z14 = linalg.fill ins(%c12 : f16) outs(%e13 : tensor<8xf16>) -> tensor<8xf16>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2, d1, d0)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%v3, %x1 : tensor<10x8x10xf16>, tensor<10x8x10xf16>) outs(%z14 : tensor<8xf16>) {
  ^bb0(%a6: f16, %a8: f16, %o11: f16):
    %s9 = math.absf %a8 : f16
    %s10 = arith.minimumf %a6, %s9 : f16
    %s15 = arith.maxnumf %o11, %s10 : f16
    linalg.yield %s15 : f16
  } -> tensor<8xf16> loc("v16")
  %v18 = tensor.expand_shape %v16 [[0]] output_shape [8] : tensor<8xf16> into tensor<8xf16> loc("v18")
  %v22 = shardir.constrain %v18 to #shardir.placement<@m_r, [{?}]> : tensor<8xf16> loc("v22")
  %e26 = tensor.empty() : tensor<8xf16>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v22 : tensor<8xf16>) outs(%e26 : tensor<8xf16>) {
  ^bb0(%a23: f16, %o25: f16):
    %s24 = math.absf %a23 : f16
    linalg.yield %s24 : f16
  } -> tensor<8xf16> loc("v27")
  return %v27 : tensor<8xf16>
}
func.func @p_r_1(%x1: tensor<10x8x10xf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}, {}]>}) -> (tensor<8xf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}) {
  %v3 = arith.mulf %x1, %x1 : tensor<10x8x10xf16> loc("v3")
  %c12 = arith.constant -2.0 : f16
  %e13 = tensor.empty() : tensor<8xf16>
  %z14 = linalg.fill ins(%c12 : f16) outs(%e13 : tensor<8xf16>) -> tensor<8xf16>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2, d1, d0)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%v3, %x1 : tensor<10x8x10xf16>, tensor<10x8x10xf16>) outs(%z14 : tensor<8xf16>) {
  ^bb0(%a6: f16, %a8: f16, %o11: f16):
    %s9 = math.absf %a8 : f16
    %s10 = arith.minimumf %a6, %s9 : f16
    %s15 = arith.maxnumf %o11, %s10 : f16
    linalg.yield %s15 : f16
  } -> tensor<8xf16> loc("v16")
  %v17 = tensor.collapse_shape %v3 [[0, 1], [2]] : tensor<10x8x10xf16> into tensor<80x10xf16> loc("v17")
  %e29 = tensor.empty() : tensor<80x10xi16>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17 : tensor<80x10xf16>) outs(%e29 : tensor<80x10xi16>) {
  ^bb0(%v30a: f16, %v30o: i16):
    %v30s = arith.fptosi %v30a : f16 to i16
    linalg.yield %v30s : i16
  } -> tensor<80x10xi16> loc("v30")
  %v19 = shardir.constrain %v17 to #shardir.placement<@m_r, [{?}, {}]> : tensor<80x10xf16> loc("v19")
  %v31 = shardir.constrain %v19 to #shardir.placement<@m_r, [{}, {}]> : tensor<80x10xf16> loc("v31")
  %v18 = tensor.expand_shape %v16 [[0]] output_shape [8] : tensor<8xf16> into tensor<8xf16> loc("v18")
  %v22 = shardir.constrain %v18 to #shardir.placement<@m_r, [{?}]> : tensor<8xf16> loc("v22")
  %e26 = tensor.empty() : tensor<8xf16>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v22 : tensor<8xf16>) outs(%e26 : tensor<8xf16>) {
  ^bb0(%a23: f16, %o25: f16):
    %s24 = math.absf %a23 : f16
    linalg.yield %s24 : f16
  } -> tensor<8xf16> loc("v27")
  return %v27 : tensor<8xf16>
}
func.func @p_r_2(%x1: tensor<10x8x10xf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}, {}]>}) -> (tensor<8xf16> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}) {
  %v3 = arith.mulf %x1, %x1 : tensor<10x8x10xf16> loc("v3")
  %v17 = tensor.collapse_shape %v3 [[0, 1], [2]] : tensor<10x8x10xf16> into tensor<80x10xf16> loc("v17")
  %c12 = arith.constant -2.0 : f16
  %e13 = tensor.empty() : tensor<8xf16>
  %z14 = linalg.fill ins(%c12 : f16) outs(%e13 : tensor<8xf16>) -> tensor<8xf16>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2, d1, d0)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%v3, %x1 : tensor<10x8x10xf16>, tensor<10x8x10xf16>) outs(%z14 : tensor<8xf16>) {
  ^bb0(%a6: f16, %a8: f16, %o11: f16):
    %s9 = math.absf %a8 : f16
    %s10 = arith.minimumf %a6, %s9 : f16
    %s15 = arith.maxnumf %o11, %s10 : f16
    linalg.yield %s15 : f16
  } -> tensor<8xf16> loc("v16")
  %v18 = tensor.expand_shape %v16 [[0]] output_shape [8] : tensor<8xf16> into tensor<8xf16> loc("v18")
  %v19 = shardir.constrain %v17 to #shardir.placement<@m_r, [{?}, {}]> : tensor<80x10xf16> loc("v19")
  %e29 = tensor.empty() : tensor<80x10xi16>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v17 : tensor<80x10xf16>) outs(%e29 : tensor<80x10xi16>) {
  ^bb0(%v30a: f16, %v30o: i16):
    %v30s = arith.fptosi %v30a : f16 to i16
    linalg.yield %v30s : i16
  } -> tensor<80x10xi16> loc("v30")
  %v31 = shardir.constrain %v19 to #shardir.placement<@m_r, [{}, {}]> : tensor<80x10xf16> loc("v31")
  %v22 = shardir.constrain %v18 to #shardir.placement<@m_r, [{?}]> : tensor<8xf16> loc("v22")
  %e26 = tensor.empty() : tensor<8xf16>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v22 : tensor<8xf16>) outs(%e26 : tensor<8xf16>) {
  ^bb0(%a23: f16, %o25: f16):
    %s24 = math.absf %a23 : f16
    linalg.yield %s24 : f16
  } -> tensor<8xf16> loc("v27")
  return %v27 : tensor<8xf16>
}
