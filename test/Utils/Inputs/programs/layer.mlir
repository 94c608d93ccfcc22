#map = affine_map<(d0) -> (d0)>
module @layer attributes {a.b = "{"} {
  func.func public @main(%arg0: tensor<8x4xf32> {a.name = "x, {\"(y"}, %arg1: tensor<4x6xf32>, %arg2: tensor<f32>, %arg3: tensor<4x6xf32> {}) -> (tensor<8x6xf32> {a.result = "r"}) {
    %0 = tensor.empty() : tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}
