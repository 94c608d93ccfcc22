shardir.mesh @m_r <["x"=2, "y"=3]>
func.func @p_r(%x1: tensor<f32> {shardir.placement = #shardir.placement<@m_r, [], partial = minnum ["y"]>}, %x2: tensor<i32> {shardir.placement = #shardir.placement<@m_r, [], partial = and ["y"]>}, %x3: tensor<8x7xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}, %x4: tensor<8x7xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}) -> (tensor<8x7xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"y", "x"}]>}) {
  %e41 = tensor.empty() : tensor<8x7xbf16>
  %v42 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x4, %x4, %x4 : tensor<8x7xbf16>, tensor<8x7xbf16>, tensor<8x7xbf16>) outs(%e41 : tensor<8x7xbf16>) {
  ^bb0(%a32: bf16, %a34: bf16, %a36: bf16, %o40: bf16):
    %s37 = math.absf %a36 : bf16
    %s38 = arith.maximumf %a32, %a34 : bf16
    %s39 = arith.addf %s38, %s37 : bf16
    linalg.yield %s39 : bf16
  } -> tensor<8x7xbf16> loc("v42")
  return %v42 : tensor<8x7xbf16>
}
func.func @p_r_0(%x1: tensor<f32> {shardir.placement = #shardir.placement<@m_r, [], partial = minnum ["y"]>}, %x2: tensor<i32> {shardir.placement = #shardir.placement<@m_r, [], partial = and ["y"]>}, %x3: tensor<8x7xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}, %x4: tensor<8x7xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}) -> (tensor<8x7xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"y", "x"}]>}) {
  %e41 = tensor.empty() : tensor<8x7xbf16>
  %v42 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x4, %x4, %x4 : tensor<8x7xbf16>, tensor<8x7xbf16>, tensor<8x7xbf16>) outs(%e41 : tensor<8x7xbf16>) {
  ^bb0(%a32: bf16, %a34: bf16, %a36: bf16, %o40: bf16):
    %s37 = math.absf %a36 : bf16
    %s38 = arith.maximumf %a32, %a34 : bf16
    %s39 = arith.addf %s38, %s37 : bf16
    linalg.yield %s39 : bf16
  } -> tensor<8x7xbf16> loc("v42")
  return %v42 : tensor<8x7xbf16>
}
func.func @p_r_1(%x1: tensor<f32> {shardir.placement = #shardir.placement<@m_r, [], partial = minnum ["y"]>}, %x2: tensor<i32> {shardir.placement = #shardir.placement<@m_r, [], partial = and ["y"]>}, %x3: tensor<8x7xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}, %x4: tensor<8x7xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}) -> (tensor<8x7xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"y", "x"}]>}) {
  %e41 = tensor.empty() : tensor<8x7xbf16>
  %v42 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x4, %x4, %x4 : tensor<8x7xbf16>, tensor<8x7xbf16>, tensor<8x7xbf16>) outs(%e41 : tensor<8x7xbf16>) {
  ^bb0(%a32: bf16, %a34: bf16, %a36: bf16, %o40: bf16):
    %s37 = math.absf %a36 : bf16
    %s38 = arith.maximumf %a32, %a34 : bf16
    %s39 = arith.addf %s38, %s37 : bf16
    linalg.yield %s39 : bf16
  } -> tensor<8x7xbf16> loc("v42")
  return %v42 : tensor<8x7xbf16>
}
func.func @p_r_2(%x1: tensor<f32> {shardir.placement = #shardir.placement<@m_r, [], partial = minnum ["y"]>}, %x2: tensor<i32> {shardir.placement = #shardir.placement<@m_r, [], partial = and ["y"]>}, %x3: tensor<8x7xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"x"}]>}, %x4: tensor<8x7xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"x", "y"}]>}) -> (tensor<8x7xbf16> {shardir.placement = #shardir.placement<@m_r, [{}, {"y", "x"}]>}) {
  %e41 = tensor.empty() : tensor<8x7xbf16>
  %v42 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x4, %x4, %x4 : tensor<8x7xbf16>, tensor<8x7xbf16>, tensor<8x7xbf16>) outs(%e41 : tensor<8x7xbf16>) {
  ^bb0(%a32: bf16, %a34: bf16, %a36: bf16, %o40: bf16):
    %s37 = math.absf %a36 : bf16
    %s38 = arith.maximumf %a32, %a34 : bf16
    %s39 = arith.addf %s38, %s37 : bf16
    linalg.yield %s39 : bf16
  } -> tensor<8x7xbf16> loc("v42")
  return %v42 : tensor<8x7xbf16>
}
