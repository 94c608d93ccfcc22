// RUN: shard-opt %s --shardir-to-propagated | FileCheck %s
// RUN: shard-opt %s --shardir-to-propagated | shard-opt --shardir-to-propagated | FileCheck %s
// Values that flow through loops and branches have one placement, found from either
// end of it; each value of a region has one of its own.
shardir.mesh @m <["x"=2, "y"=2]>

// The batch of what is carried comes from the argument, through the loop.
// CHECK-LABEL: func.func @carried
// CHECK-SAME:    -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
// CHECK:         scf.for
// CHECK:           math.exp {{.*}}shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]
// CHECK:         } {{.*}}shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]
func.func @carried(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %x) -> (tensor<8x4xf32>) {
    %p = math.exp %acc : tensor<8x4xf32>
    scf.yield %p : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// Backward: the result is asked for, the argument follows.
// CHECK-LABEL: func.func @backward
// CHECK-SAME:    %arg0: tensor<8x4xf32> {{{.*}}shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}
func.func @backward(%x: tensor<8x4xf32>) -> (tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %x) -> (tensor<8x4xf32>) {
    %p = math.exp %acc : tensor<8x4xf32>
    scf.yield %p : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// A carried value that is no result has its placement in shardir.carried.
// CHECK-LABEL: func.func @while
// CHECK:         scf.while
// CHECK:           math.absf {{.*}}shardir.placements = [#shardir.placement<@m, [{"x"}]>]
// CHECK:         } do {
// CHECK:           arith.mulf {{.*}}shardir.placements = [#shardir.placement<@m, [{"x"}]>]
// CHECK:         attributes {shardir.carried = [#shardir.placement<@m, [{"x"}]>, #shardir.placement<@m, []>]
// CHECK-SAME:      shardir.placements = [#shardir.placement<@m, [{"x"}]>]
func.func @while(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %n0: tensor<i32>) -> tensor<8xf32> {
  %limit = arith.constant 5 : i32
  %one = arith.constant dense<1> : tensor<i32>
  %r = scf.while (%p = %x, %n = %n0) : (tensor<8xf32>, tensor<i32>) -> (tensor<8xf32>) {
    %k = tensor.extract %n[] : tensor<i32>
    %go = arith.cmpi slt, %k, %limit : i32
    %q = math.absf %p : tensor<8xf32>
    scf.condition(%go) %q : tensor<8xf32>
  } do {
  ^bb0(%p: tensor<8xf32>):
    %q = arith.mulf %p, %p : tensor<8xf32>
    %s = arith.constant dense<3> : tensor<i32>
    scf.yield %q, %s : tensor<8xf32>, tensor<i32>
  }
  return %r : tensor<8xf32>
}

// One branch is placed by the argument, the other by the first.
// CHECK-LABEL: func.func @branches
// CHECK:         scf.if
// CHECK:           math.exp %arg1 {{.*}}shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]
// CHECK:         } else {
// CHECK:           scf.index_switch
// CHECK:             arith.constant {{.*}}shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]
// CHECK:             math.log %arg2 {{.*}}shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]
func.func @branches(%c: i1, %x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %y: tensor<8x4xf32>, %k: index) -> tensor<8x4xf32> {
  %r = scf.if %c -> (tensor<8x4xf32>) {
    %s = math.exp %x : tensor<8x4xf32>
    scf.yield %s : tensor<8x4xf32>
  } else {
    %t = scf.index_switch %k -> tensor<8x4xf32>
    case 1 {
      %a = arith.constant dense<1.0> : tensor<8x4xf32>
      scf.yield %a : tensor<8x4xf32>
    }
    default {
      %b = math.log %y : tensor<8x4xf32>
      scf.yield %b : tensor<8x4xf32>
    }
    scf.yield %t : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// The placements that a user has written on a loop stay, partial included.
// CHECK-LABEL: func.func @annotated_loop
// CHECK:           arith.addf
// CHECK:         } {{.*}}shardir.placements = [#shardir.placement<@m, [{}, {}], partial = sum ["x"]>]
func.func @annotated_loop(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %x) -> (tensor<8x4xf32>) {
    %p = arith.addf %acc, %acc : tensor<8x4xf32>
    scf.yield %p : tensor<8x4xf32>
  } {shardir.placements = [#shardir.placement<@m, [{}, {}], partial = sum ["x"]>]}
  return %r : tensor<8x4xf32>
}
