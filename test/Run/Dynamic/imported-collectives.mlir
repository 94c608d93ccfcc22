// Collectives of JAX's shard_map on dims of unknown extent: rows of as many as there
// are over two devices, gathered, scattered, sent on, and exchanged for columns.
// RUN: shard-run %s --input=4x2xf32=1,2,3,4,5,6,7,8 --expected_output=4x2xf32=2,4,6,8,10,12,14,16 --expected_output=4x2xf32=0,0,0,0,1,2,3,4 --expected_output=4x2xf32=1,2,3,4,5,6,7,8
// RUN: shard-run %s --input=2x2xf32=1,2,3,4 --expected_output=2x2xf32=2,4,6,8 --expected_output=2x2xf32=0,0,1,2 --expected_output=2x2xf32=1,2,3,4
// RUN: shard-run %s --input=0x2xf32 --expected_output=0x2xf32 --expected_output=0x2xf32 --expected_output=0x2xf32
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %0:3 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>, <@m, [{"a"}, {}]>, <@m, [{}, {"a"}]>] manual_axes={"a"} (%l: tensor<?x2xf32>) {
    %1 = "stablehlo.all_gather"(%l) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %2 = "stablehlo.reduce_scatter"(%1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%a: f32, %b: f32):
      %m = arith.addf %b, %a : f32
      "stablehlo.return"(%m) : (f32) -> ()
    }) : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %3 = "stablehlo.collective_permute"(%l) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %4 = "stablehlo.all_to_all"(%l) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<?x2xf32>) -> tensor<?x1xf32>
    sdy.return %2, %3, %4 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x1xf32>
  } : (tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>)
  return %0#0, %0#1, %0#2 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
