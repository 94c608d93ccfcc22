// 5 rows over 2 devices: one holds 3, the other 2.
shardir.mesh @m <["dp"=2]>

func.func @main(%x: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> tensor<5x4xf32> {
  %e = tensor.empty() : tensor<5x4xf32>
  %y = linalg.exp ins(%x : tensor<5x4xf32>) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %y : tensor<5x4xf32>
}
