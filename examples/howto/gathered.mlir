// examples/mlp.mlir with a constraint too many: it replicates the columns of the
// hidden layer, which the next product reads split.
shardir.mesh @m <["dp"=2, "tp"=2]>

func.func @main(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w1: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %w2: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x32xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x16xf32>, tensor<16x32xf32>)
                     outs(%z1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %a = linalg.max ins(%h, %z1 : tensor<8x32xf32>, tensor<8x32xf32>)
                  outs(%e1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %c = shardir.constrain %a to #shardir.placement<@m, [{"dp"}, {}]> : tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.matmul ins(%c, %w2 : tensor<8x32xf32>, tensor<32x16xf32>)
                     outs(%z2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
