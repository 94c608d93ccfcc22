shardir.mesh @m_r <["x"=2, "y"=4]>
func.func @p_r(%v0: tensor<32x8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}, {}]>}, %v8: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<32x8x16xf32>, tensor<32x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s0 = tensor.empty() : tensor<32x8x8xf32> loc("s0")
  %v1 = linalg.transpose ins(%v0 : tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) permutation = [0, 2, 1] loc("v1")
  %v2 = linalg.exp ins(%v1 : tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v2")
  %s1 = arith.constant 0xFF800000 : f32 loc("s1")
  %s2 = tensor.empty() : tensor<8x8xf32> loc("s2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s3")
  %v3 = linalg.reduce { arith.maximumf } ins(%v2 : tensor<32x8x8xf32>) outs(%s3 : tensor<8x8xf32>) dimensions = [0] loc("v3")
  %v4 = linalg.mul ins(%v0, %v2 : tensor<32x8x8xf32>, tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v4")
  %s4 = arith.constant 0.000000e+00 : f32 loc("s4")
  %s5 = linalg.fill ins(%s4 : f32) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("s5")
  %v5 = linalg.batch_matmul ins(%v4, %v4 : tensor<32x8x8xf32>, tensor<32x8x8xf32>) outs(%s5 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v5")
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<32x8x8xf32>) outs(%s3 : tensor<8x8xf32>) dimensions = [0] loc("v6")
  %v7 = linalg.mul ins(%v6, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v7")
  %s6 = tensor.empty() : tensor<32x8x16xf32> loc("s6")
  %s7 = linalg.fill ins(%s4 : f32) outs(%s6 : tensor<32x8x16xf32>) -> tensor<32x8x16xf32> loc("s7")
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v4, %v8 : tensor<32x8x8xf32>, tensor<16x8xf32>) outs(%s7 : tensor<32x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<32x8x16xf32> loc("v9")
  %s8 = tensor.empty() : tensor<32x8xf32> loc("s8")
  %s9 = linalg.fill ins(%s4 : f32) outs(%s8 : tensor<32x8xf32>) -> tensor<32x8xf32> loc("s9")
  %v10 = linalg.reduce { arith.addf } ins(%v5 : tensor<32x8x8xf32>) outs(%s9 : tensor<32x8xf32>) dimensions = [1] loc("v10")
  return %v7, %v9, %v10 : tensor<8x8xf32>, tensor<32x8x16xf32>, tensor<32x8xf32>
}
func.func @p_r_0(%v0: tensor<32x8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}, {}]>}, %v8: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<32x8x16xf32>, tensor<32x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s2 = tensor.empty() : tensor<8x8xf32> loc("s2")
  %s6 = tensor.empty() : tensor<32x8x16xf32> loc("s6")
  %s8 = tensor.empty() : tensor<32x8xf32> loc("s8")
  %s1 = arith.constant 0xFF800000 : f32 loc("s1")
  %s0 = tensor.empty() : tensor<32x8x8xf32> loc("s0")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s3")
  %v1 = linalg.transpose ins(%v0 : tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) permutation = [0, 2, 1] loc("v1")
  %s4 = arith.constant 0.000000e+00 : f32 loc("s4")
  %s5 = linalg.fill ins(%s4 : f32) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("s5")
  %s9 = linalg.fill ins(%s4 : f32) outs(%s8 : tensor<32x8xf32>) -> tensor<32x8xf32> loc("s9")
  %v2 = linalg.exp ins(%v1 : tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v2")
  %s7 = linalg.fill ins(%s4 : f32) outs(%s6 : tensor<32x8x16xf32>) -> tensor<32x8x16xf32> loc("s7")
  %v3 = linalg.reduce { arith.maximumf } ins(%v2 : tensor<32x8x8xf32>) outs(%s3 : tensor<8x8xf32>) dimensions = [0] loc("v3")
  %v4 = linalg.mul ins(%v0, %v2 : tensor<32x8x8xf32>, tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v4")
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<32x8x8xf32>) outs(%s3 : tensor<8x8xf32>) dimensions = [0] loc("v6")
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v4, %v8 : tensor<32x8x8xf32>, tensor<16x8xf32>) outs(%s7 : tensor<32x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<32x8x16xf32> loc("v9")
  %v7 = linalg.mul ins(%v6, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v7")
  %v5 = linalg.batch_matmul ins(%v4, %v4 : tensor<32x8x8xf32>, tensor<32x8x8xf32>) outs(%s5 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v5")
  %v10 = linalg.reduce { arith.addf } ins(%v5 : tensor<32x8x8xf32>) outs(%s9 : tensor<32x8xf32>) dimensions = [1] loc("v10")
  return %v7, %v9, %v10 : tensor<8x8xf32>, tensor<32x8x16xf32>, tensor<32x8xf32>
}
func.func @p_r_1(%v0: tensor<32x8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}, {}]>}, %v8: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<32x8x16xf32>, tensor<32x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s1 = arith.constant 0xFF800000 : f32 loc("s1")
  %s4 = arith.constant 0.000000e+00 : f32 loc("s4")
  %s6 = tensor.empty() : tensor<32x8x16xf32> loc("s6")
  %s8 = tensor.empty() : tensor<32x8xf32> loc("s8")
  %s7 = linalg.fill ins(%s4 : f32) outs(%s6 : tensor<32x8x16xf32>) -> tensor<32x8x16xf32> loc("s7")
  %s2 = tensor.empty() : tensor<8x8xf32> loc("s2")
  %s9 = linalg.fill ins(%s4 : f32) outs(%s8 : tensor<32x8xf32>) -> tensor<32x8xf32> loc("s9")
  %s0 = tensor.empty() : tensor<32x8x8xf32> loc("s0")
  %s5 = linalg.fill ins(%s4 : f32) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("s5")
  %v1 = linalg.transpose ins(%v0 : tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) permutation = [0, 2, 1] loc("v1")
  %v2 = linalg.exp ins(%v1 : tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v2")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s3")
  %v4 = linalg.mul ins(%v0, %v2 : tensor<32x8x8xf32>, tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v4")
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v4, %v8 : tensor<32x8x8xf32>, tensor<16x8xf32>) outs(%s7 : tensor<32x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<32x8x16xf32> loc("v9")
  %v3 = linalg.reduce { arith.maximumf } ins(%v2 : tensor<32x8x8xf32>) outs(%s3 : tensor<8x8xf32>) dimensions = [0] loc("v3")
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<32x8x8xf32>) outs(%s3 : tensor<8x8xf32>) dimensions = [0] loc("v6")
  %v7 = linalg.mul ins(%v6, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v7")
  %v5 = linalg.batch_matmul ins(%v4, %v4 : tensor<32x8x8xf32>, tensor<32x8x8xf32>) outs(%s5 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v5")
  %v10 = linalg.reduce { arith.addf } ins(%v5 : tensor<32x8x8xf32>) outs(%s9 : tensor<32x8xf32>) dimensions = [1] loc("v10")
  return %v7, %v9, %v10 : tensor<8x8xf32>, tensor<32x8x16xf32>, tensor<32x8xf32>
}
func.func @p_r_2(%v0: tensor<32x8x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {}, {}]>}, %v8: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<32x8x16xf32>, tensor<32x8xf32> {shardir.placement = #shardir.placement<@m_r, [{"y"}, {"x"}]>}) {
  %s1 = arith.constant 0xFF800000 : f32 loc("s1")
  %s2 = tensor.empty() : tensor<8x8xf32> loc("s2")
  %s8 = tensor.empty() : tensor<32x8xf32> loc("s8")
  %s3 = linalg.fill ins(%s1 : f32) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("s3")
  %s4 = arith.constant 0.000000e+00 : f32 loc("s4")
  %s6 = tensor.empty() : tensor<32x8x16xf32> loc("s6")
  %s0 = tensor.empty() : tensor<32x8x8xf32> loc("s0")
  %s7 = linalg.fill ins(%s4 : f32) outs(%s6 : tensor<32x8x16xf32>) -> tensor<32x8x16xf32> loc("s7")
  %v1 = linalg.transpose ins(%v0 : tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) permutation = [0, 2, 1] loc("v1")
  %s9 = linalg.fill ins(%s4 : f32) outs(%s8 : tensor<32x8xf32>) -> tensor<32x8xf32> loc("s9")
  %s5 = linalg.fill ins(%s4 : f32) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("s5")
  %v2 = linalg.exp ins(%v1 : tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v2")
  %v3 = linalg.reduce { arith.maximumf } ins(%v2 : tensor<32x8x8xf32>) outs(%s3 : tensor<8x8xf32>) dimensions = [0] loc("v3")
  %v4 = linalg.mul ins(%v0, %v2 : tensor<32x8x8xf32>, tensor<32x8x8xf32>) outs(%s0 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v4")
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v4, %v8 : tensor<32x8x8xf32>, tensor<16x8xf32>) outs(%s7 : tensor<32x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
  %m = arith.mulf %a, %b : f32
  %n = arith.addf %m, %c : f32
  linalg.yield %n : f32
  } -> tensor<32x8x16xf32> loc("v9")
  %v6 = linalg.reduce { arith.maximumf } ins(%v4 : tensor<32x8x8xf32>) outs(%s3 : tensor<8x8xf32>) dimensions = [0] loc("v6")
  %v5 = linalg.batch_matmul ins(%v4, %v4 : tensor<32x8x8xf32>, tensor<32x8x8xf32>) outs(%s5 : tensor<32x8x8xf32>) -> tensor<32x8x8xf32> loc("v5")
  %v10 = linalg.reduce { arith.addf } ins(%v5 : tensor<32x8x8xf32>) outs(%s9 : tensor<32x8xf32>) dimensions = [1] loc("v10")
  %v7 = linalg.mul ins(%v6, %v3 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%s2 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("v7")
  return %v7, %v9, %v10 : tensor<8x8xf32>, tensor<32x8x16xf32>, tensor<32x8xf32>
}
