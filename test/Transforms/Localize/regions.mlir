// RUN: shard-opt %s -split-input-file --shardir-to-local | FileCheck %s
// RUN: shard-opt %s -split-input-file --shardir-to-propagated | shard-opt -split-input-file -canonicalize -cse --shardir-to-local | FileCheck %s
// Loops and branches on shards: the same ops, on local types; collectives stand
// inside where an iteration communicates.

// CHECK-LABEL: func.func @batch
// CHECK-SAME:    %[[X:.+]]: tensor<4x3xf32>
// CHECK:         %[[R:.+]] = scf.for {{.*}} iter_args(%[[A:.+]] = %[[X]]) -> (tensor<4x3xf32>)
// CHECK-NEXT:      %[[T:.+]] = math.tanh %[[A]] : tensor<4x3xf32>
// CHECK-NEXT:      scf.yield %[[T]] : tensor<4x3xf32>
// CHECK:         return %[[R]]
shardir.mesh @m <["x"=2]>
func.func @batch(%x: tensor<8x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<8x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<8x3xf32>) {
    %t = math.tanh %a : tensor<8x3xf32>
    scf.yield %t : tensor<8x3xf32>
  }
  return %r : tensor<8x3xf32>
}

// -----

// Uneven: the extent is not in the type. The condition is reduced over all.
// CHECK-LABEL: func.func @until
// CHECK:         scf.while (%[[P:.+]] = %{{.+}}) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK:           %[[M:.+]] = linalg.reduce
// CHECK:           %[[ALL:.+]] = collective.all_reduce %[[M]]
// CHECK:           %[[V:.+]] = tensor.extract %[[ALL]]
// CHECK:           scf.condition(%{{.+}}) %[[P]] : tensor<?xf32>
// CHECK:         ^bb0(%[[Q:.+]]: tensor<?xf32>):
// CHECK:           arith.addf %[[Q]], %[[Q]] : tensor<?xf32>
shardir.mesh @m <["x"=2]>
func.func @until(%x: tensor<5xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<5xf32> {
  %limit = arith.constant 10.0 : f32
  %z = arith.constant dense<0xFF800000> : tensor<f32>
  %r = scf.while (%p = %x) : (tensor<5xf32>) -> (tensor<5xf32>) {
    %m = linalg.reduce { arith.maximumf } ins(%p : tensor<5xf32>) outs(%z : tensor<f32>) dimensions = [0]
    %top = tensor.extract %m[] : tensor<f32>
    %go = arith.cmpf olt, %top, %limit : f32
    scf.condition(%go) %p : tensor<5xf32>
  } do {
  ^bb0(%p: tensor<5xf32>):
    %q = arith.addf %p, %p : tensor<5xf32>
    scf.yield %q : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// -----

// Branches leave shards of one type.
// CHECK-LABEL: func.func @branches
// CHECK:         scf.index_switch %{{.+}} -> tensor<4xf32>
// CHECK:           %[[S:.+]] = tensor.extract_slice %{{.+}} : tensor<8xf32> to tensor<4xf32>
// CHECK:           scf.yield %[[S]] : tensor<4xf32>
// CHECK:           scf.yield %{{.+}} : tensor<4xf32>
shardir.mesh @m <["x"=2]>
func.func @branches(%k: index, %x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %y: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %r = scf.index_switch %k -> tensor<8xf32>
  case 0 {
    scf.yield %y : tensor<8xf32>
  }
  default {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Ranks that a mesh lacks go around the loop, and skip its ops.
// CHECK-LABEL: func.func @some_ranks
// CHECK:         scf.for {{.*}} -> (tensor<4xf32>)
// CHECK:           %[[G:.+]] = scf.if %{{.+}} -> (tensor<4xf32>)
// CHECK:             math.tanh
// CHECK:           } else {
// CHECK:             tensor.empty
// CHECK:           scf.yield %[[G]]
shardir.mesh @m <["x"=4]>
shardir.mesh @n <["y"=2]>
func.func @some_ranks(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@n, [{"y"}]>}, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    %t = math.tanh %a : tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
