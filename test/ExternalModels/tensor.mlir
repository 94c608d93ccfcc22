// RUN: shard-opt %s --shardir-to-local --split-input-file | FileCheck %s

// Local forms of the tensor dialect's ops, where an axis divides the extents
// and where it does not. The numbers are checked by ShardIRExternalModelsTests
// and by test/Run; here it is that nothing moves and what the ops become.

shardir.mesh @m <["x"=2, "y"=3]>

// A sharded inner factor stays where it is: a strided shard of the merged dim.
// CHECK-LABEL: func.func @collapse_inner
// CHECK-SAME:    %[[A:.+]]: tensor<3x2xf32>
// CHECK-SAME:    -> (tensor<6xf32> {{.*}}[{3, "x"}]
// CHECK-NEXT:  %[[R:.+]] = tensor.collapse_shape %[[A]] {{\[}}[0, 1]] : tensor<3x2xf32> into tensor<6xf32>
// CHECK-NEXT:  return %[[R]]
func.func @collapse_inner(%a: tensor<3x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> tensor<12xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  return %0 : tensor<12xf32>
}

// Both sides of [6, 3, 32] -> [18, 8, 4] split on the first factor.
// CHECK-LABEL: func.func @collapse_expand
// CHECK-NOT:   collective
// CHECK:       tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2]] : tensor<3x3x32xf32> into tensor<9x32xf32>
// CHECK:       tensor.expand_shape %{{.+}} {{\[}}[0], [1, 2]] output_shape [9, 8, 4] : tensor<9x32xf32> into tensor<9x8x4xf32>
func.func @collapse_expand(%a: tensor<6x3x32xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}) -> tensor<18x8x4xf32> {
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<6x3x32xf32> into tensor<18x32xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [18, 8, 4] : tensor<18x32xf32> into tensor<18x8x4xf32>
  return %1 : tensor<18x8x4xf32>
}

