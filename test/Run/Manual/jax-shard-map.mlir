// Programs that JAX 0.10 exports for jax.shard_map on a mesh dp=2, tp=4, by Shardy and by
// GSPMD (jax_use_shardy_partitioner), through StableHLO's passes to linalg as it
// stands: psum, pmax, all_gather, psum_scatter, all_to_all, ppermute with and
// without sources for all, axis_index, groups that are a part of an axis, a region
// along "dp" alone, one that calls functions. Inputs differ on every device, and
// outputs are those of JAX on 8 devices, all equal.
// RUN: split-file %s %t
// RUN: shard-run %t/matmul-sdy.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --input=8x3xi32=9,-7,-2,-2,8,-6,0,-5,-9,5,-8,-4,0,0,-7,9,5,9,-8,4,-4,1,8,-4 --expected_output=4x3xi32=-66,-29,-139,50,-30,85,-22,156,64,104,-157,40
// RUN: shard-run %t/matmul-gspmd.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --input=8x3xi32=9,-7,-2,-2,8,-6,0,-5,-9,5,-8,-4,0,0,-7,9,5,9,-8,4,-4,1,8,-4 --expected_output=4x3xi32=-66,-29,-139,50,-30,85,-22,156,64,104,-157,40
// RUN: shard-run %t/reduce-sdy.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=2x2xi32=9,9,-16,-4 --expected_output=2x8xi32=3,1,5,9,7,5,6,9,6,-3,7,5,-4,6,-5,-1
// RUN: shard-run %t/reduce-gspmd.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=2x2xi32=9,9,-16,-4 --expected_output=2x8xi32=3,1,5,9,7,5,6,9,6,-3,7,5,-4,6,-5,-1
// RUN: shard-run %t/gather-sdy.mlir --input=8x3xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1 --expected_output=8x3xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1 --expected_output=4x2x3xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1
// RUN: shard-run %t/gather-gspmd.mlir --input=8x3xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1 --expected_output=8x3xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1 --expected_output=4x2x3xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1
// RUN: shard-run %t/scatter-sdy.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x2xi32=1,11,-7,-1,8,-2,-9,-3
// RUN: shard-run %t/scatter-gspmd.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x2xi32=1,11,-7,-1,8,-2,-9,-3
// RUN: shard-run %t/all-to-all-sdy.mlir --input=8x4xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=8x4xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=8x4xi32=-1,-9,-5,-4,0,-7,-4,6,5,6,7,-5,9,9,-1,-2,3,7,6,-7,1,5,-3,-4,-8,6,-1,-7,-9,1,5,-1
// RUN: shard-run %t/all-to-all-gspmd.mlir --input=8x4xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=8x4xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=8x4xi32=-1,-9,-5,-4,0,-7,-4,6,5,6,7,-5,9,9,-1,-2,3,7,6,-7,1,5,-3,-4,-8,6,-1,-7,-9,1,5,-1
// RUN: shard-run %t/permute-sdy.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x8xi32=6,9,-1,0,5,9,-9,-7,-5,-2,-5,-4,7,-1,-4,6,6,1,3,1,-8,-9,7,5,-7,-1,6,-3,-1,5,-7,-4 --expected_output=4x8xi32=-9,-7,6,1,-8,-9,0,0,-4,6,-7,-1,-1,5,0,0,0,0,-1,0,0,0,0,0,0,0,-5,-4,0,0,0,0
// RUN: shard-run %t/permute-gspmd.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x8xi32=6,9,-1,0,5,9,-9,-7,-5,-2,-5,-4,7,-1,-4,6,6,1,3,1,-8,-9,7,5,-7,-1,6,-3,-1,5,-7,-4 --expected_output=4x8xi32=-9,-7,6,1,-8,-9,0,0,-4,6,-7,-1,-1,5,0,0,0,0,-1,0,0,0,0,0,0,0,-5,-4,0,0,0,0
// RUN: shard-run %t/device-sdy.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x8xi32=-1,0,15,19,11,13,36,39,-5,-4,17,9,16,26,25,28,103,101,102,101,127,125,136,131,106,97,109,115,113,116,123,129
// RUN: shard-run %t/device-gspmd.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x8xi32=-1,0,15,19,11,13,36,39,-5,-4,17,9,16,26,25,28,103,101,102,101,127,125,136,131,106,97,109,115,113,116,123,129
// RUN: shard-run %t/some-axes-sdy.mlir --input=4x6xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1 --expected_output=4x6xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,96,106,95,98,103,101,92,91,107,105,106,101 --expected_output=4x6xi32=0,0,0,0,0,0,0,0,0,0,0,0,-1,0,5,9,-9,-7,6,9,-5,-4,7,-1
// RUN: shard-run %t/some-axes-gspmd.mlir --input=4x6xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1 --expected_output=4x6xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,96,106,95,98,103,101,92,91,107,105,106,101 --expected_output=4x6xi32=0,0,0,0,0,0,0,0,0,0,0,0,-1,0,5,9,-9,-7,6,9,-5,-4,7,-1
// RUN: shard-run %t/sub-groups-sdy.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x8xi32=4,9,4,9,-3,2,-3,2,2,-5,2,-5,-9,4,-9,4,-5,-8,-5,-8,13,6,13,6,5,2,5,2,-14,-5,-14,-5 --expected_output=8x8xi32=-1,0,5,9,-1,0,5,9,-5,-4,7,-1,-5,-4,7,-1,3,1,-8,-9,3,1,-8,-9,6,-3,-1,5,6,-3,-1,5,-9,-7,6,9,-9,-7,6,9,-4,6,-5,-2,-4,6,-5,-2,7,5,6,1,7,5,6,1,-7,-4,-7,-1,-7,-4,-7,-1
// RUN: shard-run %t/sub-groups-gspmd.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x8xi32=4,9,4,9,-3,2,-3,2,2,-5,2,-5,-9,4,-9,4,-5,-8,-5,-8,13,6,13,6,5,2,5,2,-14,-5,-14,-5 --expected_output=8x8xi32=-1,0,5,9,-1,0,5,9,-5,-4,7,-1,-5,-4,7,-1,3,1,-8,-9,3,1,-8,-9,6,-3,-1,5,6,-3,-1,5,-9,-7,6,9,-9,-7,6,9,-4,6,-5,-2,-4,6,-5,-2,7,5,6,1,7,5,6,1,-7,-4,-7,-1,-7,-4,-7,-1
// RUN: shard-run %t/called-sdy.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x2xi32=1,11,0,0,8,0,0,0
// RUN: shard-run %t/called-gspmd.mlir --input=4x8xi32=-1,0,5,9,-9,-7,6,9,-5,-4,7,-1,-4,6,-5,-2,3,1,-8,-9,7,5,6,1,6,-3,-1,5,-7,-4,-7,-1 --expected_output=4x2xi32=1,11,0,0,8,0,0,0

