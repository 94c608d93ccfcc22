// A program that MLIR's shard dialect annotates. Dims need not divide.
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective | FileCheck %s --check-prefix=MOVES
// CHECK: result 0: 7x5xf32 equal to the unsharded program
// MOVES: collective.all_reduce
// MOVES-NOT: collective.
shard.grid @g(shape = 2x2)

func.func @main(%x: tensor<7x16xf32>, %w: tensor<16x5xf32>) -> tensor<7x5xf32> {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %xs = shard.shard %x to %s : tensor<7x16xf32>
  %z = arith.constant dense<0.0> : tensor<7x5xf32>
  %y = linalg.matmul ins(%xs, %w : tensor<7x16xf32>, tensor<16x5xf32>) outs(%z : tensor<7x5xf32>) -> tensor<7x5xf32>
  %t = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %ys = shard.shard %y to %t : tensor<7x5xf32>
  return %ys : tensor<7x5xf32>
}
