// Two layers without any placement: few rows, large weights.
shardir.mesh @m <["tp"=2]>
func.func @main(%x: tensor<8x512xf32>, %w1: tensor<512x2048xf32>, %w2: tensor<2048x512xf32>) -> tensor<8x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x2048xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x512xf32>, tensor<512x2048xf32>)
                     outs(%z1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %a = linalg.tanh ins(%h : tensor<8x2048xf32>) outs(%e1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %e2 = tensor.empty() : tensor<8x512xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<8x2048xf32>, tensor<2048x512xf32>)
                     outs(%z2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  return %y : tensor<8x512xf32>
}
