// RUN: shard-run %s --verify --function=reads --options="cost=bytes"
// RUN: shard-run %s --verify --function=reads --options="cost=time"
// RUN: shard-run %s --verify --function=strided
// RUN: shard-run %s --verify --function=padded
// RUN: shard-opt %s --shardir-to-collective="cost=bytes" | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective="cost=time" | FileCheck %s

// A concatenation of one operand is that operand.

shardir.mesh @m <["x"=4, "y"=2]>

// Its terms are reduced once, for the concatenation and for who reads the operand.
// CHECK-LABEL: func.func @reads
// CHECK-SAME:    %[[A:[^:]+]]: tensor<7x4x6xi32>
// CHECK:         collective.{{all_reduce|reduce_scatter}} %[[A]]
// CHECK-NOT:     collective.{{all_reduce|reduce_scatter}}
// CHECK:         collective.exchange
// CHECK-NOT:     collective.
// CHECK:         return
func.func @reads(%a: tensor<7x4x6xi32> {shardir.placement = #shardir.placement<@m, [{"x":(2)2}, {}, {"y"}], partial = max ["x":(1)2]>})
    -> (tensor<7x6x4x4xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}, {}]>}) {
  %0 = tensor.concat dim(2) %a : (tensor<7x4x6xi32>) -> tensor<7x4x6xi32>
  %e = tensor.empty() : tensor<7x6x4x4xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>,
                                        affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %a, %0 : tensor<7x4x6xi32>, tensor<7x4x6xi32>, tensor<7x4x6xi32>) outs(%e : tensor<7x6x4x4xi32>) {
  ^bb0(%x: i32, %y: i32, %z: i32, %o: i32):
    %s = arith.subi %x, %y : i32
    %t = arith.addi %s, %z : i32
    linalg.yield %t : i32
  } -> tensor<7x6x4x4xi32>
  return %1 : tensor<7x6x4x4xi32>
}

// Strided blocks stay where they are, also beside an operand without elements.
// CHECK-LABEL: func.func @strided
// CHECK-NOT:     collective.
// CHECK:         return
func.func @strided(%a: tensor<3x8xi32> {shardir.placement = #shardir.placement<@m, [{"y"}, {2, "x"}]>}, %nothing: tensor<3x0xi32>)
    -> (tensor<3x8xi32> {shardir.placement = #shardir.placement<@m, [{"y"}, {2, "x"}]>}) {
  %0 = tensor.concat dim(1) %nothing, %a : (tensor<3x0xi32>, tensor<3x8xi32>) -> tensor<3x8xi32>
  return %0 : tensor<3x8xi32>
}

// A kernel of three taps reads past the blocks of the concatenation, which reads its operand so.
// CHECK-LABEL: func.func @padded
// CHECK:         collective.halo
// CHECK-NOT:     collective.
// CHECK:         return
func.func @padded(%a: tensor<11x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %k: tensor<3xi32>)
    -> (tensor<9x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = tensor.concat dim(0) %a : (tensor<11x2xi32>) -> tensor<11x2xi32>
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<9x2xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<9x2xi32>) -> tensor<9x2xi32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0 + d2, d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%0, %k : tensor<11x2xi32>, tensor<3xi32>) outs(%z : tensor<9x2xi32>) {
  ^bb0(%x: i32, %w: i32, %o: i32):
    %p = arith.muli %x, %w : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<9x2xi32>
  return %1 : tensor<9x2xi32>
}