//--- matmul-sdy.mlir
#map = affine_map<() -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xi32>, %arg1: tensor<8x3xi32>) -> (tensor<4x3xi32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"dp"}, {"tp"}]>, <@mesh, [{"tp"}, {}]>] out_shardings=[<@mesh, [{"dp"}, {}]>] manual_axes={"dp", "tp"} (%arg2: tensor<2x2xi32>, %arg3: tensor<2x3xi32>) {
      %c0_i32 = arith.constant 0 : i32
      %1 = tensor.empty() : tensor<2x3xi32>
      %2 = linalg.fill ins(%c0_i32 : i32) outs(%1 : tensor<2x3xi32>) -> tensor<2x3xi32>
      %3 = linalg.matmul ins(%arg2, %arg3 : tensor<2x2xi32>, tensor<2x3xi32>) outs(%2 : tensor<2x3xi32>) -> tensor<2x3xi32>
      %4 = "stablehlo.all_reduce"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<i32>, %arg5: tensor<i32>):
        %5 = tensor.empty() : tensor<i32>
        %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg4, %arg5 : tensor<i32>, tensor<i32>) outs(%5 : tensor<i32>) {
        ^bb0(%in: i32, %in_0: i32, %out: i32):
          %7 = arith.addi %in, %in_0 : i32
          linalg.yield %7 : i32
        } -> tensor<i32>
        stablehlo.return %6 : tensor<i32>
      }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      sdy.return %4 : tensor<2x3xi32>
    } : (tensor<4x8xi32>, tensor<8x3xi32>) -> tensor<4x3xi32>
    return %0 : tensor<4x3xi32>
  }
}

//--- matmul-gspmd.mlir
#map = affine_map<() -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xi32>, %arg1: tensor<8x3xi32>) -> (tensor<4x3xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x8xi32>) -> tensor<2x2xi32>
    %2 = stablehlo.custom_call @Sharding(%arg1) {backend_config = "", mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<8x3xi32>) -> tensor<8x3xi32>
    %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x3xi32>) -> tensor<2x3xi32>
    %4 = call @shmap_body(%1, %3) : (tensor<2x2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %5 = stablehlo.custom_call @Sharding(%4) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x3xi32>) -> tensor<2x3xi32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<2x3xi32>) -> tensor<4x3xi32>
    return %6 : tensor<4x3xi32>
  }
  func.func private @shmap_body(%arg0: tensor<2x2xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32> {jax.result_info = "[('dp',), None]"}) {
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<2x3xi32>
    %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<2x3xi32>) -> tensor<2x3xi32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<2x2xi32>, tensor<2x3xi32>) outs(%1 : tensor<2x3xi32>) -> tensor<2x3xi32>
    %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %4 = tensor.empty() : tensor<i32>
      %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg2, %arg3 : tensor<i32>, tensor<i32>) outs(%4 : tensor<i32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %6 = arith.addi %in, %in_0 : i32
        linalg.yield %6 : i32
      } -> tensor<i32>
      stablehlo.return %5 : tensor<i32>
    }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %3 : tensor<2x3xi32>
  }
}

