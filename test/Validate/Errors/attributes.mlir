// A function of meaning is for all ops of a name, or for those with some
// attributes; one for ops that differ in attributes would say too little.
//
// RUN: rm -rf %t && split-file %s %t
// RUN: cat %t/ops.mlir %t/rows.mlir %t/columns.mlir > %t/all.mlir
// RUN: shard-validate %t/all.mlir --soundness-only | FileCheck %s --check-prefix=RIGHT
// RIGHT: 2 ops, {{[0-9]+}} of {{[0-9]+}} placements ran, seed 0: 0 rules wrong, 0 gaps
// RUN: sed 's/, validate.attributes = {dim = 0 : i64}//' %t/rows.mlir > %t/all-rows.mlir
// RUN: cat %t/ops.mlir %t/all-rows.mlir > %t/one.mlir
// RUN: not shard-validate %t/one.mlir 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: one.mlir:2:8: error: 'my.scan' op has other attributes than in @scan_columns, and @rows_meaning says what both compute; write such a function for each, with the attributes in question: validate.attributes = {dim = 0 : i64}
// ONE: one.mlir:7:8: note: the other op is here
// RUN: cat %t/ops.mlir %t/rows.mlir > %t/none.mlir
// RUN: not shard-validate %t/none.mlir --function=scan_columns 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: cannot be run unsharded: 'my.scan' has no meaning that is known here

//--- ops.mlir
func.func @scan_rows(%a: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = "my.scan"(%a) {dim = 0 : i64, shardir.rule = #shardir.rule<([_, j]) -> ([_, j])>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @scan_columns(%a: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = "my.scan"(%a) {dim = 1 : i64, shardir.rule = #shardir.rule<([i, _]) -> ([i, _])>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

//--- rows.mlir
// The maximum so far, down the rows.
func.func @rows_meaning(%a: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {validate.meaning = "my.scan", validate.attributes = {dim = 0 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %0 = scf.for %i = %c1 to %m step %c1 iter_args(%t = %a) -> (tensor<?x?xf32>) {
    %before = arith.subi %i, %c1 : index
    %1 = scf.for %j = %c0 to %n step %c1 iter_args(%u = %t) -> (tensor<?x?xf32>) {
      %x = tensor.extract %u[%before, %j] : tensor<?x?xf32>
      %y = tensor.extract %u[%i, %j] : tensor<?x?xf32>
      %s = arith.maximumf %x, %y : f32
      %v = tensor.insert %s into %u[%i, %j] : tensor<?x?xf32>
      scf.yield %v : tensor<?x?xf32>
    }
    scf.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

//--- columns.mlir
func.func @columns_meaning(%a: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {validate.meaning = "my.scan", validate.attributes = {dim = 1 : i64}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %0 = scf.for %j = %c1 to %n step %c1 iter_args(%t = %a) -> (tensor<?x?xf32>) {
    %before = arith.subi %j, %c1 : index
    %1 = scf.for %i = %c0 to %m step %c1 iter_args(%u = %t) -> (tensor<?x?xf32>) {
      %x = tensor.extract %u[%i, %before] : tensor<?x?xf32>
      %y = tensor.extract %u[%i, %j] : tensor<?x?xf32>
      %s = arith.maximumf %x, %y : f32
      %v = tensor.insert %s into %u[%i, %j] : tensor<?x?xf32>
      scf.yield %v : tensor<?x?xf32>
    }
    scf.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}
