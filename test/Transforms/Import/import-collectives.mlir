// GSPMD's manual regions become shardir.manual, and StableHLO's collectives those
// along manual axes. test/Run/Manual/jax-shard-map.mlir runs what JAX writes.
// RUN: shard-opt %s --shardir-import-annotations --split-input-file | FileCheck %s

// One axis of two is manual; what enters from a shared constant is in the region.
// CHECK:       shardir.mesh @mesh <["axis_0"=2, "axis_1"=4]>
// CHECK-LABEL: func.func @some_axes
// CHECK:         %[[C:.+]] = shardir.constrain %arg0 to #shardir.placement<@mesh, [{"axis_0", ?}, {?}]>
// CHECK:         shardir.manual(%[[C]]) in [#shardir.placement<@mesh, [{"axis_0", ?}, {?}]>]
// CHECK-SAME:      out [#shardir.placement<@mesh, [{?}, {"axis_1", ?}]>] manual = ["axis_0"] unchecked
// CHECK-NEXT:    ^bb0(%[[X:.+]]: tensor<8x32xf32>):
// CHECK:           arith.constant
// CHECK:           %[[A:.+]] = arith.addf %[[X]]
// CHECK:           %[[R:.+]] = collective.all_reduce %[[A]] from #shardir.placement<@mesh, [{}, {}], partial = sum ["axis_0"]>
// CHECK-SAME:        to #shardir.placement<@mesh, [{}, {}]> of tensor<8x32xf32>
// CHECK:           shardir.constrain %[[R]] to #shardir.placement<@mesh, [{}, {"axis_1"}]>
// CHECK:           shardir.yield
// CHECK-NOT:   func.func private @body
func.func @some_axes(%x: tensor<16x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %c = arith.constant dense<1.0> : tensor<8x32xf32>
  %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<16x32xf32>) -> tensor<8x32xf32>
  %2 = arith.addf %1, %c : tensor<8x32xf32>
  %3 = call @body(%2) : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<8x32xf32>) -> tensor<8x32xf32>
  return %4, %c : tensor<8x32xf32>, tensor<8x32xf32>
}
func.func private @body(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"} : (tensor<8x32xf32>) -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}

// -----

// Each in the form that a shard has, along two axes in the other order; a device
// that nobody sends to has zeros; devices of a mesh in another order.
// CHECK:       shardir.mesh @m <["a"=2, "b"=2], devices = [0, 2, 1, 3]>
// CHECK:       shardir.mesh @m_permuted <["a"=2, "b"=2], devices = [2, 0, 3, 1]>
// CHECK-LABEL: func.func @each
// CHECK:         ^bb0(%[[L:.+]]: tensor<4x3xi32>):
// CHECK:           collective.all_gather %[[L]] from #shardir.placement<@m, [{"b", "a"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<16x3xi32>
// CHECK:           collective.reduce_scatter %[[L]] from #shardir.placement<@m, [{}, {}], partial = umax ["b"]> to #shardir.placement<@m, [{"b"}, {}]> of tensor<4x3xi32>
// CHECK:           collective.all_to_all %{{.+}} from #shardir.placement<@m, [{}, {"b"}]> to #shardir.placement<@m, [{"b"}, {}]> of tensor<4x6xi32>
// CHECK:           collective.exchange %{{.+}} from #shardir.placement<@m, [{"b"}, {}]> to #shardir.placement<@m, [{2, "b"}, {}]> of tensor<8x3xi32>
// CHECK:           %[[E:.+]] = tensor.expand_shape
// CHECK:           %[[P:.+]] = collective.exchange %[[E]] from #shardir.placement<@m, [{"a", "b"}, {}, {}]> to #shardir.placement<@m_permuted, [{"a", "b"}, {}, {}]> of tensor<4x4x3xi32>
// CHECK:           %[[S:.+]] = tensor.collapse_shape %[[P]]
// CHECK:           %[[FED:.+]] = arith.constant dense<[false, true, false, true]>
// CHECK:           %[[BIT:.+]] = tensor.extract %[[FED]]
// CHECK:           arith.select %[[BIT]], %[[S]]
// CHECK:           %[[RANKS:.+]] = arith.constant dense<[0, 2, 1, 3]> : tensor<4xi32>
// CHECK:           %[[RANK:.+]] = tensor.extract %[[RANKS]]
// CHECK:           tensor.from_elements %[[RANK]] : tensor<i32>
sdy.mesh @m = <["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>
func.func @each(%x: tensor<8x3xi32>) -> (tensor<16x3xi32>, tensor<8x3xi32>, tensor<4x6xi32>, tensor<8x3xi32>, tensor<8x3xi32>, tensor<i32>) {
  %0:6 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{}, {}]>, <@m, [{"a", "b"}, {}]>, <@m, [{"b"}, {}]>, <@m, [{"a"}, {}]>, <@m, [{"a"}, {}]>, <@m, []>] manual_axes={"a", "b"} (%l: tensor<4x3xi32>) {
    %1 = "stablehlo.all_gather"(%l) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<4x3xi32>) -> tensor<16x3xi32>
    %2 = "stablehlo.reduce_scatter"(%l) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%a: i32, %b: i32):
      %m = arith.maxui %b, %a : i32
      "stablehlo.return"(%m) : (i32) -> ()
    }) : (tensor<4x3xi32>) -> tensor<2x3xi32>
    %3 = "stablehlo.all_to_all"(%l) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x3xi32>) -> tensor<2x6xi32>
    %4 = "stablehlo.all_to_all"(%l) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x3xi32>) -> tensor<4x3xi32>
    %5 = "stablehlo.collective_permute"(%l) <{source_target_pairs = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : (tensor<4x3xi32>) -> tensor<4x3xi32>
    %6 = stablehlo.partition_id : tensor<ui32>
    %7 = builtin.unrealized_conversion_cast %6 : tensor<ui32> to tensor<i32>
    sdy.return %1, %2, %3, %4, %5, %7 : tensor<16x3xi32>, tensor<2x3xi32>, tensor<2x6xi32>, tensor<4x3xi32>, tensor<4x3xi32>, tensor<i32>
  } : (tensor<8x3xi32>) -> (tensor<16x3xi32>, tensor<8x3xi32>, tensor<4x6xi32>, tensor<8x3xi32>, tensor<8x3xi32>, tensor<i32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<16x3xi32>, tensor<8x3xi32>, tensor<4x6xi32>, tensor<8x3xi32>, tensor<8x3xi32>, tensor<i32>
}
