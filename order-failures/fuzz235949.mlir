shardir.mesh @m_r <["x"=4], devices = [1, 3, 2, 0]>
func.func @p_r(%x1: tensor<8x1xi64>) -> (tensor<4x2xi64> {shardir.placement = #shardir.placement<@m_r, [{"x"}p1, {}]>}) {
  %v2 = tensor.extract_slice %x1[4, 0] [2, 1] [2, 1] : tensor<8x1xi64> to tensor<2x1xi64> loc("v2")
  %c3 = arith.constant 0 : index
  %c4 = arith.constant 0 : index
  %s5 = tensor.extract %v2[%c3, %c4] : tensor<2x1xi64>
  %s6 = arith.index_cast %s5 : i64 to index
  %s7 = arith.constant 0 : index
  %s8 = arith.constant 0 : index
  %s9 = arith.maxsi %s6, %s7 : index
  %s10 = arith.minsi %s9, %s8 : index
  %s11 = tensor.extract_slice %v2[0, %s10] [2, 1] [1, 1] : tensor<2x1xi64> to tensor<2x1xi64> loc("s11")
  %e29 = tensor.empty() : tensor<1x2x2xi64>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d1, d2, d0)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s11, %s11 : tensor<2x1xi64>, tensor<2x1xi64>) outs(%e29 : tensor<1x2x2xi64>) {
  ^bb0(%a23: i64, %a25: i64, %o28: i64):
    %s24 = math.absi %a23 : i64
    %s27 = arith.maxsi %s24, %a25 : i64
    linalg.yield %s27 : i64
  } -> tensor<1x2x2xi64> loc("v30")
  %e39 = tensor.empty() : tensor<2x1xi64>
  %v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%s11 : tensor<2x1xi64>) outs(%e39 : tensor<2x1xi64>) {
  ^bb0(%a32: i64, %o38: i64):
    %c34 = arith.constant 2 : i64
    %s33 = arith.muli %a32, %c34 : i64
    %s35 = linalg.index 0 : index
    %s36 = arith.index_cast %s35 : index to i64
    %s37 = arith.addi %s33, %s36 : i64
    linalg.yield %s37 : i64
  } -> tensor<2x1xi64> loc("v40")
  %e51 = tensor.empty() : tensor<1x2x2x2xi64>
  %v52 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>, affine_map<(d0, d1, d2, d3) -> (d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d0, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v40, %v30, %v40 : tensor<2x1xi64>, tensor<1x2x2xi64>, tensor<2x1xi64>) outs(%e51 : tensor<1x2x2x2xi64>) {
  ^bb0(%a41: i64, %a43: i64, %a46: i64, %o50: i64):
    %c45 = arith.constant 2 : i64
    %s44 = arith.muli %a43, %c45 : i64
    %s48 = arith.muli %a41, %s44 : i64
    %s49 = arith.subi %s48, %a46 : i64
    linalg.yield %s49 : i64
  } -> tensor<1x2x2x2xi64> loc("v52")
  %v53 = tensor.insert_slice %v52 into %v52[0, 0, 0, 0] [1, 2, 2, 2] [1, 1, 1, 1] : tensor<1x2x2x2xi64> into tensor<1x2x2x2xi64> loc("v53")
  %v56 = tensor.expand_shape %v40 [[0], [1, 2, 3]] output_shape [2, 1, 1, 1] : tensor<2x1xi64> into tensor<2x1x1x1xi64> loc("v56")
  %e71 = tensor.empty() : tensor<2x2x1x2xi64>
  %v72 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d1, d0, d2)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v53 : tensor<1x2x2x2xi64>) outs(%e71 : tensor<2x2x1x2xi64>) {
  ^bb0(%a68: i64, %o70: i64):
    linalg.yield %a68 : i64
  } -> tensor<2x2x1x2xi64> loc("v72")
  %v99 = tensor.collapse_shape %v72 [[0, 1, 2], [3]] : tensor<2x2x1x2xi64> into tensor<4x2xi64> loc("v99")
  return %v99 : tensor<4x2xi64>
}
func.func @p_r_0(%x1: tensor<8x1xi64>) -> (tensor<4x2xi64> {shardir.placement = #shardir.placement<@m_r, [{"x"}p1, {}]>}) {
  %v2 = tensor.extract_slice %x1[4, 0] [2, 1] [2, 1] : tensor<8x1xi64> to tensor<2x1xi64> loc("v2")
  %c3 = arith.constant 0 : index
  %c4 = arith.constant 0 : index
  %s5 = tensor.extract %v2[%c3, %c4] : tensor<2x1xi64>
  %s6 = arith.index_cast %s5 : i64 to index
  %s7 = arith.constant 0 : index
  %s8 = arith.constant 0 : index
  %s9 = arith.maxsi %s6, %s7 : index
  %s10 = arith.minsi %s9, %s8 : index
  %s11 = tensor.extract_slice %v2[0, %s10] [2, 1] [1, 1] : tensor<2x1xi64> to tensor<2x1xi64> loc("s11")
  %e39 = tensor.empty() : tensor<2x1xi64>
  %v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%s11 : tensor<2x1xi64>) outs(%e39 : tensor<2x1xi64>) {
  ^bb0(%a32: i64, %o38: i64):
    %c34 = arith.constant 2 : i64
    %s33 = arith.muli %a32, %c34 : i64
    %s35 = linalg.index 0 : index
    %s36 = arith.index_cast %s35 : index to i64
    %s37 = arith.addi %s33, %s36 : i64
    linalg.yield %s37 : i64
  } -> tensor<2x1xi64> loc("v40")
  %v56 = tensor.expand_shape %v40 [[0], [1, 2, 3]] output_shape [2, 1, 1, 1] : tensor<2x1xi64> into tensor<2x1x1x1xi64> loc("v56")
  %e29 = tensor.empty() : tensor<1x2x2xi64>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d1, d2, d0)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s11, %s11 : tensor<2x1xi64>, tensor<2x1xi64>) outs(%e29 : tensor<1x2x2xi64>) {
  ^bb0(%a23: i64, %a25: i64, %o28: i64):
    %s24 = math.absi %a23 : i64
    %s27 = arith.maxsi %s24, %a25 : i64
    linalg.yield %s27 : i64
  } -> tensor<1x2x2xi64> loc("v30")
  %e51 = tensor.empty() : tensor<1x2x2x2xi64>
  %v52 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>, affine_map<(d0, d1, d2, d3) -> (d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d0, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v40, %v30, %v40 : tensor<2x1xi64>, tensor<1x2x2xi64>, tensor<2x1xi64>) outs(%e51 : tensor<1x2x2x2xi64>) {
  ^bb0(%a41: i64, %a43: i64, %a46: i64, %o50: i64):
    %c45 = arith.constant 2 : i64
    %s44 = arith.muli %a43, %c45 : i64
    %s48 = arith.muli %a41, %s44 : i64
    %s49 = arith.subi %s48, %a46 : i64
    linalg.yield %s49 : i64
  } -> tensor<1x2x2x2xi64> loc("v52")
  %v53 = tensor.insert_slice %v52 into %v52[0, 0, 0, 0] [1, 2, 2, 2] [1, 1, 1, 1] : tensor<1x2x2x2xi64> into tensor<1x2x2x2xi64> loc("v53")
  %e71 = tensor.empty() : tensor<2x2x1x2xi64>
  %v72 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d1, d0, d2)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v53 : tensor<1x2x2x2xi64>) outs(%e71 : tensor<2x2x1x2xi64>) {
  ^bb0(%a68: i64, %o70: i64):
    linalg.yield %a68 : i64
  } -> tensor<2x2x1x2xi64> loc("v72")
  %v99 = tensor.collapse_shape %v72 [[0, 1, 2], [3]] : tensor<2x2x1x2xi64> into tensor<4x2xi64> loc("v99")
  return %v99 : tensor<4x2xi64>
}
func.func @p_r_1(%x1: tensor<8x1xi64>) -> (tensor<4x2xi64> {shardir.placement = #shardir.placement<@m_r, [{"x"}p1, {}]>}) {
  %v2 = tensor.extract_slice %x1[4, 0] [2, 1] [2, 1] : tensor<8x1xi64> to tensor<2x1xi64> loc("v2")
  %c3 = arith.constant 0 : index
  %c4 = arith.constant 0 : index
  %s5 = tensor.extract %v2[%c3, %c4] : tensor<2x1xi64>
  %s6 = arith.index_cast %s5 : i64 to index
  %s7 = arith.constant 0 : index
  %s8 = arith.constant 0 : index
  %s9 = arith.maxsi %s6, %s7 : index
  %s10 = arith.minsi %s9, %s8 : index
  %s11 = tensor.extract_slice %v2[0, %s10] [2, 1] [1, 1] : tensor<2x1xi64> to tensor<2x1xi64> loc("s11")
  %e29 = tensor.empty() : tensor<1x2x2xi64>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d1, d2, d0)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s11, %s11 : tensor<2x1xi64>, tensor<2x1xi64>) outs(%e29 : tensor<1x2x2xi64>) {
  ^bb0(%a23: i64, %a25: i64, %o28: i64):
    %s24 = math.absi %a23 : i64
    %s27 = arith.maxsi %s24, %a25 : i64
    linalg.yield %s27 : i64
  } -> tensor<1x2x2xi64> loc("v30")
  %e39 = tensor.empty() : tensor<2x1xi64>
  %v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%s11 : tensor<2x1xi64>) outs(%e39 : tensor<2x1xi64>) {
  ^bb0(%a32: i64, %o38: i64):
    %c34 = arith.constant 2 : i64
    %s33 = arith.muli %a32, %c34 : i64
    %s35 = linalg.index 0 : index
    %s36 = arith.index_cast %s35 : index to i64
    %s37 = arith.addi %s33, %s36 : i64
    linalg.yield %s37 : i64
  } -> tensor<2x1xi64> loc("v40")
  %v56 = tensor.expand_shape %v40 [[0], [1, 2, 3]] output_shape [2, 1, 1, 1] : tensor<2x1xi64> into tensor<2x1x1x1xi64> loc("v56")
  %e51 = tensor.empty() : tensor<1x2x2x2xi64>
  %v52 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>, affine_map<(d0, d1, d2, d3) -> (d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d0, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v40, %v30, %v40 : tensor<2x1xi64>, tensor<1x2x2xi64>, tensor<2x1xi64>) outs(%e51 : tensor<1x2x2x2xi64>) {
  ^bb0(%a41: i64, %a43: i64, %a46: i64, %o50: i64):
    %c45 = arith.constant 2 : i64
    %s44 = arith.muli %a43, %c45 : i64
    %s48 = arith.muli %a41, %s44 : i64
    %s49 = arith.subi %s48, %a46 : i64
    linalg.yield %s49 : i64
  } -> tensor<1x2x2x2xi64> loc("v52")
  %v53 = tensor.insert_slice %v52 into %v52[0, 0, 0, 0] [1, 2, 2, 2] [1, 1, 1, 1] : tensor<1x2x2x2xi64> into tensor<1x2x2x2xi64> loc("v53")
  %e71 = tensor.empty() : tensor<2x2x1x2xi64>
  %v72 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d1, d0, d2)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v53 : tensor<1x2x2x2xi64>) outs(%e71 : tensor<2x2x1x2xi64>) {
  ^bb0(%a68: i64, %o70: i64):
    linalg.yield %a68 : i64
  } -> tensor<2x2x1x2xi64> loc("v72")
  %v99 = tensor.collapse_shape %v72 [[0, 1, 2], [3]] : tensor<2x2x1x2xi64> into tensor<4x2xi64> loc("v99")
  return %v99 : tensor<4x2xi64>
}
func.func @p_r_2(%x1: tensor<8x1xi64>) -> (tensor<4x2xi64> {shardir.placement = #shardir.placement<@m_r, [{"x"}p1, {}]>}) {
  %v2 = tensor.extract_slice %x1[4, 0] [2, 1] [2, 1] : tensor<8x1xi64> to tensor<2x1xi64> loc("v2")
  %c3 = arith.constant 0 : index
  %c4 = arith.constant 0 : index
  %s5 = tensor.extract %v2[%c3, %c4] : tensor<2x1xi64>
  %s6 = arith.index_cast %s5 : i64 to index
  %s7 = arith.constant 0 : index
  %s8 = arith.constant 0 : index
  %s9 = arith.maxsi %s6, %s7 : index
  %s10 = arith.minsi %s9, %s8 : index
  %s11 = tensor.extract_slice %v2[0, %s10] [2, 1] [1, 1] : tensor<2x1xi64> to tensor<2x1xi64> loc("s11")
  %e29 = tensor.empty() : tensor<1x2x2xi64>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d1, d2, d0)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s11, %s11 : tensor<2x1xi64>, tensor<2x1xi64>) outs(%e29 : tensor<1x2x2xi64>) {
  ^bb0(%a23: i64, %a25: i64, %o28: i64):
    %s24 = math.absi %a23 : i64
    %s27 = arith.maxsi %s24, %a25 : i64
    linalg.yield %s27 : i64
  } -> tensor<1x2x2xi64> loc("v30")
  %e39 = tensor.empty() : tensor<2x1xi64>
  %v40 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%s11 : tensor<2x1xi64>) outs(%e39 : tensor<2x1xi64>) {
  ^bb0(%a32: i64, %o38: i64):
    %c34 = arith.constant 2 : i64
    %s33 = arith.muli %a32, %c34 : i64
    %s35 = linalg.index 0 : index
    %s36 = arith.index_cast %s35 : index to i64
    %s37 = arith.addi %s33, %s36 : i64
    linalg.yield %s37 : i64
  } -> tensor<2x1xi64> loc("v40")
  %v56 = tensor.expand_shape %v40 [[0], [1, 2, 3]] output_shape [2, 1, 1, 1] : tensor<2x1xi64> into tensor<2x1x1x1xi64> loc("v56")
  %e51 = tensor.empty() : tensor<1x2x2x2xi64>
  %v52 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>, affine_map<(d0, d1, d2, d3) -> (d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d1, d2, d0, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v40, %v30, %v40 : tensor<2x1xi64>, tensor<1x2x2xi64>, tensor<2x1xi64>) outs(%e51 : tensor<1x2x2x2xi64>) {
  ^bb0(%a41: i64, %a43: i64, %a46: i64, %o50: i64):
    %c45 = arith.constant 2 : i64
    %s44 = arith.muli %a43, %c45 : i64
    %s48 = arith.muli %a41, %s44 : i64
    %s49 = arith.subi %s48, %a46 : i64
    linalg.yield %s49 : i64
  } -> tensor<1x2x2x2xi64> loc("v52")
  %v53 = tensor.insert_slice %v52 into %v52[0, 0, 0, 0] [1, 2, 2, 2] [1, 1, 1, 1] : tensor<1x2x2x2xi64> into tensor<1x2x2x2xi64> loc("v53")
  %e71 = tensor.empty() : tensor<2x2x1x2xi64>
  %v72 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d1, d0, d2)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v53 : tensor<1x2x2x2xi64>) outs(%e71 : tensor<2x2x1x2xi64>) {
  ^bb0(%a68: i64, %o70: i64):
    linalg.yield %a68 : i64
  } -> tensor<2x2x1x2xi64> loc("v72")
  %v99 = tensor.collapse_shape %v72 [[0, 1, 2], [3]] : tensor<2x2x1x2xi64> into tensor<4x2xi64> loc("v99")
  return %v99 : tensor<4x2xi64>
}
