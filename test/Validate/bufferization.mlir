// bufferization on tensors.

func.func @alloc_tensor() -> tensor<4x5xf32> {
  %0 = bufferization.alloc_tensor() : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @alloc_tensor_copy(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = bufferization.alloc_tensor() copy(%a) : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @materialize_in_destination(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = bufferization.materialize_in_destination %a in %b : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
