// Contractions of linalg: every parallel loop passes, the reduced one gives sums,
// and the initial value counts once (trap 13).

func.func @matmul(%a0: tensor<4x5xf32>, %a1: tensor<5x6xf32>, %c0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a0, %a1 : tensor<4x5xf32>, tensor<5x6xf32>) outs(%c0 : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @matmul_i8(%a0: tensor<4x5xi8>, %a1: tensor<5x6xi8>, %c0: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.matmul ins(%a0, %a1 : tensor<4x5xi8>, tensor<5x6xi8>) outs(%c0 : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

func.func @matmul_unsigned(%a0: tensor<3x4xi8>, %a1: tensor<4x2xi8>, %c0: tensor<3x2xi32>) -> tensor<3x2xi32> {
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%a0, %a1 : tensor<3x4xi8>, tensor<4x2xi8>) outs(%c0 : tensor<3x2xi32>) -> tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}

func.func @matmul_bf16(%a0: tensor<3x4xbf16>, %a1: tensor<4x2xbf16>, %c0: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = linalg.matmul ins(%a0, %a1 : tensor<3x4xbf16>, tensor<4x2xbf16>) outs(%c0 : tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @matmul_transposed_rhs(%a0: tensor<4x5xf32>, %a1: tensor<6x5xf32>, %c0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a0, %a1 : tensor<4x5xf32>, tensor<6x5xf32>) outs(%c0 : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

func.func @batch_matmul(%a0: tensor<2x3x4xf32>, %a1: tensor<2x4x5xf32>, %c0: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = linalg.batch_matmul ins(%a0, %a1 : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%c0 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

func.func @batch_matmul_broadcast(%a0: tensor<3x4xf32>, %a1: tensor<2x4x5xf32>, %c0: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%a0, %a1 : tensor<3x4xf32>, tensor<2x4x5xf32>) outs(%c0 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

func.func @batch_reduce_matmul(%a0: tensor<2x3x4xf32>, %a1: tensor<2x4x5xf32>, %c0: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = linalg.batch_reduce_matmul ins(%a0, %a1 : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%c0 : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @matvec(%a0: tensor<4x5xf32>, %a1: tensor<5xf32>, %c0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.matvec ins(%a0, %a1 : tensor<4x5xf32>, tensor<5xf32>) outs(%c0 : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @vecmat(%a0: tensor<4xf32>, %a1: tensor<4x5xf32>, %c0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.vecmat ins(%a0, %a1 : tensor<4xf32>, tensor<4x5xf32>) outs(%c0 : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func @dot(%a0: tensor<5xf32>, %a1: tensor<5xf32>, %c0: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%a0, %a1 : tensor<5xf32>, tensor<5xf32>) outs(%c0 : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @batch_matvec(%a0: tensor<3x4x5xf32>, %a1: tensor<3x5xf32>, %c0: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = linalg.batch_matvec ins(%a0, %a1 : tensor<3x4x5xf32>, tensor<3x5xf32>) outs(%c0 : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @batch_vecmat(%a0: tensor<3x4xf32>, %a1: tensor<3x4x5xf32>, %c0: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = linalg.batch_vecmat ins(%a0, %a1 : tensor<3x4xf32>, tensor<3x4x5xf32>) outs(%c0 : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @mmt4d(%a0: tensor<2x3x4x2xf32>, %a1: tensor<3x3x2x2xf32>, %c0: tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32> {
  %0 = linalg.mmt4d ins(%a0, %a1 : tensor<2x3x4x2xf32>, tensor<3x3x2x2xf32>) outs(%c0 : tensor<2x3x4x2xf32>) -> tensor<2x3x4x2xf32>
  return %0 : tensor<2x3x4x2xf32>
}

func.func @batch_mmt4d(%a0: tensor<2x2x3x2x2xf32>, %a1: tensor<2x3x3x2x2xf32>, %c0: tensor<2x2x3x2x2xf32>) -> tensor<2x2x3x2x2xf32> {
  %0 = linalg.batch_mmt4d ins(%a0, %a1 : tensor<2x2x3x2x2xf32>, tensor<2x3x3x2x2xf32>) outs(%c0 : tensor<2x2x3x2x2xf32>) -> tensor<2x2x3x2x2xf32>
  return %0 : tensor<2x2x3x2x2xf32>
}

func.func @quantized_matmul(%a0: tensor<3x4xi8>, %a1: tensor<4x5xi8>, %a2: i32, %a3: i32, %c0: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = linalg.quantized_matmul ins(%a0, %a1, %a2, %a3 : tensor<3x4xi8>, tensor<4x5xi8>, i32, i32) outs(%c0 : tensor<3x5xi32>) -> tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}

func.func @quantized_batch_matmul(%a0: tensor<2x3x4xi8>, %a1: tensor<2x4x3xi8>, %a2: i32, %a3: i32, %c0: tensor<2x3x3xi32>) -> tensor<2x3x3xi32> {
  %0 = linalg.quantized_batch_matmul ins(%a0, %a1, %a2, %a3 : tensor<2x3x4xi8>, tensor<2x4x3xi8>, i32, i32) outs(%c0 : tensor<2x3x3xi32>) -> tensor<2x3x3xi32>
  return %0 : tensor<2x3x3xi32>
}

func.func @contract(%a0: tensor<3x4x2xf32>, %a1: tensor<4x5x2xf32>, %c0: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(b, m, n, k) -> (m, k, b)>, affine_map<(b, m, n, k) -> (k, n, b)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%a0, %a1 : tensor<3x4x2xf32>, tensor<4x5x2xf32>) outs(%c0 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

func.func @contract_i1(%a0: tensor<3x4xi1>, %a1: tensor<4x5xi1>, %c0: tensor<3x5xi1>) -> tensor<3x5xi1> {
  %0 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] ins(%a0, %a1 : tensor<3x4xi1>, tensor<4x5xi1>) outs(%c0 : tensor<3x5xi1>) -> tensor<3x5xi1>
  return %0 : tensor<3x5xi1>
}
