// RUN: shard-opt %s --shardir-expand-open-dims --canonicalize --cse --split-input-file | FileCheck %s

// A product of the rows of a tensor of two open extents, with its bias.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?x8xf32>, %[[W:.+]]: tensor<8x4xf32>
// CHECK-NOT:     collapse_shape
// CHECK:         %[[M:.+]] = linalg.generic
// CHECK-SAME:      ["parallel", "parallel", "parallel", "reduction"]
// CHECK-SAME:      ins(%[[X]], %[[W]] :
// CHECK-NOT:     expand_shape
// CHECK:         %[[R:.+]] = linalg.generic {{.*}} ins(%[[M]], %{{.+}} : tensor<?x?x4xf32>
// CHECK:         return %[[R]]
func.func @rows(%x: tensor<?x?x8xf32>, %w: tensor<8x4xf32>, %bias: tensor<4xf32>) -> tensor<?x?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %long = arith.index_cast %s : index to i64
  %length = arith.index_cast %long : i64 to index
  %rows = arith.muli %b, %s : index
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %m = linalg.matmul ins(%c, %w : tensor<?x8xf32>, tensor<8x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %wide = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e : tensor<?x4xf32>) dimensions = [0]
  %sum = linalg.add ins(%m, %wide : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = tensor.expand_shape %sum [[0, 1], [2]] output_shape [%b, %length, 4] : tensor<?x4xf32> into tensor<?x?x4xf32>
  return %r : tensor<?x?x4xf32>
}

// -----

// Batches and heads, which are groups of two in one operand.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[Q:.+]]: tensor<?x4x5x8xf32>, %[[K:.+]]: tensor<?x2x2x8x5xf32>
// CHECK:         %[[H:.+]] = tensor.collapse_shape %[[K]] {{\[\[}}0], [1, 2], [3], [4]]
// CHECK:         %[[R:.+]] = linalg.generic {{.*}} ins(%[[Q]], %[[H]] :
// CHECK-NOT:     expand_shape
// CHECK:         return %[[R]] : tensor<?x4x5x5xf32>
func.func @heads(%q: tensor<?x4x5x8xf32>, %k: tensor<?x2x2x8x5xf32>) -> tensor<?x4x5x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %b = tensor.dim %q, %c0 : tensor<?x4x5x8xf32>
  %all = arith.muli %b, %c4 : index
  %0 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<?x4x5x8xf32> into tensor<?x5x8xf32>
  %1 = tensor.collapse_shape %k [[0, 1, 2], [3], [4]] : tensor<?x2x2x8x5xf32> into tensor<?x8x5xf32>
  %e = tensor.empty(%all) : tensor<?x5x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5x5xf32>) -> tensor<?x5x5xf32>
  %m = linalg.batch_matmul ins(%0, %1 : tensor<?x5x8xf32>, tensor<?x8x5xf32>) outs(%f : tensor<?x5x5xf32>) -> tensor<?x5x5xf32>
  %r = tensor.expand_shape %m [[0, 1], [2], [3]] output_shape [%b, 4, 5, 5] : tensor<?x5x5xf32> into tensor<?x4x5x5xf32>
  return %r : tensor<?x4x5x5xf32>
}

// -----

// Extents that are not known to be the same ones stay as they are, and so do
// known ones.
// CHECK-LABEL: func.func @others(
// CHECK:         tensor.collapse_shape
// CHECK:         tensor.expand_shape
// CHECK-LABEL: func.func @known(
// CHECK:         tensor.collapse_shape
// CHECK:         linalg.matmul
func.func @others(%x: tensor<?x?x8xf32>, %a: index, %b: index) -> tensor<?x?x8xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %r = tensor.expand_shape %c [[0, 1], [2]] output_shape [%a, %b, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}
func.func @known(%x: tensor<2x3x8xf32>, %w: tensor<8x4xf32>, %o: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %m = linalg.matmul ins(%c, %w : tensor<6x8xf32>, tensor<8x4xf32>) outs(%o : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %m : tensor<6x4xf32>
}
