// The order of ops in the file does not matter (R3): one program in two orders,
// with an axis that reaches it from three sides, gets the same placements for the
// same reasons.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/one.mlir -shardir-propagate -o %t/one.out
// RUN: shard-opt %t/two.mlir -shardir-propagate -o %t/two.out
// Without the names of values the two have the same lines.
// RUN: sed -e 's/%%[A-Za-z0-9_]*//g' %t/one.out | sort > %t/one.lines
// RUN: sed -e 's/%%[A-Za-z0-9_]*//g' %t/two.out | sort > %t/two.lines
// RUN: diff %t/one.lines %t/two.lines
// RUN: FileCheck %s < %t/one.out

// CHECK: linalg.matmul {{.*}}[{"a"}, {}]{{.*}}tensor<64x8xf32>
// CHECK: linalg.add {{.*}}[{"a"}, {}]
// CHECK: linalg.sub {{.*}}[{"a"}, {}]
// CHECK: linalg.mul {{.*}}[{"b"}, {}]

//--- one.mlir
shardir.mesh @m <["a"=2, "b"=2]>
func.func @main(%x: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                %w: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                %u: tensor<64x8xf32>, %v: tensor<64x8xf32>,
                %z: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>})
    -> (tensor<64x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<64x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x16xf32>, tensor<16x8xf32>) outs(%u : tensor<64x8xf32>) -> tensor<64x8xf32>
  %1 = linalg.add ins(%u, %v : tensor<64x8xf32>, tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
  %2 = linalg.sub ins(%0, %1 : tensor<64x8xf32>, tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
  %f = tensor.empty() : tensor<8x8xf32>
  %3 = linalg.exp ins(%z : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = linalg.mul ins(%3, %z : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %4 : tensor<64x8xf32>, tensor<8x8xf32>
}

//--- two.mlir
shardir.mesh @m <["a"=2, "b"=2]>
func.func @main(%x: tensor<64x16xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                %w: tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                %u: tensor<64x8xf32>, %v: tensor<64x8xf32>,
                %z: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {}]>})
    -> (tensor<64x8xf32>, tensor<8x8xf32>) {
  %f = tensor.empty() : tensor<8x8xf32>
  %3 = linalg.exp ins(%z : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<64x8xf32>
  %1 = linalg.add ins(%u, %v : tensor<64x8xf32>, tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
  %4 = linalg.mul ins(%3, %z : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x16xf32>, tensor<16x8xf32>) outs(%u : tensor<64x8xf32>) -> tensor<64x8xf32>
  %2 = linalg.sub ins(%0, %1 : tensor<64x8xf32>, tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %2, %4 : tensor<64x8xf32>, tensor<8x8xf32>
}
