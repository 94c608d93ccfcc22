// Programs at the edge of what the patterns take: values that carry no placement,
// several blocks, unknown, empty and very large extents, ops that the rules do
// not know.
//
// RUN: shard-opt %s -shardir-simplify-redistribute -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once -shardir-simplify-redistribute | diff %t.once -
// RUN: shard-opt %s -shardir-simplify-redistribute="share-gathers memory-limit=10" -o /dev/null

// CHECK-LABEL: func.func @a
// CHECK-NEXT:    math.absf %arg0
// CHECK-NEXT:    shardir.redistribute
// CHECK-LABEL: func.func @b
// CHECK-NEXT:    shardir.redistribute
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    shardir.redistribute
// CHECK-LABEL: func.func @c
// CHECK:         shardir.redistribute
// CHECK-LABEL: func.func @d
// CHECK:         %[[R:.+]] = shardir.redistribute
// CHECK-NEXT:    return %[[R]]
// CHECK-LABEL: func.func @e
// CHECK-NEXT:    math.absf %arg0
// CHECK-NEXT:    shardir.redistribute
// CHECK-LABEL: func.func @f
// CHECK-NEXT:    shardir.redistribute
// CHECK-LABEL: func.func @huge
// CHECK-NEXT:    math.absf %arg0
// CHECK-NEXT:    shardir.redistribute
shardir.mesh @m <["x"=2, "y"=2]>
func.func @a(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = math.absf %0 {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
  %2 = arith.truncf %1 {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32> to tensor<8xbf16>
  return %1 : tensor<8xf32>
}
func.func @b(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = math.absf %0 : tensor<8xf32>
  %3 = math.absf %1 {shardir.placements = [#shardir.placement<@m, [{"x", ?}]>]} : tensor<8xf32>
  %2 = shardir.redistribute %3 from #shardir.placement<@m, [{"x", ?}]> to #shardir.placement<@m, [{"y"}p0]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func @c(%x: tensor<*xf32>, %m : memref<8xf32>) {
  %0 = tensor.cast %x : tensor<*xf32> to tensor<8xf32>
  %1 = shardir.redistribute %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %2 = tensor.cast %1 : tensor<8xf32> to tensor<?xf32>
  %4 = bufferization.to_buffer %1 : tensor<8xf32> to memref<8xf32>
  return
}
func.func @d(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  cf.br ^b
^b:
  %1 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %2 = shardir.redistribute %x from #shardir.placement<@m, [{"y"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @e(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<?xf32>
  %1 = math.absf %0 {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @f(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"x"}]> : tensor<0x8xf32>
  %1 = math.absf %0 {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]} : tensor<0x8xf32>
  return %1 : tensor<0x8xf32>
}
func.func @huge(%x: tensor<9223372036854775807xf32>) -> tensor<9223372036854775807xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<9223372036854775807xf32>
  %1 = math.absf %0 {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<9223372036854775807xf32>
  return %1 : tensor<9223372036854775807xf32>
}
