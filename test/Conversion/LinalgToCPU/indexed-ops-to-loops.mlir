// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-indexed-ops-to-loops))' | FileCheck %s
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-indexed-ops-to-loops{parallel}))' | FileCheck %s --check-prefix=PARALLEL

// Rows in order; one that is out of bounds leaves the tensor as it is.
// CHECK-LABEL: func.func @scatter
// CHECK-SAME:    %[[U:.+]]: tensor<5x6xf32>, %[[I:.+]]: tensor<5x1xi64>, %[[X:.+]]: tensor<?x6xf32>
// CHECK:         scf.for %[[ROW:.+]] = %{{.+}} iter_args(%[[Y:.+]] = %[[X]])
// CHECK:           tensor.extract %[[I]][%[[ROW]]
// CHECK:           %[[IN:.+]] = arith.cmpi ult, %[[AT:.+]], %{{.+}} : index
// CHECK:           scf.if %[[IN]]
// CHECK:             %[[NEW:.+]] = tensor.extract_slice %[[U]][%[[ROW]], 0]
// CHECK:             %[[OLD:.+]] = tensor.extract_slice %[[Y]][%[[AT]], %{{.+}}]
// CHECK:             %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[NEW]] : tensor<6xf32>) outs(%[[OLD]] : tensor<6xf32>)
// CHECK:             tensor.insert_slice %[[SUM]] into %[[Y]][%[[AT]], %{{.+}}]
// CHECK:           else
// CHECK:             scf.yield %[[Y]]
func.func @scatter(%u: tensor<5x6xf32>, %i: tensor<5x1xi64>, %x: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<5x6xf32>, tensor<5x1xi64>) outs(%x : tensor<?x6xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<?x6xf32>
}

// Windows without dims are elements.
// CHECK-LABEL: func.func @elements
// CHECK-NOT:     linalg
// CHECK:         tensor.insert %{{.+}} into
func.func @elements(%u: tensor<5xf32>, %i: tensor<5x1xi64>, %x: tensor<7xf32>) -> tensor<7xf32> {
  %0 = shardir.scatter ins(%u, %i : tensor<5xf32>, tensor<5x1xi64>) outs(%x : tensor<7xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.mulf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<7xf32>
}

// 6 elements: runs of 1 and 2, then of 4 and 8.
// CHECK-LABEL: func.func @sort
// CHECK:         %[[PASSES:.+]] = arith.constant 2 : index
// CHECK:         scf.for %{{.+}} = %{{.+}} to %c4
// CHECK:           scf.for %{{.+}} to %[[PASSES]] {{.*}}-> (tensor<6xf32>, tensor<6xf32>)
// CHECK-COUNT-2:     scf.for %{{.+}} -> (index, index, tensor<6xf32>)
// PARALLEL-LABEL: func.func @sort
// PARALLEL:       scf.forall (%[[ROW:.+]]) in (4) shared_outs
// PARALLEL:         scf.forall.in_parallel
func.func @sort(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = shardir.sort %x : tensor<4x6xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  return %0 : tensor<4x6xf32>
}
