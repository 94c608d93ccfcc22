// The steps of a redistribution in their three forms: on global tensors, on
// shards, on buffers.
//
// RUN: shard-opt %s -verify-roundtrip | FileCheck %s
// RUN: shard-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

shardir.mesh @m <["x"=2, "y"=2]>
shardir.mesh @symbolic <["x"=?]>
shardir.mesh @one <["z"=1, "w"=2]>
shardir.mesh @turned <["t"=4], devices = [3, 2, 1, 0]>
shardir.mesh @renamed <["u"=2, "v"=2]>

// CHECK-LABEL: func.func @whole
// CHECK:         collective.slice %{{.+}} from #shardir.placement<@m, [{}, {"y"}]> to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<5x7xf32>
// CHECK:         collective.all_gather %{{.+}} from #shardir.placement<@m, [{"x"}, {"y"}]> to #shardir.placement<@m, [{}, {"y"}]> {reason = #shardir.reason<constrain>} : tensor<5x7xf32>
// CHECK:         collective.all_to_all %{{.+}} from #shardir.placement<@m, [{}, {"y"}]> to #shardir.placement<@m, [{"y"}, {}]> : tensor<5x7xf32>
// CHECK:         collective.permute %{{.+}} from #shardir.placement<@m, [{"y"}, {}]> to #shardir.placement<@m, [{"x"}, {}]> : tensor<5x7xf32>
// CHECK:         collective.exchange %{{.+}} from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"y", "x"}]> : tensor<5x7xf32>
// CHECK:         collective.make_partial %{{.+}} from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{}, {}], partial = sum ["x", "y"]> : tensor<5x7xf32>
// CHECK:         collective.reduce_scatter %{{.+}} from #shardir.placement<@m, [{}, {}], partial = sum ["x", "y"]> to #shardir.placement<@m, [{}, {"x"}], partial = sum ["y"]> : tensor<5x7xf32>
// CHECK:         collective.all_reduce %{{.+}} from #shardir.placement<@m, [{}, {"x"}], partial = sum ["y"]> to #shardir.placement<@m, [{}, {"x"}]> : tensor<5x7xf32>
func.func @whole(%x: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = collective.slice %x from #shardir.placement<@m, [{}, {"y"}]> to #shardir.placement<@m, [{"x"}, {"y"}]> : tensor<5x7xf32>
  %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"}, {"y"}]> to #shardir.placement<@m, [{}, {"y"}]> {reason = #shardir.reason<constrain>} : tensor<5x7xf32>
  %2 = collective.all_to_all %1 from #shardir.placement<@m, [{}, {"y"}]> to #shardir.placement<@m, [{"y"}, {}]> : tensor<5x7xf32>
  %3 = collective.permute %2 from #shardir.placement<@m, [{"y"}, {}]> to #shardir.placement<@m, [{"x"}, {}]> : tensor<5x7xf32>
  %4 = collective.exchange %3 from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"y", "x"}]> : tensor<5x7xf32>
  %5 = collective.make_partial %x from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{}, {}], partial = sum ["x", "y"]> : tensor<5x7xf32>
  %6 = collective.reduce_scatter %5 from #shardir.placement<@m, [{}, {}], partial = sum ["x", "y"]> to #shardir.placement<@m, [{}, {"x"}], partial = sum ["y"]> : tensor<5x7xf32>
  %7 = collective.all_reduce %6 from #shardir.placement<@m, [{}, {"x"}], partial = sum ["y"]> to #shardir.placement<@m, [{}, {"x"}]> : tensor<5x7xf32>
  return %4, %7 : tensor<5x7xf32>, tensor<5x7xf32>
}

