// One matrix product. The columns of the weight are split over 4 devices.
shardir.mesh @m <["tp"=4]>

func.func @main(%x: tensor<8x16xf32>,
                %w: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>})
    -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x32xf32>)
                     outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}
