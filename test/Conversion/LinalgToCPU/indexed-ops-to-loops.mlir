// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-indexed-ops-to-loops))' | FileCheck %s
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-indexed-ops-to-loops{parallel}))' | FileCheck %s --check-prefix=PARALLEL
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-indexed-ops-to-loops{radix}))' | FileCheck %s --check-prefix=RADIX

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

// The first 3 elements of each row, among which the others are inserted. Slices
// read the tensor of these.
// CHECK-LABEL: func.func @first
// CHECK-SAME:    %[[X:.+]]: tensor<4x40xf32>
// CHECK:         %[[OUT:.+]] = tensor.empty() : tensor<4x3xf32>
// CHECK:         %[[TOP:.+]] = scf.for %[[ROW:.+]] = %{{.+}} iter_args(%{{.+}} = %[[OUT]])
// CHECK:           %[[START:.+]] = linalg.copy
// CHECK:           scf.for %[[I:.+]] = %{{.+}} to %c40 {{.*}}iter_args(%[[SOFAR:.+]] = %[[START]])
// CHECK:             tensor.extract %{{.+}}[%[[I]]] : tensor<40xf32>
// CHECK:             tensor.extract %[[SOFAR]][%c2] : tensor<3xf32>
// CHECK:             scf.if
// CHECK:         tensor.extract_slice %[[TOP]][0, 0] [4, 1] [1, 1] : tensor<4x3xf32> to tensor<4x1xf32>
// CHECK:         tensor.extract_slice %[[TOP]][0, 1] [4, 2] [1, 1] : tensor<4x3xf32> to tensor<4x2xf32>
func.func @first(%x: tensor<4x40xf32>) -> (tensor<4x1xf32>, tensor<4x2xf32>) {
  %0 = shardir.sort %x : tensor<4x40xf32> dim = 1 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  %1 = tensor.extract_slice %0[0, 0] [4, 1] [1, 1] : tensor<4x40xf32> to tensor<4x1xf32>
  %2 = tensor.extract_slice %0[0, 1] [4, 2] [1, 1] : tensor<4x40xf32> to tensor<4x2xf32>
  return %1, %2 : tensor<4x1xf32>, tensor<4x2xf32>
}

// The last of its elements is among those that a slice reads.
// CHECK-LABEL: func.func @last
// CHECK-NOT:     linalg.copy
func.func @last(%x: tensor<40xf32>) -> tensor<3xf32> {
  %0 = shardir.sort %x : tensor<40xf32> dim = 0 {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.cmpf olt, %a, %b : f32
    shardir.yield %1 : i1
  }
  %1 = tensor.extract_slice %0[37] [3] [1] : tensor<40xf32> to tensor<3xf32>
  return %1 : tensor<3xf32>
}

// 4 bytes are sorted in 2 times 2 passes.
// RADIX-LABEL: func.func @integers
// RADIX-SAME:    %[[K:.+]]: tensor<40xi32>, %[[V:.+]]: tensor<40xf64>
// RADIX:         %[[COUNTS:.+]] = tensor.empty() : tensor<256xindex>
// RADIX:         scf.for %{{.+}} to %c2{{.*}} -> (tensor<40xi32>, tensor<40xf64>, tensor<40xi32>, tensor<40xf64>, tensor<256xindex>)
// RADIX-COUNT-2:   scf.for %{{.+}} to %c40 {{.*}} -> (tensor<256xindex>, tensor<40xi32>, tensor<40xf64>)
// RADIX-LABEL: func.func @few_integers
// RADIX-NOT:     tensor<256xindex>
func.func @integers(%k: tensor<40xi32>, %v: tensor<40xf64>) -> (tensor<40xi32>, tensor<40xf64>) {
  %0:2 = shardir.sort %k, %v : tensor<40xi32>, tensor<40xf64> dim = 0 {
  ^bb0(%a: i32, %b: i32, %c: f64, %d: f64):
    %1 = arith.cmpi slt, %a, %b : i32
    shardir.yield %1 : i1
  }
  return %0#0, %0#1 : tensor<40xi32>, tensor<40xf64>
}
func.func @few_integers(%k: tensor<15xi32>) -> tensor<15xi32> {
  %0 = shardir.sort %k : tensor<15xi32> dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %1 = arith.cmpi slt, %a, %b : i32
    shardir.yield %1 : i1
  }
  return %0 : tensor<15xi32>
}
