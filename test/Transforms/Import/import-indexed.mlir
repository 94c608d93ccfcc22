// Scatters, sorts and scans of torch-mlir and StableHLO, in generic form.
//
// RUN: shard-opt %s --shardir-import-annotations | FileCheck %s
// RUN: shard-opt %s --shardir-import-annotations | shard-opt --shardir-import-annotations | FileCheck %s

// torch-mlir has a dim of one element where a window begins.
// CHECK-LABEL: func.func @tm_scatter
// CHECK-SAME:    %[[U:.+]]: tensor<5x1x6xf32>, %[[I:.+]]: tensor<5x1xi64>, %[[X:.+]]: tensor<4x6xf32>
// CHECK:         %[[W:.+]] = tensor.collapse_shape %[[U]] {{\[\[0\], \[1, 2\]\]}}
// CHECK:         shardir.scatter ins(%[[W]], %[[I]] : {{.*}}) outs(%[[X]] : tensor<4x6xf32>) index_dims = [0] unique {
// CHECK:         ^bb0(%[[NEW:.+]]: f32, %[[OLD:.+]]: f32):
// CHECK:           %[[R:.+]] = arith.subf %[[OLD]], %[[NEW]]
// CHECK:           shardir.yield %[[R]] : f32
func.func @tm_scatter(%u: tensor<5x1x6xf32>, %i: tensor<5x1xi64>, %x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = "tm_tensor.scatter"(%u, %i, %x) <{dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = true}> ({
  ^bb0(%new: f32, %old: f32):
    %1 = arith.subf %old, %new : f32
    "tm_tensor.yield"(%1) : (f32) -> ()
  }) : (tensor<5x1x6xf32>, tensor<5x1xi64>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @tm_scatter_elements
// CHECK:         shardir.scatter ins(%{{.+}}, %{{.+}} : tensor<12xf32>, tensor<12x2xi64>) outs(%{{.+}} : tensor<4x6xf32>) index_dims = [1, 0] {
func.func @tm_scatter_elements(%u: tensor<12xf32>, %i: tensor<12x2xi64>, %x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = "tm_tensor.scatter"(%u, %i, %x) <{dimension_map = array<i64: 1, 0>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
  ^bb0(%new: f32, %old: f32):
    "tm_tensor.yield"(%new) : (f32) -> ()
  }) : (tensor<12xf32>, tensor<12x2xi64>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @tm_sort
// CHECK:         %{{.+}}:2 = shardir.sort %{{.+}}, %{{.+}} : tensor<4x6xf32>, tensor<4x6xi64> dim = 0 {
// CHECK:         ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %{{.+}}: i64, %{{.+}}: i64):
// CHECK:           arith.cmpf oge, %[[A]], %[[B]]
func.func @tm_sort(%x: tensor<4x6xf32>, %n: tensor<4x6xi64>) -> (tensor<4x6xf32>, tensor<4x6xi64>) {
  %0:2 = "tm_tensor.sort"(%x, %n) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 0, 2>}> ({
  ^bb0(%a: f32, %b: f32, %c: i64, %d: i64):
    %1 = arith.cmpf oge, %a, %b : f32
    "tm_tensor.yield"(%1) : (i1) -> ()
  }) : (tensor<4x6xf32>, tensor<4x6xi64>) -> (tensor<4x6xf32>, tensor<4x6xi64>)
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xi64>
}

// The first slice stands for itself, whatever the totals hold.
// CHECK-LABEL: func.func @tm_scan
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf32>, %[[OUT:.+]]: tensor<4x6xf32>, %[[SUM:.+]]: tensor<4xf32>
// CHECK:         %[[L:.+]]:2 = scf.for %[[I:.+]] = %{{.+}} to %c6 step %{{.+}} iter_args(%[[O:.+]] = %[[OUT]], %[[S:.+]] = %[[SUM]])
// CHECK:           %[[SLICE:.+]] = tensor.extract_slice %[[X]][0, %[[I]]] [4, 1] [1, 1] : tensor<4x6xf32> to tensor<4xf32>
// CHECK:           %[[FIRST:.+]] = arith.cmpi eq, %[[I]]
// CHECK:           %[[T:.+]] = linalg.generic {{.*}} ins(%[[SLICE]] : tensor<4xf32>) outs(%[[S]] : tensor<4xf32>)
// CHECK:           ^bb0(%[[IN:.+]]: f32, %[[BEFORE:.+]]: f32):
// CHECK:             %[[ADDED:.+]] = arith.addf %[[BEFORE]], %[[IN]]
// CHECK:             arith.select %[[FIRST]], %[[IN]], %[[ADDED]]
// CHECK:           %[[P:.+]] = tensor.insert_slice %[[T]] into %[[O]][0, %[[I]]]
// CHECK:           scf.yield %[[P]], %[[T]]
func.func @tm_scan(%x: tensor<4x6xf32>, %out: tensor<4x6xf32>, %sum: tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>) {
  %0:2 = "tm_tensor.scan"(%x, %out, %sum) <{dimension = 1 : i64, inclusive = true, operandSegmentSizes = array<i32: 1, 2>}> ({
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %b : f32
    "tm_tensor.yield"(%1) : (f32) -> ()
  }) : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4xf32>
}

// stablehlo-legalize-to-linalg leaves tensors of rank 0 in bodies.
// CHECK-LABEL: func.func @stablehlo_sort
// CHECK:         %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         shardir.sort %{{.+}} : tensor<4x6xf32> dim = 1 {
// CHECK:         ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK:           %[[IS:.+]] = arith.cmpf oeq, %[[A]], %[[ZERO]]
// CHECK:           %[[C:.+]] = arith.select %[[IS]], %{{.+}}, %[[A]]
// CHECK:           %[[LESS:.+]] = arith.cmpf olt, %[[C]], %[[B]]
// CHECK:           shardir.yield %[[LESS]] : i1
func.func @stablehlo_sort(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = "stablehlo.sort"(%x) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %e = tensor.empty() : tensor<i1>
    %1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%a : tensor<f32>) outs(%e : tensor<i1>) {
    ^bb0(%in: f32, %out: i1):
      %5 = arith.cmpf oeq, %in, %zero : f32
      linalg.yield %5 : i1
    } -> tensor<i1>
    %z = arith.constant dense<0.0> : tensor<f32>
    %2 = arith.select %1, %z, %a : tensor<i1>, tensor<f32>
    %3 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%2, %b : tensor<f32>, tensor<f32>) outs(%e : tensor<i1>) {
    ^bb0(%in: f32, %in_0: f32, %out: i1):
      %5 = arith.cmpf olt, %in, %in_0 : f32
      linalg.yield %5 : i1
    } -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The region takes the old element first. A tensor from outside is read there.
// CHECK-LABEL: func.func @stablehlo_scatter
// CHECK-SAME:    %[[X:.+]]: tensor<4x6xf32>, %[[I:.+]]: tensor<5xi32>, %[[U:.+]]: tensor<5x6xf32>, %[[S:.+]]: tensor<f32>
// CHECK:         %[[ROWS:.+]] = tensor.expand_shape %[[I]] {{.*}} into tensor<5x1xi32>
// CHECK:         %[[FACTOR:.+]] = tensor.extract %[[S]][]
// CHECK:         shardir.scatter ins(%[[U]], %[[ROWS]] : {{.*}}) outs(%[[X]] : tensor<4x6xf32>) index_dims = [0] {
// CHECK:         ^bb0(%[[NEW:.+]]: f32, %[[OLD:.+]]: f32):
// CHECK:           %[[P:.+]] = arith.mulf %[[NEW]], %[[FACTOR]]
// CHECK:           arith.subf %[[OLD]], %[[P]]
func.func @stablehlo_scatter(%x: tensor<4x6xf32>, %i: tensor<5xi32>, %u: tensor<5x6xf32>, %s: tensor<f32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %1 = arith.mulf %new, %s : tensor<f32>
    %2 = arith.subf %old, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<5xi32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Coordinates first, windows before rows, and batch dims in the middle.
// CHECK-LABEL: func.func @stablehlo_scatter_batches
// CHECK:         linalg.transpose ins(%{{.+}} : tensor<1x2x3xi32>) outs(%{{.+}} : tensor<3x2x1xi32>) permutation = [2, 1, 0]
// CHECK:         linalg.transpose ins(%{{.+}} : tensor<6x2x3xf32>) outs(%{{.+}} : tensor<3x2x6xf32>) permutation = [2, 1, 0]
// CHECK:         shardir.scatter ins(%{{.+}}, %{{.+}} : tensor<3x2x6xf32>, tensor<3x2x1xi32>) outs(%{{.+}} : tensor<4x3x6xf32>) index_dims = [0] batch_dims = [1] {
func.func @stablehlo_scatter_batches(%x: tensor<4x3x6xf32>, %i: tensor<1x2x3xi32>, %u: tensor<6x2x3xf32>) -> tensor<4x3x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    stablehlo.return %new : tensor<f32>
  }) : (tensor<4x3x6xf32>, tensor<1x2x3xi32>, tensor<6x2x3xf32>) -> tensor<4x3x6xf32>
  return %0 : tensor<4x3x6xf32>
}

