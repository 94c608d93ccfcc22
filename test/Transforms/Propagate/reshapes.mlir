// Splits pass reshapes, several splits and merges in one (C4). Nothing moves
// but where a block would straddle two rows.
//
// RUN: shard-opt %s --shardir-to-collective | FileCheck %s

shardir.mesh @m <["x"=2, "y"=2]>
shardir.mesh @t <["z"=3]>
shardir.mesh @six <["a"=6]>
shardir.mesh @wide <["a"=2, "b"=4, "c"=2]>

// [2d@x, 3, 32] -> [48d@x, 4]
// CHECK-LABEL: func.func @merge_and_split
// CHECK-SAME:    -> (tensor<96x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
// CHECK-NOT:     collective
// CHECK:         tensor.collapse_shape {{.*}}[{"x"}]
// CHECK-NOT:     collective
// CHECK:         tensor.expand_shape {{.*}}[{"x"}, {}]
// CHECK-NOT:     collective
// CHECK:         return
func.func @merge_and_split(%a: tensor<4x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> tensor<96x4xf32> {
  %0 = tensor.collapse_shape %a [[0, 1, 2]] : tensor<4x3x32xf32> into tensor<384xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [96, 4] : tensor<384xf32> into tensor<96x4xf32>
  return %1 : tensor<96x4xf32>
}

// [3d@x, 5, 7d@y, 9] -> [15d@x, 63d@y]
// CHECK-LABEL: func.func @two_axes
// CHECK-SAME:    -> (tensor<30x126xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
// CHECK-NOT:     collective
// CHECK:         return
func.func @two_axes(%a: tensor<6x5x14x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {"y"}, {}]>}) -> tensor<30x126xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2, 3]] : tensor<6x5x14x9xf32> into tensor<30x126xf32>
  return %0 : tensor<30x126xf32>
}

// A sharded inner factor: a strided shard, and nothing moves.
// CHECK-LABEL: func.func @inner
// CHECK-SAME:    -> (tensor<30xf32> {shardir.placement = #shardir.placement<@m, [{3, "x"}]>})
// CHECK-NOT:     collective
// CHECK:         return
func.func @inner(%a: tensor<3x10xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> tensor<30xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<3x10xf32> into tensor<30xf32>
  return %0 : tensor<30xf32>
}

// Uneven rows: units of 4 stay together.
// CHECK-LABEL: func.func @uneven
// CHECK-SAME:    -> (tensor<20xf32> {shardir.placement = #shardir.placement<@m, [{"x", 4}]>})
// CHECK-NOT:     collective
// CHECK:         return
func.func @uneven(%a: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<20xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<5x4xf32> into tensor<20xf32>
  return %0 : tensor<20xf32>
}