//--- reduce-sdy.mlir
#map = affine_map<() -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<2x2xi32> {jax.result_info = "result[0]"}, tensor<2x8xi32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"dp"}, {"tp"}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {"tp"}]>] manual_axes={"dp", "tp"} (%arg1: tensor<2x2xi32>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %3 = tensor.empty() : tensor<i32>
        %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg2, %arg3 : tensor<i32>, tensor<i32>) outs(%3 : tensor<i32>) {
        ^bb0(%in: i32, %in_0: i32, %out: i32):
          %5 = arith.addi %in, %in_0 : i32
          linalg.yield %5 : i32
        } -> tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
      %2 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %3 = tensor.empty() : tensor<i32>
        %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg2, %arg3 : tensor<i32>, tensor<i32>) outs(%3 : tensor<i32>) {
        ^bb0(%in: i32, %in_0: i32, %out: i32):
          %5 = arith.maxsi %in, %in_0 : i32
          linalg.yield %5 : i32
        } -> tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
      sdy.return %1, %2 : tensor<2x2xi32>, tensor<2x2xi32>
    } : (tensor<4x8xi32>) -> (tensor<2x2xi32>, tensor<2x8xi32>)
    return %0#0, %0#1 : tensor<2x2xi32>, tensor<2x8xi32>
  }
}

//--- reduce-gspmd.mlir
#map = affine_map<() -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<2x2xi32> {jax.result_info = "result[0]"}, tensor<2x8xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x8xi32>) -> tensor<2x2xi32>
    %2:2 = call @shmap_body(%1) : (tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
    %3 = stablehlo.custom_call @Sharding(%2#0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %5 = stablehlo.custom_call @Sharding(%2#1) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<2x2xi32>) -> tensor<2x8xi32>
    return %4, %6 : tensor<2x2xi32>, tensor<2x8xi32>
  }
  func.func private @shmap_body(%arg0: tensor<2x2xi32>) -> (tensor<2x2xi32> {jax.result_info = "[None, None]"}, tensor<2x2xi32> {jax.result_info = "[None, ('tp',)]"}) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = tensor.empty() : tensor<i32>
      %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg1, %arg2 : tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %4 = arith.addi %in, %in_0 : i32
        linalg.yield %4 : i32
      } -> tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %1 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = tensor.empty() : tensor<i32>
      %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg1, %arg2 : tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %4 = arith.maxsi %in, %in_0 : i32
        linalg.yield %4 : i32
      } -> tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
    return %0, %1 : tensor<2x2xi32>, tensor<2x2xi32>
  }
}

//--- gather-sdy.mlir
#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x3xi32>) -> (tensor<8x3xi32> {jax.result_info = "result[0]"}, tensor<4x2x3xi32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"tp", "dp"}, {}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {"dp"}, {}]>] manual_axes={"dp", "tp"} (%arg1: tensor<1x3xi32>) {
      %1 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4, 1, 5, 2, 6, 3, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<1x3xi32>) -> tensor<8x3xi32>
      %2 = tensor.empty() : tensor<1x1x3xi32>
      %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<1x3xi32>) outs(%2 : tensor<1x1x3xi32>) {
      ^bb0(%in: i32, %out: i32):
        linalg.yield %in : i32
      } -> tensor<1x1x3xi32>
      %4 = "stablehlo.all_gather"(%3) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<1x1x3xi32>) -> tensor<4x1x3xi32>
      sdy.return %1, %4 : tensor<8x3xi32>, tensor<4x1x3xi32>
    } : (tensor<8x3xi32>) -> (tensor<8x3xi32>, tensor<4x2x3xi32>)
    return %0#0, %0#1 : tensor<8x3xi32>, tensor<4x2x3xi32>
  }
}

