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
// CHECK-NEXT:    collective.all_gather %{{.+}} from #shardir.placement<@m, [{"x"}, {"tp"}]> to #shardir.placement<@m, [{"x"}, {}]> {reason = #shardir.reason<constrain>}
// CHECK-NEXT:    return
func.func @gather(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {"tp"}]> to #shardir.placement<@m, [{"x"}, {}]> {reason = #shardir.reason<constrain>} : tensor<8x8xf32>
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

// CHECK-LABEL: func.func @shards_are_terms
// CHECK-NEXT:    collective.make_partial %{{.+}} from #shardir.placement<@m, [{"tp"}]> to #shardir.placement<@m, [{}], partial = sum ["tp"]>
// CHECK-NEXT:    return
func.func @shards_are_terms(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"tp"}]> to #shardir.placement<@m, [{}], partial = sum ["tp"]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Partial over two axes, split over one of them: the reduction over the other
// is not forgotten.
// CHECK-LABEL: func.func @two_axes
// CHECK-NEXT:    %[[S:.+]] = collective.reduce_scatter %{{.+}} to #shardir.placement<@m, [{"x"}], partial = sum ["tp"]>
// CHECK-NEXT:    collective.all_reduce %[[S]] from #shardir.placement<@m, [{"x"}], partial = sum ["tp"]> to #shardir.placement<@m, [{"x"}]>
// CHECK-NEXT:    return
func.func @two_axes(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}], partial = sum ["x", "tp"]> to #shardir.placement<@m, [{"x"}]> : tensor<65536xf32>
  return %0 : tensor<65536xf32>
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

// A function without redistributions is left alone.
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    math.exp
// CHECK-NEXT:    collective.all_gather
func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=2, "tp"=4]>
shardir.mesh @turned <["t"=8], devices = [7, 6, 5, 4, 3, 2, 1, 0]>
shardir.mesh @others <["o"=4], devices = [8, 9, 10, 11]>
shardir.mesh @renamed <["a"=2, "b"=4]>

// Between meshes one exchange; a slice where every rank has what it needs.
// CHECK-LABEL: func.func @meshes
// CHECK-NEXT:    collective.exchange %{{.+}} from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@turned, [{}, {"t"}]> {reason = #shardir.reason<constrain>}
// CHECK-NEXT:    collective.slice %{{.+}} from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@turned, [{"t"}, {}]>
// CHECK-NEXT:    collective.exchange %{{.+}} from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@others, [{"o"}, {}]>
// CHECK-NEXT:    return
func.func @meshes(%x: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@turned, [{}, {"t"}]> {reason = #shardir.reason<constrain>} : tensor<5x7xf32>
  %1 = shardir.redistribute %x from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@turned, [{"t"}, {}]> : tensor<5x7xf32>
  %2 = shardir.redistribute %x from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@others, [{"o"}, {}]> : tensor<5x7xf32>
  return %0, %1, %2 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>
}

// A sum is reduced on its own mesh, and a partial of the other mesh is made there.
// CHECK-LABEL: func.func @partial_between_meshes
// CHECK-NEXT:    collective.reduce_scatter %{{.+}} from #shardir.placement<@m, [{}], partial = sum ["tp"]> to #shardir.placement<@m, [{"tp"}]>
// CHECK-NEXT:    collective.exchange %{{.+}} from #shardir.placement<@m, [{"tp"}]> to #shardir.placement<@others, [{}]>
// CHECK-NEXT:    collective.make_partial %{{.+}} from #shardir.placement<@others, [{}]> to #shardir.placement<@others, [{}], partial = sum ["o"]>
// CHECK-NEXT:    return
func.func @partial_between_meshes(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{}], partial = sum ["tp"]> to #shardir.placement<@others, [{}], partial = sum ["o"]> : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// Other names alone: what there is to do is done on the source's mesh, a sum
// may stay partial, and the last step is a name.
// CHECK-LABEL: func.func @other_names
// CHECK-NEXT:    collective.slice %{{.+}} from #shardir.placement<@m, [{"x"}], partial = sum ["tp"]> to #shardir.placement<@renamed, [{"a"}], partial = sum ["b"]>
// CHECK-NEXT:    %[[G:.+]] = collective.all_gather %{{.+}} from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]>
// CHECK-NEXT:    collective.slice %[[G]] from #shardir.placement<@m, [{}]> to #shardir.placement<@renamed, [{}]>
// CHECK-NEXT:    return
func.func @other_names(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}], partial = sum ["tp"]> to #shardir.placement<@renamed, [{"a"}], partial = sum ["b"]> : tensor<8xf32>
  %1 = shardir.redistribute %y from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@renamed, [{}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A halo is part of the last move, or a step of its own behind a reduction;
// dims that are replicated have none.
// CHECK-LABEL: func.func @halos
// CHECK-NEXT:    collective.halo_exchange %{{.+}} from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{"x"}, {}]> halo {{\[\[}}1, 2], [0, 0]] : tensor<8x8xf32>
// CHECK-NEXT:    collective.halo_exchange %{{.+}} from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"tp"}]> halo {{\[\[}}0, 0], [0, 1]] : tensor<8x8xf32>
// CHECK-NEXT:    %[[S:.+]] = collective.reduce_scatter %{{.+}} from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]>
// CHECK-NEXT:    collective.halo_exchange %[[S]] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{"x"}, {}]> halo {{\[\[}}1, 1], [0, 0]]
// CHECK-NEXT:    collective.all_gather
// CHECK-NEXT:    return
func.func @halos(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{"x"}, {}]> halo [[1, 2], [3, 3]] : tensor<8x8xf32>
  %1 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"tp"}]> halo [[1, 2], [0, 1]] : tensor<8x8xf32>
  %2 = shardir.redistribute %x from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]> halo [[1, 1], [0, 0]] : tensor<8x8xf32>
  %3 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> halo [[1, 1], [1, 1]] : tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// A halo across meshes is one step.
// CHECK-LABEL: func.func @halo_between_meshes
// CHECK-NEXT:    collective.halo_exchange %{{.+}} from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@others, [{"o"}]> halo {{\[\[}}1, 1]] : tensor<8xf32>
// CHECK-NEXT:    return
func.func @halo_between_meshes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@others, [{"o"}]> halo [[1, 1]] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
