shardir.mesh @a <["x"=2]>
shardir.mesh @b <["y"=2], devices = [2, 3]>
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@a, [{"x"}]>}) -> (tensor<8xf32> {shardir.placement = #shardir.placement<@b, [{"y"}]>}) {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
