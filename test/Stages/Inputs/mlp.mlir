// Two layers, tensor parallel over 4 devices. A hidden dim of 10 does not
// divide: the devices hold 3, 3, 3 and 1 columns of %w1 and rows of %w2.
shardir.mesh @m <["tp"=4]>

func.func @main(%x: tensor<2x3xf32>,
                %w1: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %w2: tensor<10x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<2x10xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x10xf32>) -> tensor<2x10xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<2x3xf32>, tensor<3x10xf32>) outs(%z1 : tensor<2x10xf32>) -> tensor<2x10xf32>
  %a = arith.maximumf %h, %z1 : tensor<2x10xf32>
  %e2 = tensor.empty() : tensor<2x2xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<2x10xf32>, tensor<10x2xf32>) outs(%z2 : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
