// RUN: shard-opt %s -split-input-file -shardir-forall-to-for | FileCheck %s
// Tensors that threads share are carried. A thread reads them as they were before.

// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:.+]]: tensor<8x4xf32>, %[[E:.+]]: tensor<8x4xf32>
// CHECK:         %[[R:.+]] = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[O:.+]] = %[[E]])
// CHECK-DAG:       %[[ROW:.+]] = tensor.extract_slice %[[X]][%[[I]], 0]
// CHECK-DAG:       %[[OLD:.+]] = tensor.extract_slice %[[E]][%[[I]], 0]
// CHECK:           %[[NEW:.+]] = arith.addf %[[ROW]], %[[OLD]]
// CHECK:           %[[N:.+]] = tensor.insert_slice %[[NEW]] into %[[O]][%[[I]], 0]
// CHECK:           scf.yield %[[N]]
// CHECK:         return %[[R]]
module {
  shardir.mesh @m <["x"=2]>
  func.func @rows(%x: tensor<8x4xf32>, %e: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8x4xf32>) {
      %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
      %old = tensor.extract_slice %o[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
      %1 = arith.addf %row, %old : tensor<1x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %1 into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
      }
    }
    return %0 : tensor<8x4xf32>
  }
}

// -----

// Two indices, two shared tensors.
// CHECK-LABEL: func.func @nest
// CHECK:         scf.for {{.*}} iter_args(%[[A:.+]] = %arg0, %[[B:.+]] = %arg1)
// CHECK:           scf.for {{.*}} iter_args(%[[P:.+]] = %[[A]], %[[Q:.+]] = %[[B]])
// CHECK-DAG:         tensor.insert_slice %{{.+}} into %[[P]]
// CHECK-DAG:         tensor.insert_slice %{{.+}} into %[[Q]]
module {
  shardir.mesh @m <["x"=2]>
  func.func @nest(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %0:2 = scf.forall (%i, %j) = (0, 0) to (4, 6) step (2, 3) shared_outs(%o = %a, %p = %b) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
      %s = tensor.extract_slice %b[%i, %j] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
      %t = tensor.extract_slice %a[%i, %j] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %s into %o[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
        tensor.parallel_insert_slice %t into %p[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
      }
    }
    return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xf32>
  }
}

// -----

// Somebody has said which processor takes which iteration.
// CHECK-LABEL: func.func @mapped
// CHECK:         scf.forall
module {
  shardir.mesh @m <["x"=2]>
  func.func @mapped(%e: tensor<8xf32>) -> tensor<8xf32> {
    %0 = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8xf32>) {
      %1 = tensor.extract_slice %e[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %1 into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
      }
    } {mapping = [#gpu.thread<x>]}
    return %0 : tensor<8xf32>
  }
}

// -----

// Without a mesh there is nothing to place.
// CHECK-LABEL: func.func @one_device
// CHECK:         scf.forall
func.func @one_device(%e: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8xf32>) {
    %1 = tensor.extract_slice %e[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}