//--- gather-gspmd.mlir
#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x3xi32>) -> (tensor<8x3xi32> {jax.result_info = "result[0]"}, tensor<4x2x3xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[8,1]<=[2,4]T(1,0)}"} : (tensor<8x3xi32>) -> tensor<8x3xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x3xi32>) -> tensor<1x3xi32>
    %2:2 = call @shmap_body(%1) : (tensor<1x3xi32>) -> (tensor<8x3xi32>, tensor<4x1x3xi32>)
    %3 = stablehlo.custom_call @Sharding(%2#0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x3xi32>) -> tensor<8x3xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<8x3xi32>) -> tensor<8x3xi32>
    %5 = stablehlo.custom_call @Sharding(%2#1) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x1x3xi32>) -> tensor<4x1x3xi32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "", mhlo.sharding = "{devices=[1,2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<4x1x3xi32>) -> tensor<4x2x3xi32>
    return %4, %6 : tensor<8x3xi32>, tensor<4x2x3xi32>
  }
  func.func private @shmap_body(%arg0: tensor<1x3xi32>) -> (tensor<8x3xi32> {jax.result_info = "[None, None]"}, tensor<4x1x3xi32> {jax.result_info = "[None, ('dp',), None]"}) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4, 1, 5, 2, 6, 3, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<1x3xi32>) -> tensor<8x3xi32>
    %1 = tensor.empty() : tensor<1x1x3xi32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x3xi32>) outs(%1 : tensor<1x1x3xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<1x1x3xi32>
    %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<1x1x3xi32>) -> tensor<4x1x3xi32>
    return %0, %3 : tensor<8x3xi32>, tensor<4x1x3xi32>
  }
}

//--- scatter-sdy.mlir
#map = affine_map<() -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x2xi32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {"tp"}]>] out_shardings=[<@mesh, [{"tp"}, {}]>] manual_axes={"dp", "tp"} (%arg1: tensor<4x2xi32>) {
      %1 = "stablehlo.reduce_scatter"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %2 = tensor.empty() : tensor<i32>
        %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg2, %arg3 : tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
        ^bb0(%in: i32, %in_0: i32, %out: i32):
          %4 = arith.addi %in, %in_0 : i32
          linalg.yield %4 : i32
        } -> tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) : (tensor<4x2xi32>) -> tensor<1x2xi32>
      sdy.return %1 : tensor<1x2xi32>
    } : (tensor<4x8xi32>) -> tensor<4x2xi32>
    return %0 : tensor<4x2xi32>
  }
}

//--- scatter-gspmd.mlir
#map = affine_map<() -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x2xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x8xi32>) -> tensor<4x2xi32>
    %2 = call @shmap_body(%1) : (tensor<4x2xi32>) -> tensor<1x2xi32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<1x2xi32>) -> tensor<1x2xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<1x2xi32>) -> tensor<4x2xi32>
    return %4 : tensor<4x2xi32>
  }
  func.func private @shmap_body(%arg0: tensor<4x2xi32>) -> (tensor<1x2xi32> {jax.result_info = "[('tp',), None]"}) {
    %0 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %1 = tensor.empty() : tensor<i32>
      %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg1, %arg2 : tensor<i32>, tensor<i32>) outs(%1 : tensor<i32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %3 = arith.addi %in, %in_0 : i32
        linalg.yield %3 : i32
      } -> tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4x2xi32>) -> tensor<1x2xi32>
    return %0 : tensor<1x2xi32>
  }
}

//--- all-to-all-sdy.mlir
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xi32>) -> (tensor<8x4xi32> {jax.result_info = "result[0]"}, tensor<8x4xi32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"dp"}, {"tp"}]>] out_shardings=[<@mesh, [{"dp", "tp"}, {}]>, <@mesh, [{"dp"}, {"tp"}]>] manual_axes={"dp", "tp"} (%arg1: tensor<4x1xi32>) {
      %1 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x1xi32>) -> tensor<1x4xi32>
      %2 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x1xi32>) -> tensor<4x1xi32>
      sdy.return %1, %2 : tensor<1x4xi32>, tensor<4x1xi32>
    } : (tensor<8x4xi32>) -> (tensor<8x4xi32>, tensor<8x4xi32>)
    return %0#0, %0#1 : tensor<8x4xi32>, tensor<8x4xi32>
  }
}

//--- all-to-all-gspmd.mlir
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xi32>) -> (tensor<8x4xi32> {jax.result_info = "result[0]"}, tensor<8x4xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<8x4xi32>) -> tensor<8x4xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x4xi32>) -> tensor<4x1xi32>
    %2:2 = call @shmap_body(%1) : (tensor<4x1xi32>) -> (tensor<1x4xi32>, tensor<4x1xi32>)
    %3 = stablehlo.custom_call @Sharding(%2#0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<1x4xi32>) -> tensor<1x4xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[8,1]<=[8]}"} : (tensor<1x4xi32>) -> tensor<8x4xi32>
    %5 = stablehlo.custom_call @Sharding(%2#1) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x1xi32>) -> tensor<4x1xi32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x1xi32>) -> tensor<8x4xi32>
    return %4, %6 : tensor<8x4xi32>, tensor<8x4xi32>
  }
  func.func private @shmap_body(%arg0: tensor<4x1xi32>) -> (tensor<1x4xi32> {jax.result_info = "[('dp', 'tp'), None]"}, tensor<4x1xi32> {jax.result_info = "[('dp',), ('tp',)]"}) {
    %0 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x1xi32>) -> tensor<1x4xi32>
    %1 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<4x1xi32>) -> tensor<4x1xi32>
    return %0, %1 : tensor<1x4xi32>, tensor<4x1xi32>
  }
}

