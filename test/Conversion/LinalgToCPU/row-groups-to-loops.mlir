// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-row-groups-to-loops))' | FileCheck %s

#id3 = affine_map<(i, j, l) -> (i, j, l)>
#of_row = affine_map<(g, m, k) -> (m, k)>
#bound = affine_map<(g, m, k) -> (g)>

// Each group multiplies its own rows, as far as they exist, and no mask is left.
// CHECK-LABEL: func.func @of_rows(
// CHECK-SAME:    %[[X:.+]]: tensor<13x5xf32>, %[[W:.+]]: tensor<4x5x7xf32>, %[[FROM:.+]]: tensor<4xi32>, %[[TO:.+]]: tensor<4xi32>)
// CHECK-NOT:     arith.select
// CHECK:         scf.for %[[G:.+]] = %{{.+}} iter_args(%[[SUMS:.+]] = %{{.+}})
// CHECK:           tensor.extract %[[FROM]][%[[G]]]
// CHECK:           %[[FIRST:.+]] = arith.minsi
// CHECK:           tensor.extract %[[TO]][%[[G]]]
// CHECK:           arith.subi
// CHECK-NEXT:      %[[COUNT:.+]] = arith.maxsi
// CHECK:           %[[ROWS:.+]] = tensor.extract_slice %[[X]][%[[FIRST]], 0] [%[[COUNT]], 5] [1, 1]
// CHECK:           %[[OWN:.+]] = tensor.extract_slice %[[W]][%[[G]], 0, 0] [1, 5, 7] [1, 1, 1] : tensor<4x5x7xf32> to tensor<5x7xf32>
// CHECK:           %[[PART:.+]] = tensor.extract_slice %[[SUMS]][%[[FIRST]], 0] [%[[COUNT]], 7] [1, 1]
// CHECK:           %[[MADE:.+]] = linalg.generic {{.*}} ins(%[[ROWS]], %[[OWN]] : tensor<?x5xf32>, tensor<5x7xf32>) outs(%[[PART]] : tensor<?x7xf32>)
// CHECK:           tensor.insert_slice %[[MADE]] into %[[SUMS]][%[[FIRST]], 0] [%[[COUNT]], 7] [1, 1]
func.func @of_rows(%x: tensor<13x5xf32>,
                   %w: tensor<4x5x7xf32>,
                   %from: tensor<4xi32>, %to: tensor<4xi32>) -> tensor<13x7xf32> {
  %z = arith.constant 0.0 : f32
  %em = tensor.empty() : tensor<4x13x5xf32>
  %rows = linalg.generic {indexing_maps = [#of_row, #bound, #bound, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %from, %to : tensor<13x5xf32>, tensor<4xi32>, tensor<4xi32>) outs(%em : tensor<4x13x5xf32>) {
  ^bb0(%v: f32, %first: i32, %end: i32, %old: f32):
    %i = linalg.index 1 : index
    %m = arith.index_cast %i : index to i32
    %0 = arith.cmpi sle, %first, %m : i32
    %1 = arith.cmpi slt, %m, %end : i32
    %2 = arith.andi %0, %1 : i1
    %3 = arith.select %2, %v, %z : f32
    linalg.yield %3 : f32
  } -> tensor<4x13x5xf32>
  %es = tensor.empty() : tensor<13x7xf32>
  %zero = linalg.fill ins(%z : f32) outs(%es : tensor<13x7xf32>) -> tensor<13x7xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k, g) -> (g, m, k)>, affine_map<(m, n, k, g) -> (g, k, n)>, affine_map<(m, n, k, g) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%rows, %w : tensor<4x13x5xf32>, tensor<4x5x7xf32>) outs(%zero : tensor<13x7xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %sum, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<13x7xf32>
  return %0 : tensor<13x7xf32>
}
