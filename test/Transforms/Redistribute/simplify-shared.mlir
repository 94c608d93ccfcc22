// A value with other users is computed in full where that saves bytes, and they slice
// it. Local work does not count under cost=bytes; under cost=time it stays.
//
// RUN: shard-opt %s -shardir-simplify-redistribute=cost=bytes -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: shard-opt %t.once -shardir-simplify-redistribute=cost=bytes | diff %t.once -
// RUN: shard-opt %s -shardir-simplify-redistribute=cost=time | FileCheck %s --check-prefix=TIME

shardir.mesh @m <["x"=2]>

// %x is replicated anyway, so its transpose can be: one gather, and a slice for the other use.
// CHECK-LABEL: func.func @transposed
// CHECK-DAG:     %[[W:.+]] = shardir.redistribute %arg0 {{.*}} to #shardir.placement<@m, [{}, {}]>
// CHECK:         %[[T:.+]] = linalg.transpose ins(%[[W]] {{.*}}shardir.placements = [#shardir.placement<@m, [{}, {}]>]
// CHECK:         %[[P:.+]] = shardir.redistribute %[[T]] from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{}, {"x"}]>
// CHECK-NOT:     shardir.redistribute
// CHECK:         return %[[W]], %[[T]], %[[P]]
// TIME-LABEL: func.func @transposed
// TIME:         linalg.transpose ins(%arg0
// TIME:         return
func.func @transposed(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %e = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]} : tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0] {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> : tensor<8x8xf32>
  %1 = shardir.redistribute %t from #shardir.placement<@m, [{}, {"x"}]> to #shardir.placement<@m, [{}, {}]> : tensor<8x8xf32>
  return %0, %1, %t : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// No other user has %x replicated: there is nothing to save.
// CHECK-LABEL: func.func @alone
// CHECK:         %[[T:.+]] = linalg.transpose ins(%arg0
// CHECK:         shardir.redistribute %[[T]] {{.*}} to #shardir.placement<@m, [{}, {}]>
// CHECK:         return
func.func @alone(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %e = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]} : tensor<8x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0] {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]}
  %1 = shardir.redistribute %t from #shardir.placement<@m, [{}, {"x"}]> to #shardir.placement<@m, [{}, {}]> : tensor<8x8xf32>
  return %1, %t : tensor<8x8xf32>, tensor<8x8xf32>
}
