// Ops with the same result in every iteration are hoisted in front of the loop.
// RUN: shard-opt %s -pass-pipeline='builtin.module(func.func(shardir-hoist-from-loops))' | FileCheck %s

// Of two loops both; what is written into stays.
// CHECK-LABEL: func.func @weights
// CHECK:         tensor.concat
// CHECK:         linalg.transpose
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        tensor.empty
// CHECK-NEXT:        linalg.fill
// CHECK-NEXT:        linalg.matmul
func.func @weights(%a: tensor<4x3xf32>, %b: tensor<4x1xf32>, %t: tensor<4x4xf32>, %h0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%g = %h0) -> (tensor<4x4xf32>) {
    %q = scf.for %j = %c0 to %c8 step %c1 iter_args(%h = %g) -> (tensor<4x4xf32>) {
      %w = tensor.concat dim(1) %a, %b : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
      %v = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%t : tensor<4x4xf32>) permutation = [1, 0]
      %e = tensor.empty() : tensor<4x4xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
      %y = linalg.matmul ins(%h, %v : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
      scf.yield %y : tensor<4x4xf32>
    }
    scf.yield %q : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// An index that may lie outside is not read before its time.
// CHECK-LABEL: func.func @careful
// CHECK:         scf.for
// CHECK-NEXT:      tensor.extract
func.func @careful(%x: tensor<?xf32>, %n: index, %s0: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (f32) {
    %v = tensor.extract %x[%n] : tensor<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %r : f32
}
