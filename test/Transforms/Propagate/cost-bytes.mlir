// Option cost decides a conflict: predicted time, or bytes alone (R6). The result must
// be replicated. Gathering both operands moves less than gathering one and the
// result; splitting the work is faster nevertheless.
//
// RUN: shard-opt %s -shardir-propagate | FileCheck %s --check-prefix=TIME
// RUN: shard-opt %s -shardir-propagate="cost=time" | FileCheck %s --check-prefix=TIME
// RUN: shard-opt %s -shardir-propagate="cost=bytes" | FileCheck %s --check-prefix=BYTES
// RUN: shard-opt %s --shardir-to-propagated="cost=bytes" | FileCheck %s --check-prefix=BYTES

shardir.mesh @m <["a"=2]>

// TIME-LABEL:  func.func @outer
// TIME:          linalg.matmul {{.*}}[{"a"}, {}]>]
// BYTES-LABEL: func.func @outer
// BYTES:         linalg.matmul {{.*}}[{}, {}]>]
func.func @outer(%x: tensor<64x32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %w: tensor<32x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>})
    -> (tensor<64x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Where both agree there is no difference: the result may stay split.
// TIME-LABEL:  func.func @agree
// TIME:          linalg.matmul {{.*}}[{"a"}, {}]>]
// BYTES-LABEL: func.func @agree
// BYTES:         linalg.matmul {{.*}}[{"a"}, {}]>]
func.func @agree(%x: tensor<64x32xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                 %w: tensor<32x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>}) -> tensor<64x64xf32> {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