//--- permute-sdy.mlir
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x8xi32> {jax.result_info = "result[0]"}, tensor<4x8xi32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"dp"}, {"tp"}]>] out_shardings=[<@mesh, [{"dp"}, {"tp"}]>, <@mesh, [{"dp"}, {"tp"}]>] manual_axes={"dp", "tp"} (%arg1: tensor<2x2xi32>) {
      %1 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]> : tensor<8x2xi64>}> : (tensor<2x2xi32>) -> tensor<2x2xi32>
      %2 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 5], [5, 2], [2, 0], [7, 1]]> : tensor<4x2xi64>}> : (tensor<2x2xi32>) -> tensor<2x2xi32>
      sdy.return %1, %2 : tensor<2x2xi32>, tensor<2x2xi32>
    } : (tensor<4x8xi32>) -> (tensor<4x8xi32>, tensor<4x8xi32>)
    return %0#0, %0#1 : tensor<4x8xi32>, tensor<4x8xi32>
  }
}

//--- permute-gspmd.mlir
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x8xi32> {jax.result_info = "result[0]"}, tensor<4x8xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x8xi32>) -> tensor<2x2xi32>
    %2:2 = call @shmap_body(%1) : (tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
    %3 = stablehlo.custom_call @Sharding(%2#0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<2x2xi32>) -> tensor<4x8xi32>
    %5 = stablehlo.custom_call @Sharding(%2#1) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<2x2xi32>) -> tensor<4x8xi32>
    return %4, %6 : tensor<4x8xi32>, tensor<4x8xi32>
  }
  func.func private @shmap_body(%arg0: tensor<2x2xi32>) -> (tensor<2x2xi32> {jax.result_info = "[('dp',), ('tp',)]"}, tensor<2x2xi32> {jax.result_info = "[('dp',), ('tp',)]"}) {
    %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4]]> : tensor<8x2xi64>}> : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %1 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 5], [5, 2], [2, 0], [7, 1]]> : tensor<4x2xi64>}> : (tensor<2x2xi32>) -> tensor<2x2xi32>
    return %0, %1 : tensor<2x2xi32>, tensor<2x2xi32>
  }
}

//--- device-sdy.mlir
#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x8xi32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"dp"}, {"tp"}]>] out_shardings=[<@mesh, [{"dp"}, {"tp"}]>] manual_axes={"dp", "tp"} (%arg1: tensor<2x2xi32>) {
      %c100_i32 = arith.constant 100 : i32
      %c2_i32 = arith.constant 2 : i32
      %c10_i32 = arith.constant 10 : i32
      %c4_i32 = arith.constant 4 : i32
      %1 = stablehlo.partition_id : tensor<i32>
      %2 = tensor.empty() : tensor<i32>
      %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%1 : tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %13 = arith.remui %in, %c4_i32 : i32
        linalg.yield %13 : i32
      } -> tensor<i32>
      %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%3 : tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %13 = arith.muli %in, %c10_i32 : i32
        linalg.yield %13 : i32
      } -> tensor<i32>
      %5 = tensor.empty() : tensor<2x2xi32>
      %6 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<i32>) outs(%5 : tensor<2x2xi32>) {
      ^bb0(%in: i32, %out: i32):
        linalg.yield %in : i32
      } -> tensor<2x2xi32>
      %7 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg1, %6 : tensor<2x2xi32>, tensor<2x2xi32>) outs(%5 : tensor<2x2xi32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %13 = arith.addi %in, %in_0 : i32
        linalg.yield %13 : i32
      } -> tensor<2x2xi32>
      %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%1 : tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %13 = arith.divui %in, %c4_i32 : i32
        linalg.yield %13 : i32
      } -> tensor<i32>
      %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%8 : tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %13 = arith.remui %in, %c2_i32 : i32
        linalg.yield %13 : i32
      } -> tensor<i32>
      %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%9 : tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %13 = arith.muli %in, %c100_i32 : i32
        linalg.yield %13 : i32
      } -> tensor<i32>
      %11 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<i32>) outs(%5 : tensor<2x2xi32>) {
      ^bb0(%in: i32, %out: i32):
        linalg.yield %in : i32
      } -> tensor<2x2xi32>
      %12 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%7, %11 : tensor<2x2xi32>, tensor<2x2xi32>) outs(%5 : tensor<2x2xi32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %13 = arith.addi %in, %in_0 : i32
        linalg.yield %13 : i32
      } -> tensor<2x2xi32>
      sdy.return %12 : tensor<2x2xi32>
    } : (tensor<4x8xi32>) -> tensor<4x8xi32>
    return %0 : tensor<4x8xi32>
  }
}