// ... and back, with the splits on both sides of the units.
// CHECK-LABEL: func.func @uneven_back
// CHECK-SAME:    -> (tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
// CHECK-NOT:     collective
// CHECK:         return
func.func @uneven_back(%a: tensor<20xf32> {shardir.placement = #shardir.placement<@m, [{"x", 4}]>}) -> tensor<5x4xf32> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [5, 4] : tensor<20xf32> into tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// Two axes on a merged dim come apart on two dims.
// CHECK-LABEL: func.func @apart
// CHECK-SAME:    -> (tensor<2x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
// CHECK-NOT:     collective
// CHECK:         return
func.func @apart(%a: tensor<12xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>}) -> tensor<2x6xf32> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// 6 -> 3x2 with two devices: a block of 3 is a row and a half. The operand is
// gathered, which is no error.
// CHECK-LABEL: func.func @straddles
// CHECK-SAME:    -> (tensor<3x2xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
// CHECK:         %[[G:.+]] = collective.all_gather %{{.+}} from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]>
// CHECK:         tensor.expand_shape %[[G]]
func.func @straddles(%a: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<3x2xf32> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Backward: what the result has the operand gets.
// CHECK-LABEL: func.func @backward
// CHECK-SAME:    %{{[^:]+}}: tensor<24xf32> {{[^%)]*}}placement<@m, [{3, "x"}]>}
// CHECK-NOT:     collective
// CHECK:         return
func.func @backward(%a: tensor<24xf32>) -> (tensor<3x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [3, 8] : tensor<24xf32> into tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// Dims of extent 1 come and go.
// CHECK-LABEL: func.func @ones
// CHECK-SAME:    -> (tensor<1x8x1xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>})
// CHECK-NOT:     collective
// CHECK:         return
func.func @ones(%a: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<1x8x1xf32> {
  %0 = tensor.expand_shape %a [[0, 1, 2]] output_shape [1, 8, 1] : tensor<8xf32> into tensor<1x8x1xf32>
  return %0 : tensor<1x8x1xf32>
}

// Partial terms pass.
// CHECK-LABEL: func.func @partial
// CHECK:         tensor.collapse_shape {{.*}}partial = sum ["x"]
// CHECK-NEXT:    collective.all_reduce
func.func @partial(%a: tensor<2x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>}) -> tensor<8xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Three devices cut 4 rows as 2+2+0: the normal form writes the merged dim
// with as few integers as cut the same.
// CHECK-LABEL: func.func @three
// CHECK-NOT:     collective
// CHECK:         return
func.func @three(%a: tensor<4x3xf32> {shardir.placement = #shardir.placement<@t, [{"z"}, {}]>}) -> tensor<4x3xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [4, 3] : tensor<12xf32> into tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// An unknown extent is split like any other; merged with a known one behind it, in
// units of that.
// CHECK-LABEL: func.func @unknown
// CHECK-SAME:    -> (tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"x", 4}]>}, tensor<1x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
func.func @unknown(%a: tensor<?x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                   %b: tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %n: index) -> (tensor<?xf32>, tensor<1x?xf32>) {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %1 = tensor.expand_shape %b [[0, 1]] output_shape [1, %n] : tensor<?xf32> into tensor<1x?xf32>
  return %0, %1 : tensor<?xf32>, tensor<1x?xf32>
}

// 6 devices do not cut 8 as they cut 2 x 4: the major dim is filled, the minor one
// cut unevenly, and 2 elements move.
// CHECK-LABEL: func.func @nearly
// CHECK:         collective.{{[a-z_]+}} %arg0
// CHECK:         tensor.expand_shape {{.*}}#shardir.placement<@six, [{"a":(1)2}, {"a":(2)3}]>
func.func @nearly(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@six, [{"a"}]>}) -> tensor<2x4xf32> {
  %y = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// 8 devices are more than 4 rows: the half of "b" that fits goes with "c".
// CHECK-LABEL: func.func @in_part
// CHECK:         collective.{{[a-z_]+}} %arg0
// CHECK:         tensor.collapse_shape
// CHECK-NOT:     collective.all_gather {{.*}} to #shardir.placement<@wide, [{}]>
// CHECK:         return
func.func @in_part(%x: tensor<4x4xf32> {shardir.placement = #shardir.placement<@wide, [{"a", "b"}, {"c"}]>}) -> tensor<16xf32> {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  return %y : tensor<16xf32>
}

// 12 over 6 devices as 4 x 3: half of the axis cuts the rows, and the rest has no place: each device gathers
// from two others, and not from all.
// CHECK-LABEL: func.func @part_of_an_axis
// CHECK-SAME:    -> (tensor<8x12xf32> {shardir.placement = #shardir.placement<@six, [{}, {"a"}]>}, tensor<8x4x3xf32>
// CHECK-SAME:    shardir.placement = #shardir.placement<@six, [{}, {"a":(1)2}, {}]>})
// CHECK:         collective.all_gather {{.*}} to #shardir.placement<@six, [{}, {"a":(1)2}]>
// CHECK-NOT:     collective
// CHECK:         return
func.func @part_of_an_axis(%x: tensor<8x12xf32> {shardir.placement = #shardir.placement<@six, [{}, {"a"}]>}) -> (tensor<8x12xf32>, tensor<8x4x3xf32>) {
  %0 = math.exp %x : tensor<8x12xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [8, 4, 3] : tensor<8x12xf32> into tensor<8x4x3xf32>
  return %0, %1 : tensor<8x12xf32>, tensor<8x4x3xf32>
}
