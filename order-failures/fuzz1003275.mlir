shardir.mesh @m_r <["x"=2, "y"=3]>
func.func @p_r(%x1: tensor<8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}, %x2: tensor<i1> {shardir.placement = #shardir.placement<@m_r, []>}, %x3: tensor<1x6xf32>) -> (tensor<2xf32>, tensor<2x1x1xi32> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}, {?}, {}]>}) {
  %v4 = tensor.extract_slice %x3[0, 4] [1, 2] [1, 1] : tensor<1x6xf32> to tensor<2xf32> loc("v4")
  %v5 = tensor.expand_shape %v4 [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xf32> into tensor<2x1x1xf32> loc("v5")
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x1x1xf32>) outs(%v5 : tensor<2x1x1xf32>) {
  ^bb0(%a6: f32, %o9: f32):
    %c8 = arith.constant 1.0 : f32
    %s7 = arith.addf %a6, %c8 : f32
    %s10 = arith.subf %o9, %s7 : f32
    linalg.yield %s10 : f32
  } -> tensor<2x1x1xf32> loc("v11")
  %v20 = tensor.collapse_shape %v5 [[0, 1, 2]] : tensor<2x1x1xf32> into tensor<2xf32> loc("v20")
  %e27 = tensor.empty() : tensor<2x1x1x7xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x1x1xf32>) outs(%e27 : tensor<2x1x1x7xf32>) {
  ^bb0(%a24: f32, %o26: f32):
    %s25 = math.absf %a24 : f32
    linalg.yield %s25 : f32
  } -> tensor<2x1x1x7xf32> loc("v28")
  %v29 = shardir.constrain %v20 to #shardir.placement<@m_r, [{"y"}]> : tensor<2xf32> loc("v29")
  %e30 = tensor.empty() : tensor<2x1x1xi32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v11 : tensor<2x1x1xf32>) outs(%e30 : tensor<2x1x1xi32>) {
  ^bb0(%v31a: f32, %v31o: i32):
    %v31s = arith.fptosi %v31a : f32 to i32
    linalg.yield %v31s : i32
  } -> tensor<2x1x1xi32> loc("v31")
  return %v29, %v31 : tensor<2xf32>, tensor<2x1x1xi32>
}
func.func @p_r_0(%x1: tensor<8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}, %x2: tensor<i1> {shardir.placement = #shardir.placement<@m_r, []>}, %x3: tensor<1x6xf32>) -> (tensor<2xf32>, tensor<2x1x1xi32> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}, {?}, {}]>}) {
  %v4 = tensor.extract_slice %x3[0, 4] [1, 2] [1, 1] : tensor<1x6xf32> to tensor<2xf32> loc("v4")
  %v5 = tensor.expand_shape %v4 [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xf32> into tensor<2x1x1xf32> loc("v5")
  %e27 = tensor.empty() : tensor<2x1x1x7xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x1x1xf32>) outs(%e27 : tensor<2x1x1x7xf32>) {
  ^bb0(%a24: f32, %o26: f32):
    %s25 = math.absf %a24 : f32
    linalg.yield %s25 : f32
  } -> tensor<2x1x1x7xf32> loc("v28")
  %v20 = tensor.collapse_shape %v5 [[0, 1, 2]] : tensor<2x1x1xf32> into tensor<2xf32> loc("v20")
  %v29 = shardir.constrain %v20 to #shardir.placement<@m_r, [{"y"}]> : tensor<2xf32> loc("v29")
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x1x1xf32>) outs(%v5 : tensor<2x1x1xf32>) {
  ^bb0(%a6: f32, %o9: f32):
    %c8 = arith.constant 1.0 : f32
    %s7 = arith.addf %a6, %c8 : f32
    %s10 = arith.subf %o9, %s7 : f32
    linalg.yield %s10 : f32
  } -> tensor<2x1x1xf32> loc("v11")
  %e30 = tensor.empty() : tensor<2x1x1xi32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v11 : tensor<2x1x1xf32>) outs(%e30 : tensor<2x1x1xi32>) {
  ^bb0(%v31a: f32, %v31o: i32):
    %v31s = arith.fptosi %v31a : f32 to i32
    linalg.yield %v31s : i32
  } -> tensor<2x1x1xi32> loc("v31")
  return %v29, %v31 : tensor<2xf32>, tensor<2x1x1xi32>
}
func.func @p_r_1(%x1: tensor<8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}, %x2: tensor<i1> {shardir.placement = #shardir.placement<@m_r, []>}, %x3: tensor<1x6xf32>) -> (tensor<2xf32>, tensor<2x1x1xi32> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}, {?}, {}]>}) {
  %v4 = tensor.extract_slice %x3[0, 4] [1, 2] [1, 1] : tensor<1x6xf32> to tensor<2xf32> loc("v4")
  %v5 = tensor.expand_shape %v4 [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xf32> into tensor<2x1x1xf32> loc("v5")
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x1x1xf32>) outs(%v5 : tensor<2x1x1xf32>) {
  ^bb0(%a6: f32, %o9: f32):
    %c8 = arith.constant 1.0 : f32
    %s7 = arith.addf %a6, %c8 : f32
    %s10 = arith.subf %o9, %s7 : f32
    linalg.yield %s10 : f32
  } -> tensor<2x1x1xf32> loc("v11")
  %e30 = tensor.empty() : tensor<2x1x1xi32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v11 : tensor<2x1x1xf32>) outs(%e30 : tensor<2x1x1xi32>) {
  ^bb0(%v31a: f32, %v31o: i32):
    %v31s = arith.fptosi %v31a : f32 to i32
    linalg.yield %v31s : i32
  } -> tensor<2x1x1xi32> loc("v31")
  %v20 = tensor.collapse_shape %v5 [[0, 1, 2]] : tensor<2x1x1xf32> into tensor<2xf32> loc("v20")
  %e27 = tensor.empty() : tensor<2x1x1x7xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x1x1xf32>) outs(%e27 : tensor<2x1x1x7xf32>) {
  ^bb0(%a24: f32, %o26: f32):
    %s25 = math.absf %a24 : f32
    linalg.yield %s25 : f32
  } -> tensor<2x1x1x7xf32> loc("v28")
  %v29 = shardir.constrain %v20 to #shardir.placement<@m_r, [{"y"}]> : tensor<2xf32> loc("v29")
  return %v29, %v31 : tensor<2xf32>, tensor<2x1x1xi32>
}
func.func @p_r_2(%x1: tensor<8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x", "y"}]>}, %x2: tensor<i1> {shardir.placement = #shardir.placement<@m_r, []>}, %x3: tensor<1x6xf32>) -> (tensor<2xf32>, tensor<2x1x1xi32> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}, {?}, {}]>}) {
  %v4 = tensor.extract_slice %x3[0, 4] [1, 2] [1, 1] : tensor<1x6xf32> to tensor<2xf32> loc("v4")
  %v5 = tensor.expand_shape %v4 [[0, 1, 2]] output_shape [2, 1, 1] : tensor<2xf32> into tensor<2x1x1xf32> loc("v5")
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x1x1xf32>) outs(%v5 : tensor<2x1x1xf32>) {
  ^bb0(%a6: f32, %o9: f32):
    %c8 = arith.constant 1.0 : f32
    %s7 = arith.addf %a6, %c8 : f32
    %s10 = arith.subf %o9, %s7 : f32
    linalg.yield %s10 : f32
  } -> tensor<2x1x1xf32> loc("v11")
  %e27 = tensor.empty() : tensor<2x1x1x7xf32>
  %v28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x1x1xf32>) outs(%e27 : tensor<2x1x1x7xf32>) {
  ^bb0(%a24: f32, %o26: f32):
    %s25 = math.absf %a24 : f32
    linalg.yield %s25 : f32
  } -> tensor<2x1x1x7xf32> loc("v28")
  %v20 = tensor.collapse_shape %v5 [[0, 1, 2]] : tensor<2x1x1xf32> into tensor<2xf32> loc("v20")
  %e30 = tensor.empty() : tensor<2x1x1xi32>
  %v31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v11 : tensor<2x1x1xf32>) outs(%e30 : tensor<2x1x1xi32>) {
  ^bb0(%v31a: f32, %v31o: i32):
    %v31s = arith.fptosi %v31a : f32 to i32
    linalg.yield %v31s : i32
  } -> tensor<2x1x1xi32> loc("v31")
  %v29 = shardir.constrain %v20 to #shardir.placement<@m_r, [{"y"}]> : tensor<2xf32> loc("v29")
  return %v29, %v31 : tensor<2xf32>, tensor<2x1x1xi32>
}