//--- device-gspmd.mlir
#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x8xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x8xi32>) -> tensor<2x2xi32>
    %2 = call @shmap_body(%1) : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<2x2xi32>) -> tensor<4x8xi32>
    return %4 : tensor<4x8xi32>
  }
  func.func private @shmap_body(%arg0: tensor<2x2xi32>) -> (tensor<2x2xi32> {jax.result_info = "[('dp',), ('tp',)]"}) {
    %c100_i32 = arith.constant 100 : i32
    %c2_i32 = arith.constant 2 : i32
    %c10_i32 = arith.constant 10 : i32
    %c4_i32 = arith.constant 4 : i32
    %0 = stablehlo.partition_id : tensor<i32>
    %1 = tensor.empty() : tensor<i32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%0 : tensor<i32>) outs(%1 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %12 = arith.remui %in, %c4_i32 : i32
      linalg.yield %12 : i32
    } -> tensor<i32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%2 : tensor<i32>) outs(%1 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %12 = arith.muli %in, %c10_i32 : i32
      linalg.yield %12 : i32
    } -> tensor<i32>
    %4 = tensor.empty() : tensor<2x2xi32>
    %5 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<i32>) outs(%4 : tensor<2x2xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x2xi32>
    %6 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg0, %5 : tensor<2x2xi32>, tensor<2x2xi32>) outs(%4 : tensor<2x2xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %12 = arith.addi %in, %in_0 : i32
      linalg.yield %12 : i32
    } -> tensor<2x2xi32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%0 : tensor<i32>) outs(%1 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %12 = arith.divui %in, %c4_i32 : i32
      linalg.yield %12 : i32
    } -> tensor<i32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%7 : tensor<i32>) outs(%1 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %12 = arith.remui %in, %c2_i32 : i32
      linalg.yield %12 : i32
    } -> tensor<i32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%8 : tensor<i32>) outs(%1 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %12 = arith.muli %in, %c100_i32 : i32
      linalg.yield %12 : i32
    } -> tensor<i32>
    %10 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<i32>) outs(%4 : tensor<2x2xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x2xi32>
    %11 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%6, %10 : tensor<2x2xi32>, tensor<2x2xi32>) outs(%4 : tensor<2x2xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %12 = arith.addi %in, %in_0 : i32
      linalg.yield %12 : i32
    } -> tensor<2x2xi32>
    return %11 : tensor<2x2xi32>
  }
}

//--- some-axes-sdy.mlir
#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x6xi32>) -> (tensor<4x6xi32> {jax.result_info = "result[0]"}, tensor<4x6xi32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"dp", ?}, {?}]>] out_shardings=[<@mesh, [{"dp", ?}, {?}]>, <@mesh, [{"dp", ?}, {?}]>] manual_axes={"dp"} (%arg1: tensor<2x6xi32>) {
      %c100_i32 = arith.constant 100 : i32
      %1 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={"tp"} () {
        %c2_i32 = arith.constant 2 : i32
        %c4_i32 = arith.constant 4 : i32
        %11 = stablehlo.partition_id : tensor<i32>
        %12 = tensor.empty() : tensor<i32>
        %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%11 : tensor<i32>) outs(%12 : tensor<i32>) {
        ^bb0(%in: i32, %out: i32):
          %15 = arith.divui %in, %c4_i32 : i32
          linalg.yield %15 : i32
        } -> tensor<i32>
        %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%13 : tensor<i32>) outs(%12 : tensor<i32>) {
        ^bb0(%in: i32, %out: i32):
          %15 = arith.remui %in, %c2_i32 : i32
          linalg.yield %15 : i32
        } -> tensor<i32>
        sdy.return %14 : tensor<i32>
      } : () -> tensor<i32>
      %2 = tensor.empty() : tensor<i32>
      %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%1 : tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %out: i32):
        %11 = arith.muli %in, %c100_i32 : i32
        linalg.yield %11 : i32
      } -> tensor<i32>
      %4 = sdy.sharding_constraint %3 <@mesh, []> : tensor<i32>
      %5 = tensor.empty() : tensor<2x6xi32>
      %6 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<i32>) outs(%5 : tensor<2x6xi32>) {
      ^bb0(%in: i32, %out: i32):
        linalg.yield %in : i32
      } -> tensor<2x6xi32>
      %7 = sdy.sharding_constraint %6 <@mesh, [{?}, {?}]> : tensor<2x6xi32>
      %8 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg1, %7 : tensor<2x6xi32>, tensor<2x6xi32>) outs(%5 : tensor<2x6xi32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %11 = arith.addi %in, %in_0 : i32
        linalg.yield %11 : i32
      } -> tensor<2x6xi32>
      %9 = sdy.sharding_constraint %8 <@mesh, [{?}, {?}]> : tensor<2x6xi32>
      %10 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> : (tensor<2x6xi32>) -> tensor<2x6xi32>
      sdy.return %9, %10 : tensor<2x6xi32>, tensor<2x6xi32>
    } : (tensor<4x6xi32>) -> (tensor<4x6xi32>, tensor<4x6xi32>)
    return %0#0, %0#1 : tensor<4x6xi32>, tensor<4x6xi32>
  }
}

