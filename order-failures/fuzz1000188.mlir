shardir.mesh @m_r <["x"=2, "y"=2, "z"=2]>
func.func @p_r(%x1: tensor<3xi16>, %x2: tensor<2x7x6xi64> {shardir.placement = #shardir.placement<@m_r, [{"z"}, {"x"}, {"y"}]>}, %x3: tensor<2x7x6xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {?}, {?}], partial = sum ["y", "x"]>}, %x4: tensor<10x1xi16> {shardir.placement = #shardir.placement<@m_r, [{?}, {?}p1]>}) -> (tensor<10x1x10x3xi16> {shardir.placement = #shardir.placement<@m_r, [{}, {"z"}, {"y"}, {}]>}, tensor<10x1x10x3xi16> {shardir.placement = #shardir.placement<@m_r, [{?}, {}, {"z"}, {}], partial = prod ["y"]>}) {
  %e22 = tensor.empty() : tensor<10x1x10x3xi16>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d1)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x4, %x4, %x1 : tensor<10x1xi16>, tensor<10x1xi16>, tensor<3xi16>) outs(%e22 : tensor<10x1x10x3xi16>) {
  ^bb0(%a13: i16, %a15: i16, %a17: i16, %o21: i16):
    %s14 = math.absi %a13 : i16
    %s19 = arith.muli %s14, %a15 : i16
    %s20 = arith.muli %s19, %a17 : i16
    linalg.yield %s20 : i16
  } -> tensor<10x1x10x3xi16> loc("v23")
  %e38 = tensor.empty() : tensor<10x1x10x3xi16>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x4, %v23 : tensor<10x1xi16>, tensor<10x1x10x3xi16>) outs(%e38 : tensor<10x1x10x3xi16>) {
  ^bb0(%a32: i16, %a34: i16, %o37: i16):
    %s36 = arith.subi %a32, %a34 : i16
    linalg.yield %s36 : i16
  } -> tensor<10x1x10x3xi16> loc("v39")
  return %v23, %v23 : tensor<10x1x10x3xi16>, tensor<10x1x10x3xi16>
}
func.func @p_r_0(%x1: tensor<3xi16>, %x2: tensor<2x7x6xi64> {shardir.placement = #shardir.placement<@m_r, [{"z"}, {"x"}, {"y"}]>}, %x3: tensor<2x7x6xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {?}, {?}], partial = sum ["y", "x"]>}, %x4: tensor<10x1xi16> {shardir.placement = #shardir.placement<@m_r, [{?}, {?}p1]>}) -> (tensor<10x1x10x3xi16> {shardir.placement = #shardir.placement<@m_r, [{}, {"z"}, {"y"}, {}]>}, tensor<10x1x10x3xi16> {shardir.placement = #shardir.placement<@m_r, [{?}, {}, {"z"}, {}], partial = prod ["y"]>}) {
  %e22 = tensor.empty() : tensor<10x1x10x3xi16>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d1)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x4, %x4, %x1 : tensor<10x1xi16>, tensor<10x1xi16>, tensor<3xi16>) outs(%e22 : tensor<10x1x10x3xi16>) {
  ^bb0(%a13: i16, %a15: i16, %a17: i16, %o21: i16):
    %s14 = math.absi %a13 : i16
    %s19 = arith.muli %s14, %a15 : i16
    %s20 = arith.muli %s19, %a17 : i16
    linalg.yield %s20 : i16
  } -> tensor<10x1x10x3xi16> loc("v23")
  %e38 = tensor.empty() : tensor<10x1x10x3xi16>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x4, %v23 : tensor<10x1xi16>, tensor<10x1x10x3xi16>) outs(%e38 : tensor<10x1x10x3xi16>) {
  ^bb0(%a32: i16, %a34: i16, %o37: i16):
    %s36 = arith.subi %a32, %a34 : i16
    linalg.yield %s36 : i16
  } -> tensor<10x1x10x3xi16> loc("v39")
  return %v23, %v23 : tensor<10x1x10x3xi16>, tensor<10x1x10x3xi16>
}
func.func @p_r_1(%x1: tensor<3xi16>, %x2: tensor<2x7x6xi64> {shardir.placement = #shardir.placement<@m_r, [{"z"}, {"x"}, {"y"}]>}, %x3: tensor<2x7x6xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {?}, {?}], partial = sum ["y", "x"]>}, %x4: tensor<10x1xi16> {shardir.placement = #shardir.placement<@m_r, [{?}, {?}p1]>}) -> (tensor<10x1x10x3xi16> {shardir.placement = #shardir.placement<@m_r, [{}, {"z"}, {"y"}, {}]>}, tensor<10x1x10x3xi16> {shardir.placement = #shardir.placement<@m_r, [{?}, {}, {"z"}, {}], partial = prod ["y"]>}) {
  %e22 = tensor.empty() : tensor<10x1x10x3xi16>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d1)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x4, %x4, %x1 : tensor<10x1xi16>, tensor<10x1xi16>, tensor<3xi16>) outs(%e22 : tensor<10x1x10x3xi16>) {
  ^bb0(%a13: i16, %a15: i16, %a17: i16, %o21: i16):
    %s14 = math.absi %a13 : i16
    %s19 = arith.muli %s14, %a15 : i16
    %s20 = arith.muli %s19, %a17 : i16
    linalg.yield %s20 : i16
  } -> tensor<10x1x10x3xi16> loc("v23")
  %e38 = tensor.empty() : tensor<10x1x10x3xi16>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x4, %v23 : tensor<10x1xi16>, tensor<10x1x10x3xi16>) outs(%e38 : tensor<10x1x10x3xi16>) {
  ^bb0(%a32: i16, %a34: i16, %o37: i16):
    %s36 = arith.subi %a32, %a34 : i16
    linalg.yield %s36 : i16
  } -> tensor<10x1x10x3xi16> loc("v39")
  return %v23, %v23 : tensor<10x1x10x3xi16>, tensor<10x1x10x3xi16>
}
func.func @p_r_2(%x1: tensor<3xi16>, %x2: tensor<2x7x6xi64> {shardir.placement = #shardir.placement<@m_r, [{"z"}, {"x"}, {"y"}]>}, %x3: tensor<2x7x6xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {?}, {?}], partial = sum ["y", "x"]>}, %x4: tensor<10x1xi16> {shardir.placement = #shardir.placement<@m_r, [{?}, {?}p1]>}) -> (tensor<10x1x10x3xi16> {shardir.placement = #shardir.placement<@m_r, [{}, {"z"}, {"y"}, {}]>}, tensor<10x1x10x3xi16> {shardir.placement = #shardir.placement<@m_r, [{?}, {}, {"z"}, {}], partial = prod ["y"]>}) {
  %e22 = tensor.empty() : tensor<10x1x10x3xi16>
  %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d2, d1)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x4, %x4, %x1 : tensor<10x1xi16>, tensor<10x1xi16>, tensor<3xi16>) outs(%e22 : tensor<10x1x10x3xi16>) {
  ^bb0(%a13: i16, %a15: i16, %a17: i16, %o21: i16):
    %s14 = math.absi %a13 : i16
    %s19 = arith.muli %s14, %a15 : i16
    %s20 = arith.muli %s19, %a17 : i16
    linalg.yield %s20 : i16
  } -> tensor<10x1x10x3xi16> loc("v23")
  %e38 = tensor.empty() : tensor<10x1x10x3xi16>
  %v39 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x4, %v23 : tensor<10x1xi16>, tensor<10x1x10x3xi16>) outs(%e38 : tensor<10x1x10x3xi16>) {
  ^bb0(%a32: i16, %a34: i16, %o37: i16):
    %s36 = arith.subi %a32, %a34 : i16
    linalg.yield %s36 : i16
  } -> tensor<10x1x10x3xi16> loc("v39")
  return %v23, %v23 : tensor<10x1x10x3xi16>, tensor<10x1x10x3xi16>
}
