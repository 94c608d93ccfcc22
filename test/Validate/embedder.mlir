// Ops of another compiler: the rule is an attribute, and a function says what
// the op computes.

func.func @row_max(%a: tensor<4x5xf32>) -> tensor<4xf32> {
  %0 = "my.row_max"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = max}>}
      : (tensor<4x5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @row_max_meaning(%a: tensor<?x?xf32>) -> tensor<?xf32> attributes {validate.meaning = "my.row_max"} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%low : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<?x?xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %0 : tensor<?xf32>
}

func.func @matmul(%a: tensor<4x5xf32>, %b: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %0 = "my.matmul"(%a, %b) {shardir.rule = #shardir.rule<([i, k], [k, j]) -> ([i, j]), reduction = {k = sum}>}
      : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @matmul_meaning(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {validate.meaning = "my.matmul"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
