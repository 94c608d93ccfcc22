// Sorts become networks of compared pairs.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-sorts-to-networks))' | FileCheck %s

// Six merges of blocks; pairs of a step in any order; equal keys by their places.
// CHECK-LABEL: func.func @stable
// CHECK:         %[[SIX:.+]] = arith.constant 6 : index
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[SIX]]
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               scf.if
// CHECK-COUNT-6:         tensor.extract
// CHECK:                 scf.if
// CHECK-COUNT-6:           tensor.insert
// CHECK:             {independent_iterations}
// CHECK-NOT:     shardir.sort
func.func @stable(%x: tensor<37xi32>, %y: tensor<37xf32>) -> (tensor<37xi32>, tensor<37xf32>) {
  %0:2 = shardir.sort %x, %y : tensor<37xi32>, tensor<37xf32> dim = 0 {
  ^bb0(%a: i32, %b: i32, %c: f32, %d: f32):
    %1 = arith.cmpi slt, %a, %b : i32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<37xi32>, tensor<37xf32>
}

// Rows of a block are a loop around a network; longer ones a loop inside of each step.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    -> tensor<3x64xi32>
// CHECK:         %[[THREE:.+]] = arith.constant 3 : index
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[THREE]]
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:               {independent_iterations}
func.func @rows(%x: tensor<3x64xi32>) -> tensor<3x64xi32> {
  %0 = shardir.sort %x : tensor<3x64xi32> dim = 1 {
  ^bb0(%a: i32, %b: i32):
    %1 = arith.cmpi sgt, %a, %b : i32
    shardir.yield %1 : i1
  }
  return %0 : tensor<3x64xi32>
}

// One element is sorted, and an unknown number of them is left to a merge sort.
// CHECK-LABEL: func.func @left
// CHECK-COUNT-2: shardir.sort
func.func @left(%x: tensor<3x1xi32>, %y: tensor<?xi32>) -> (tensor<3x1xi32>, tensor<?xi32>) {
  %0 = shardir.sort %x : tensor<3x1xi32> dim = 1 {
  ^bb0(%a: i32, %b: i32):
    %1 = arith.cmpi slt, %a, %b : i32
    shardir.yield %1 : i1
  }
  %2 = shardir.sort %y : tensor<?xi32> dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %3 = arith.cmpi slt, %a, %b : i32
    shardir.yield %3 : i1
  }
  return %0, %2 : tensor<3x1xi32>, tensor<?xi32>
}
