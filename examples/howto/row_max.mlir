// An op of another dialect that takes the maximum of each row. The rule says how
// it may be sharded; the function below it says what it computes.
shardir.mesh @m <["x"=2]>

func.func @main(%a: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> tensor<4xf32> {
  %0 = "my.row_max"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = max}>}
      : (tensor<4x6xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func private @row_max_meaning(%a: tensor<?x?xf32>) -> tensor<?xf32> attributes {validate.meaning = "my.row_max"} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%low : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<?x?xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %0 : tensor<?xf32>
}