// From one mesh to another, and shards that overlap.
// CHECK-LABEL: func.func @meshes_and_halos
// CHECK:         collective.exchange %{{.+}} from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@turned, [{}, {"t"}]> : tensor<5x7xf32>
// CHECK:         collective.slice %{{.+}} from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@turned, [{"t"}, {}]> : tensor<5x7xf32>
// CHECK:         collective.slice %{{.+}} from #shardir.placement<@m, [{"x"}, {}], partial = sum ["y"]> to #shardir.placement<@renamed, [{"u"}, {}], partial = sum ["v"]> : tensor<5x7xf32>
// CHECK:         collective.halo_exchange %{{.+}} from #shardir.placement<@m, [{"x"}, {"y"}]> to #shardir.placement<@m, [{"x"}, {"y"}]> halo {{\[\[}}1, 1], [0, 2]] {reason = #shardir.reason<constrain>} : tensor<5x7xf32>
// CHECK:         collective.halo_exchange %{{.+}} from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@turned, [{"t"}, {}]> halo {{\[\[}}1, 0], [0, 0]] : tensor<5x7xf32>
func.func @meshes_and_halos(%x: tensor<5x7xf32>) {
  %0 = collective.exchange %x from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@turned, [{}, {"t"}]> : tensor<5x7xf32>
  %1 = collective.slice %x from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@turned, [{"t"}, {}]> : tensor<5x7xf32>
  %2 = collective.slice %x from #shardir.placement<@m, [{"x"}, {}], partial = sum ["y"]> to #shardir.placement<@renamed, [{"u"}, {}], partial = sum ["v"]> : tensor<5x7xf32>
  %3 = collective.halo_exchange %x from #shardir.placement<@m, [{"x"}, {"y"}]> to #shardir.placement<@m, [{"x"}, {"y"}]>
       halo [[1, 1], [0, 2]] {reason = #shardir.reason<constrain>} : tensor<5x7xf32>
  %4 = collective.halo_exchange %x from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@turned, [{"t"}, {}]> halo [[1, 0], [0, 0]] : tensor<5x7xf32>
  return
}

// The local and the buffer form of an overlapping shard.
// CHECK-LABEL: func.func @local_halo
// CHECK:         collective.halo_exchange %{{.+}} sizes [%{{.+}}] from #shardir.placement<@m, [{"x", "y"}]> to #shardir.placement<@m, [{"x", "y"}]> halo {{\[\[}}1, 1]] of tensor<8xf32> : tensor<2xf32> -> tensor<?xf32>
// CHECK:         collective.halo_exchange %{{.+}} into %{{.+}} from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo {{\[\[}}0, 1]] of tensor<8xf32> : memref<4xf32>, memref<?xf32>
func.func @local_halo(%x: tensor<2xf32>, %n: index, %a: memref<4xf32>, %b: memref<?xf32>) -> tensor<?xf32> {
  %0 = collective.halo_exchange %x sizes [%n] from #shardir.placement<@m, [{"x", "y"}]> to #shardir.placement<@m, [{"x", "y"}]>
       halo [[1, 1]] of tensor<8xf32> : tensor<2xf32> -> tensor<?xf32>
  collective.halo_exchange %a into %b from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]>
       halo [[0, 1]] of tensor<8xf32> : memref<4xf32>, memref<?xf32>
  return %0 : tensor<?xf32>
}

// Global tensors may have unknown extents, and meshes unknown sizes.
// CHECK-LABEL: func.func @whole_unknown
// CHECK:         collective.all_gather %{{.+}} from #shardir.placement<@symbolic, [{"x"}]> to #shardir.placement<@symbolic, [{}]> : tensor<?xf32>
func.func @whole_unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = collective.all_gather %x from #shardir.placement<@symbolic, [{"x"}]> to #shardir.placement<@symbolic, [{}]> : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A reduction over an axis of size 1 is none, and stands where a size was set
// late.
// CHECK-LABEL: func.func @one_device
// CHECK:         collective.all_reduce
// CHECK:         collective.all_gather
func.func @one_device(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = collective.all_reduce %x from #shardir.placement<@one, [{}], partial = sum ["z"]> to #shardir.placement<@one, [{}]> : tensor<8xf32>
  %1 = collective.all_gather %0 from #shardir.placement<@one, [{"w"}], partial = sum ["z"]> to #shardir.placement<@one, [{}], partial = sum ["z"]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A shard whose extent differs among devices has a `?`, and one as result
// takes its extent from `sizes`.
// CHECK-LABEL: func.func @local
// CHECK-SAME:    %[[X:[^:]+]]: tensor<2x?xf32>, %[[N:.+]]: index
// CHECK:         %[[G:.+]] = collective.all_gather %[[X]] from #shardir.placement<@m, [{"x"}, {"y"}]> to #shardir.placement<@m, [{"x"}, {}]> of tensor<4x7xf32> : tensor<2x?xf32> -> tensor<2x7xf32>
// CHECK:         collective.slice %[[G]] sizes [%[[N]]] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{"x"}, {"y"}]> of tensor<4x7xf32> {reason = #shardir.reason<constrain>} : tensor<2x7xf32> -> tensor<2x?xf32>
func.func @local(%x: tensor<2x?xf32>, %n: index) -> tensor<2x?xf32> {
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}, {"y"}]> to #shardir.placement<@m, [{"x"}, {}]>
       of tensor<4x7xf32> : tensor<2x?xf32> -> tensor<2x7xf32>
  %1 = collective.slice %0 sizes [%n] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{"x"}, {"y"}]>
       of tensor<4x7xf32> {reason = #shardir.reason<constrain>} : tensor<2x7xf32> -> tensor<2x?xf32>
  return %1 : tensor<2x?xf32>
}

// `dims` are the global tensor's unknown extents.
// CHECK-LABEL: func.func @local_unknown
// CHECK-SAME:    %[[X:[^:]+]]: tensor<2x?xf32>, %[[N:.+]]: index
// CHECK:         collective.all_gather %[[X]] sizes [%[[N]]] dims [%[[N]]] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<4x?xf32> : tensor<2x?xf32> -> tensor<4x?xf32>
func.func @local_unknown(%x: tensor<2x?xf32>, %n: index) -> tensor<4x?xf32> {
  %0 = collective.all_gather %x sizes [%n] dims [%n] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]>
       of tensor<4x?xf32> : tensor<2x?xf32> -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @buffers
