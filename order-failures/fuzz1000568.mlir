shardir.mesh @m_r <["x"=4, "y"=2]>
func.func private @p_r_v15(%x: tensor<12x11x3x4xf32>) -> tensor<12x11x3x4xf32> {
  %y = arith.addf %x, %x : tensor<12x11x3x4xf32>
  return %y : tensor<12x11x3x4xf32>
}
func.func private @p_r_v18(%x: tensor<10x2x2xf32>) -> tensor<10x2x2xf32> {
  %y = arith.addf %x, %x : tensor<10x2x2xf32>
  return %y : tensor<10x2x2xf32>
}
func.func @p_r(%x1: tensor<10x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"y", ?}, {}]>}) -> (tensor<10x2x2xf32>) {
  %e9 = tensor.empty() : tensor<10x2x2xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x1, %x1 : tensor<10x2xf32>, tensor<10x2xf32>) outs(%e9 : tensor<10x2x2xf32>) {
  ^bb0(%a2: f32, %a5: f32, %o8: f32):
    %c4 = arith.constant 1.0 : f32
    %s3 = arith.addf %a2, %c4 : f32
    %s6 = math.absf %a5 : f32
    %s7 = arith.addf %s3, %s6 : f32
    linalg.yield %s7 : f32
  } -> tensor<10x2x2xf32> loc("v10")
  %e12 = tensor.empty() : tensor<10x8x2x2xf32>
  %v11 = linalg.broadcast ins(%v10 : tensor<10x2x2xf32>) outs(%e12 : tensor<10x8x2x2xf32>) dimensions = [1] loc("v11")
  %c13 = arith.constant 0.0 : f32
  %v14 = tensor.pad %v11 low[1, 2, 0, 2] high[1, 1, 1, 0] {
  ^bb0(%v14i0: index, %v14i1: index, %v14i2: index, %v14i3: index):
    tensor.yield %c13 : f32
  } : tensor<10x8x2x2xf32> to tensor<12x11x3x4xf32> loc("v14")
  %v16 = shardir.constrain %v11 to #shardir.placement<@m_r, [{5, "x":(1)2}, {}, {}, {}], partial = sum ["x":(2)2]> : tensor<10x8x2x2xf32> loc("v16")
  %v17 = tensor.concat dim(2) %v11, %v16 : (tensor<10x8x2x2xf32>, tensor<10x8x2x2xf32>) -> tensor<10x8x4x2xf32> loc("v17")
  %v18 = func.call @p_r_v18(%v10) : (tensor<10x2x2xf32>) -> tensor<10x2x2xf32> loc("v18")
  return %v18 : tensor<10x2x2xf32>
}
func.func private @p_r_0_v15(%x: tensor<12x11x3x4xf32>) -> tensor<12x11x3x4xf32> {
  %y = arith.addf %x, %x : tensor<12x11x3x4xf32>
  return %y : tensor<12x11x3x4xf32>
}
func.func private @p_r_0_v18(%x: tensor<10x2x2xf32>) -> tensor<10x2x2xf32> {
  %y = arith.addf %x, %x : tensor<10x2x2xf32>
  return %y : tensor<10x2x2xf32>
}
func.func @p_r_0(%x1: tensor<10x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"y", ?}, {}]>}) -> (tensor<10x2x2xf32>) {
  %e9 = tensor.empty() : tensor<10x2x2xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x1, %x1 : tensor<10x2xf32>, tensor<10x2xf32>) outs(%e9 : tensor<10x2x2xf32>) {
  ^bb0(%a2: f32, %a5: f32, %o8: f32):
    %c4 = arith.constant 1.0 : f32
    %s3 = arith.addf %a2, %c4 : f32
    %s6 = math.absf %a5 : f32
    %s7 = arith.addf %s3, %s6 : f32
    linalg.yield %s7 : f32
  } -> tensor<10x2x2xf32> loc("v10")
  %e12 = tensor.empty() : tensor<10x8x2x2xf32>
  %v11 = linalg.broadcast ins(%v10 : tensor<10x2x2xf32>) outs(%e12 : tensor<10x8x2x2xf32>) dimensions = [1] loc("v11")
  %c13 = arith.constant 0.0 : f32
  %v14 = tensor.pad %v11 low[1, 2, 0, 2] high[1, 1, 1, 0] {
  ^bb0(%v14i0: index, %v14i1: index, %v14i2: index, %v14i3: index):
    tensor.yield %c13 : f32
  } : tensor<10x8x2x2xf32> to tensor<12x11x3x4xf32> loc("v14")
  %v16 = shardir.constrain %v11 to #shardir.placement<@m_r, [{5, "x":(1)2}, {}, {}, {}], partial = sum ["x":(2)2]> : tensor<10x8x2x2xf32> loc("v16")
  %v18 = func.call @p_r_0_v18(%v10) : (tensor<10x2x2xf32>) -> tensor<10x2x2xf32> loc("v18")
  %v17 = tensor.concat dim(2) %v11, %v16 : (tensor<10x8x2x2xf32>, tensor<10x8x2x2xf32>) -> tensor<10x8x4x2xf32> loc("v17")
  return %v18 : tensor<10x2x2xf32>
}
func.func private @p_r_1_v15(%x: tensor<12x11x3x4xf32>) -> tensor<12x11x3x4xf32> {
  %y = arith.addf %x, %x : tensor<12x11x3x4xf32>
  return %y : tensor<12x11x3x4xf32>
}
func.func private @p_r_1_v18(%x: tensor<10x2x2xf32>) -> tensor<10x2x2xf32> {
  %y = arith.addf %x, %x : tensor<10x2x2xf32>
  return %y : tensor<10x2x2xf32>
}
func.func @p_r_1(%x1: tensor<10x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"y", ?}, {}]>}) -> (tensor<10x2x2xf32>) {
  %e9 = tensor.empty() : tensor<10x2x2xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x1, %x1 : tensor<10x2xf32>, tensor<10x2xf32>) outs(%e9 : tensor<10x2x2xf32>) {
  ^bb0(%a2: f32, %a5: f32, %o8: f32):
    %c4 = arith.constant 1.0 : f32
    %s3 = arith.addf %a2, %c4 : f32
    %s6 = math.absf %a5 : f32
    %s7 = arith.addf %s3, %s6 : f32
    linalg.yield %s7 : f32
  } -> tensor<10x2x2xf32> loc("v10")
  %e12 = tensor.empty() : tensor<10x8x2x2xf32>
  %v11 = linalg.broadcast ins(%v10 : tensor<10x2x2xf32>) outs(%e12 : tensor<10x8x2x2xf32>) dimensions = [1] loc("v11")
  %c13 = arith.constant 0.0 : f32
  %v14 = tensor.pad %v11 low[1, 2, 0, 2] high[1, 1, 1, 0] {
  ^bb0(%v14i0: index, %v14i1: index, %v14i2: index, %v14i3: index):
    tensor.yield %c13 : f32
  } : tensor<10x8x2x2xf32> to tensor<12x11x3x4xf32> loc("v14")
  %v16 = shardir.constrain %v11 to #shardir.placement<@m_r, [{5, "x":(1)2}, {}, {}, {}], partial = sum ["x":(2)2]> : tensor<10x8x2x2xf32> loc("v16")
  %v17 = tensor.concat dim(2) %v11, %v16 : (tensor<10x8x2x2xf32>, tensor<10x8x2x2xf32>) -> tensor<10x8x4x2xf32> loc("v17")
  %v18 = func.call @p_r_1_v18(%v10) : (tensor<10x2x2xf32>) -> tensor<10x2x2xf32> loc("v18")
  return %v18 : tensor<10x2x2xf32>
}
func.func private @p_r_2_v15(%x: tensor<12x11x3x4xf32>) -> tensor<12x11x3x4xf32> {
  %y = arith.addf %x, %x : tensor<12x11x3x4xf32>
  return %y : tensor<12x11x3x4xf32>
}
func.func private @p_r_2_v18(%x: tensor<10x2x2xf32>) -> tensor<10x2x2xf32> {
  %y = arith.addf %x, %x : tensor<10x2x2xf32>
  return %y : tensor<10x2x2xf32>
}
func.func @p_r_2(%x1: tensor<10x2xf32> {shardir.placement = #shardir.placement<@m_r, [{"y", ?}, {}]>}) -> (tensor<10x2x2xf32>) {
  %e9 = tensor.empty() : tensor<10x2x2xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x1, %x1 : tensor<10x2xf32>, tensor<10x2xf32>) outs(%e9 : tensor<10x2x2xf32>) {
  ^bb0(%a2: f32, %a5: f32, %o8: f32):
    %c4 = arith.constant 1.0 : f32
    %s3 = arith.addf %a2, %c4 : f32
    %s6 = math.absf %a5 : f32
    %s7 = arith.addf %s3, %s6 : f32
    linalg.yield %s7 : f32
  } -> tensor<10x2x2xf32> loc("v10")
  %v18 = func.call @p_r_2_v18(%v10) : (tensor<10x2x2xf32>) -> tensor<10x2x2xf32> loc("v18")
  %e12 = tensor.empty() : tensor<10x8x2x2xf32>
  %v11 = linalg.broadcast ins(%v10 : tensor<10x2x2xf32>) outs(%e12 : tensor<10x8x2x2xf32>) dimensions = [1] loc("v11")
  %v16 = shardir.constrain %v11 to #shardir.placement<@m_r, [{5, "x":(1)2}, {}, {}, {}], partial = sum ["x":(2)2]> : tensor<10x8x2x2xf32> loc("v16")
  %c13 = arith.constant 0.0 : f32
  %v14 = tensor.pad %v11 low[1, 2, 0, 2] high[1, 1, 1, 0] {
  ^bb0(%v14i0: index, %v14i1: index, %v14i2: index, %v14i3: index):
    tensor.yield %c13 : f32
  } : tensor<10x8x2x2xf32> to tensor<12x11x3x4xf32> loc("v14")
  %v17 = tensor.concat dim(2) %v11, %v16 : (tensor<10x8x2x2xf32>, tensor<10x8x2x2xf32>) -> tensor<10x8x4x2xf32> loc("v17")
  return %v18 : tensor<10x2x2xf32>
}
