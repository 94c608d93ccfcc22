// Shardy's groups and barriers on 4 ranks, with uneven and empty shards: members
// of a group lie alike, and a barrier stops the axes of one side.
// RUN: split-file %s %t
// RUN: shard-run %t/group.mlir --verify --report=- 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: shard-run %t/loop.mlir --verify | FileCheck %s --check-prefix=LOOP
// RUN: sed s/DIRECTION/FORWARD/ %t/barrier.mlir > %t/forward.mlir
// RUN: shard-run %t/forward.mlir --show=arg1 | FileCheck %s --check-prefix=REPLICATED
// RUN: shard-run %t/forward.mlir --verify | FileCheck %s --check-prefix=EQUAL
// RUN: sed s/DIRECTION/BACKWARD/ %t/barrier.mlir > %t/backward.mlir
// RUN: shard-run %t/backward.mlir --show=arg1 | FileCheck %s --check-prefix=SPLIT
// RUN: shard-run %t/backward.mlir --verify | FileCheck %s --check-prefix=EQUAL
// RUN: sed s/DIRECTION/NONE/ %t/barrier.mlir > %t/none.mlir
// RUN: shard-run %t/none.mlir --show=arg1 | FileCheck %s --check-prefix=REPLICATED
// RUN: shard-run %t/none.mlir --verify | FileCheck %s --check-prefix=EQUAL

// GROUP:     result 0: 5x7xf32 equal to the unsharded program
// GROUP:     result 1: 5x7xf32 equal to the unsharded program
// GROUP:     "collectives": []
// LOOP:      result 0: 5x7xf32 equal to the unsharded program
// REPLICATED: #shardir.placement<@m, [{}, {}]>
// SPLIT:     #shardir.placement<@m, [{}, {"a"}]>
// EQUAL:     result 0: 7x5xf32 equal to the unsharded program
// EQUAL:     result 1: 7x5xf32 equal to the unsharded program

//--- group.mlir
sdy.mesh @m = <["one"=1, "a"=4]>
func.func @main(%x: tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {"one"}]>}, %y: tensor<5x7xf32>)
    -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  sdy.sharding_group %x group_id=3 : tensor<5x7xf32>
  %0 = math.exp %y : tensor<5x7xf32>
  sdy.sharding_group %0 group_id=3 : tensor<5x7xf32>
  %1 = math.tanh %0 : tensor<5x7xf32>
  %2 = math.tanh %x : tensor<5x7xf32>
  return %1, %2 : tensor<5x7xf32>, tensor<5x7xf32>
}

//--- loop.mlir
sdy.mesh @m = <["a"=4]>
func.func @main(%x: tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %y: tensor<5x7xf32>)
    -> tensor<5x7xf32> {
  sdy.sharding_group %x group_id=0 : tensor<5x7xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%z = %y) -> tensor<5x7xf32> {
    %1 = math.sin %z : tensor<5x7xf32>
    sdy.sharding_group %1 group_id=0 : tensor<5x7xf32>
    %2 = arith.addf %1, %y : tensor<5x7xf32>
    scf.yield %2 : tensor<5x7xf32>
  }
  return %0 : tensor<5x7xf32>
}

//--- barrier.mlir
sdy.mesh @m = <["a"=4]>
func.func @main(%x: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %y: tensor<7x5xf32>)
    -> (tensor<7x5xf32>, tensor<7x5xf32>) {
  %0 = sdy.propagation_barrier %x allowed_direction=DIRECTION : tensor<7x5xf32>
  %1 = math.tanh %0 : tensor<7x5xf32>
  %2 = math.exp %y : tensor<7x5xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=DIRECTION : tensor<7x5xf32>
  %4 = sdy.sharding_constraint %3 <@m, [{}, {"a"}]> : tensor<7x5xf32>
  return %1, %4 : tensor<7x5xf32>, tensor<7x5xf32>
}
