// The gradients of a weight and a bias, of a batch that is split over "dp".
shardir.mesh @m <["dp"=2]>

#x = affine_map<(i, j, k) -> (k, i)>
#d = affine_map<(i, j, k) -> (k, j)>
#w = affine_map<(i, j, k) -> (i, j)>

func.func @main(%x: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %dy: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w: tensor<3x4xf32>, %b: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %ew = tensor.empty() : tensor<3x4xf32>
  %zw = linalg.fill ins(%zero : f32) outs(%ew : tensor<3x4xf32>) -> tensor<3x4xf32>
  %dw = linalg.contract indexing_maps = [#x, #d, #w] ins(%x, %dy : tensor<8x3xf32>, tensor<8x4xf32>)
      outs(%zw : tensor<3x4xf32>) -> tensor<3x4xf32>
  %eb = tensor.empty() : tensor<4xf32>
  %zb = linalg.fill ins(%zero : f32) outs(%eb : tensor<4xf32>) -> tensor<4xf32>
  %db = linalg.reduce { arith.addf } ins(%dy : tensor<8x4xf32>) outs(%zb : tensor<4xf32>) dimensions = [0]
  %nw = arith.subf %w, %dw : tensor<3x4xf32>
  %nb = arith.subf %b, %db : tensor<4xf32>
  return %nw, %nb : tensor<3x4xf32>, tensor<4xf32>
}
