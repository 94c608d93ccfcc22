shardir.mesh @m_r <["x"=4]>
func.func @p_r(%x1: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}]>}, %x2: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x":(2)2}, {2, "x":(1)2, ?}]>}, %x3: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m_r, [{2, "x":(2)2}, {"x":(1)2}]>}) -> (tensor<4x2xf32>) {
  %e5 = tensor.empty() : tensor<2x4xf32>
  %v4 = linalg.transpose ins(%x3 : tensor<2x4xf32>) outs(%e5 : tensor<2x4xf32>) permutation = [0, 1] loc("v4")
  %e18 = tensor.empty() : tensor<4x2xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v4 : tensor<2x4xf32>) outs(%e18 : tensor<4x2xf32>) {
  ^bb0(%a11: f32, %o17: f32):
    %s13 = linalg.index 0 : index
    %s14 = arith.index_cast %s13 : index to i32
    %s16 = arith.sitofp %s14 : i32 to f32
    %s15 = arith.addf %a11, %s16 : f32
    linalg.yield %s15 : f32
  } -> tensor<4x2xf32> loc("v19")
  %v51 = tensor.insert_slice %v4 into %x2[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x4xf32> loc("v51")
  %e53 = tensor.empty() : tensor<4x2xf32>
  %v52 = linalg.transpose ins(%v19 : tensor<4x2xf32>) outs(%e53 : tensor<4x2xf32>) permutation = [0, 1] loc("v52")
  return %v52 : tensor<4x2xf32>
}
func.func @p_r_0(%x1: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}]>}, %x2: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x":(2)2}, {2, "x":(1)2, ?}]>}, %x3: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m_r, [{2, "x":(2)2}, {"x":(1)2}]>}) -> (tensor<4x2xf32>) {
  %e5 = tensor.empty() : tensor<2x4xf32>
  %v4 = linalg.transpose ins(%x3 : tensor<2x4xf32>) outs(%e5 : tensor<2x4xf32>) permutation = [0, 1] loc("v4")
  %v51 = tensor.insert_slice %v4 into %x2[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x4xf32> loc("v51")
  %e18 = tensor.empty() : tensor<4x2xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v4 : tensor<2x4xf32>) outs(%e18 : tensor<4x2xf32>) {
  ^bb0(%a11: f32, %o17: f32):
    %s13 = linalg.index 0 : index
    %s14 = arith.index_cast %s13 : index to i32
    %s16 = arith.sitofp %s14 : i32 to f32
    %s15 = arith.addf %a11, %s16 : f32
    linalg.yield %s15 : f32
  } -> tensor<4x2xf32> loc("v19")
  %e53 = tensor.empty() : tensor<4x2xf32>
  %v52 = linalg.transpose ins(%v19 : tensor<4x2xf32>) outs(%e53 : tensor<4x2xf32>) permutation = [0, 1] loc("v52")
  return %v52 : tensor<4x2xf32>
}
func.func @p_r_1(%x1: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}]>}, %x2: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x":(2)2}, {2, "x":(1)2, ?}]>}, %x3: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m_r, [{2, "x":(2)2}, {"x":(1)2}]>}) -> (tensor<4x2xf32>) {
  %e5 = tensor.empty() : tensor<2x4xf32>
  %v4 = linalg.transpose ins(%x3 : tensor<2x4xf32>) outs(%e5 : tensor<2x4xf32>) permutation = [0, 1] loc("v4")
  %e18 = tensor.empty() : tensor<4x2xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v4 : tensor<2x4xf32>) outs(%e18 : tensor<4x2xf32>) {
  ^bb0(%a11: f32, %o17: f32):
    %s13 = linalg.index 0 : index
    %s14 = arith.index_cast %s13 : index to i32
    %s16 = arith.sitofp %s14 : i32 to f32
    %s15 = arith.addf %a11, %s16 : f32
    linalg.yield %s15 : f32
  } -> tensor<4x2xf32> loc("v19")
  %e53 = tensor.empty() : tensor<4x2xf32>
  %v52 = linalg.transpose ins(%v19 : tensor<4x2xf32>) outs(%e53 : tensor<4x2xf32>) permutation = [0, 1] loc("v52")
  %v51 = tensor.insert_slice %v4 into %x2[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x4xf32> loc("v51")
  return %v52 : tensor<4x2xf32>
}
func.func @p_r_2(%x1: tensor<4xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}]>}, %x2: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m_r, [{"x":(2)2}, {2, "x":(1)2, ?}]>}, %x3: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m_r, [{2, "x":(2)2}, {"x":(1)2}]>}) -> (tensor<4x2xf32>) {
  %e5 = tensor.empty() : tensor<2x4xf32>
  %v4 = linalg.transpose ins(%x3 : tensor<2x4xf32>) outs(%e5 : tensor<2x4xf32>) permutation = [0, 1] loc("v4")
  %e18 = tensor.empty() : tensor<4x2xf32>
  %v19 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%v4 : tensor<2x4xf32>) outs(%e18 : tensor<4x2xf32>) {
  ^bb0(%a11: f32, %o17: f32):
    %s13 = linalg.index 0 : index
    %s14 = arith.index_cast %s13 : index to i32
    %s16 = arith.sitofp %s14 : i32 to f32
    %s15 = arith.addf %a11, %s16 : f32
    linalg.yield %s15 : f32
  } -> tensor<4x2xf32> loc("v19")
  %v51 = tensor.insert_slice %v4 into %x2[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x4xf32> loc("v51")
  %e53 = tensor.empty() : tensor<4x2xf32>
  %v52 = linalg.transpose ins(%v19 : tensor<4x2xf32>) outs(%e53 : tensor<4x2xf32>) permutation = [0, 1] loc("v52")
  return %v52 : tensor<4x2xf32>
}
