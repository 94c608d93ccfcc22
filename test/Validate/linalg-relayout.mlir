// linalg.pack and linalg.unpack.

func.func @pack(%a: tensor<4x6xf32>, %c: tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32> {
  %0 = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %c : tensor<4x6xf32> -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

func.func @pack_one_dim(%a: tensor<4x6xf32>, %c: tensor<4x3x2xf32>) -> tensor<4x3x2xf32> {
  %0 = linalg.pack %a inner_dims_pos = [1] inner_tiles = [2] into %c : tensor<4x6xf32> -> tensor<4x3x2xf32>
  return %0 : tensor<4x3x2xf32>
}

func.func @pack_outer_perm(%a: tensor<4x6xf32>, %c: tensor<3x2x2x2xf32>) -> tensor<3x2x2x2xf32> {
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %c : tensor<4x6xf32> -> tensor<3x2x2x2xf32>
  return %0 : tensor<3x2x2x2xf32>
}

func.func @pack_padded(%a: tensor<5x3xf32>, %c: tensor<3x3x2xf32>) -> tensor<3x3x2xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = linalg.pack %a padding_value(%zero : f32) inner_dims_pos = [0] inner_tiles = [2] into %c : tensor<5x3xf32> -> tensor<3x3x2xf32>
  return %0 : tensor<3x3x2xf32>
}

func.func @unpack(%a: tensor<2x3x2x2xf32>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %c : tensor<2x3x2x2xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @unpack_cut(%a: tensor<3x3x2xf32>, %c: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = linalg.unpack %a inner_dims_pos = [0] inner_tiles = [2] into %c : tensor<3x3x2xf32> -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
