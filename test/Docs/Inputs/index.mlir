shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %x[%c0] : tensor<8xf32>
  %1 = tensor.from_elements %0 : tensor<f32>
  return %1 : tensor<f32>
}
