shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%v0: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, %v2: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v11: tensor<32x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) -> (tensor<16x4xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<32x16xf32> loc("s0")
  %v1 = linalg.negf ins(%v0 : tensor<32x16xf32>) outs(%s0 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("v1")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s2 = tensor.empty() : tensor<32x4xf32> loc("s2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("s3")
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<32x16xf32>, tensor<16x4xf32>) outs(%s3 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("v3")
  %v4 = linalg.matmul ins(%v0, %v2 : tensor<32x16xf32>, tensor<16x4xf32>) outs(%s3 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("v4")
  %s7 = tensor.empty() : tensor<16x32xf32> loc("s7")
  %s8 = linalg.fill ins(%s1 : f32) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("s8")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v4 : tensor<16x4xf32>, tensor<32x4xf32>) outs(%s8 : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<16x32xf32> loc("v6")
  %v7 = linalg.transpose ins(%v6 : tensor<16x32xf32>) outs(%s0 : tensor<32x16xf32>) permutation = [1, 0] loc("v7")
  %v8 = linalg.max ins(%v6, %v6 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v8")
  %v9 = linalg.exp ins(%v8 : tensor<16x32xf32>) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v9")
  %s10 = tensor.empty() : tensor<16x4xf32> loc("s10")
  %s11 = linalg.fill ins(%s1 : f32) outs(%s10 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("s11")
  %v12 = linalg.matmul ins(%v9, %v11 : tensor<16x32xf32>, tensor<32x4xf32>) outs(%s11 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("v12")
  return %v12 : tensor<16x4xf32>
}
func.func @p_r_0(%v0: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, %v2: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v11: tensor<32x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) -> (tensor<16x4xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) {
  %s0 = tensor.empty() : tensor<32x16xf32> loc("s0")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %v1 = linalg.negf ins(%v0 : tensor<32x16xf32>) outs(%s0 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("v1")
  %s2 = tensor.empty() : tensor<32x4xf32> loc("s2")
  %s7 = tensor.empty() : tensor<16x32xf32> loc("s7")
  %s10 = tensor.empty() : tensor<16x4xf32> loc("s10")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("s3")
  %s8 = linalg.fill ins(%s1 : f32) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("s8")
  %s11 = linalg.fill ins(%s1 : f32) outs(%s10 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("s11")
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<32x16xf32>, tensor<16x4xf32>) outs(%s3 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("v3")
  %v4 = linalg.matmul ins(%v0, %v2 : tensor<32x16xf32>, tensor<16x4xf32>) outs(%s3 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("v4")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v4 : tensor<16x4xf32>, tensor<32x4xf32>) outs(%s8 : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<16x32xf32> loc("v6")
  %v7 = linalg.transpose ins(%v6 : tensor<16x32xf32>) outs(%s0 : tensor<32x16xf32>) permutation = [1, 0] loc("v7")
  %v8 = linalg.max ins(%v6, %v6 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v8")
  %v9 = linalg.exp ins(%v8 : tensor<16x32xf32>) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v9")
  %v12 = linalg.matmul ins(%v9, %v11 : tensor<16x32xf32>, tensor<32x4xf32>) outs(%s11 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("v12")
  return %v12 : tensor<16x4xf32>
}
func.func @p_r_1(%v0: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, %v2: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v11: tensor<32x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) -> (tensor<16x4xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) {
  %s2 = tensor.empty() : tensor<32x4xf32> loc("s2")
  %s7 = tensor.empty() : tensor<16x32xf32> loc("s7")
  %s0 = tensor.empty() : tensor<32x16xf32> loc("s0")
  %s10 = tensor.empty() : tensor<16x4xf32> loc("s10")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s11 = linalg.fill ins(%s1 : f32) outs(%s10 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("s11")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("s3")
  %v4 = linalg.matmul ins(%v0, %v2 : tensor<32x16xf32>, tensor<16x4xf32>) outs(%s3 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("v4")
  %v1 = linalg.negf ins(%v0 : tensor<32x16xf32>) outs(%s0 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("v1")
  %s8 = linalg.fill ins(%s1 : f32) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("s8")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v4 : tensor<16x4xf32>, tensor<32x4xf32>) outs(%s8 : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<16x32xf32> loc("v6")
  %v8 = linalg.max ins(%v6, %v6 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v8")
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<32x16xf32>, tensor<16x4xf32>) outs(%s3 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("v3")
  %v7 = linalg.transpose ins(%v6 : tensor<16x32xf32>) outs(%s0 : tensor<32x16xf32>) permutation = [1, 0] loc("v7")
  %v9 = linalg.exp ins(%v8 : tensor<16x32xf32>) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v9")
  %v12 = linalg.matmul ins(%v9, %v11 : tensor<16x32xf32>, tensor<32x4xf32>) outs(%s11 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("v12")
  return %v12 : tensor<16x4xf32>
}
func.func @p_r_2(%v0: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}, %v2: tensor<16x4xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}, %v11: tensor<32x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) -> (tensor<16x4xf32> {shardir.placement = #shardir.placement<@m_r, [{}, {"y"}]>}) {
  %s10 = tensor.empty() : tensor<16x4xf32> loc("s10")
  %s2 = tensor.empty() : tensor<32x4xf32> loc("s2")
  %s0 = tensor.empty() : tensor<32x16xf32> loc("s0")
  %s1 = arith.constant 0.000000e+00 : f32 loc("s1")
  %s7 = tensor.empty() : tensor<16x32xf32> loc("s7")
  %s8 = linalg.fill ins(%s1 : f32) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("s8")
  %s11 = linalg.fill ins(%s1 : f32) outs(%s10 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("s11")
  %v1 = linalg.negf ins(%v0 : tensor<32x16xf32>) outs(%s0 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("v1")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("s3")
  %v3 = linalg.matmul ins(%v1, %v2 : tensor<32x16xf32>, tensor<16x4xf32>) outs(%s3 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("v3")
  %v4 = linalg.matmul ins(%v0, %v2 : tensor<32x16xf32>, tensor<16x4xf32>) outs(%s3 : tensor<32x4xf32>) -> tensor<32x4xf32> loc("v4")
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v2, %v4 : tensor<16x4xf32>, tensor<32x4xf32>) outs(%s8 : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<16x32xf32> loc("v6")
  %v8 = linalg.max ins(%v6, %v6 : tensor<16x32xf32>, tensor<16x32xf32>) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v8")
  %v9 = linalg.exp ins(%v8 : tensor<16x32xf32>) outs(%s7 : tensor<16x32xf32>) -> tensor<16x32xf32> loc("v9")
  %v7 = linalg.transpose ins(%v6 : tensor<16x32xf32>) outs(%s0 : tensor<32x16xf32>) permutation = [1, 0] loc("v7")
  %v12 = linalg.matmul ins(%v9, %v11 : tensor<16x32xf32>, tensor<32x4xf32>) outs(%s11 : tensor<16x4xf32>) -> tensor<16x4xf32> loc("v12")
  return %v12 : tensor<16x4xf32>
}
