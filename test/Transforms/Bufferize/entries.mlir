// RUN: shard-opt %s -split-input-file --shardir-bufferize | FileCheck %s

// Arguments are buffers, results buffers after them; attributes stay.
// CHECK: module attributes {shardir.stage = "bufferized"}
// CHECK-LABEL: func.func @copied
// CHECK-SAME:    %[[X:.+]]: memref<?x4xf32> {shardir.global_type = tensor<5x4xf32>, shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}
// CHECK-SAME:    %[[R:.+]]: memref<?x4xf32> {shardir.global_type = tensor<5x4xf32>, shardir.placement = #shardir.placement<@m, [{"x"}, {}]>, shardir.result})
// CHECK-NEXT:    memref.copy %[[X]], %[[R]]
// CHECK-NEXT:    return
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @copied(%x: tensor<?x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>, shardir.global_type = tensor<5x4xf32>})
      -> (tensor<?x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>, shardir.global_type = tensor<5x4xf32>}) {
    return %x : tensor<?x4xf32>
  }
}

// -----

// A result is computed in the caller's buffer, with no copy and no allocation.
// CHECK-LABEL: func.func @matmul
// CHECK-SAME:    %[[X:.+]]: memref<4x8xf32> {{.*}}, %[[Y:.+]]: memref<8x4xf32> {{.*}}, %[[R:.+]]: memref<4x4xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.fill {{.*}} outs(%[[R]]
// CHECK:         linalg.matmul ins(%[[X]], %[[Y]] {{.*}} outs(%[[R]]
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @matmul(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.matmul ins(%x, %y : tensor<4x8xf32>, tensor<8x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// An argument is never written: the insertion is into a copy.
// CHECK-LABEL: func.func @written
// CHECK-SAME:    %[[X:.+]]: memref<2xi32> {{.*}}, %[[R:.+]]: memref<2xi32>
// CHECK:         memref.copy %[[X]], %[[R]]
// CHECK:         memref.store %{{.+}}, %[[R]]
// CHECK-NOT:     memref.store %{{.+}}, %[[X]]
func.func @written(%x: tensor<2xi32>) -> tensor<2xi32> {
  %c1 = arith.constant 1 : index
  %five = arith.constant 5 : i32
  %y = tensor.insert %five into %x[%c1] : tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

// Scalars are buffers of rank 0.
// CHECK-LABEL: func.func @scalar
// CHECK-SAME:    %[[X:.+]]: memref<f32> {shardir.global_type = tensor<f32>}
// CHECK-SAME:    %[[R:.+]]: memref<f32> {shardir.global_type = tensor<f32>, shardir.result}
// CHECK:         %[[V:.+]] = memref.load %[[X]][]
// CHECK:         memref.store %[[V]], %[[R]][]
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}

// -----

// An extent that is known only at run time is checked before its buffer is written.
// CHECK-LABEL: func.func @extent
// CHECK-SAME:    %[[X:.+]]: memref<?xf32> {{.*}}, %[[R:.+]]: memref<?xf32>
// CHECK:         %[[EQ:.+]] = arith.cmpi eq
// CHECK:         cf.assert %[[EQ]], "result 0 of @extent has another extent in dim 0 than the buffer for it"
// CHECK:         linalg.exp ins(%[[X]] {{.*}} outs(%[[R]]
func.func @extent(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// An op on another shape than the result's writes into the result's buffer, too.
// CHECK-LABEL: func.func @collapsed
// CHECK-SAME:    %[[X:.+]]: memref<4x6xf32> {{.*}}, %[[R:.+]]: memref<24xf32>
// CHECK-NEXT:    %[[VIEW:.+]] = memref.expand_shape %[[R]] {{\[\[}}0, 1]] output_shape [4, 6]
// CHECK-NEXT:    linalg.exp ins(%[[X]] {{.*}} outs(%[[VIEW]]
// CHECK-NEXT:    return
func.func @collapsed(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %empty = tensor.empty() : tensor<4x6xf32>
  %y = linalg.exp ins(%x : tensor<4x6xf32>) outs(%empty : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = tensor.collapse_shape %y [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  return %r : tensor<24xf32>
}

// -----

// CHECK-LABEL: func.func @collapsed_twice
// CHECK-SAME:    %[[X:.+]]: memref<?x?x3xf32> {{.*}}, %[[R:.+]]: memref<?xf32>
// CHECK-DAG:     %[[M:.+]] = memref.dim %[[X]], %c0
// CHECK-DAG:     %[[N:.+]] = memref.dim %[[X]], %c1
// CHECK:         %[[MN:.+]] = arith.muli %[[M]], %[[N]]
// CHECK:         %[[SIZE:.+]] = arith.muli %[[MN]], %c3
// CHECK:         %[[EQ:.+]] = arith.cmpi eq, %[[SIZE]],
// CHECK:         cf.assert %[[EQ]], "result 0 of @collapsed_twice has another extent in dim 0 than the buffer for it"
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.exp ins(%[[X]]
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @collapsed_twice(%x: tensor<?x?x3xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x3xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x3xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?x3xf32>
  %y = linalg.exp ins(%x : tensor<?x?x3xf32>) outs(%empty : tensor<?x?x3xf32>) -> tensor<?x?x3xf32>
  %s = tensor.collapse_shape %y [[0], [1, 2]] : tensor<?x?x3xf32> into tensor<?x?xf32>
  %z = linalg.exp ins(%s : tensor<?x?xf32>) outs(%s : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = tensor.collapse_shape %z [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// An entry that the program itself calls has a separate function for those calls.
// CHECK-LABEL: func.func @callee(
// CHECK-SAME:    shardir.result
// CHECK:       func.func private @callee_called(
// CHECK-LABEL: func.func @caller
// CHECK:         call @callee_called
func.func @callee(%x: tensor<2xf32>) -> tensor<2xf32> {
  %empty = tensor.empty() : tensor<2xf32>
  %r = linalg.exp ins(%x : tensor<2xf32>) outs(%empty : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @caller(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = func.call @callee(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// A later stage is left alone.
// CHECK-LABEL: func.func @later
// CHECK:         memref.copy
module attributes {shardir.stage = "bufferized"} {
  func.func @later(%x: memref<2xf32> {shardir.global_type = tensor<2xf32>}, %r: memref<2xf32> {shardir.global_type = tensor<2xf32>, shardir.result}) {
    memref.copy %x, %r : memref<2xf32> to memref<2xf32>
    return
  }
}
