// RUN: shard-opt %s -shardir-lower-globals | FileCheck %s

// Each rank has a row; loads and stores copy it.
module attributes {shardir.stage = "local"} {
shardir.mesh @m <["x"=2, "y"=2]>

// CHECK:       memref.global "private" @seed : memref<4xi64> = dense<7>
// CHECK:       memref.global "private" @table : memref<4x2xf32> = dense<{{\[}}[1.000000e+00, 2.000000e+00], [1.000000e+00, 2.000000e+00], [1.000000e+00, 2.000000e+00], [1.000000e+00, 2.000000e+00]]>
// CHECK-NOT:   ml_program
ml_program.global private mutable @seed(dense<7> : tensor<i64>) : tensor<i64>
ml_program.global private mutable @table(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private mutable @unused(dense<7> : tensor<i64>) : tensor<i64>

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:.+]]: tensor<2xf32>
// CHECK-DAG:   %[[I:.+]] = shardir.axis_index @m "x"
// CHECK-DAG:   %[[J:.+]] = shardir.axis_index @m "y"
// CHECK:       %[[ROWS:.+]] = arith.muli %[[I]]
// CHECK:       %[[RANK:.+]] = arith.addi %[[ROWS]], %[[J]]
// CHECK:       %[[SEED:.+]] = memref.subview %{{.+}}[%[[RANK]]] [1] [1] : memref<4xi64>
// CHECK:       %[[S:.+]] = bufferization.to_tensor %[[SEED]] restrict
// CHECK:       %[[C:.+]] = bufferization.alloc_tensor() copy(%[[S]])
// CHECK:       %[[TABLE:.+]] = memref.subview %{{.+}}[%[[RANK]], 0] [1, 2] [1, 1]
// CHECK:       bufferization.materialize_in_destination %[[X]] in restrict writable %[[TABLE]]
// CHECK:       return %[[C]]
func.func @main(%x: tensor<2xf32>) -> tensor<i64> {
  %0 = ml_program.global_load @seed : tensor<i64>
  ml_program.global_store @table = %x : tensor<2xf32>
  return %0 : tensor<i64>
}
}
