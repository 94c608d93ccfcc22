// Loops that update windows, taken apart into elements.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-loops-to-elements,canonicalize))' -split-input-file | FileCheck %s

// The counter follows from the induction variable, the window is a loop.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[AT:.+]]: tensor<8xi32>, %[[X:.+]]: tensor<8x16xf32>, %[[INIT:.+]]: tensor<5x16xf32>
// CHECK:         %[[R:.+]] = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[T:.+]] = %[[INIT]]) -> (tensor<5x16xf32>)
// CHECK:           %[[N:.+]] = arith.index_cast %[[I]] : i32 to index
// CHECK:           %[[P:.+]] = tensor.extract %[[AT]][%[[N]]]
// CHECK:           %[[ROW:.+]] = arith.index_cast %[[P]] : i32 to index
// CHECK:           %[[U:.+]] = scf.for %[[J:.+]] = %c0 to %c16 step %c1 iter_args(%[[S:.+]] = %[[T]])
// CHECK-DAG:         %[[OLD:.+]] = tensor.extract %[[S]][%[[ROW]], %[[J]]]
// CHECK-DAG:         %[[TERM:.+]] = tensor.extract %[[X]][%[[N]], %[[J]]]
// CHECK:             %[[SUM:.+]] = arith.addf %[[OLD]], %[[TERM]]
// CHECK:             tensor.insert %[[SUM]] into %[[S]][%[[ROW]], %[[J]]]
// CHECK:           scf.yield %[[U]]
// CHECK:         return %[[R]]
func.func @rows(%at: tensor<8xi32>, %x: tensor<8x16xf32>, %init: tensor<5x16xf32>) -> tensor<5x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %start = arith.constant dense<0> : tensor<i32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%k = %start, %t = %init) -> (tensor<i32>, tensor<5x16xf32>) : i32 {
    %e = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%k : tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%a: i32, %o: i32):
      %s = arith.addi %a, %c1 : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    %ki = tensor.extract %k[] : tensor<i32>
    %n = arith.index_cast %ki : i32 to index
    %one = tensor.extract_slice %at[%n] [1] [1] : tensor<8xi32> to tensor<1xi32>
    %scalar = tensor.collapse_shape %one [] : tensor<1xi32> into tensor<i32>
    %p = tensor.extract %scalar[] : tensor<i32>
    %row = arith.index_cast %p : i32 to index
    %old = tensor.extract_slice %t[%row, 0] [1, 16] [1, 1] : tensor<5x16xf32> to tensor<16xf32>
    %term = tensor.extract_slice %x[%n, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<16xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%old, %term : tensor<16xf32>, tensor<16xf32>) outs(%old : tensor<16xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.addf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<16xf32>
    %u = tensor.insert_slice %s into %t[%row, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<5x16xf32>
    scf.yield %next, %u : tensor<i32>, tensor<5x16xf32>
  }
  return %r#1 : tensor<5x16xf32>
}

// -----

// A window of one element, in a tensor without dims.
// CHECK-LABEL: func.func @element
// CHECK-SAME:    %[[AT:.+]]: tensor<8xindex>, %[[X:.+]]: tensor<8xf32>
// CHECK:         scf.for %[[I:.+]] = {{.*}} iter_args(%[[T:.+]] = %{{.+}}) -> (tensor<8x5xf32>)
// CHECK-DAG:       %[[P:.+]] = tensor.extract %[[AT]][%[[I]]]
// CHECK-DAG:       %[[OLD:.+]] = tensor.extract %[[T]][%[[I]], %[[P]]]
// CHECK-DAG:       %[[TERM:.+]] = tensor.extract %[[X]][%[[I]]]
// CHECK:           %[[SUM:.+]] = arith.addf %[[OLD]], %[[TERM]]
// CHECK:           tensor.insert %[[SUM]] into %[[T]][%[[I]], %[[P]]]
func.func @element(%at: tensor<8xindex>, %x: tensor<8xf32>, %init: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %init) -> (tensor<8x5xf32>) {
    %p = tensor.extract %at[%i] : tensor<8xindex>
    %old = tensor.extract_slice %t[%i, %p] [1, 1] [1, 1] : tensor<8x5xf32> to tensor<f32>
    %a = tensor.extract %old[] : tensor<f32>
    %b = tensor.extract %x[%i] : tensor<8xf32>
    %s = arith.addf %a, %b : f32
    %new = tensor.insert %s into %old[] : tensor<f32>
    %u = tensor.insert_slice %new into %t[%i, %p] [1, 1] [1, 1] : tensor<f32> into tensor<8x5xf32>
    scf.yield %u : tensor<8x5xf32>
  }
  return %r : tensor<8x5xf32>
}

// -----

// A step that multiplies matrices stays a step.
// CHECK-LABEL: func.func @product
// CHECK:         scf.for
// CHECK:           linalg.matmul
// CHECK:           tensor.insert_slice
func.func @product(%x: tensor<4x32xf32>, %w: tensor<32x32xf32>, %init: tensor<8x4x32xf32>) -> tensor<8x4x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %init) -> (tensor<8x4x32xf32>) {
    %y = linalg.matmul ins(%x, %w : tensor<4x32xf32>, tensor<32x32xf32>) outs(%x : tensor<4x32xf32>) -> tensor<4x32xf32>
    %u = tensor.insert_slice %y into %t[%i, 0, 0] [1, 4, 32] [1, 1, 1] : tensor<4x32xf32> into tensor<8x4x32xf32>
    scf.yield %u : tensor<8x4x32xf32>
  }
  return %r : tensor<8x4x32xf32>
}

// -----

// Slices are read in reverse order and put back: elements already written must not
// be seen, so the step stays.
// CHECK-LABEL: func.func @turned
// CHECK:         scf.for
// CHECK:           tensor.insert_slice
func.func @turned(%init: tensor<8x4x4xf32>) -> tensor<8x4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %init) -> (tensor<8x4x4xf32>) {
    %old = tensor.extract_slice %t[%i, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<8x4x4xf32> to tensor<4x4xf32>
    %e = tensor.empty() : tensor<4x4xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%old : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<4x4xf32>
    %u = tensor.insert_slice %s into %t[%i, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<4x4xf32> into tensor<8x4x4xf32>
    scf.yield %u : tensor<8x4x4xf32>
  }
  return %r : tensor<8x4x4xf32>
}
