// Adds a row to each row of a matrix whose rows are split over two devices.
shardir.mesh @m <["x"=2]>

func.func @main(%a: tensor<4x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %b: tensor<3xf32>) -> tensor<4x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %rows = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e : tensor<4x3xf32>) dimensions = [0]
  %sum = linalg.add ins(%a, %rows : tensor<4x3xf32>, tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %sum : tensor<4x3xf32>
}
