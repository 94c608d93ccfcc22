// Each redistribution becomes a chain of collectives and local slices; which
// chain is the planner's, tested by arithmetic in ShardIRPlacementTests.
//
// RUN: shard-opt %s -split-input-file -shardir-redistribute-to-collectives | FileCheck %s
// RUN: shard-opt %s -split-input-file -shardir-redistribute-to-collectives -o %t.once
// RUN: shard-opt %t.once -split-input-file -shardir-redistribute-to-collectives | diff %t.once -

shardir.mesh @m <["x"=2, "tp"=4]>
shardir.mesh @s <["a"=?]>

// CHECK-LABEL: func.func @reduce
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.+]] = collective.all_reduce %[[X]] from #shardir.placement<@m, [{}], partial = sum ["tp"]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @reduce(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}], partial = sum ["tp"]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=2, "tp"=4]>
shardir.mesh @s <["a"=?]>

// CHECK-LABEL: func.func @scatter
// CHECK-NEXT:    collective.reduce_scatter %{{.+}} from #shardir.placement<@m, [{}], partial = max ["tp"]> to #shardir.placement<@m, [{"tp"}]> : tensor<7xf32>
// CHECK-NEXT:    return
func.func @scatter(%x: tensor<7xf32>) -> tensor<7xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}], partial = max ["tp"]> to #shardir.placement<@m, [{"tp"}]> : tensor<7xf32>
  return %0 : tensor<7xf32>
}

// CHECK-LABEL: func.func @gather
// CHECK-NEXT:    collective.all_gather %{{.+}} from #shardir.placement<@m, [{"x"}, {"tp"}]> to #shardir.placement<@m, [{"x"}, {}]> {reason = "kept"}
// CHECK-NEXT:    return
func.func @gather(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {"tp"}]> to #shardir.placement<@m, [{"x"}, {}]> {reason = "kept"} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Adding a split is a local slice (D4): no communication.
// CHECK-LABEL: func.func @slice
// CHECK-NEXT:    collective.slice %{{.+}} from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x", "tp"}]>
// CHECK-NEXT:    return
func.func @slice(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x", "tp"}]> : tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @move
// CHECK-NEXT:    collective.all_to_all %{{.+}} from #shardir.placement<@m, [{"tp"}, {}]> to #shardir.placement<@m, [{}, {"tp"}]>
// CHECK-NEXT:    return
func.func @move(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"tp"}, {}]> to #shardir.placement<@m, [{}, {"tp"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @rename
// CHECK-NEXT:    collective.permute %{{.+}} from #shardir.placement<@m, [{"tp":(1)2}]> to #shardir.placement<@m, [{"tp":(2)2}]>
// CHECK-NEXT:    return
func.func @rename(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"tp":(1)2}]> to #shardir.placement<@m, [{"tp":(2)2}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @term
// CHECK-NEXT:    collective.make_partial %{{.+}} from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}], partial = sum ["tp"]>
// CHECK-NEXT:    return
func.func @term(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{}], partial = sum ["tp"]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Partial over two axes, split over one of them: the reduction over the other
// is not forgotten.
// CHECK-LABEL: func.func @two_axes
// CHECK-NEXT:    %[[S:.+]] = collective.reduce_scatter %{{.+}} to #shardir.placement<@m, [{"x"}], partial = sum ["tp"]>
// CHECK-NEXT:    collective.all_reduce %[[S]] from #shardir.placement<@m, [{"x"}], partial = sum ["tp"]> to #shardir.placement<@m, [{"x"}]>
// CHECK-NEXT:    return
func.func @two_axes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}], partial = sum ["x", "tp"]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The same place: nothing.
// CHECK-LABEL: func.func @nothing
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    return %[[X]]
func.func @nothing(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x", 1}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Unknown sizes of axes and dims.
// CHECK-LABEL: func.func @unknown
// CHECK-NEXT:    collective.all_gather %{{.+}} from #shardir.placement<@s, [{"a"}, {}]> to #shardir.placement<@s, [{}, {}]> : tensor<?x8xf32>
func.func @unknown(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@s, [{"a"}, {}]> to #shardir.placement<@s, [{}, {}]> : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// What has no redistribution is left alone.
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    collective.all_gather
func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
