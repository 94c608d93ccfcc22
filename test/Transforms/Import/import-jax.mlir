// JAX 0.10 lowers identities to these texts: with_sharding_constraint over a
// mesh dp=2, tp=4 for P(), P('dp'), P(None, 'tp'), P(('dp', 'tp')), P(('tp', 'dp')),
// P(UNCONSTRAINED, 'dp'), P('tp', 'dp') and P(('tp', 'dp'), None), by GSPMD and by
// Shardy; arguments over a mesh a=2, b=2, c=2; and shard_map over 'dp' alone.
// RUN: shard-opt %s --shardir-import-annotations --split-input-file | FileCheck %s
// RUN: shard-opt %s --shardir-to-local --split-input-file -o %t

// CHECK:       shardir.mesh @mesh <["axis_0"=2, "axis_1"=4]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{}, {}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"axis_0"}, {}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{}, {"axis_1"}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"axis_0", "axis_1"}, {}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"axis_1", "axis_0"}, {}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{?}, {"axis_0"}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"axis_1"}, {"axis_0"}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"axis_1", "axis_0"}, {}]>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xf32>) -> (tensor<16x32xf32> {jax.result_info = "result[0]"}, tensor<16x32xf32> {jax.result_info = "result[1]"}, tensor<16x32xf32> {jax.result_info = "result[2]"}, tensor<16x32xf32> {jax.result_info = "result[3]"}, tensor<16x32xf32> {jax.result_info = "result[4]"}, tensor<16x32xf32> {jax.result_info = "result[5]"}, tensor<16x32xf32> {jax.result_info = "result[6]"}, tensor<16x32xf32> {jax.result_info = "result[7]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %1 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %2 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %3 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[8,1]<=[8]}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %4 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[8,1]<=[2,4]T(1,0)}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %5 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,2,4]<=[8] last_tile_dim_replicate}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %6 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %7 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[8,1]<=[2,4]T(1,0)}"} : (tensor<16x32xf32>) -> tensor<16x32xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
}

// -----

// CHECK:       shardir.mesh @mesh <["dp"=2, "tp"=4]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{}, {}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"dp"}, {}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{}, {"tp"}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"dp", "tp"}, {}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"tp", "dp"}, {}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{?}, {"dp"}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"tp"}, {"dp"}]>
// CHECK:         shardir.constrain %arg0 to #shardir.placement<@mesh, [{"tp", "dp"}, {}]>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x32xf32>) -> (tensor<16x32xf32> {jax.result_info = "result[0]"}, tensor<16x32xf32> {jax.result_info = "result[1]"}, tensor<16x32xf32> {jax.result_info = "result[2]"}, tensor<16x32xf32> {jax.result_info = "result[3]"}, tensor<16x32xf32> {jax.result_info = "result[4]"}, tensor<16x32xf32> {jax.result_info = "result[5]"}, tensor<16x32xf32> {jax.result_info = "result[6]"}, tensor<16x32xf32> {jax.result_info = "result[7]"}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {}]> : tensor<16x32xf32>
    %1 = sdy.sharding_constraint %arg0 <@mesh, [{"dp"}, {}]> : tensor<16x32xf32>
    %2 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"tp"}]> : tensor<16x32xf32>
    %3 = sdy.sharding_constraint %arg0 <@mesh, [{"dp", "tp"}, {}]> : tensor<16x32xf32>
    %4 = sdy.sharding_constraint %arg0 <@mesh, [{"tp", "dp"}, {}]> : tensor<16x32xf32>
    %5 = sdy.sharding_constraint %arg0 <@mesh, [{?}, {"dp"}]> : tensor<16x32xf32>
    %6 = sdy.sharding_constraint %arg0 <@mesh, [{"tp"}, {"dp"}]> : tensor<16x32xf32>
    %7 = sdy.sharding_constraint %arg0 <@mesh, [{"tp", "dp"}, {}]> : tensor<16x32xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
}

// -----

// CHECK:       shardir.manual(%{{.+}}) in [#shardir.placement<@mesh, [{"dp", ?}, {?}]>] out [#shardir.placement<@mesh, [{"dp", ?}, {?}]>] manual = ["dp"] unchecked {
// CHECK-NEXT:  ^bb0(%{{.+}}: tensor<8x32xf32>):
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x32xf32>) -> (tensor<16x32xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"dp", ?}, {?}]>] out_shardings=[<@mesh, [{"dp", ?}, {?}]>] manual_axes={"dp"} (%arg1: tensor<8x32xf32>) {
      sdy.return %arg1 : tensor<8x32xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    return %0 : tensor<16x32xf32>
  }
}

// -----

// CHECK:       shardir.mesh @mesh <["axis_0"=2, "axis_1"=2, "axis_2"=2]>
// CHECK-NEXT:  func.func public @main(
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{}, {}]>}
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_0"}, {}]>}
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{}, {"axis_2"}]>}
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_0", "axis_1", "axis_2"}, {}]>}
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_2", "axis_1", "axis_0"}, {}]>}
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_1"}, {"axis_0"}]>}
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_1", "axis_0"}, {}]>}
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_0", "axis_2"}, {"axis_1"}]>}
// CHECK-SAME:    tensor<16x32xf32> {shardir.placement = #shardir.placement<@mesh, [{"axis_2"}, {"axis_1", "axis_0"}]>}
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xf32> {mhlo.sharding = "{replicated}"}, %arg1: tensor<16x32xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}, %arg2: tensor<16x32xf32> {mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}, %arg3: tensor<16x32xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"}, %arg4: tensor<16x32xf32> {mhlo.sharding = "{devices=[8,1]<=[2,2,2]T(2,1,0)}"}, %arg5: tensor<16x32xf32> {mhlo.sharding = "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}"}, %arg6: tensor<16x32xf32> {mhlo.sharding = "{devices=[4,1,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}"}, %arg7: tensor<16x32xf32> {mhlo.sharding = "{devices=[4,2]<=[2,2,2]T(0,2,1)}"}, %arg8: tensor<16x32xf32> {mhlo.sharding = "{devices=[2,4]<=[2,2,2]T(2,1,0)}"}) -> (tensor<16x32xf32> {jax.result_info = "result[0]", mhlo.sharding = "{devices=[2,4]<=[2,2,2]T(2,1,0)}"}, tensor<16x32xf32> {jax.result_info = "result[1]", mhlo.sharding = "{devices=[4,2]<=[2,2,2]T(0,2,1)}"}, tensor<16x32xf32> {jax.result_info = "result[2]", mhlo.sharding = "{devices=[4,1,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}"}, tensor<16x32xf32> {jax.result_info = "result[3]", mhlo.sharding = "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}"}, tensor<16x32xf32> {jax.result_info = "result[4]", mhlo.sharding = "{devices=[8,1]<=[2,2,2]T(2,1,0)}"}, tensor<16x32xf32> {jax.result_info = "result[5]", mhlo.sharding = "{devices=[8,1]<=[8]}"}, tensor<16x32xf32> {jax.result_info = "result[6]", mhlo.sharding = "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"}, tensor<16x32xf32> {jax.result_info = "result[7]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}, tensor<16x32xf32> {jax.result_info = "result[8]", mhlo.sharding = "{replicated}"}) {
    return %arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8 : tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>
  }
}
