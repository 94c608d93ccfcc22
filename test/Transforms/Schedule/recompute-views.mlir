// A product and what is computed from a view of it are both held at the peak. The second computation of the one is
// in front of that of the other, though that reads a view.
// RUN: shard-opt %s --shardir-to-collective=memory-limit=100000 2>/dev/null | FileCheck %s
// CHECK:      %[[AGAIN:.+]] = linalg.matmul {{.*}} tensor<64x32xf32>, tensor<32x32xf32>
// CHECK:      %[[AGAIN:.+]] = linalg.matmul {{.*}} tensor<64x32xf32>, tensor<32x32xf32>
// CHECK-NEXT: %[[VIEW:.+]] = tensor.expand_shape %[[AGAIN]]
// CHECK-NEXT: %[[BARRIER:.+]] = shardir.optimization_barrier %[[VIEW]]
// CHECK:      linalg.transpose ins(%[[BARRIER]]
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>, %u: tensor<32x128xf32>, %v: tensor<128x32xf32>) -> tensor<4x8xf32> {
  %none = arith.constant dense<0.0> : tensor<4x8xf32>
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %zero_v = arith.constant dense<0.0> : tensor<64x32xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x32xf32>) outs(%zero_v : tensor<64x32xf32>) -> tensor<64x32xf32>
  %view = tensor.expand_shape %m [[0], [1, 2]] output_shape [64, 4, 8] : tensor<64x32xf32> into tensor<64x4x8xf32>
  %empty = tensor.empty() : tensor<4x64x8xf32>
  %e = linalg.transpose ins(%view : tensor<64x4x8xf32>) outs(%empty : tensor<4x64x8xf32>) permutation = [1, 0, 2]
  %p = linalg.matmul ins(%x, %u : tensor<64x32xf32>, tensor<32x128xf32>) outs(%zero : tensor<64x128xf32>) -> tensor<64x128xf32>
  %q = linalg.matmul ins(%p, %v : tensor<64x128xf32>, tensor<128x32xf32>) outs(%zero_v : tensor<64x32xf32>) -> tensor<64x32xf32>
  %a = linalg.reduce { arith.addf } ins(%e : tensor<4x64x8xf32>) outs(%none : tensor<4x8xf32>) dimensions = [1]
  %qv = tensor.expand_shape %q [[0], [1, 2]] output_shape [64, 4, 8] : tensor<64x32xf32> into tensor<64x4x8xf32>
  %s = arith.mulf %qv, %view : tensor<64x4x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%s : tensor<64x4x8xf32>) outs(%a : tensor<4x8xf32>) dimensions = [0]
  return %sum : tensor<4x8xf32>
}