// CHECK-SAME:    %[[X:[^:]+]]: memref<2xf32>, %[[Y:[^:]+]]: memref<4xf32>, %[[Z:[^:]+]]: memref<2x?xf32>, %[[W:[^:]+]]: memref<4x?xf32>, %[[N:.+]]: index
// CHECK:         collective.all_gather %[[X]] into %[[Y]] from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<4xf32> {reason = #shardir.reason<constrain>} : memref<2xf32>, memref<4xf32>
// CHECK:         collective.all_reduce %[[Y]] into %[[Y]] from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{}]> of tensor<4xf32> : memref<4xf32>, memref<4xf32>
// CHECK:         collective.all_gather %[[Z]] into %[[W]] dims [%[[N]]] from {{.*}} of tensor<4x?xf32> : memref<2x?xf32>, memref<4x?xf32>
func.func @buffers(%x: memref<2xf32>, %y: memref<4xf32>, %z: memref<2x?xf32>, %w: memref<4x?xf32>, %n: index) {
  collective.all_gather %x into %y from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]>
      of tensor<4xf32> {reason = #shardir.reason<constrain>} : memref<2xf32>, memref<4xf32>
  collective.all_reduce %y into %y from #shardir.placement<@m, [{}], partial = sum ["x"]> to #shardir.placement<@m, [{}]>
      of tensor<4xf32> : memref<4xf32>, memref<4xf32>
  collective.all_gather %z into %w dims [%n] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]>
      of tensor<4x?xf32> : memref<2x?xf32>, memref<4x?xf32>
  return
}

// A step to where its operand is folds away, on global tensors and on shards.
// FOLD-LABEL: func.func @fold
// FOLD-SAME:    %[[X:[^:]+]]: tensor<8xf32>, %[[Y:[^:]+]]: tensor<4xf32>
// FOLD-NEXT:    return %[[X]], %[[Y]]
func.func @fold(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  %1 = collective.exchange %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> : tensor<8xf32>
  %2 = collective.permute %y from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> of tensor<8xf32> : tensor<4xf32> -> tensor<4xf32>
  return %1, %2 : tensor<8xf32>, tensor<4xf32>
}

// Steps that change a placement stay, and so do those on buffers. Steps on
// tensors are values: two equal ones are one, and one without a use goes.
// FOLD-LABEL: func.func @keep
// FOLD-SAME:    %[[X:[^:]+]]: tensor<8xf32>, %[[Y:[^:]+]]: memref<4xf32>
// FOLD-NEXT:    %[[G:.+]] = collective.all_gather %[[X]]
// FOLD-NEXT:    collective.permute %[[Y]] into %[[Y]]
// FOLD-NEXT:    return %[[G]]
func.func @keep(%x: tensor<8xf32>, %y: memref<4xf32>) -> tensor<8xf32> {
  %0 = collective.all_gather %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %1 = collective.permute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"y"}]> : tensor<8xf32>
  collective.permute %y into %y from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> of tensor<8xf32> : memref<4xf32>, memref<4xf32>
  return %0 : tensor<8xf32>
}

// Extent and shift of an open window: behind the tensor's unknown extents, where
// shards are.
// CHECK-LABEL: func.func @open_windows
// CHECK:         shardir.redistribute %{{.+}} dims [%{{.+}}, %{{.+}}] from {{.*}} halo {{\[\[}}0, 1, 1022, 1, 1, -1]] : tensor<?xf32>
// CHECK:         collective.halo_exchange %{{.+}} dims [%{{.+}}, %{{.+}}] from {{.*}} halo {{\[\[}}0, 1, 1022, 1, 1, -1]] : tensor<?xf32>
// CHECK:         collective.halo_exchange %{{.+}} sizes [%{{.+}}] dims [%{{.+}}, %{{.+}}, %{{.+}}] from {{.*}} halo {{\[\[}}0, 1, 1022, 1, 1, -1]] of tensor<?xf32> : tensor<?xf32> -> tensor<?xf32>
func.func @open_windows(%x: tensor<?xf32>, %n: index, %i: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = shardir.redistribute %x dims [%n, %i] from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[0, 1, 1022, 1, 1, -1]] : tensor<?xf32>
  %1 = collective.halo_exchange %x dims [%n, %i] from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[0, 1, 1022, 1, 1, -1]] : tensor<?xf32>
  %2 = collective.halo_exchange %x sizes [%i] dims [%n, %n, %i] from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]>
      halo [[0, 1, 1022, 1, 1, -1]] of tensor<?xf32> : tensor<?xf32> -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
