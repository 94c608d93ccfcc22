shardir.mesh @m_r <["x"=3, "y"=1, "z"=2]>
func.func @p_r(%x1: tensor<8xi16>, %x2: tensor<7x2x1xbf16> {shardir.placement = #shardir.placement<@m_r, [{?}, {"z", ?}, {"y"}]>}) -> (tensor<7x2x1x1x1xi32> {shardir.placement = #shardir.placement<@m_r, [{?}p1, {"x"}, {}, {"y", ?}, {?}]>}) {
  %v3 = tensor.expand_shape %x2 [[0], [1, 2, 3], [4]] output_shape [7, 2, 1, 1, 1] : tensor<7x2x1xbf16> into tensor<7x2x1x1x1xbf16> loc("v3")
  %e22 = tensor.empty() : tensor<7x2x1x1x1xi32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v3 : tensor<7x2x1x1x1xbf16>) outs(%e22 : tensor<7x2x1x1x1xi32>) {
  ^bb0(%v23a: bf16, %v23o: i32):
    %v23s = arith.fptosi %v23a : bf16 to i32
    linalg.yield %v23s : i32
  } -> tensor<7x2x1x1x1xi32> loc("v23")
  return %v23 : tensor<7x2x1x1x1xi32>
}
func.func @p_r_0(%x1: tensor<8xi16>, %x2: tensor<7x2x1xbf16> {shardir.placement = #shardir.placement<@m_r, [{?}, {"z", ?}, {"y"}]>}) -> (tensor<7x2x1x1x1xi32> {shardir.placement = #shardir.placement<@m_r, [{?}p1, {"x"}, {}, {"y", ?}, {?}]>}) {
  %v3 = tensor.expand_shape %x2 [[0], [1, 2, 3], [4]] output_shape [7, 2, 1, 1, 1] : tensor<7x2x1xbf16> into tensor<7x2x1x1x1xbf16> loc("v3")
  %e22 = tensor.empty() : tensor<7x2x1x1x1xi32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v3 : tensor<7x2x1x1x1xbf16>) outs(%e22 : tensor<7x2x1x1x1xi32>) {
  ^bb0(%v23a: bf16, %v23o: i32):
    %v23s = arith.fptosi %v23a : bf16 to i32
    linalg.yield %v23s : i32
  } -> tensor<7x2x1x1x1xi32> loc("v23")
  return %v23 : tensor<7x2x1x1x1xi32>
}
func.func @p_r_1(%x1: tensor<8xi16>, %x2: tensor<7x2x1xbf16> {shardir.placement = #shardir.placement<@m_r, [{?}, {"z", ?}, {"y"}]>}) -> (tensor<7x2x1x1x1xi32> {shardir.placement = #shardir.placement<@m_r, [{?}p1, {"x"}, {}, {"y", ?}, {?}]>}) {
  %v3 = tensor.expand_shape %x2 [[0], [1, 2, 3], [4]] output_shape [7, 2, 1, 1, 1] : tensor<7x2x1xbf16> into tensor<7x2x1x1x1xbf16> loc("v3")
  %e22 = tensor.empty() : tensor<7x2x1x1x1xi32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v3 : tensor<7x2x1x1x1xbf16>) outs(%e22 : tensor<7x2x1x1x1xi32>) {
  ^bb0(%v23a: bf16, %v23o: i32):
    %v23s = arith.fptosi %v23a : bf16 to i32
    linalg.yield %v23s : i32
  } -> tensor<7x2x1x1x1xi32> loc("v23")
  return %v23 : tensor<7x2x1x1x1xi32>
}
func.func @p_r_2(%x1: tensor<8xi16>, %x2: tensor<7x2x1xbf16> {shardir.placement = #shardir.placement<@m_r, [{?}, {"z", ?}, {"y"}]>}) -> (tensor<7x2x1x1x1xi32> {shardir.placement = #shardir.placement<@m_r, [{?}p1, {"x"}, {}, {"y", ?}, {?}]>}) {
  %v3 = tensor.expand_shape %x2 [[0], [1, 2, 3], [4]] output_shape [7, 2, 1, 1, 1] : tensor<7x2x1xbf16> into tensor<7x2x1x1x1xbf16> loc("v3")
  %e22 = tensor.empty() : tensor<7x2x1x1x1xi32>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v3 : tensor<7x2x1x1x1xbf16>) outs(%e22 : tensor<7x2x1x1x1xi32>) {
  ^bb0(%v23a: bf16, %v23o: i32):
    %v23s = arith.fptosi %v23a : bf16 to i32
    linalg.yield %v23s : i32
  } -> tensor<7x2x1x1x1xi32> loc("v23")
  return %v23 : tensor<7x2x1x1x1xi32>
}
