// RUN: shard-opt %s --shardir-to-collective --split-input-file | FileCheck %s

// Reshapes that move nothing: several splits and merges in one, and a split
// inner factor. The shards are checked by numbers in test/Run/Tensor.

shardir.mesh @m <["x"=4]>

// [2d@x, 3, 32] -> [48d@x, 4]
// CHECK-LABEL: func.func @regroup(
// CHECK-SAME:    -> (tensor<192x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}
// CHECK-NOT:     collective
// CHECK:         return
func.func @regroup(%x: tensor<8x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> tensor<192x4xf32> {
  %s = arith.constant dense<[192, 4]> : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<8x3x32xf32>, tensor<2xindex>) -> tensor<192x4xf32>
  return %r : tensor<192x4xf32>
}

// The same by what is asked of the result.
// CHECK-LABEL: func.func @regroup_backward(
// CHECK-SAME:    %{{.+}}: tensor<8x3x32xf32> {{.*}}shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>
// CHECK-NOT:     collective
// CHECK:         return
func.func @regroup_backward(%x: tensor<8x3x32xf32>) -> (tensor<192x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %f = tensor.collapse_shape %x [[0, 1, 2]] : tensor<8x3x32xf32> into tensor<768xf32>
  %r = tensor.expand_shape %f [[0, 1]] output_shape [192, 4] : tensor<768xf32> into tensor<192x4xf32>
  return %r : tensor<192x4xf32>
}

// [3, 5d@x] -> [15d]: a strided shard.
// CHECK-LABEL: func.func @inner(
// CHECK-SAME:    -> (tensor<60xf32> {shardir.placement = #shardir.placement<@m, [{3, "x"}]>}
// CHECK-NOT:     collective
// CHECK:         return
func.func @inner(%x: tensor<3x20xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> tensor<60xf32> {
  %s = arith.constant dense<60> : tensor<1xindex>
  %r = tensor.reshape %x(%s) : (tensor<3x20xf32>, tensor<1xindex>) -> tensor<60xf32>
  return %r : tensor<60xf32>
}

// -----

shardir.mesh @m <["a"=2, "b"=3]>

// [3x@a, 5, 7y@b, 9] -> [15x@a, 63y@b]
// CHECK-LABEL: func.func @two_groups(
// CHECK-SAME:    -> (tensor<30x189xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}
// CHECK-NOT:     collective
// CHECK:         return
func.func @two_groups(%x: tensor<6x5x21x9xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}, {"b"}, {}]>}) -> tensor<30x189xf32> {
  %s = arith.constant dense<[30, 189]> : tensor<2xindex>
  %r = tensor.reshape %x(%s) : (tensor<6x5x21x9xf32>, tensor<2xindex>) -> tensor<30x189xf32>
  return %r : tensor<30x189xf32>
}

// -----

shardir.mesh @m <["x"=2]>

// 6 -> 3x2 over 2 devices: the blocks of 3 end within a row, so something moves.
// CHECK-LABEL: func.func @not_divided(
// CHECK:         collective.
// CHECK:         return
func.func @not_divided(%x: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<3x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %r = tensor.expand_shape %x [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// -----

shardir.mesh @m <["x"=2]>

// A softmax over a split dim moves a maximum and a sum of each row, no more.
// CHECK-LABEL: func.func @softmax(
// CHECK-NOT:     collective
// CHECK:         collective.all_reduce {{.*}}partial = maxnum ["x"]{{.*}}tensor<4xf32>
// CHECK-NOT:     collective
// CHECK:         collective.all_reduce {{.*}}partial = sum ["x"]{{.*}}tensor<4xf32>
// CHECK-NOT:     collective
// CHECK:         return
func.func @softmax(%x: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> (tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