// Five rows on two devices: the extent comes from the rank.
// CHECK-LABEL: func.func @expand_uneven
// CHECK-SAME:    %[[A:.+]]: tensor<?xf32>
// CHECK-NOT:   collective
// CHECK:       %[[AT:.+]] = shardir.axis_index @m "x"
// CHECK:       %[[START:.+]] = arith.minui
// CHECK:       %[[REST:.+]] = arith.subi
// CHECK:       %[[N:.+]] = arith.minui %[[REST]]
// CHECK:       tensor.expand_shape %[[A]] {{\[}}[0, 1]] output_shape [%[[N]], 4] : tensor<?xf32> into tensor<?x4xf32>
func.func @expand_uneven(%a: tensor<20xf32> {shardir.placement = #shardir.placement<@m, [{"x", 4}]>}) -> tensor<5x4xf32> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [5, 4] : tensor<20xf32> into tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// Six rows cut in two do not divide into [3, 2] by rows of two: they move.
// CHECK-LABEL: func.func @expand_that_straddles
// CHECK:       collective.
// CHECK:       tensor.expand_shape
func.func @expand_that_straddles(%a: tensor<6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<3x2xf32> {
  %0 = tensor.expand_shape %a [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=3]>

// CHECK-LABEL: func.func @slice_and_update
// CHECK-SAME:    %[[A:.+]]: tensor<?x8xf32>
// CHECK-NOT:   collective
// CHECK:       %[[S:.+]] = tensor.extract_slice %[[A]][0, 1] [%{{.+}}, 3] [1, 2] : tensor<?x8xf32> to tensor<?x3xf32>
// CHECK:       %[[PART:.+]] = tensor.extract_slice %[[S]][0, 0] [%{{.+}}, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
// CHECK:       tensor.insert_slice %[[PART]] into %[[A]][0, 4] [%{{.+}}, 3] [1, 1] : tensor<?x3xf32> into tensor<?x8xf32>
func.func @slice_and_update(%a: tensor<5x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<5x8xf32> {
  %0 = tensor.extract_slice %a[0, 1] [5, 3] [1, 2] : tensor<5x8xf32> to tensor<5x3xf32>
  %1 = tensor.insert_slice %0 into %a[0, 4] [5, 3] [1, 1] : tensor<5x3xf32> into tensor<5x8xf32>
  return %1 : tensor<5x8xf32>
}

// Of a dim that is sliced those rows alone are sent that the result has: each
// device gets the rows of the slice that it lacks, not the operand.
// CHECK-LABEL: func.func @slice_of_sharded_dim
// CHECK-NOT:   all_gather
// CHECK:       collective.halo_exchange {{.*}} halo {{\[}}[-1, 1, 3, 1, 1], [0, 0]] of tensor<6x4xf32> {{.*}} -> tensor<3x4xf32>
// CHECK-NOT:   collective.
func.func @slice_of_sharded_dim(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> (tensor<3x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %0 = tensor.extract_slice %a[1, 0] [3, 4] [1, 1] : tensor<6x4xf32> to tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK-NOT:   collective
// CHECK:       tensor.pad %{{.+}} low[0, 1] high[0, 2]
// CHECK:       : tensor<3x4xf32> to tensor<3x7xf32>
func.func @pad(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<6x7xf32> {
  %c = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<6x4xf32> to tensor<6x7xf32>
  return %0 : tensor<6x7xf32>
}

// A body's index is the global tensor's (R9).
// CHECK-LABEL: func.func @pad_by_index
// CHECK-SAME:    %[[A:.+]]: tensor<3x4xi64>
// CHECK:       %[[X:.+]] = shardir.axis_index @m "x"
// CHECK:       %[[START:.+]] = arith.muli %[[X]], %{{.+}} : index
// CHECK:       tensor.pad %[[A]]
// CHECK:       ^bb0(%[[I:.+]]: index, %{{.+}}: index):
// CHECK-NEXT:    %[[G:.+]] = arith.addi %[[I]], %[[START]]
// CHECK-NEXT:    arith.index_cast %[[G]]
func.func @pad_by_index(%a: tensor<6x4xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<6x7xi64> {
  %0 = tensor.pad %a low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    %v = arith.index_cast %i : index to i64
    tensor.yield %v : i64
  } : tensor<6x4xi64> to tensor<6x7xi64>
  return %0 : tensor<6x7xi64>
}

// One axis is not used by the operands: it must not multiply anything.
// CHECK-LABEL: func.func @concat
// CHECK-NOT:   collective
// CHECK:       tensor.concat dim(1) %{{.+}}, %{{.+}} : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x6xf32>
func.func @concat(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %b: tensor<6x2xf32>) -> tensor<6x6xf32> {
  %0 = tensor.concat dim(1) %a, %b : (tensor<6x4xf32>, tensor<6x2xf32>) -> tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=3]>

// The size of a sharded dim is the global tensor's.
// CHECK-LABEL: func.func @dim
// CHECK-NOT:   tensor.dim
// CHECK:       %[[C:.+]] = arith.constant 6 : index
// CHECK:       return %[[C]]
func.func @dim(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> index {
  %c0 = arith.constant 0 : index
  %0 = tensor.dim %a, %c0 : tensor<6x4xf32>
  return %0 : index
}

// A dim whose size the cast erases is replicated; the other dim is split as before.
// CHECK-LABEL: func.func @cast
// CHECK-SAME:    %[[A:.+]]: tensor<3x4xf32>
// CHECK-NEXT:  %[[R:.+]] = tensor.cast %[[A]] : tensor<3x4xf32> to tensor<3x?xf32>
// CHECK-NEXT:  return %[[R]]
func.func @cast(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<6x?xf32> {
  %0 = tensor.cast %a : tensor<6x4xf32> to tensor<6x?xf32>
  return %0 : tensor<6x?xf32>
}

// CHECK-LABEL: func.func @cast_forgets
// CHECK:       collective.all_gather
// CHECK-NEXT:  tensor.cast %{{.+}} : tensor<6x4xf32> to tensor<?x4xf32>
func.func @cast_forgets(%a: tensor<6x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<?x4xf32> {
  %0 = tensor.cast %a : tensor<6x4xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Each device cuts its part out of a constant that all hold in full.
// CHECK-LABEL: func.func @constants
// CHECK-NOT:   collective
// CHECK:       arith.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK:       %[[W:.+]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK:       %[[X:.+]] = shardir.axis_index @m "x"
// CHECK:       %[[AT:.+]] = arith.muli %[[X]]
// CHECK:       tensor.extract_slice %[[W]][%[[AT]]] [2] [1] : tensor<4xf32> to tensor<2xf32>
func.func @constants(%a: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %d = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = arith.addf %a, %c : tensor<4xf32>
  %1 = arith.addf %0, %d : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Of a sum the first device keeps the constant; the others hold what adds
// nothing. Of a maximum everyone may keep it.
// CHECK-LABEL: func.func @partial_constants
// CHECK-NOT:   collective
// CHECK:       %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:       %[[FIRST:.+]] = arith.cmpi eq
// CHECK:       %[[NONE:.+]] = arith.constant -0.000000e+00 : f32
// CHECK:       %[[S:.+]] = arith.select %[[FIRST]], %[[ONE]], %[[NONE]] : f32
// CHECK:       linalg.fill ins(%[[S]] : f32)
// CHECK:       arith.addf
// CHECK:       %[[TWO:.+]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK:       arith.maximumf %{{.+}}, %[[TWO]]
func.func @partial_constants(
    %a: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
    %b: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["x"]>})
    -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>},
        tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["x"]>}) {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %0 = arith.addf %a, %c : tensor<4xf32>
  %d = arith.constant dense<2.0> : tensor<4xf32>
  %1 = arith.maximumf %b, %d : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @generate
// CHECK:       %[[X:.+]] = shardir.axis_index @m "x"
// CHECK:       %[[AT:.+]] = arith.muli %[[X]]
// CHECK:       tensor.generate
// CHECK:       ^bb0(%[[I:.+]]: index):
// CHECK-NEXT:    %[[G:.+]] = arith.addi %[[I]], %[[AT]]
// CHECK-NEXT:    arith.index_cast %[[G]]
// CHECK:       : tensor<3xi64>
func.func @generate() -> (tensor<6xi64> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %0 = tensor.generate {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i64
    tensor.yield %v : i64
  } : tensor<6xi64>
  return %0 : tensor<6xi64>
}
