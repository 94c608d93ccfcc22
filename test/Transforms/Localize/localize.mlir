// Global tensors become shards in one SPMD function. What the numbers are is
// checked by running, in test/Run and in ShardIRExternalModelsTests; here it is
// what the ops become, and that nothing is communicated beyond what the
// collective stage shows (D6).
//
// RUN: shard-opt %s -split-input-file --shardir-to-collective -shardir-localize -cse | FileCheck %s
// RUN: shard-opt %s -split-input-file --shardir-to-local -o %t.once
// RUN: shard-opt %t.once -split-input-file -shardir-localize | diff %t.once -
// RUN: shard-opt %t.once -split-input-file --shardir-to-local | diff %t.once -

// CHECK: module attributes {{{.*}}shardir.stage = "local"}
shardir.mesh @m <["x"=2, "y"=3]>
shardir.mesh @one <["z"=1]>

// An even split: a type of known extents, and the op as it was.
// CHECK-LABEL: func.func @even
// CHECK-SAME:    %[[X:.+]]: tensor<4x16xf32> {shardir.global_type = tensor<8x16xf32>, shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
// CHECK-SAME:    -> (tensor<4x16xf32> {shardir.global_type = tensor<8x16xf32>, shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
// CHECK-NEXT:    %[[Y:.+]] = math.exp %[[X]] : tensor<4x16xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @even(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<8x16xf32> {
  %0 = math.exp %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

shardir.mesh @m <["x"=2, "y"=3]>
shardir.mesh @one <["z"=1]>

