// RUN: not shard-validate %s --soundness-only 2>&1 | FileCheck %s
// A rule that is wrong is an error that names op, placement, mesh, sizes and the
// first wrong element.

// The initial value of a matmul is counted once per device (trap 13).
// CHECK: wrong-rule.mlir:[[@LINE+4]]:8: error: the rule of 'linalg.matmul' is wrong on mesh <["x"=2]> with operand 0 [{}, {"x"}], operand 1 [{"x"}, {}], result 0 [{}, {}], partial = sum ["x"]: result 0 is {{-?[0-9]+}} at [0, 0] on rank 0, expected {{-?[0-9]+}}; its terms are
// CHECK: note: in @init_counted_twice, (tensor<4x5xi32>, tensor<5x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
// CHECK: note: {{[0-9]+}} of {{[0-9]+}} placements that ran are wrong
func.func @init_counted_twice(%a: tensor<4x5xi32>, %b: tensor<5x6xi32>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.matmul {shardir.rule = #shardir.rule<([i, k], [k, j], [i, j]) -> ([i, j]), reduction = {k = sum}>}
      ins(%a, %b : tensor<4x5xi32>, tensor<5x6xi32>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// A softmax needs its whole row.
// CHECK: error: the rule of 'linalg.softmax' is wrong on mesh <["x"=2]> with operand 0 [{}, {"x"}], operand 1 [{}, {"x"}], result 0 [{}, {"x"}]: result 0 is
func.func @softmax_in_pieces(%a: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.softmax {shardir.rule = #shardir.rule<([i, j], [i, j]) -> ([i, j])>} dimension(1)
      ins(%a : tensor<4x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A maximum is not a sum (trap 14).
// CHECK: error: the rule of 'my.row_max' is wrong
// CHECK-SAME: result 0 [{}], partial = sum ["x"]
func.func @max_as_sum(%a: tensor<4x5xf32>) -> tensor<4xf32> {
  %0 = "my.row_max"(%a) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = sum}>}
      : (tensor<4x5xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @meaning(%a: tensor<?x?xf32>) -> tensor<?xf32> attributes {validate.meaning = "my.row_max"} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%low : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<?x?xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %0 : tensor<?xf32>
}
