shardir.mesh @m_r <["x"=2, "y"=2]>
func.func @p_r(%x1: tensor<i64>, %x2: tensor<10xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}]>}) -> (tensor<i64> {shardir.placement = #shardir.placement<@m_r, []>}, tensor<10xf64>, tensor<10xf64> {shardir.placement = #shardir.placement<@m_r, [{"y", ?}]>}) {
  %e23 = tensor.empty() : tensor<10xf64>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x2 : tensor<10xf64>) outs(%e23 : tensor<10xf64>) {
  ^bb0(%a15: f64, %o22: f64):
    %c17 = arith.constant 1.0 : f64
    %s16 = arith.addf %a15, %c17 : f64
    %s18 = linalg.index 0 : index
    %s19 = arith.index_cast %s18 : index to i64
    %s21 = arith.sitofp %s19 : i64 to f64
    %s20 = arith.addf %s16, %s21 : f64
    linalg.yield %s20 : f64
  } -> tensor<10xf64> loc("v24")
  return %x1, %v24, %v24 : tensor<i64>, tensor<10xf64>, tensor<10xf64>
}
func.func @p_r_0(%x1: tensor<i64>, %x2: tensor<10xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}]>}) -> (tensor<i64> {shardir.placement = #shardir.placement<@m_r, []>}, tensor<10xf64>, tensor<10xf64> {shardir.placement = #shardir.placement<@m_r, [{"y", ?}]>}) {
  %e23 = tensor.empty() : tensor<10xf64>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x2 : tensor<10xf64>) outs(%e23 : tensor<10xf64>) {
  ^bb0(%a15: f64, %o22: f64):
    %c17 = arith.constant 1.0 : f64
    %s16 = arith.addf %a15, %c17 : f64
    %s18 = linalg.index 0 : index
    %s19 = arith.index_cast %s18 : index to i64
    %s21 = arith.sitofp %s19 : i64 to f64
    %s20 = arith.addf %s16, %s21 : f64
    linalg.yield %s20 : f64
  } -> tensor<10xf64> loc("v24")
  return %x1, %v24, %v24 : tensor<i64>, tensor<10xf64>, tensor<10xf64>
}
func.func @p_r_1(%x1: tensor<i64>, %x2: tensor<10xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}]>}) -> (tensor<i64> {shardir.placement = #shardir.placement<@m_r, []>}, tensor<10xf64>, tensor<10xf64> {shardir.placement = #shardir.placement<@m_r, [{"y", ?}]>}) {
  %e23 = tensor.empty() : tensor<10xf64>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x2 : tensor<10xf64>) outs(%e23 : tensor<10xf64>) {
  ^bb0(%a15: f64, %o22: f64):
    %c17 = arith.constant 1.0 : f64
    %s16 = arith.addf %a15, %c17 : f64
    %s18 = linalg.index 0 : index
    %s19 = arith.index_cast %s18 : index to i64
    %s21 = arith.sitofp %s19 : i64 to f64
    %s20 = arith.addf %s16, %s21 : f64
    linalg.yield %s20 : f64
  } -> tensor<10xf64> loc("v24")
  return %x1, %v24, %v24 : tensor<i64>, tensor<10xf64>, tensor<10xf64>
}
func.func @p_r_2(%x1: tensor<i64>, %x2: tensor<10xf64> {shardir.placement = #shardir.placement<@m_r, [{"x", ?}]>}) -> (tensor<i64> {shardir.placement = #shardir.placement<@m_r, []>}, tensor<10xf64>, tensor<10xf64> {shardir.placement = #shardir.placement<@m_r, [{"y", ?}]>}) {
  %e23 = tensor.empty() : tensor<10xf64>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x2 : tensor<10xf64>) outs(%e23 : tensor<10xf64>) {
  ^bb0(%a15: f64, %o22: f64):
    %c17 = arith.constant 1.0 : f64
    %s16 = arith.addf %a15, %c17 : f64
    %s18 = linalg.index 0 : index
    %s19 = arith.index_cast %s18 : index to i64
    %s21 = arith.sitofp %s19 : i64 to f64
    %s20 = arith.addf %s16, %s21 : f64
    linalg.yield %s20 : f64
  } -> tensor<10xf64> loc("v24")
  return %x1, %v24, %v24 : tensor<i64>, tensor<10xf64>, tensor<10xf64>
}
