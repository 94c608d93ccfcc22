// shape and ub on tensors.

func.func @shape_of(%a: tensor<4x5xf32>) -> tensor<2xindex> {
  %0 = shape.shape_of %a : tensor<4x5xf32> -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

func.func @shape_broadcast(%a: tensor<2xindex> {validate.range = array<i64: 1, 1>}, %b: tensor<2xindex> {validate.range = array<i64: 1, 4>}) -> tensor<2xindex> {
  %0 = shape.broadcast %a, %b : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
  return %0 : tensor<2xindex>
}

func.func @poison() -> tensor<4x5xf32> {
  %0 = ub.poison : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
