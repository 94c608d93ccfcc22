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

// -----

// Log-probabilities of labels that lie in rows of sequences, as cross-entropy has them.
// CHECK-LABEL: func.func @lookup(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?x64xf32>, %[[L:.+]]: tensor<?x?xi64>
// CHECK-NOT:     collapse_shape
// CHECK:         linalg.generic {{.*}}["parallel", "parallel", "parallel"]
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK:           %[[J:.+]] = linalg.index 1
// CHECK:           tensor.extract %[[X]][%[[I]], %[[J]], %{{.+}}]
// CHECK:         return
func.func @lookup(%x: tensor<?x?x64xf32>, %labels: tensor<?x?xi64> {shardir.extents = [[0, 0], [0, 1]]}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %rows = arith.muli %b, %s : index
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  %l = tensor.collapse_shape %labels [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
  %column = tensor.expand_shape %l [[0, 1]] output_shape [%rows, 1] : tensor<?xi64> into tensor<?x1xi64>
  %e = tensor.empty(%rows) : tensor<?x1xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%column : tensor<?x1xi64>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%label: i64, %out: f32):
    %row = linalg.index 0 : index
    %at = arith.index_cast %label : i64 to index
    %found = tensor.extract %c[%row, %at] : tensor<?x64xf32>
    linalg.yield %found : f32
  } -> tensor<?x1xf32>
  %r = tensor.expand_shape %g [[0, 1], [2]] output_shape [%b, %s, 1] : tensor<?x1xf32> into tensor<?x?x1xf32>
  %y = tensor.collapse_shape %r [[0], [1, 2]] : tensor<?x?x1xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Gradients of an embedding's rows, from sequences of tokens.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[G:.+]]: tensor<?x?x32xf32>, %[[T:.+]]: tensor<?x?x1xi64>
// CHECK:         shardir.scatter ins(%[[G]], %[[T]] :
func.func @scatter(%g: tensor<?x?x32xf32>, %tokens: tensor<?x?x1xi64> {shardir.extents = [[0, 0], [0, 1], unit]}, %table: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %updates = tensor.collapse_shape %g [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %rows = tensor.collapse_shape %tokens [[0, 1], [2]] : tensor<?x?x1xi64> into tensor<?x1xi64>
  %0 = shardir.scatter ins(%updates, %rows : tensor<?x32xf32>, tensor<?x1xi64>) outs(%table : tensor<64x32xf32>) index_dims = [0] {
  ^bb0(%new: f32, %old: f32):
    %1 = arith.addf %old, %new : f32
    shardir.yield %1 : f32
  }
  return %0 : tensor<64x32xf32>
}

// -----

// A softmax's sums of rows, kept with one element each.
// CHECK-LABEL: func.func @unit_dims(
// CHECK-SAME:    %[[X:.+]]: tensor<?x?x8xf32>
// CHECK-NOT:     collapse_shape {{.*}}[0, 1]
// CHECK:         linalg.generic {{.*}}["parallel", "parallel", "reduction"]
// CHECK-NOT:     collapse_shape {{.*}}[0, 1]
// CHECK:         linalg.generic {{.*}}["parallel", "parallel", "parallel"]
// CHECK:         return
func.func @unit_dims(%x: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %rows = arith.muli %b, %s : index
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%c : tensor<?x8xf32>) outs(%f : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %out, %in : f32
    linalg.yield %1 : f32
  } -> tensor<?x1xf32>
  %w = tensor.empty(%rows) : tensor<?x8xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %sum : tensor<?x8xf32>, tensor<?x1xf32>) outs(%w : tensor<?x8xf32>) {
  ^bb0(%in: f32, %all: f32, %out: f32):
    %1 = arith.divf %in, %all : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  %r = tensor.expand_shape %q [[0, 1], [2]] output_shape [%b, %s, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// -----

// Rows of fewer places than the joined ones stay as they are, and so do dims that are split at other places.
// CHECK-LABEL: func.func @fewer_rows(
// CHECK:         tensor.extract %{{.+}}[%{{.+}}, %{{.+}}] : tensor<?x64xf32>
// CHECK-LABEL: func.func @other_factors(
// CHECK:         tensor.collapse_shape
// CHECK:         tensor.expand_shape
func.func @fewer_rows(%x: tensor<?x?x64xf32>, %places: tensor<?xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %places, %c0 : tensor<?xindex>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x64xf32> into tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%places : tensor<?xindex>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: index, %out: f32):
    %row = linalg.index 0 : index
    %found = tensor.extract %c[%row, %at] : tensor<?x64xf32>
    linalg.yield %found : f32
  } -> tensor<?xf32>
  return %g : tensor<?xf32>
}
func.func @other_factors(%x: tensor<?x4x?xf32>) -> tensor<?x2x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x4x?xf32>
  %l = tensor.dim %x, %c2 : tensor<?x4x?xf32>
  %twice = arith.muli %l, %c2 : index
  %c = tensor.collapse_shape %x [[0, 1, 2]] : tensor<?x4x?xf32> into tensor<?xf32>
  %r = tensor.expand_shape %c [[0, 1, 2]] output_shape [%b, 2, %twice] : tensor<?xf32> into tensor<?x2x?xf32>
  return %r : tensor<?x2x?xf32>
}
