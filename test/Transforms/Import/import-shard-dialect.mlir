// RUN: shard-opt %s -split-input-file -shardir-import-annotations -verify-diagnostics | FileCheck %s
// MLIR's own shard dialect.

// CHECK-LABEL: shardir.mesh @g <["axis0"=2, "axis1"=3]>
// CHECK-NEXT:  shardir.mesh @line <["axis0"=?]>
shard.grid @g(shape = 2x3)
shard.grid @line(shape = ?)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.+]]: tensor<8x16xf32>, %[[Y:.+]]: tensor<5x7xf32>)
func.func @main(%x: tensor<8x16xf32>, %y: tensor<5x7xf32>) -> (tensor<8x16xf32>, tensor<5x7xf32>) {
  // CHECK-NEXT: %[[A:.+]] = shardir.constrain %[[X]] to #shardir.placement<@g, [{"axis1", "axis0"}, {}]>
  %s = shard.sharding @g split_axes = [[1, 0]] : !shard.sharding
  %a = shard.shard %x to %s : tensor<8x16xf32>
  // CHECK-NEXT: %[[B:.+]] = shardir.constrain %[[A]] to #shardir.placement<@g, [{"axis0"}, {"axis1"}]>
  %t = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %b = shard.shard %a to %t annotate_for_users : tensor<8x16xf32>
  // CHECK-NEXT: %[[C:.+]] = shardir.constrain %[[Y]] to #shardir.placement<@line, [{}, {"axis0"}]>
  %u = shard.sharding @line split_axes = [[], [0]] : !shard.sharding
  %c = shard.shard %y to %u : tensor<5x7xf32>
  // CHECK-NEXT: return %[[B]], %[[C]]
  return %b, %c : tensor<8x16xf32>, tensor<5x7xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @halo(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{gives halos or the sizes of shards, which are not chosen}}
  %s = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %a = shard.shard %x to %s : tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @partitioned(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{belongs to a program that is partitioned; ShardIR partitions it itself: give the program before -shard-partition}}
  %a = shard.all_reduce %x on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %a : tensor<4xf32>
}
