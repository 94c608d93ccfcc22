// Products of several shapes, for docs/Performance.md.
func.func @large(%a: tensor<1024x512xf32>, %b: tensor<512x2048xf32>) -> tensor<1024x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x2048xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
  %c = linalg.matmul ins(%a, %b : tensor<1024x512xf32>, tensor<512x2048xf32>) outs(%z : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
  return %c : tensor<1024x2048xf32>
}
func.func @narrow(%a: tensor<1024x512xbf16>, %b: tensor<512x2048xbf16>) -> tensor<1024x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x2048xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
  %c = linalg.matmul ins(%a, %b : tensor<1024x512xbf16>, tensor<512x2048xbf16>) outs(%z : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
  return %c : tensor<1024x2048xf32>
}
func.func @bytes(%a: tensor<1024x512xi8>, %b: tensor<512x2048xi8>) -> tensor<1024x2048xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1024x2048xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<1024x2048xi32>) -> tensor<1024x2048xi32>
  %c = linalg.matmul ins(%a, %b : tensor<1024x512xi8>, tensor<512x2048xi8>) outs(%z : tensor<1024x2048xi32>) -> tensor<1024x2048xi32>
  return %c : tensor<1024x2048xi32>
}
func.func @heads(%a: tensor<12x128x64xf32>, %b: tensor<12x64x128xf32>) -> tensor<12x128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x128x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %c = linalg.batch_matmul ins(%a, %b : tensor<12x128x64xf32>, tensor<12x64x128xf32>) outs(%z : tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  return %c : tensor<12x128x128xf32>
}
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d1, d2)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @transposed(%a: tensor<8x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<8x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %c = linalg.matmul indexing_maps = [#rows, #columns, #result]
      ins(%a, %b : tensor<8x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  return %c : tensor<8x4096xf32>
}
func.func @few_rows(%a: tensor<8x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<8x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  %c = linalg.matmul ins(%a, %b : tensor<8x4096xf32>, tensor<4096x4096xf32>) outs(%z : tensor<8x4096xf32>) -> tensor<8x4096xf32>
  return %c : tensor<8x4096xf32>
}
func.func @small(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
