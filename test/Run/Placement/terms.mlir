// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: x=2,y=2 x=3,y=2 x=2,y=3 x=1,y=4 x=8,y=1
// INPUTS open: --input=5x3xf32=ramp
// INPUTS open: --input=1x3xf32=ramp
// RUN: shard-opt %s --shardir-to-collective="mesh=x=2,y=2 cost=bytes" | FileCheck %s

// A shard is a term of a partial tensor: nothing moves along an axis that splits the
// tensor and becomes partial, whatever the kind, in uneven, empty and strided shards.
shardir.mesh @m <["x"=?2, "y"=?2]>

// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-9: collective.make_partial {{.*}} from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}],
// CHECK-NOT:     collective.
// CHECK:         return
func.func @kinds(%f: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %i: tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = prod ["x"]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = max ["x"]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = minnum ["x"]>},
        tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = min ["x"]>},
        tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = umax ["x"]>},
        tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = and ["x"]>},
        tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = or ["x"]>},
        tensor<5x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = xor ["x"]>}) {
  return %f, %f, %f, %f, %i, %i, %i, %i, %i : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xi32>, tensor<5x3xi32>, tensor<5x3xi32>, tensor<5x3xi32>, tensor<5x3xi32>
}

// One axis stays, one becomes partial; one splits what the other did; both at once.
// CHECK-LABEL: func.func @axes
// CHECK-COUNT-4: collective.make_partial %arg0 from #shardir.placement<@m, [{"x"}, {"y"}]>
// CHECK-NOT:     collective.
// CHECK:         return
func.func @axes(%a: tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}], partial = sum ["x"]>},
        tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}], partial = sum ["y"]>},
        tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = max ["x", "y"]>},
        tensor<5x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = min ["y", "x"]>}) {
  return %a, %a, %a, %a : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>
}

// Blocks that cross: the rows that a device holds of its new block. Beside an axis that
// the source is replicated over, the first device has the term.
// CHECK-LABEL: func.func @across
// CHECK-COUNT-3: collective.make_partial %arg0 from #shardir.placement<@m, [{"x"}, {}]>
// CHECK-NOT:     collective.
// CHECK:         return
func.func @across(%a: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}], partial = sum ["x"]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}], partial = sum ["x"]>},
        tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x", "y"]>}) {
  return %a, %a, %a : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
}

// A single row, a single element, none.
func.func @few(%a: tensor<1x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
               %b: tensor<1xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>},
               %c: tensor<0x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<1x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>},
        tensor<1x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}], partial = max ["x"]>},
        tensor<1xi32> {shardir.placement = #shardir.placement<@m, [{"x"}], partial = xor ["y"]>},
        tensor<1xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x", "y"]>},
        tensor<0x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>}) {
  return %a, %a, %b, %b, %c : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<0x3xf32>
}

// CHECK-LABEL: func.func @strided
// CHECK-COUNT-4: collective.make_partial
// CHECK-NOT:     collective.
// CHECK:         return
func.func @strided(%a: tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{3, "x"}]>},
                   %b: tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{"y", 2, "x"}]>})
    -> (tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
        tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{3, "y"}], partial = sum ["x"]>},
        tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{"y"}], partial = sum ["x"]>},
        tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x", "y"]>}) {
  return %a, %a, %b, %b : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>
}

// Another axis is gathered, of the rows that a device has a term of alone.
// CHECK-LABEL: func.func @gathered
// CHECK-NEXT:    collective.all_gather %arg0 from #shardir.placement<@m, [{"x"}, {"y"}]> to #shardir.placement<@m, [{"x"}, {}]>
// CHECK-NEXT:    collective.make_partial {{.*}} from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
// CHECK-NEXT:    return
func.func @gathered(%a: tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<6x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>}) {
  return %a : tensor<6x6xf32>
}

// Of another kind: each device reduces what it has a term of. Over another axis.
// CHECK-LABEL: func.func @reduced
// CHECK-NEXT:    collective.reduce_scatter %arg0
// CHECK-NEXT:    collective.make_partial {{.*}} partial = max ["x"]
// CHECK-NEXT:    collective.slice %arg0
// CHECK-NEXT:    collective.all_reduce
// CHECK-NEXT:    collective.make_partial {{.*}} partial = sum ["y"]
// CHECK-NEXT:    return
func.func @reduced(%a: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>})
    -> (tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = max ["x"]>},
        tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["y"]>}) {
  return %a, %a : tensor<8x3xf32>, tensor<8x3xf32>
}

// Partial before and after: terms stay, or are reduced before a move that costs more.
func.func @kept(%a: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}], partial = sum ["x"]>})
    -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x", "y"]>},
        tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>},
        tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}], partial = sum ["x"]>}) {
  return %a, %a, %a : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// Each rank computes its term of a partial from shards that differ.
func.func @computed(%a: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                    %b: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>})
    -> (tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>}, tensor<5x3xf32>) {
  %s = arith.addf %a, %b : tensor<5x3xf32>
  return %s, %s : tensor<5x3xf32>, tensor<5x3xf32>
}

// Unknown extents.
func.func @open(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>},
        tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}], partial = sum ["x"]>}) {
  return %a, %a : tensor<?x3xf32>, tensor<?x3xf32>
}