//--- some-axes-gspmd.mlir
#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xi32>) -> (tensor<4x6xi32> {jax.result_info = "result[0]"}, tensor<4x6xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<4x6xi32>) -> tensor<4x6xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<4x6xi32>) -> tensor<2x6xi32>
    %2:2 = call @shmap_body(%1) : (tensor<2x6xi32>) -> (tensor<2x6xi32>, tensor<2x6xi32>)
    %3 = stablehlo.custom_call @Sharding(%2#0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x6xi32>) -> tensor<2x6xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<2x6xi32>) -> tensor<4x6xi32>
    %5 = stablehlo.custom_call @Sharding(%2#1) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x6xi32>) -> tensor<2x6xi32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<2x6xi32>) -> tensor<4x6xi32>
    return %4, %6 : tensor<4x6xi32>, tensor<4x6xi32>
  }
  func.func private @shmap_body(%arg0: tensor<2x6xi32>) -> (tensor<2x6xi32> {jax.result_info = "[('dp',), None]"}, tensor<2x6xi32> {jax.result_info = "[('dp',), None]"}) {
    %c100_i32 = arith.constant 100 : i32
    %0 = call @shmap_body_0() : () -> tensor<i32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<i32>) -> tensor<i32>
    %3 = tensor.empty() : tensor<i32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%2 : tensor<i32>) outs(%3 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %12 = arith.muli %in, %c100_i32 : i32
      linalg.yield %12 : i32
    } -> tensor<i32>
    %5 = stablehlo.custom_call @Sharding(%4) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<i32>) -> tensor<i32>
    %6 = tensor.empty() : tensor<2x6xi32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<i32>) outs(%6 : tensor<2x6xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<2x6xi32>
    %8 = stablehlo.custom_call @Sharding(%7) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x6xi32>) -> tensor<2x6xi32>
    %9 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg0, %8 : tensor<2x6xi32>, tensor<2x6xi32>) outs(%6 : tensor<2x6xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %12 = arith.addi %in, %in_0 : i32
      linalg.yield %12 : i32
    } -> tensor<2x6xi32>
    %10 = stablehlo.custom_call @Sharding(%9) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x6xi32>) -> tensor<2x6xi32>
    %11 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>}> : (tensor<2x6xi32>) -> tensor<2x6xi32>
    return %10, %11 : tensor<2x6xi32>, tensor<2x6xi32>
  }
  func.func private @shmap_body_0() -> (tensor<i32> {jax.result_info = "[]"}) {
    %c2_i32 = arith.constant 2 : i32
    %c4_i32 = arith.constant 4 : i32
    %0 = stablehlo.partition_id : tensor<i32>
    %1 = tensor.empty() : tensor<i32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%0 : tensor<i32>) outs(%1 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %4 = arith.divui %in, %c4_i32 : i32
      linalg.yield %4 : i32
    } -> tensor<i32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%2 : tensor<i32>) outs(%1 : tensor<i32>) {
    ^bb0(%in: i32, %out: i32):
      %4 = arith.remui %in, %c2_i32 : i32
      linalg.yield %4 : i32
    } -> tensor<i32>
    return %3 : tensor<i32>
  }
}

//--- sub-groups-sdy.mlir
#map = affine_map<() -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x8xi32> {jax.result_info = "result[0]"}, tensor<8x8xi32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {"tp"}]>] out_shardings=[<@mesh, [{}, {"tp"}]>, <@mesh, [{}, {"tp"}]>] manual_axes={"dp", "tp"} (%arg1: tensor<4x2xi32>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %3 = tensor.empty() : tensor<i32>
        %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg2, %arg3 : tensor<i32>, tensor<i32>) outs(%3 : tensor<i32>) {
        ^bb0(%in: i32, %in_0: i32, %out: i32):
          %5 = arith.addi %in, %in_0 : i32
          linalg.yield %5 : i32
        } -> tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
      %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<4x2xi32>) -> tensor<8x2xi32>
      sdy.return %1, %2 : tensor<4x2xi32>, tensor<8x2xi32>
    } : (tensor<4x8xi32>) -> (tensor<4x8xi32>, tensor<8x8xi32>)
    return %0#0, %0#1 : tensor<4x8xi32>, tensor<8x8xi32>
  }
}

