// RUN: shard-opt %s --shardir-to-local --split-input-file | FileCheck %s

// Accesses by index: what passes without communication, and when a lookup is partial.

shardir.mesh @m <["x"=2, "y"=3]>

// Positions and columns pass; a lookup in a split vocabulary is a partial sum.
// CHECK-LABEL: func.func @embedding
// CHECK-SAME:    %[[T:.+]]: tensor<5x2xf32> {{.*}}%[[I:.+]]: tensor<4x1xindex>
// CHECK:       linalg.generic
// CHECK:         %[[K:.+]] = tensor.extract %[[I]]
// CHECK:         %[[OWN:.+]] = arith.subi %[[K]]
// CHECK:         %[[HERE:.+]] = arith.cmpi ult, %[[OWN]]
// CHECK:         %[[AT:.+]] = arith.select %[[HERE]], %[[OWN]]
// CHECK:         %[[NONE:.+]] = arith.constant -0.0
// CHECK:         %[[V:.+]] = tensor.extract %[[T]][%[[AT]], %{{.+}}] : tensor<5x2xf32>
// CHECK:         arith.select %[[HERE]], %[[V]], %[[NONE]]
// CHECK:       collective.all_reduce {{.*}}partial = sum ["x"]
// CHECK-NOT:   collective
// CHECK:       return %{{.+}} : tensor<4x2xf32>
func.func @embedding(%t: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %i: tensor<4x1xindex>)
    -> (tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}) {
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<10x6xf32>, tensor<4x1xindex>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

shardir.mesh @m <["x"=2]>

// A partial passes the lookup's linear users: one reduce-scatter, no more.
// CHECK-LABEL: func.func @embedding_scattered
// CHECK:       linalg.generic
// CHECK:       collective.reduce_scatter
// CHECK-NOT:   collective
// CHECK:       return
func.func @embedding_scattered(%t: tensor<10x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %i: tensor<4x1xindex>)
    -> (tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %two = arith.constant dense<2.0> : tensor<4x6xf32>
  %r = tensor.gather %t[%i] gather_dims([0]) : (tensor<10x6xf32>, tensor<4x1xindex>) -> tensor<4x6xf32>
  %s = arith.mulf %r, %two : tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @gather_passes
// CHECK-SAME:    %[[T:.+]]: tensor<3x5xf32> {{.*}}%[[I:.+]]: tensor<2x1xindex>
// CHECK-NOT:   collective
// CHECK:       return %{{.+}} : tensor<2x3xf32>
func.func @gather_passes(%t: tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                         %i: tensor<4x1xindex> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>})
    -> (tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) {
  %r = tensor.gather %t[%i] gather_dims([1]) : (tensor<6x5xf32>, tensor<4x1xindex>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>

// Each device writes the rows that it holds.
// CHECK-LABEL: func.func @scatter_owned
// CHECK-NOT:   collective
// CHECK:       scf.for
// CHECK:         scf.if %{{.+}} -> (tensor<5x2xf32>)
// CHECK:           tensor.insert_slice
// CHECK-NOT:   collective
// CHECK:       return
func.func @scatter_owned(%d: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                         %s: tensor<3x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}, %i: tensor<3x1xindex>)
    -> tensor<10x4xf32> {
  %r = tensor.scatter %s into %d[%i] scatter_dims([0]) unique : (tensor<3x4xf32>, tensor<10x4xf32>, tensor<3x1xindex>) -> tensor<10x4xf32>
  return %r : tensor<10x4xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @insert_owned
// CHECK-NOT:   collective
// CHECK:       scf.if %{{.+}} -> (tensor<5x2xf32>)
// CHECK-NEXT:    tensor.insert
// CHECK-NOT:   collective
// CHECK:       return
func.func @insert_owned(%d: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %v: f32, %i: index)
    -> tensor<10x4xf32> {
  %r = tensor.insert %v into %d[%i, %i] : tensor<10x4xf32>
  return %r : tensor<10x4xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=2]>

// A gather in a body: columns at the loop's own index, rows by data; it stays
// the local index along columns while other uses of it are the global tensor's.
// CHECK-LABEL: func.func @hidden
// CHECK-SAME:    %[[T:.+]]: tensor<5x2xf32>
// CHECK-NOT:   collective
// CHECK:       linalg.generic
// CHECK:         %[[J:.+]] = linalg.index 1
// CHECK:         tensor.extract %[[T]][%{{.+}}, %[[J]]] : tensor<5x2xf32>
// CHECK:       collective.all_reduce {{.*}}partial = sum ["x"]
// CHECK-NOT:   collective
// CHECK:       return %{{.+}} : tensor<7x2xf32>
func.func @hidden(%t: tensor<10x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %p: tensor<7xindex>)
    -> (tensor<7x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}) {
  %e = tensor.empty() : tensor<7x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<7xindex>) outs(%e : tensor<7x4xf32>) {
  ^bb0(%at: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%at, %j] : tensor<10x4xf32>
    linalg.yield %v : f32
  } -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// -----

shardir.mesh @m <["x"=2]>

// Softmax passes all dims but its own; a pack and an unpack undo each other
// where outer dims and tiles lie.
// CHECK-LABEL: func.func @relayout
// CHECK-NOT:   collective
// CHECK:       return %{{.+}} : tensor<8x6xf32>
func.func @relayout(%t: tensor<16x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<16x6xf32> {
  %e = tensor.empty() : tensor<3x8x2x2xf32>
  %p = linalg.pack %t outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e : tensor<16x6xf32> -> tensor<3x8x2x2xf32>
  %d = tensor.empty() : tensor<16x6xf32>
  %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %d : tensor<3x8x2x2xf32> -> tensor<16x6xf32>
  %s = linalg.softmax dimension(1) ins(%u : tensor<16x6xf32>) outs(%d : tensor<16x6xf32>) -> tensor<16x6xf32>
  return %s : tensor<16x6xf32>
}
