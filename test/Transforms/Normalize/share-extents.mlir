// RUN: shard-opt %s --shardir-share-extents --canonicalize --cse | FileCheck %s

// No extent is negative, so that a slice from min(s, 0) to the end is the tensor.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?xf32>
// CHECK-NEXT:    return %[[X]]
func.func @slice(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?xf32>
  %from = arith.minsi %s, %c0 : index
  %length = arith.subi %s, %from : index
  %size = arith.maxsi %length, %c0 : index
  %0 = tensor.extract_slice %x[0, %from] [%b, %size] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Heads joined to batches, and split from them: b * 4 / 4 and 8 * 4 * b / (8 * b).
// CHECK-LABEL: func.func @quotients(
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32>
// CHECK-DAG:     %[[FOUR:.+]] = arith.constant 4 : i64
// CHECK-DAG:     %[[B:.+]] = tensor.dim %[[X]], %{{.+}}
// CHECK:         return %[[B]], %[[FOUR]]
func.func @quotients(%x: tensor<?x8xf32>) -> (index, i64) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : i64
  %c4_i64 = arith.constant 4 : i64
  %b = tensor.dim %x, %c0 : tensor<?x8xf32>
  %all = arith.muli %b, %c4 : index
  %batches = arith.divsi %all, %c4 : index
  %wide = arith.index_cast %b : index to i64
  %part = arith.muli %c8, %wide : i64
  %whole = arith.muli %part, %c4_i64 : i64
  %heads = arith.divui %whole, %part : i64
  return %batches, %heads : index, i64
}

// Parts of a concatenation, b + b + b, and the views of which one extent is left to the number of elements.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32>, %{{.+}}: tensor<?x8xf32>
// CHECK:         %[[B:.+]] = tensor.dim %[[X]], %{{.+}}
// CHECK:         %[[L:.+]] = arith.index_cast %[[B]]
// CHECK:         tensor.from_elements %{{.+}}, %[[L]], %{{.+}} : tensor<3xi64>
// CHECK:         return %[[B]]
func.func @parts(%x: tensor<?x8xf32>, %y: tensor<?x8xf32> {shardir.extents = [[0, 0], unit]}) -> (index, tensor<2x?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c2_i64 = arith.constant 2 : i64
  %c4_i64 = arith.constant 4 : i64
  %rest = arith.constant -1 : i64
  %all = tensor.concat dim(0) %x, %y, %x : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %n = tensor.dim %all, %c0 : tensor<?x8xf32>
  %b = arith.divsi %n, %c3 : index
  %shape = tensor.from_elements %c2_i64, %rest, %c4_i64 : tensor<3xi64>
  %view = tensor.reshape %x(%shape) : (tensor<?x8xf32>, tensor<3xi64>) -> tensor<2x?x4xf32>
  return %b, %view : index, tensor<2x?x4xf32>
}

// An argument has the extents that the front end says it shares with another one.
// CHECK-LABEL: func.func @declared(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?xf32>, %[[Y:.+]]: tensor<?x3xf32>
// CHECK:         %[[S:.+]] = tensor.dim %[[X]], %{{.+}}
// CHECK:         tensor.empty(%[[S]])
func.func @declared(%x: tensor<?x?xf32>, %y: tensor<?x3xf32> {shardir.extents = [[0, 1], unit]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %s = tensor.dim %y, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%s) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// Extents that only data tells stay as they are, and so do those in front of a region.
// CHECK-LABEL: func.func @others(
// CHECK:         %[[N:.+]] = arith.maxsi
// CHECK:         tensor.empty(%[[N]])
func.func @others(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %least = arith.maxsi %n, %c0 : index
  %e = tensor.empty(%least) : tensor<?xf32>
  return %e : tensor<?xf32>
}
