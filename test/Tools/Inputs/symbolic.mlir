shardir.mesh @m <["x"=?, "y"=2]>
func.func @main(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @hidden(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
