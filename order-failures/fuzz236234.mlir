shardir.mesh @m_r <["x"=2, "y"=2], devices = [1, 2, 3, 0]>
func.func @p_r(%x1: tensor<7x7xi1>, %x2: tensor<5x5x4xi8>, %x3: tensor<i32> {shardir.placement = #shardir.placement<@m_r, []>}) -> (tensor<2x8x8xbf16>) {
  %v4 = tensor.extract_slice %x1[2, 3] [2, 4] [1, 1] : tensor<7x7xi1> to tensor<2x4xi1> loc("v4")
  %v5 = tensor.concat dim(1) %v4, %v4 : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x8xi1> loc("v5")
  %e6 = tensor.empty() : tensor<2x8xbf16>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<2x8xi1>) outs(%e6 : tensor<2x8xbf16>) {
  ^bb0(%v7a: i1, %v7o: bf16):
    %v7s = arith.uitofp %v7a : i1 to bf16
    linalg.yield %v7s : bf16
  } -> tensor<2x8xbf16> loc("v7")
  %e31 = tensor.empty() : tensor<2x8x8xbf16>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7, %v7 : tensor<2x8xbf16>, tensor<2x8xbf16>) outs(%e31 : tensor<2x8x8xbf16>) {
  ^bb0(%a24: bf16, %a26: bf16, %o30: bf16):
    %c28 = arith.constant 2.0 : bf16
    %s27 = arith.mulf %a26, %c28 : bf16
    %s29 = arith.mulf %a24, %s27 : bf16
    linalg.yield %s29 : bf16
  } -> tensor<2x8x8xbf16> loc("v32")
  %v42 = shardir.constrain %v32 to #shardir.placement<@m_r, [{?}, {"x"}, {"y"}]> : tensor<2x8x8xbf16> loc("v42")
  %v61 = arith.maximumf %v7, %v7 : tensor<2x8xbf16> loc("v61")
  return %v42 : tensor<2x8x8xbf16>
}
func.func @p_r_0(%x1: tensor<7x7xi1>, %x2: tensor<5x5x4xi8>, %x3: tensor<i32> {shardir.placement = #shardir.placement<@m_r, []>}) -> (tensor<2x8x8xbf16>) {
  %v4 = tensor.extract_slice %x1[2, 3] [2, 4] [1, 1] : tensor<7x7xi1> to tensor<2x4xi1> loc("v4")
  %v5 = tensor.concat dim(1) %v4, %v4 : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x8xi1> loc("v5")
  %e6 = tensor.empty() : tensor<2x8xbf16>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<2x8xi1>) outs(%e6 : tensor<2x8xbf16>) {
  ^bb0(%v7a: i1, %v7o: bf16):
    %v7s = arith.uitofp %v7a : i1 to bf16
    linalg.yield %v7s : bf16
  } -> tensor<2x8xbf16> loc("v7")
  %v61 = arith.maximumf %v7, %v7 : tensor<2x8xbf16> loc("v61")
  %e31 = tensor.empty() : tensor<2x8x8xbf16>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7, %v7 : tensor<2x8xbf16>, tensor<2x8xbf16>) outs(%e31 : tensor<2x8x8xbf16>) {
  ^bb0(%a24: bf16, %a26: bf16, %o30: bf16):
    %c28 = arith.constant 2.0 : bf16
    %s27 = arith.mulf %a26, %c28 : bf16
    %s29 = arith.mulf %a24, %s27 : bf16
    linalg.yield %s29 : bf16
  } -> tensor<2x8x8xbf16> loc("v32")
  %v42 = shardir.constrain %v32 to #shardir.placement<@m_r, [{?}, {"x"}, {"y"}]> : tensor<2x8x8xbf16> loc("v42")
  return %v42 : tensor<2x8x8xbf16>
}
func.func @p_r_1(%x1: tensor<7x7xi1>, %x2: tensor<5x5x4xi8>, %x3: tensor<i32> {shardir.placement = #shardir.placement<@m_r, []>}) -> (tensor<2x8x8xbf16>) {
  %v4 = tensor.extract_slice %x1[2, 3] [2, 4] [1, 1] : tensor<7x7xi1> to tensor<2x4xi1> loc("v4")
  %v5 = tensor.concat dim(1) %v4, %v4 : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x8xi1> loc("v5")
  %e6 = tensor.empty() : tensor<2x8xbf16>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<2x8xi1>) outs(%e6 : tensor<2x8xbf16>) {
  ^bb0(%v7a: i1, %v7o: bf16):
    %v7s = arith.uitofp %v7a : i1 to bf16
    linalg.yield %v7s : bf16
  } -> tensor<2x8xbf16> loc("v7")
  %e31 = tensor.empty() : tensor<2x8x8xbf16>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7, %v7 : tensor<2x8xbf16>, tensor<2x8xbf16>) outs(%e31 : tensor<2x8x8xbf16>) {
  ^bb0(%a24: bf16, %a26: bf16, %o30: bf16):
    %c28 = arith.constant 2.0 : bf16
    %s27 = arith.mulf %a26, %c28 : bf16
    %s29 = arith.mulf %a24, %s27 : bf16
    linalg.yield %s29 : bf16
  } -> tensor<2x8x8xbf16> loc("v32")
  %v42 = shardir.constrain %v32 to #shardir.placement<@m_r, [{?}, {"x"}, {"y"}]> : tensor<2x8x8xbf16> loc("v42")
  %v61 = arith.maximumf %v7, %v7 : tensor<2x8xbf16> loc("v61")
  return %v42 : tensor<2x8x8xbf16>
}
func.func @p_r_2(%x1: tensor<7x7xi1>, %x2: tensor<5x5x4xi8>, %x3: tensor<i32> {shardir.placement = #shardir.placement<@m_r, []>}) -> (tensor<2x8x8xbf16>) {
  %v4 = tensor.extract_slice %x1[2, 3] [2, 4] [1, 1] : tensor<7x7xi1> to tensor<2x4xi1> loc("v4")
  %v5 = tensor.concat dim(1) %v4, %v4 : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x8xi1> loc("v5")
  %e6 = tensor.empty() : tensor<2x8xbf16>
  %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v5 : tensor<2x8xi1>) outs(%e6 : tensor<2x8xbf16>) {
  ^bb0(%v7a: i1, %v7o: bf16):
    %v7s = arith.uitofp %v7a : i1 to bf16
    linalg.yield %v7s : bf16
  } -> tensor<2x8xbf16> loc("v7")
  %v61 = arith.maximumf %v7, %v7 : tensor<2x8xbf16> loc("v61")
  %e31 = tensor.empty() : tensor<2x8x8xbf16>
  %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v7, %v7 : tensor<2x8xbf16>, tensor<2x8xbf16>) outs(%e31 : tensor<2x8x8xbf16>) {
  ^bb0(%a24: bf16, %a26: bf16, %o30: bf16):
    %c28 = arith.constant 2.0 : bf16
    %s27 = arith.mulf %a26, %c28 : bf16
    %s29 = arith.mulf %a24, %s27 : bf16
    linalg.yield %s29 : bf16
  } -> tensor<2x8x8xbf16> loc("v32")
  %v42 = shardir.constrain %v32 to #shardir.placement<@m_r, [{?}, {"x"}, {"y"}]> : tensor<2x8x8xbf16> loc("v42")
  return %v42 : tensor<2x8x8xbf16>
}
