shardir.mesh @m <["dp"=2, "tp"=2]>

// Rows over dp, columns over tp: the maximum of a row is combined over tp.
func.func @main(%x: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>},
                %s: tensor<5xf32>) -> tensor<5xf32> {
  %y = "demo.row_scale"(%x, %s) : (tensor<5x6xf32>, tensor<5xf32>) -> tensor<5x6xf32>
  %m = "demo.row_max"(%y) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = max}>}
      : (tensor<5x6xf32>) -> tensor<5xf32>
  return %m : tensor<5xf32>
}
