// Shards of one row along a manual axis, which another axis splits further, to
// nothing on some devices.
// RUN: split-file %s %t
// RUN: shard-run %t/plain.mlir --output=@%t/0.npy
// RUN: shard-run %t/manual.mlir --expected_output=@%t/0.npy --tolerance=0

//--- plain.mlir
func.func @main(%x: tensor<2x6xi32>, %w: tensor<6x6xi32>) -> tensor<2x6xi32> {
  %z = arith.constant dense<0> : tensor<2x6xi32>
  %y = linalg.matmul ins(%x, %w : tensor<2x6xi32>, tensor<6x6xi32>) outs(%z : tensor<2x6xi32>) -> tensor<2x6xi32>
  return %y : tensor<2x6xi32>
}

//--- manual.mlir
shardir.mesh @m <["tp"=2, "dp"=2]>
func.func @main(%x: tensor<2x6xi32>, %w: tensor<6x6xi32>) -> tensor<2x6xi32> {
  %0 = shardir.manual (%x, %w) in [#shardir.placement<@m, [{"dp"}, {}]>, #shardir.placement<@m, [{?}, {"tp"}]>]
      out [#shardir.placement<@m, [{"dp", "tp"}, {}]>] manual = ["dp"] {
  ^bb0(%l: tensor<1x6xi32>, %v: tensor<6x6xi32>):
    %z = arith.constant dense<0> : tensor<1x6xi32>
    %y = linalg.matmul ins(%l, %v : tensor<1x6xi32>, tensor<6x6xi32>) outs(%z : tensor<1x6xi32>) -> tensor<1x6xi32>
    shardir.yield %y : tensor<1x6xi32>
  } : (tensor<2x6xi32>, tensor<6x6xi32>) -> tensor<2x6xi32>
  return %0 : tensor<2x6xi32>
}
