// A two-layer perceptron over 2x2 devices: the batch over "dp", the hidden layer
// over "tp". Three annotations are given; everything else follows from them, and
// one all-reduce over "tp" is all the communication that the program needs.
//
//   shard-run examples/mlp.mlir --verify --report=-
//   shard-opt examples/mlp.mlir --shardir-to-collective
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
  %e2 = tensor.empty() : tensor<8x16xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<8x32xf32>, tensor<32x16xf32>)
                     outs(%z2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
