shardir.mesh @m_r <["x"=4, "y"=2]>
func.func @p_r(%v0: tensor<8x16xf32>, %v1: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}]>}, %v5: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) -> (tensor<256xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}, tensor<8x128xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}) {
  %v2 = tensor.collapse_shape %v0 [[0, 1]] : tensor<8x16xf32> into tensor<128xf32> loc("v2")
  %s0 = tensor.empty() : tensor<16x128xf32> loc("s0")
  %v3 = linalg.broadcast ins(%v2 : tensor<128xf32>) outs(%s0 : tensor<16x128xf32>) dimensions = [0] loc("v3")
  %v4 = linalg.exp ins(%v3 : tensor<16x128xf32>) outs(%s0 : tensor<16x128xf32>) -> tensor<16x128xf32> loc("v4")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s2 = tensor.empty() : tensor<16x16xf32> loc("s2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("s3")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v5 : tensor<8x16xf32>, tensor<16x8xf32>) outs(%s3 : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<16x16xf32> loc("v6")
  %v7 = tensor.collapse_shape %v6 [[0, 1]] : tensor<16x16xf32> into tensor<256xf32> loc("v7")
  %s4 = tensor.empty() : tensor<8x16xf32> loc("s4")
  %v8 = linalg.transpose ins(%v5 : tensor<16x8xf32>) outs(%s4 : tensor<8x16xf32>) permutation = [1, 0] loc("v8")
  %s6 = tensor.empty() : tensor<8x128xf32> loc("s6")
  %s7 = linalg.fill ins(%s1 : f32) outs(%s6 : tensor<8x128xf32>) -> tensor<8x128xf32> loc("s7")
  %v13 = linalg.matmul ins(%v8, %v3 : tensor<8x16xf32>, tensor<16x128xf32>) outs(%s7 : tensor<8x128xf32>) -> tensor<8x128xf32> loc("v13")
  return %v7, %v13 : tensor<256xf32>, tensor<8x128xf32>
}
func.func @p_r_0(%v0: tensor<8x16xf32>, %v1: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}]>}, %v5: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) -> (tensor<256xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}, tensor<8x128xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}) {
  %v2 = tensor.collapse_shape %v0 [[0, 1]] : tensor<8x16xf32> into tensor<128xf32> loc("v2")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s0 = tensor.empty() : tensor<16x128xf32> loc("s0")
  %s2 = tensor.empty() : tensor<16x16xf32> loc("s2")
  %s4 = tensor.empty() : tensor<8x16xf32> loc("s4")
  %v3 = linalg.broadcast ins(%v2 : tensor<128xf32>) outs(%s0 : tensor<16x128xf32>) dimensions = [0] loc("v3")
  %v8 = linalg.transpose ins(%v5 : tensor<16x8xf32>) outs(%s4 : tensor<8x16xf32>) permutation = [1, 0] loc("v8")
  %s6 = tensor.empty() : tensor<8x128xf32> loc("s6")
  %v4 = linalg.exp ins(%v3 : tensor<16x128xf32>) outs(%s0 : tensor<16x128xf32>) -> tensor<16x128xf32> loc("v4")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("s3")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v5 : tensor<8x16xf32>, tensor<16x8xf32>) outs(%s3 : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<16x16xf32> loc("v6")
  %v7 = tensor.collapse_shape %v6 [[0, 1]] : tensor<16x16xf32> into tensor<256xf32> loc("v7")
  %s7 = linalg.fill ins(%s1 : f32) outs(%s6 : tensor<8x128xf32>) -> tensor<8x128xf32> loc("s7")
  %v13 = linalg.matmul ins(%v8, %v3 : tensor<8x16xf32>, tensor<16x128xf32>) outs(%s7 : tensor<8x128xf32>) -> tensor<8x128xf32> loc("v13")
  return %v7, %v13 : tensor<256xf32>, tensor<8x128xf32>
}
func.func @p_r_1(%v0: tensor<8x16xf32>, %v1: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}]>}, %v5: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) -> (tensor<256xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}, tensor<8x128xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}) {
  %s2 = tensor.empty() : tensor<16x16xf32> loc("s2")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("s3")
  %s0 = tensor.empty() : tensor<16x128xf32> loc("s0")
  %s6 = tensor.empty() : tensor<8x128xf32> loc("s6")
  %s7 = linalg.fill ins(%s1 : f32) outs(%s6 : tensor<8x128xf32>) -> tensor<8x128xf32> loc("s7")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v5 : tensor<8x16xf32>, tensor<16x8xf32>) outs(%s3 : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<16x16xf32> loc("v6")
  %v7 = tensor.collapse_shape %v6 [[0, 1]] : tensor<16x16xf32> into tensor<256xf32> loc("v7")
  %v2 = tensor.collapse_shape %v0 [[0, 1]] : tensor<8x16xf32> into tensor<128xf32> loc("v2")
  %s4 = tensor.empty() : tensor<8x16xf32> loc("s4")
  %v8 = linalg.transpose ins(%v5 : tensor<16x8xf32>) outs(%s4 : tensor<8x16xf32>) permutation = [1, 0] loc("v8")
  %v3 = linalg.broadcast ins(%v2 : tensor<128xf32>) outs(%s0 : tensor<16x128xf32>) dimensions = [0] loc("v3")
  %v4 = linalg.exp ins(%v3 : tensor<16x128xf32>) outs(%s0 : tensor<16x128xf32>) -> tensor<16x128xf32> loc("v4")
  %v13 = linalg.matmul ins(%v8, %v3 : tensor<8x16xf32>, tensor<16x128xf32>) outs(%s7 : tensor<8x128xf32>) -> tensor<8x128xf32> loc("v13")
  return %v7, %v13 : tensor<256xf32>, tensor<8x128xf32>
}
func.func @p_r_2(%v0: tensor<8x16xf32>, %v1: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {}]>}, %v5: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) -> (tensor<256xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}]>}, tensor<8x128xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {}]>}) {
  %s6 = tensor.empty() : tensor<8x128xf32> loc("s6")
  %v2 = tensor.collapse_shape %v0 [[0, 1]] : tensor<8x16xf32> into tensor<128xf32> loc("v2")
  %s2 = tensor.empty() : tensor<16x16xf32> loc("s2")
  %s0 = tensor.empty() : tensor<16x128xf32> loc("s0")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s4 = tensor.empty() : tensor<8x16xf32> loc("s4")
  %v8 = linalg.transpose ins(%v5 : tensor<16x8xf32>) outs(%s4 : tensor<8x16xf32>) permutation = [1, 0] loc("v8")
  %s7 = linalg.fill ins(%s1 : f32) outs(%s6 : tensor<8x128xf32>) -> tensor<8x128xf32> loc("s7")
  %v3 = linalg.broadcast ins(%v2 : tensor<128xf32>) outs(%s0 : tensor<16x128xf32>) dimensions = [0] loc("v3")
  %v4 = linalg.exp ins(%v3 : tensor<16x128xf32>) outs(%s0 : tensor<16x128xf32>) -> tensor<16x128xf32> loc("v4")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("s3")
  %v13 = linalg.matmul ins(%v8, %v3 : tensor<8x16xf32>, tensor<16x128xf32>) outs(%s7 : tensor<8x128xf32>) -> tensor<8x128xf32> loc("v13")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v0, %v5 : tensor<8x16xf32>, tensor<16x8xf32>) outs(%s3 : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<16x16xf32> loc("v6")
  %v7 = tensor.collapse_shape %v6 [[0, 1]] : tensor<16x16xf32> into tensor<256xf32> loc("v7")
  return %v7, %v13 : tensor<256xf32>, tensor<8x128xf32>
}