// A window of 2 elements of the indexed dim is 2 rows, where it is in bounds.
// CHECK-LABEL: func.func @stablehlo_scatter_windows
// CHECK:         %[[ROWS:.+]] = linalg.generic {{.*}} ins(%{{.+}} : tensor<5x1xi32>) outs(%{{.+}} : tensor<5x2x1xindex>)
// CHECK:           %[[PLACE:.+]] = arith.addi
// CHECK:           arith.select %{{.+}}, %[[PLACE]], %c-1
// CHECK:         shardir.scatter ins(%{{.+}}, %[[ROWS]] : tensor<5x2x6xf32>, tensor<5x2x1xindex>) outs(%{{.+}} : tensor<4x6xf32>) index_dims = [0] {
func.func @stablehlo_scatter_windows(%x: tensor<4x6xf32>, %i: tensor<5x1xi32>, %u: tensor<5x2x6xf32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %1 = arith.addf %old, %new : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<5x1xi32>, tensor<5x2x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Without indices it is elementwise.
// CHECK-LABEL: func.func @stablehlo_scatter_all
// CHECK-NOT:     shardir.scatter
// CHECK:         linalg.generic
// CHECK:           arith.addf
func.func @stablehlo_scatter_all(%x: tensor<4x6xf32>, %i: tensor<0xi32>, %u: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1]>}> ({
  ^bb0(%old: tensor<f32>, %new: tensor<f32>):
    %1 = arith.addf %old, %new : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<0xi32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
