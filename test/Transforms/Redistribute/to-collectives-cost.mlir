// Option cost decides between plans: time weighs messages and links, bytes nothing
// but themselves.
//
// RUN: shard-opt %s -shardir-redistribute-to-collectives | FileCheck %s --check-prefixes=CHECK,TIME
// RUN: shard-opt %s -shardir-redistribute-to-collectives="cost=bytes" | FileCheck %s --check-prefixes=CHECK,BYTES
// The pipelines hand their option on.
// RUN: shard-opt %s --shardir-to-collective="cost=bytes" | FileCheck %s --check-prefixes=CHECK,BYTES
// RUN: not shard-opt %s -shardir-redistribute-to-collectives="cost=money" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: option cost must be time or bytes, found 'money'

// Small tensors: one step, though slicing by @m's other axis first would
// receive less.
shardir.mesh @m <["dp"=2, "tp"=4]>

// CHECK-LABEL: func.func @small
// TIME-NEXT:     collective.reduce_scatter
// TIME-NEXT:     return
// BYTES-NEXT:    collective.slice
// BYTES-NEXT:    collective.reduce_scatter
// BYTES-NEXT:    collective.all_gather
// BYTES-NEXT:    return
func.func @small(%x: tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["tp"]>})
    -> (tensor<16x32xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}, {}], partial = sum ["tp"]> to #shardir.placement<@m, [{"tp"}, {}]> : tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}

// Enough to move pays for the steps.
// CHECK-LABEL: func.func @large
// CHECK-NEXT:    collective.slice
// CHECK-NEXT:    collective.reduce_scatter
// CHECK-NEXT:    collective.all_gather
// CHECK-NEXT:    return
func.func @large(%x: tensor<4096x4096xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["tp"]>})
    -> (tensor<4096x4096xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}, {}], partial = sum ["tp"]> to #shardir.placement<@m, [{"tp"}, {}]> : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// A fast axis within nodes, a slow one between them: what crosses nodes is
// reduced before, and gathered after.
shardir.mesh @n <["node"=2, "gpu"=4],
                 links = {gpu = {bandwidth = 1.0e11, latency = 1.0e-6},
                          node = {bandwidth = 1.0e9, latency = 1.0e-5}}>

// CHECK-LABEL: func.func @links
// TIME-NEXT:     %[[S:.+]] = collective.reduce_scatter %{{.+}} to #shardir.placement<@n, [{{.*}}"gpu"{{.*}}], partial = sum ["node"]>
// TIME-NEXT:     %[[R:.+]] = collective.all_reduce %[[S]]
// TIME-NEXT:     collective.all_gather %[[R]]
// TIME-NEXT:     return
// BYTES-NEXT:    collective.all_reduce
// BYTES-NEXT:    return
func.func @links(%x: tensor<4096x4096xf32> {shardir.placement = #shardir.placement<@n, [{}, {}], partial = sum ["node", "gpu"]>})
    -> (tensor<4096x4096xf32> {shardir.placement = #shardir.placement<@n, [{}, {}]>}) {
  %0 = shardir.redistribute %x from #shardir.placement<@n, [{}, {}], partial = sum ["node", "gpu"]> to #shardir.placement<@n, [{}, {}]> : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
