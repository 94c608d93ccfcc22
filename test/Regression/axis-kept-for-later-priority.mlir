// RUN: shard-run %s --verify | FileCheck %s

// "z" reaches the argument's open dim at p1, before the argument's own
// annotation is looked at, which has "z" on the other dim: what the user wrote
// keeps its axes.
// CHECK: result 0: 18xf32 equal to the unsharded program
shardir.mesh @m <["z"=2]>

func.func @main(%x: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{"z"}, {?}]>})
    -> (tensor<18xf32> {shardir.placement = #shardir.placement<@m, [{6, "z"}p1]>}) {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<6x3xf32> into tensor<18xf32>
  return %r : tensor<18xf32>
}