// 5 rows on 2 devices are 3+2: the extent comes from the rank.
// CHECK-LABEL: func.func @uneven
// CHECK-SAME:    %[[X:.+]]: tensor<?x16xf32>
// CHECK-DAG:     %[[I:.+]] = shardir.axis_index @m "x"
// CHECK-DAG:     %[[ALL:.+]] = arith.constant 5 : index
// CHECK-DAG:     %[[BLOCK:.+]] = arith.constant 3 : index
// CHECK:         %[[MUL:.+]] = arith.muli %[[I]], %[[BLOCK]]
// CHECK-NEXT:    %[[START:.+]] = arith.minui %[[MUL]], %[[ALL]]
// CHECK-NEXT:    %[[REST:.+]] = arith.subi %[[ALL]], %[[START]]
// CHECK-NEXT:    %[[LENGTH:.+]] = arith.minui %[[REST]], %[[BLOCK]]
// CHECK-NEXT:    %[[E:.+]] = tensor.empty(%[[LENGTH]]) : tensor<?x16xf32>
// CHECK-NEXT:    linalg.exp ins(%[[X]] : tensor<?x16xf32>) outs(%[[E]]
func.func @uneven(%x: tensor<5x16xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<5x16xf32> {
  %e = tensor.empty() : tensor<5x16xf32>
  %0 = linalg.exp ins(%x : tensor<5x16xf32>) outs(%e : tensor<5x16xf32>) -> tensor<5x16xf32>
  return %0 : tensor<5x16xf32>
}

// A replicated value stays as it is, and so does one on a mesh of one device: that
// device alone computes it, of the six that the program has.
// CHECK-LABEL: func.func @whole
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32> {{.*}} %[[Y:[^:]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[X]] : tensor<8xf32>
// CHECK:         %[[RANK:.+]] = shardir.axis_index @ranks "rank"
// CHECK:         %[[MEMBER:.+]] = arith.cmpi ult, %[[RANK]], %c1
// CHECK:         %[[F:.+]] = scf.if %[[MEMBER]] -> (tensor<8xf32>) {
// CHECK-NEXT:      %[[OWN:.+]] = math.exp %[[Y]] : tensor<8xf32>
// CHECK-NEXT:      scf.yield %[[OWN]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[NONE:.+]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT:      scf.yield %[[NONE]]
// CHECK:         return %[[E]], %[[F]]
func.func @whole(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>},
                 %y: tensor<8xf32> {shardir.placement = #shardir.placement<@one, [{"z"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %x : tensor<8xf32>
  %1 = math.exp %y : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Indices are those of the global tensor (R9)
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @index
// CHECK:         %[[RANK:.+]] = shardir.axis_index @m "x"
// CHECK:         %[[OFFSET:.+]] = arith.muli %[[RANK]], %c4
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK-NEXT:      %[[G:.+]] = arith.addi %[[I]], %[[OFFSET]]
// CHECK-NEXT:      %[[J:.+]] = linalg.index 1
// CHECK-NEXT:      arith.addi %[[G]], %[[J]]
func.func @index() -> (tensor<8x9xindex> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %e = tensor.empty() : tensor<8x9xindex>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x9xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.addi %i, %j : index
    linalg.yield %s : index
  } -> tensor<8x9xindex>
  return %0 : tensor<8x9xindex>
}

// A strided shard: the local index is taken apart, [2, 6], and put together as
// [2, 12] with this device's half.
// CHECK-LABEL: func.func @strided
// CHECK:         %[[RANK:.+]] = shardir.axis_index @m "x"
// CHECK:         %[[OFFSET:.+]] = arith.muli %[[RANK]], %c6
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK-NEXT:      %[[LOW:.+]] = arith.remui %[[I]], %c6
// CHECK-NEXT:      %[[HIGH:.+]] = arith.divui %[[I]], %c6
// CHECK-NEXT:      %[[MINOR:.+]] = arith.addi %[[LOW]], %[[OFFSET]]
// CHECK:           %[[MAJOR:.+]] = arith.muli %[[HIGH]], %c12
// CHECK-NEXT:      arith.addi %[[MINOR]], %[[MAJOR]]
func.func @strided() -> (tensor<24xindex> {shardir.placement = #shardir.placement<@m, [{2, "x"}]>}) {
  %e = tensor.empty() : tensor<24xindex>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<24xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<24xindex>
  return %0 : tensor<24xindex>
}

// A loop that is reduced has an index as well.
// CHECK-LABEL: func.func @reduced_index
// CHECK:         %[[RANK:.+]] = shardir.axis_index @m "x"
// CHECK:         %[[OFFSET:.+]] = arith.muli %[[RANK]], %c4
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK-NEXT:      arith.addi %[[I]], %[[OFFSET]]
// CHECK:         collective.all_reduce
func.func @reduced_index(%x: tensor<8xindex> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<index> {
  %c0 = arith.constant dense<0> : tensor<index>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : tensor<8xindex>) outs(%c0 : tensor<index>) {
  ^bb0(%a: index, %acc: index):
    %i = linalg.index 0 : index
    %p = arith.muli %a, %i : index
    %s = arith.addi %acc, %p : index
    linalg.yield %s : index
  } -> tensor<index>
  return %0 : tensor<index>
}

//===----------------------------------------------------------------------===//
// Initial values count once
//===----------------------------------------------------------------------===//

// A fill with 5 is one term of a sum: the first device's; the others hold -0.0.
// CHECK-LABEL: func.func @fill_sum
// CHECK-DAG:     %[[FIVE:.+]] = arith.constant 5.0
// CHECK-DAG:     %[[RANK:.+]] = shardir.axis_index @m "x"
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %[[RANK]], %c0
// CHECK:         %[[NONE:.+]] = arith.constant -0.0
// CHECK:         %[[TERM:.+]] = arith.select %[[FIRST]], %[[FIVE]], %[[NONE]]
// CHECK:         %[[I:.+]] = linalg.fill ins(%[[TERM]]
// CHECK:         linalg.reduce { arith.addf } ins(%{{.+}} : tensor<8x3xf32>) outs(%[[I]]
func.func @fill_sum(%x: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> tensor<8xf32> {
  %five = arith.constant 5.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%five : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x6xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %0 : tensor<8xf32>
}

// Zero may be a term of every device, and so may any value of a maximum.
// CHECK-LABEL: func.func @fill_neutral
// CHECK-NOT:     arith.select
// CHECK:         return
func.func @fill_neutral(%x: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %five = arith.constant 5.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %g = linalg.fill ins(%five : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x6xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  %1 = linalg.reduce { arith.maximumf } ins(%x : tensor<8x6xf32>) outs(%g : tensor<8xf32>) dimensions = [1]
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Five is not neutral in a product.
// CHECK-LABEL: func.func @fill_product
// CHECK-DAG:     %[[FIVE:.+]] = arith.constant 5 : i32
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : i32
// CHECK:         arith.select %{{.+}}, %[[FIVE]], %[[ONE]]
func.func @fill_product(%x: tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) -> tensor<8xi32> {
  %five = arith.constant 5 : i32
  %e = tensor.empty() : tensor<8xi32>
  %f = linalg.fill ins(%five : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %0 = linalg.reduce { arith.muli } ins(%x : tensor<8x6xi32>) outs(%f : tensor<8xi32>) dimensions = [1]
  return %0 : tensor<8xi32>
}

// An initial value that is an argument becomes a term of its own.
// CHECK-LABEL: func.func @init_argument
// CHECK-SAME:    %{{[^:]+}}: tensor<8x3xf32> {{[^,]*}}, {{.*}} %[[Z:[^:]+]]: tensor<8xf32>
// CHECK-DAG:     %[[NONE:.+]] = arith.constant -0.0
// CHECK:         %[[I:.+]] = linalg.generic {{.*}} ins(%[[Z]]
// CHECK-NEXT:    ^bb0(%[[V:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT:      arith.select %{{.+}}, %[[V]], %[[NONE]]
// CHECK:         linalg.reduce {{.*}} outs(%[[I]]
func.func @init_argument(%x: tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8x6xf32>) outs(%z : tensor<8xf32>) dimensions = [1]
  return %0 : tensor<8xf32>
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

// A slice is a plain tensor.extract_slice.
// CHECK-LABEL: func.func @slice
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4x9xf32>
// CHECK:         %[[J:.+]] = shardir.axis_index @m "y"
// CHECK:         %[[O:.+]] = arith.muli %[[J]], %c3
// CHECK-NEXT:    %[[R:.+]] = tensor.extract_slice %[[X]][0, %[[O]]] [4, 3] [1, 1] : tensor<4x9xf32> to tensor<4x3xf32>
// CHECK-NEXT:    return %[[R]]
func.func @slice(%x: tensor<8x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x9xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  return %x : tensor<8x9xf32>
}

// 5 rows over x, then y: 3+2, then 1+1+1 and 1+1+0.
// CHECK-LABEL: func.func @slice_uneven
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?xf32>
// CHECK-NOT:     collective
// CHECK:         tensor.extract_slice %[[X]][%{{.+}}] [%{{.+}}] [1] : tensor<?xf32> to tensor<?xf32>
func.func @slice_uneven(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
    -> (tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}]>}) {
  return %x : tensor<5xf32>
}

// A strided slice sees the dim as [2, 12], and is packed once.
// CHECK-LABEL: func.func @slice_strided
// CHECK:         %[[E:.+]] = tensor.expand_shape %{{.+}} {{\[}}[0, 1]] output_shape [2, 12]
// CHECK-NEXT:    %[[S:.+]] = tensor.extract_slice %[[E]][0, %{{.+}}] [2, 6] [1, 1]
// CHECK:         %[[P:.+]] = linalg.copy ins(%[[S]] : tensor<2x6xf32>)
// CHECK-NEXT:    tensor.collapse_shape %[[P]] {{\[}}[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
func.func @slice_strided(%x: tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{2, "x"}]>}) {
  return %x : tensor<24xf32>
}

// Of nothing there is no slice.
// CHECK-LABEL: func.func @slice_nothing
// CHECK-NOT:     tensor.extract_slice
// CHECK:         %[[E:.+]] = tensor.empty() : tensor<0x2xf32>
// CHECK-NEXT:    return %[[E]]
func.func @slice_nothing(%x: tensor<0x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
    -> (tensor<0x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  return %x : tensor<0x4xf32>
}

// Over two axes the first device is first in both; NaN is what maxnum ignores.
// CHECK-LABEL: func.func @make_partial
// CHECK:         %[[A:.+]] = arith.cmpi eq, %{{.+}}, %c0
// CHECK:         %[[B:.+]] = arith.cmpi eq, %{{.+}}, %c0
// CHECK:         %[[FIRST:.+]] = arith.andi %[[A]], %[[B]]
// CHECK:         %[[NAN:.+]] = arith.constant 0x7FC00000
// CHECK:         arith.select %[[FIRST]], %{{.+}}, %[[NAN]]
func.func @make_partial(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = maxnum ["x", "y"]>}) {
  return %x : tensor<8xf32>
}

// The result of a collective without other users is overwritten: source,
// operand and result are not alive at one time (rule D2).
// CHECK-LABEL: func.func @make_partial_in_place
// CHECK:         %[[G:.+]] = collective.all_reduce
// CHECK-NOT:     tensor.empty
// CHECK:         linalg.generic {{.*}} outs(%[[G]] : tensor<f32>)
func.func @make_partial_in_place(%x: tensor<f32> {shardir.placement = #shardir.placement<@m, [], partial = sum ["x"]>})
    -> (tensor<f32> {shardir.placement = #shardir.placement<@m, [], partial = max ["y"]>}) {
  return %x : tensor<f32>
}

// A shard of an axis that becomes partial is the device's term: nothing is sent.
// CHECK-LABEL: func.func @make_partial_of_shards
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4x3xf32>
// CHECK-DAG:     %[[O:.+]] = arith.muli %{{.+}}, %c4
// CHECK-DAG:     %[[I:.+]] = arith.constant -0.0
// CHECK:         %[[F:.+]] = linalg.fill ins(%[[I]] : f32) outs(%{{.+}} : tensor<8x3xf32>)
// CHECK:         tensor.insert_slice %{{.+}} into %[[F]][%[[O]], 0] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<8x3xf32>
func.func @make_partial_of_shards(%x: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>}) {
  return %x : tensor<8x3xf32>
}

// A strided shard is inserted into the digits of the dim.
// CHECK-LABEL: func.func @make_partial_of_strides
// CHECK:         linalg.fill {{.*}} outs(%{{.+}} : tensor<2x12xf32>)
// CHECK:         tensor.insert_slice {{.*}}[0, %{{.+}}] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<2x12xf32>
// CHECK-NEXT:    tensor.collapse_shape {{.*}} : tensor<2x12xf32> into tensor<24xf32>
func.func @make_partial_of_strides(%x: tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{2, "x"}]>})
    -> (tensor<24xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["x"]>}) {
  return %x : tensor<24xf32>
}

// Communication keeps its placements, with the type of the global tensor; where
// the result's extent differs among devices it is computed.
// CHECK-LABEL: func.func @steps
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4x3xf32>
// CHECK:         %[[R:.+]] = arith.subi %c3
// CHECK:         %[[N:.+]] = arith.minui %[[R]]
// CHECK-NEXT:    collective.all_to_all %[[X]] sizes [%[[N]]] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {"x"}]> of tensor<8x3xf32> {{.*}} : tensor<4x3xf32> -> tensor<8x?xf32>
func.func @steps(%x: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}) {
  return %x : tensor<8x3xf32>
}

// The global tensor's unknown extents travel along; unknown dims are replicated.
// CHECK-LABEL: func.func @unknown
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4x?xf32>
// CHECK:         %[[N:.+]] = tensor.dim %[[X]], %c1
// CHECK:         collective.all_gather %[[X]] sizes [%[[N]]] dims [%[[N]]] {{.*}} of tensor<8x?xf32> {{.*}} : tensor<4x?xf32> -> tensor<8x?xf32>
func.func @unknown(%x: tensor<8x?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  return %x : tensor<8x?xf32>
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// A splat has the shard's type; other constants are cut; a term is held by one.
// CHECK-LABEL: func.func @constants
// CHECK-DAG:     %[[S:.+]] = arith.constant dense<1.0{{.*}}> : tensor<4xf32>
// CHECK-DAG:     %[[C:.+]] = arith.constant dense<[1.0{{.*}}4.0{{.*}}]> : tensor<4xf32>
// CHECK:         %[[P:.+]] = tensor.extract_slice %[[C]][%{{.+}}] [2] [1] : tensor<4xf32> to tensor<2xf32>
// CHECK:         %[[T:.+]] = arith.select %{{.+}}, %[[C]], %{{.+}} : tensor<4xf32>
// CHECK:         return %[[S]], %[[P]], %[[T]]
func.func @constants() -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                           tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                           tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["x"]>}) {
  %s = arith.constant dense<1.0> : tensor<8xf32>
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  return %s, %c, %c : tensor<8xf32>, tensor<4xf32>, tensor<4xf32>
}

// A size is the global tensor's.
// CHECK-LABEL: func.func @dim
// CHECK:         %[[EIGHT:.+]] = arith.constant 8 : index
// CHECK:         return %[[EIGHT]]
func.func @dim(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> index {
  %c0 = arith.constant 0 : index
  %0 = tensor.dim %x, %c0 : tensor<8xf32>
  return %0 : index
}
