// 5 x 7 elements on 2 x 3 devices: no size divides.
shardir.mesh @m <["dp"=2, "tp"=3]>

func.func @main(%x: tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>},
                %y: tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}, {}]>})
    -> (tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}) {
  %e = tensor.empty() : tensor<5x7xf32>
  %z = linalg.exp ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %z : tensor<5x7xf32>
}
