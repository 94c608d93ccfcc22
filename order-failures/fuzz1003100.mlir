shardir.mesh @m_r <["x"=2, "y"=2, "z"=2]>
func.func @p_r(%x1: tensor<i32> {shardir.placement = #shardir.placement<@m_r, [], partial = umin ["x", "y"]>}, %x2: tensor<2x5xbf16> {shardir.placement = #shardir.placement<@m_r, [{"z"}, {"x"}], partial = sum ["y"]>}) -> (tensor<10xi32> {shardir.placement = #shardir.placement<@m_r, [{"y", "x"}], partial = sum ["z"]>}) {
  %v3 = tensor.collapse_shape %x2 [[0, 1]] : tensor<2x5xbf16> into tensor<10xbf16> loc("v3")
  %v4 = tensor.collapse_shape %x2 [[0, 1]] : tensor<2x5xbf16> into tensor<10xbf16> loc("v4")
  %v5 = tensor.expand_shape %v4 [[0, 1]] output_shape [1, 10] : tensor<10xbf16> into tensor<1x10xbf16> loc("v5")
  %c6 = arith.constant 1.0 : bf16
  %v7 = tensor.pad %v5 low[0, 0] high[0, 1] {
  ^bb0(%v7i0: index, %v7i1: index):
    tensor.yield %c6 : bf16
  } : tensor<1x10xbf16> to tensor<1x11xbf16> loc("v7")
  %v8 = shardir.constrain %v3 to #shardir.placement<@m_r, [{"y", "z"}]> : tensor<10xbf16> loc("v8")
  %c13 = arith.constant 1.0 : bf16
  %e14 = tensor.empty() : tensor<bf16>
  %z15 = linalg.fill ins(%c13 : bf16) outs(%e14 : tensor<bf16>) -> tensor<bf16>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%v8 : tensor<10xbf16>) outs(%z15 : tensor<bf16>) {
  ^bb0(%a9: bf16, %o12: bf16):
    %c11 = arith.constant 2.0 : bf16
    %s10 = arith.mulf %a9, %c11 : bf16
    %s16 = arith.maximumf %o12, %s10 : bf16
    linalg.yield %s16 : bf16
  } -> tensor<bf16> loc("v17")
  %c35 = arith.constant 0.0 : bf16
  %e36 = tensor.empty() : tensor<bf16>
  %z37 = linalg.fill ins(%c35 : bf16) outs(%e36 : tensor<bf16>) -> tensor<bf16>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%v3 : tensor<10xbf16>) outs(%z37 : tensor<bf16>) {
  ^bb0(%a31: bf16, %o34: bf16):
    %c33 = arith.constant 1.0 : bf16
    %s32 = arith.addf %a31, %c33 : bf16
    %s38 = arith.maxnumf %o34, %s32 : bf16
    linalg.yield %s38 : bf16
  } -> tensor<bf16> loc("v39")
  %v40 = tensor.generate {
  ^bb0(%v40i0: index):
    %v40a = arith.index_cast %v40i0 : index to i32
    tensor.yield %v40a : i32
  } : tensor<10xi32> loc("v40")
  return %v40 : tensor<10xi32>
}
func.func @p_r_0(%x1: tensor<i32> {shardir.placement = #shardir.placement<@m_r, [], partial = umin ["x", "y"]>}, %x2: tensor<2x5xbf16> {shardir.placement = #shardir.placement<@m_r, [{"z"}, {"x"}], partial = sum ["y"]>}) -> (tensor<10xi32> {shardir.placement = #shardir.placement<@m_r, [{"y", "x"}], partial = sum ["z"]>}) {
  %v4 = tensor.collapse_shape %x2 [[0, 1]] : tensor<2x5xbf16> into tensor<10xbf16> loc("v4")
  %v40 = tensor.generate {
  ^bb0(%v40i0: index):
    %v40a = arith.index_cast %v40i0 : index to i32
    tensor.yield %v40a : i32
  } : tensor<10xi32> loc("v40")
  %v5 = tensor.expand_shape %v4 [[0, 1]] output_shape [1, 10] : tensor<10xbf16> into tensor<1x10xbf16> loc("v5")
  %c6 = arith.constant 1.0 : bf16
  %v7 = tensor.pad %v5 low[0, 0] high[0, 1] {
  ^bb0(%v7i0: index, %v7i1: index):
    tensor.yield %c6 : bf16
  } : tensor<1x10xbf16> to tensor<1x11xbf16> loc("v7")
  %v3 = tensor.collapse_shape %x2 [[0, 1]] : tensor<2x5xbf16> into tensor<10xbf16> loc("v3")
  %v8 = shardir.constrain %v3 to #shardir.placement<@m_r, [{"y", "z"}]> : tensor<10xbf16> loc("v8")
  %c35 = arith.constant 0.0 : bf16
  %e36 = tensor.empty() : tensor<bf16>
  %z37 = linalg.fill ins(%c35 : bf16) outs(%e36 : tensor<bf16>) -> tensor<bf16>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%v3 : tensor<10xbf16>) outs(%z37 : tensor<bf16>) {
  ^bb0(%a31: bf16, %o34: bf16):
    %c33 = arith.constant 1.0 : bf16
    %s32 = arith.addf %a31, %c33 : bf16
    %s38 = arith.maxnumf %o34, %s32 : bf16
    linalg.yield %s38 : bf16
  } -> tensor<bf16> loc("v39")
  %c13 = arith.constant 1.0 : bf16
  %e14 = tensor.empty() : tensor<bf16>
  %z15 = linalg.fill ins(%c13 : bf16) outs(%e14 : tensor<bf16>) -> tensor<bf16>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%v8 : tensor<10xbf16>) outs(%z15 : tensor<bf16>) {
  ^bb0(%a9: bf16, %o12: bf16):
    %c11 = arith.constant 2.0 : bf16
    %s10 = arith.mulf %a9, %c11 : bf16
    %s16 = arith.maximumf %o12, %s10 : bf16
    linalg.yield %s16 : bf16
  } -> tensor<bf16> loc("v17")
  return %v40 : tensor<10xi32>
}
func.func @p_r_1(%x1: tensor<i32> {shardir.placement = #shardir.placement<@m_r, [], partial = umin ["x", "y"]>}, %x2: tensor<2x5xbf16> {shardir.placement = #shardir.placement<@m_r, [{"z"}, {"x"}], partial = sum ["y"]>}) -> (tensor<10xi32> {shardir.placement = #shardir.placement<@m_r, [{"y", "x"}], partial = sum ["z"]>}) {
  %v4 = tensor.collapse_shape %x2 [[0, 1]] : tensor<2x5xbf16> into tensor<10xbf16> loc("v4")
  %v3 = tensor.collapse_shape %x2 [[0, 1]] : tensor<2x5xbf16> into tensor<10xbf16> loc("v3")
  %v8 = shardir.constrain %v3 to #shardir.placement<@m_r, [{"y", "z"}]> : tensor<10xbf16> loc("v8")
  %v5 = tensor.expand_shape %v4 [[0, 1]] output_shape [1, 10] : tensor<10xbf16> into tensor<1x10xbf16> loc("v5")
  %c6 = arith.constant 1.0 : bf16
  %v7 = tensor.pad %v5 low[0, 0] high[0, 1] {
  ^bb0(%v7i0: index, %v7i1: index):
    tensor.yield %c6 : bf16
  } : tensor<1x10xbf16> to tensor<1x11xbf16> loc("v7")
  %c35 = arith.constant 0.0 : bf16
  %e36 = tensor.empty() : tensor<bf16>
  %z37 = linalg.fill ins(%c35 : bf16) outs(%e36 : tensor<bf16>) -> tensor<bf16>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%v3 : tensor<10xbf16>) outs(%z37 : tensor<bf16>) {
  ^bb0(%a31: bf16, %o34: bf16):
    %c33 = arith.constant 1.0 : bf16
    %s32 = arith.addf %a31, %c33 : bf16
    %s38 = arith.maxnumf %o34, %s32 : bf16
    linalg.yield %s38 : bf16
  } -> tensor<bf16> loc("v39")
  %v40 = tensor.generate {
  ^bb0(%v40i0: index):
    %v40a = arith.index_cast %v40i0 : index to i32
    tensor.yield %v40a : i32
  } : tensor<10xi32> loc("v40")
  %c13 = arith.constant 1.0 : bf16
  %e14 = tensor.empty() : tensor<bf16>
  %z15 = linalg.fill ins(%c13 : bf16) outs(%e14 : tensor<bf16>) -> tensor<bf16>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%v8 : tensor<10xbf16>) outs(%z15 : tensor<bf16>) {
  ^bb0(%a9: bf16, %o12: bf16):
    %c11 = arith.constant 2.0 : bf16
    %s10 = arith.mulf %a9, %c11 : bf16
    %s16 = arith.maximumf %o12, %s10 : bf16
    linalg.yield %s16 : bf16
  } -> tensor<bf16> loc("v17")
  return %v40 : tensor<10xi32>
}
func.func @p_r_2(%x1: tensor<i32> {shardir.placement = #shardir.placement<@m_r, [], partial = umin ["x", "y"]>}, %x2: tensor<2x5xbf16> {shardir.placement = #shardir.placement<@m_r, [{"z"}, {"x"}], partial = sum ["y"]>}) -> (tensor<10xi32> {shardir.placement = #shardir.placement<@m_r, [{"y", "x"}], partial = sum ["z"]>}) {
  %v4 = tensor.collapse_shape %x2 [[0, 1]] : tensor<2x5xbf16> into tensor<10xbf16> loc("v4")
  %v3 = tensor.collapse_shape %x2 [[0, 1]] : tensor<2x5xbf16> into tensor<10xbf16> loc("v3")
  %c35 = arith.constant 0.0 : bf16
  %e36 = tensor.empty() : tensor<bf16>
  %z37 = linalg.fill ins(%c35 : bf16) outs(%e36 : tensor<bf16>) -> tensor<bf16>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%v3 : tensor<10xbf16>) outs(%z37 : tensor<bf16>) {
  ^bb0(%a31: bf16, %o34: bf16):
    %c33 = arith.constant 1.0 : bf16
    %s32 = arith.addf %a31, %c33 : bf16
    %s38 = arith.maxnumf %o34, %s32 : bf16
    linalg.yield %s38 : bf16
  } -> tensor<bf16> loc("v39")
  %v8 = shardir.constrain %v3 to #shardir.placement<@m_r, [{"y", "z"}]> : tensor<10xbf16> loc("v8")
  %v40 = tensor.generate {
  ^bb0(%v40i0: index):
    %v40a = arith.index_cast %v40i0 : index to i32
    tensor.yield %v40a : i32
  } : tensor<10xi32> loc("v40")
  %c13 = arith.constant 1.0 : bf16
  %e14 = tensor.empty() : tensor<bf16>
  %z15 = linalg.fill ins(%c13 : bf16) outs(%e14 : tensor<bf16>) -> tensor<bf16>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%v8 : tensor<10xbf16>) outs(%z15 : tensor<bf16>) {
  ^bb0(%a9: bf16, %o12: bf16):
    %c11 = arith.constant 2.0 : bf16
    %s10 = arith.mulf %a9, %c11 : bf16
    %s16 = arith.maximumf %o12, %s10 : bf16
    linalg.yield %s16 : bf16
  } -> tensor<bf16> loc("v17")
  %v5 = tensor.expand_shape %v4 [[0, 1]] output_shape [1, 10] : tensor<10xbf16> into tensor<1x10xbf16> loc("v5")
  %c6 = arith.constant 1.0 : bf16
  %v7 = tensor.pad %v5 low[0, 0] high[0, 1] {
  ^bb0(%v7i0: index, %v7i1: index):
    tensor.yield %c6 : bf16
  } : tensor<1x10xbf16> to tensor<1x11xbf16> loc("v7")
  return %v40 : tensor<10xi32>
}
