func.func @row_scale(%x: tensor<4x5xf32>, %s: tensor<4xf32>) -> tensor<4x5xf32> {
  %0 = "demo.row_scale"(%x, %s) : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @meaning(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> tensor<?x?xf32> attributes {validate.meaning = "demo.row_scale"} {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?xf32>) outs(%x : tensor<?x?xf32>) {
  ^bb0(%scale: f32, %element: f32):
    %product = arith.mulf %element, %scale : f32
    linalg.yield %product : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