//--- sub-groups-gspmd.mlir
#map = affine_map<() -> ()>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x8xi32> {jax.result_info = "result[0]"}, tensor<8x8xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x8xi32>) -> tensor<4x2xi32>
    %2:2 = call @shmap_body(%1) : (tensor<4x2xi32>) -> (tensor<4x2xi32>, tensor<8x2xi32>)
    %3 = stablehlo.custom_call @Sharding(%2#0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<4x2xi32>) -> tensor<4x8xi32>
    %5 = stablehlo.custom_call @Sharding(%2#1) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x2xi32>) -> tensor<8x2xi32>
    %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<8x2xi32>) -> tensor<8x8xi32>
    return %4, %6 : tensor<4x8xi32>, tensor<8x8xi32>
  }
  func.func private @shmap_body(%arg0: tensor<4x2xi32>) -> (tensor<4x2xi32> {jax.result_info = "[None, ('tp',)]"}, tensor<8x2xi32> {jax.result_info = "[None, ('tp',)]"}) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = tensor.empty() : tensor<i32>
      %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg1, %arg2 : tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %4 = arith.addi %in, %in_0 : i32
        linalg.yield %4 : i32
      } -> tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<4x2xi32>) -> tensor<8x2xi32>
    return %0, %1 : tensor<4x2xi32>, tensor<8x2xi32>
  }
}

//--- called-sdy.mlir
#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["dp"=2, "tp"=4]> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x2xi32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {"tp"}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"dp", "tp"} (%arg1: tensor<4x2xi32>) {
      %1 = func.call @"<lambda>"(%arg1) : (tensor<4x2xi32>) -> tensor<4x2xi32>
      sdy.return %1 : tensor<4x2xi32>
    } : (tensor<4x8xi32>) -> tensor<4x2xi32>
    return %0 : tensor<4x2xi32>
  }
  func.func private @"<lambda>"(%arg0: tensor<4x2xi32>) -> tensor<4x2xi32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = tensor.empty() : tensor<i32>
      %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg1, %arg2 : tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %4 = arith.addi %in, %in_0 : i32
        linalg.yield %4 : i32
      } -> tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %1 = call @relu(%0) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    return %1 : tensor<4x2xi32>
  }
  func.func private @relu(%arg0: tensor<4x2xi32>) -> tensor<4x2xi32> {
    %cst = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<4x2xi32>
    %1 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<i32>) outs(%0 : tensor<4x2xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x2xi32>
    %2 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg0, %1 : tensor<4x2xi32>, tensor<4x2xi32>) outs(%0 : tensor<4x2xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %3 = arith.maxsi %in, %in_0 : i32
      linalg.yield %3 : i32
    } -> tensor<4x2xi32>
    return %2 : tensor<4x2xi32>
  }
}

//--- called-gspmd.mlir
#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> ()>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xi32>) -> (tensor<4x2xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"} : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x8xi32>) -> tensor<4x2xi32>
    %2 = call @shmap_body(%1) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<4x2xi32>) -> tensor<4x2xi32>
    return %4 : tensor<4x2xi32>
  }
  func.func private @shmap_body(%arg0: tensor<4x2xi32>) -> (tensor<4x2xi32> {jax.result_info = "[None, None]"}) {
    %0 = call @"<lambda>"(%arg0) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    return %0 : tensor<4x2xi32>
  }
  func.func private @"<lambda>"(%arg0: tensor<4x2xi32>) -> tensor<4x2xi32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = tensor.empty() : tensor<i32>
      %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg1, %arg2 : tensor<i32>, tensor<i32>) outs(%2 : tensor<i32>) {
      ^bb0(%in: i32, %in_0: i32, %out: i32):
        %4 = arith.addi %in, %in_0 : i32
        linalg.yield %4 : i32
      } -> tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    %1 = call @relu(%0) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    return %1 : tensor<4x2xi32>
  }
  func.func private @relu(%arg0: tensor<4x2xi32>) -> tensor<4x2xi32> {
    %cst = arith.constant dense<0> : tensor<i32>
    %0 = tensor.empty() : tensor<4x2xi32>
    %1 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel"]} ins(%cst : tensor<i32>) outs(%0 : tensor<4x2xi32>) {
    ^bb0(%in: i32, %out: i32):
      linalg.yield %in : i32
    } -> tensor<4x2xi32>
    %2 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg0, %1 : tensor<4x2xi32>, tensor<4x2xi32>) outs(%0 : tensor<4x2xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %3 = arith.maxsi %in, %in_0 : i32
      linalg.yield %3 : i32
    } -> tensor<4x2xi32>
    return %2 : tensor<4x2xi32>
  }
}
